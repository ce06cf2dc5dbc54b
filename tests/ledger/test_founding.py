"""Tests of ledger/founding.py: a ledger is founded once, and opened only as what it is (C-15, C-16)."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

from ledger.errors import (
    ChainError,
    ForeignChainError,
    KeyFileError,
    LedgerError,
    LedgerExistsError,
    NoLedgerError,
    RecordError,
    RollbackError,
    StorageError,
)
from ledger.event import By, next_key_commitment
from ledger.founding import found, identity_of, open_ledger
from ledger.keys import KeyDirectory
from ledger.ledger import Identity
from ledger.mark import Pin, StateDirectory
from ledger.memory import Memory
from tests.ledger.reference import MemoryView
from tests.ledger.world import ADA, IDENTITY, START, Clock, Spoken, World, flipped, overwrite, random_of


def test_a_founded_ledger_is_complete(tmp_path: Path) -> None:
    """Keys, genesis, mark and pin are there and agree."""
    world = World(tmp_path)
    [genesis] = world.events()
    current, following = world.keys.load(IDENTITY.id), world.keys.stored(IDENTITY.id, "next")
    assert (genesis.seq, genesis.kind, genesis.id) == (0, "genesis", world.genesis)
    assert genesis.head["key"] == current.public.hex()
    assert genesis.head["next"] == next_key_commitment(following.public)
    assert identity_of(world.path) == (IDENTITY, world.genesis)
    mark = world.mark.read()
    assert mark is not None
    assert (mark.seq, mark.id, mark.end) == (0, world.genesis, world.path.stat().st_size)
    assert world.state.pin_of(world.directory) == Pin(IDENTITY.id, world.genesis)
    report = world.verify()
    assert (report.integrity.state, report.completeness.state) == ("sound", "sound")


def test_what_is_founded_lies_open_to_nobody(tmp_path: Path) -> None:
    """The directory has mode 0700, the chain 0600."""
    world = World(tmp_path)
    assert world.directory.stat().st_mode & 0o777 == 0o700
    assert world.path.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in world.directory.iterdir()] == ["chain.jsonl"]


def test_same_clock_and_randomness_make_the_same_genesis(tmp_path: Path) -> None:
    """Nothing else goes into it: neither the machine nor the place."""
    one, two = World(tmp_path / "one"), World(tmp_path / "two")
    assert one.path.read_bytes() == two.path.read_bytes()


def test_founding_where_a_chain_stands_is_refused(tmp_path: Path) -> None:
    """Not a byte of chain, key or pin changes."""
    world = World(tmp_path)
    before = {path: path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()}
    with pytest.raises(LedgerExistsError, match="there is a ledger already"):
        found(world.directory, IDENTITY, ADA, world.keys, world.state)
    assert {path: path.read_bytes() for path in sorted(tmp_path.rglob("*")) if path.is_file()} == before


def test_founding_where_a_chain_is_gone_is_refused(tmp_path: Path) -> None:
    """An emptied directory may not quietly become a new ledger."""
    world = World(tmp_path)
    shutil.rmtree(world.directory)
    with pytest.raises(LedgerExistsError, match="is gone, but event @0 was acknowledged here"):
        found(world.directory, IDENTITY, ADA, world.keys, world.state)


def test_founding_an_id_that_this_machine_knows_is_refused(tmp_path: Path) -> None:
    """In another directory, the same ledger id would share key and mark with the lost chain."""
    world = World(tmp_path)
    world.fill("one")
    with pytest.raises(LedgerExistsError, match=r"in another folder, which reached event @1"):
        found(tmp_path / "elsewhere", IDENTITY, ADA, world.keys, world.state)
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("identity", "by"),
    [
        (IDENTITY._replace(name="Not A Slug"), ADA),
        (IDENTITY._replace(name=""), ADA),
        (IDENTITY._replace(id="../../../etc/passwd"), ADA),
        (IDENTITY._replace(id=IDENTITY.id.upper()), ADA),
        (IDENTITY._replace(scope="galaxy"), ADA),
        (IDENTITY, By("Ada Lovelace")),
        (IDENTITY, By("ada", "queen")),
    ],
)
def test_a_malformed_identity_or_writer_founds_nothing(tmp_path: Path, identity: Identity, by: By) -> None:
    """Nothing is signed that a verifier would refuse."""
    with pytest.raises(RecordError):
        found(
            tmp_path / "x", identity, by, KeyDirectory(tmp_path / "keys"), StateDirectory(tmp_path / "state")
        )
    assert not (tmp_path / "x").exists()


def test_a_key_left_by_a_founding_that_died_is_used_again(tmp_path: Path) -> None:
    """Until genesis stands there is no ledger; afterwards its key is the one that lay there."""
    keys, state = KeyDirectory(tmp_path / "keys"), StateDirectory(tmp_path / "state")
    (tmp_path / "ledger").write_text("a file where the ledger's directory must be")
    with pytest.raises(StorageError, match="making the ledger's directory failed"):
        found(tmp_path / "ledger", IDENTITY, ADA, keys, state)
    left = keys.load(IDENTITY.id).public
    (tmp_path / "ledger").unlink()
    found(tmp_path / "ledger", IDENTITY, ADA, keys, state)
    ledger = Spoken.of(open_ledger(tmp_path / "ledger", keys, state, view=MemoryView()))
    assert ledger.signing_key().public == left
    ledger.create(Memory("it works"), ADA)


def test_of_two_that_found_at_once_one_wins(tmp_path: Path) -> None:
    """Every other one is told that a chain stands there, and the winner's chain is whole."""
    keys, state = KeyDirectory(tmp_path / "keys"), StateDirectory(tmp_path / "state")
    won: list[str] = []
    refused: list[LedgerError] = []
    ready = threading.Barrier(6)

    def work(number: int) -> None:
        identity = IDENTITY._replace(id=f"{number:032x}")
        ready.wait()
        try:
            won.append(found(tmp_path / "ledger", identity, ADA, keys, state, random=random_of(str(number))))
        except LedgerError as error:
            refused.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert [type(error) for error in refused] == [LedgerExistsError] * 5
    ledger = Spoken.of(open_ledger(tmp_path / "ledger", keys, state, view=MemoryView()))
    ledger.create(Memory("it works"), ADA)
    assert identity_of(tmp_path / "ledger" / "chain.jsonl")[1] == won[0]


# --- opening ------------------------------------------------------------------------------------------------


def test_opening_nothing_says_how_to_begin(tmp_path: Path) -> None:
    """Where there never was a ledger, init is the remedy."""
    with pytest.raises(NoLedgerError, match="muniment init"):
        open_ledger(tmp_path, KeyDirectory(tmp_path / "keys"), StateDirectory(tmp_path / "state"))


def test_opening_a_chain_that_is_gone_says_what_is_lost(tmp_path: Path) -> None:
    """Where there was one, a backup is the remedy, and the newest acknowledged event is named."""
    world = World(tmp_path)
    world.fill("one", "two")
    world.path.unlink()
    with pytest.raises(ChainError, match=r"is gone, but event @2 was acknowledged here.*restore"):
        world.open()


@pytest.mark.parametrize("data", [b"", b"\n", b"{}\n", b"\0" * 4096])
def test_opening_what_does_not_begin_with_a_genesis_is_refused(tmp_path: Path, data: bytes) -> None:
    """An emptied or overwritten file is not taken for a ledger."""
    world = World(tmp_path)
    overwrite(world.path, data)
    with pytest.raises(ChainError, match="does not begin with a good event"):
        world.open()


def test_without_a_pin_the_key_vouches_for_the_chain(tmp_path: Path) -> None:
    """A state directory that was lost is made anew for a chain that our own key signs."""
    world = World(tmp_path)
    world.fill("one")
    shutil.rmtree(tmp_path / "state")
    world.open().create(Memory("two"), ADA)
    assert world.state.pin_of(world.directory) == Pin(IDENTITY.id, world.genesis)
    assert world.codes() == []


def test_without_a_pin_a_chain_of_another_key_is_not_taken_over(tmp_path: Path) -> None:
    """Neither pin nor mark may come to name a stranger's chain, though it bears our ledger's id."""
    world, stranger = World(tmp_path / "ours"), World(tmp_path / "theirs", "two")
    world.fill("one")
    stranger.fill("something else")
    shutil.rmtree(tmp_path / "ours" / "state")
    ours = world.path.read_bytes()
    overwrite(world.path, stranger.path.read_bytes())
    with pytest.raises(KeyFileError, match="not the key that the chain is signed with"):
        world.open()
    assert world.mark.read() is None
    assert world.state.pin_of(world.directory) is None
    overwrite(world.path, ours)
    world.open().create(Memory("two"), ADA)
    assert world.codes() == []


def test_without_a_pin_and_a_key_a_chain_can_be_read_only(tmp_path: Path) -> None:
    """A copy of someone's ledger is opened, but neither pinned, marked nor written."""
    stranger = World(tmp_path / "theirs", "two")
    keys, state = KeyDirectory(tmp_path / "keys"), StateDirectory(tmp_path / "state")
    before = stranger.path.read_bytes()
    ledger = Spoken.of(open_ledger(stranger.directory, keys, state, view=MemoryView()))
    assert ledger.identity == IDENTITY
    with pytest.raises(KeyFileError, match="missing"):
        ledger.create(Memory("mine"), ADA)
    assert stranger.path.read_bytes() == before
    assert state.mark_of(IDENTITY.id).read() is None
    assert state.pin_of(stranger.directory) is None


@pytest.mark.parametrize("same_id", [True, False])
def test_a_chain_signed_anew_with_another_key_is_not_written_to(tmp_path: Path, same_id: bool) -> None:
    """The pin catches it, with and without a mark, whatever ledger id it claims (C-15)."""
    other = IDENTITY if same_id else IDENTITY._replace(id="f" * 32)
    world, stranger = World(tmp_path / "ours"), World(tmp_path / "theirs", "two", other)
    world.fill("one")
    stranger.fill("one", "and more")
    forged = stranger.path.read_bytes()
    overwrite(world.path, forged)
    for _ in range(2):
        with pytest.raises(ForeignChainError, match=r"not the chain that was made here|another"):
            world.open().create(Memory("two"), ADA)
        assert "foreign-chain" in world.codes()
        world.mark.remove()
    assert world.path.read_bytes() == forged
    assert world.mark.read() is None


def test_a_damaged_genesis_is_not_foreign_but_damaged(tmp_path: Path) -> None:
    """What cannot be read says nothing about whose it is; nothing is written."""
    world = World(tmp_path)
    ledger = world.open()
    world.fill("one")
    overwrite(world.path, flipped(world.path.read_bytes(), 40))
    before = world.path.read_bytes()
    for attempt in (world.open, lambda: ledger.create(Memory("two"), ADA)):
        with pytest.raises(ChainError) as caught:
            attempt()
        assert not isinstance(caught.value, ForeignChainError)
    assert world.path.read_bytes() == before


def test_a_mark_of_another_chain_is_refused(tmp_path: Path) -> None:
    """A state directory brought from elsewhere does not fit, and says so."""
    world, stranger = World(tmp_path / "ours"), World(tmp_path / "theirs", "two")
    mark = stranger.mark.read()
    assert mark is not None
    world.mark.write(mark)
    with pytest.raises(ForeignChainError, match="the mark kept here is another chain's"):
        world.open().create(Memory("one"), ADA)


def test_the_clock_of_the_founding_is_the_one_passed_in(tmp_path: Path) -> None:
    """Clock and randomness come from outside."""
    world = World(tmp_path)
    assert world.events()[0].ts == "2026-11-20T15:00:01.000000Z"
    assert Clock()() == START + 1_000_000
    assert issubclass(RollbackError, ChainError)
