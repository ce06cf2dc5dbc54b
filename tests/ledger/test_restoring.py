"""A backup goes only where nothing stands, and nothing that was acknowledged is lost in silence."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from ledger import backup_archive, founding, restoring
from ledger.backup_archive import ArchiveSource, unpacked
from ledger.errors import (
    ChainError,
    ForeignChainError,
    FormatError,
    KeyFileError,
    LedgerExistsError,
    RollbackError,
)
from ledger.keys import KeyDirectory
from ledger.ledger import Identity
from ledger.mark import Pin, StateDirectory
from ledger.memory import Memory
from ledger.restoring import CheckedBackup, Destination
from ledger.verify import Expectation
from tests.ledger.reference import MemoryView
from tests.ledger.world import ADA, Spoken, World, lines_of, overwrite


@dataclass
class Machine:
    """A machine without any ledger."""

    base: Path

    @property
    def at(self) -> Destination:
        return Destination(
            self.base / "ledger", KeyDirectory(self.base / "keys"), StateDirectory(self.base / "state")
        )

    @property
    def chain(self) -> Path:
        return self.base / "ledger" / "chain.jsonl"


def _here(world: World) -> Destination:
    return Destination(world.directory, world.keys, world.state)


def _backup(world: World, into: Path, *, keys: bool = True) -> Path:
    files = {}
    if keys:
        paths = [world.keys.path_of(world.identity.id, name) for name in ("key", "next")]
        files = {f"keys/{path.name}": path for path in paths}
    expect = Expectation(world.genesis, None, world.mark.read())
    backup_archive.write(
        ArchiveSource(world.path, world.identity, expect, files=files), into, replace=True, clock=world.clock
    )
    return into


@contextmanager
def _checked(path: Path) -> Iterator[CheckedBackup]:
    with unpacked(path) as found:
        yield restoring.check(found)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A ledger of two memories on the machine that it was made on."""
    world = World(tmp_path / "old")
    world.fill("one", "two")
    return world


@pytest.fixture
def backup(world: World, tmp_path: Path) -> Path:
    """A backup of it with keys."""
    return _backup(world, tmp_path / "b.tar.gz")


# --- moved here ---


def test_a_ledger_goes_on_where_it_moved_to(world: World, backup: Path, tmp_path: Path) -> None:
    """F-14: keys, chain, pin and mark are there, and the next event follows the last."""
    new = Machine(tmp_path / "new")
    with _checked(backup) as checked:
        done = restoring.move_here(checked, new.at, ADA)
    assert (done.genesis, done.recovered, done.kept, done.keyed) == (world.genesis, "", None, True)
    assert new.chain.read_bytes() == world.path.read_bytes()
    assert new.at.state.pin_of(new.at.directory) == Pin(world.identity.id, world.genesis)
    mark = new.at.state.mark_of(world.identity.id).read()
    assert mark == world.mark.read()
    ledger = Spoken.of(founding.open_ledger(new.at.directory, new.at.keys, new.at.state, view=MemoryView()))
    ledger.create(Memory("three"), ADA)
    assert len(lines_of(new.chain)) == 4


def test_a_chain_that_stands_is_never_replaced(world: World, backup: Path) -> None:
    """F-14: not even by its own backup."""
    world.fill("three")
    before = world.path.read_bytes()
    with _checked(backup) as checked, pytest.raises(LedgerExistsError, match="recover --from"):
        restoring.move_here(checked, _here(world), ADA, reason="because")
    assert world.path.read_bytes() == before


@pytest.mark.parametrize("state", ["missing", "emptied", "overwritten"])
def test_a_chain_that_is_gone_is_brought_back(world: World, backup: Path, state: str) -> None:
    """F-14: a missing, emptied or unreadable chain with a matching pin; old bytes are kept."""
    good = world.path.read_bytes()
    if state == "missing":
        world.path.unlink()
    else:
        overwrite(world.path, b"" if state == "emptied" else b"garbage\n" + good)
    with _checked(backup) as checked:
        done = restoring.move_here(checked, _here(world), ADA)
    assert world.path.read_bytes() == good
    assert not done.recovered
    if state == "overwritten":
        assert done.kept is not None
        assert done.kept.read_bytes() == b"garbage\n" + good
    else:
        assert done.kept is None
    world.goes_on("one", "two")


@pytest.mark.parametrize("state", ["missing", "emptied"])
def test_an_older_backup_needs_a_reason_and_names_what_is_lost(
    world: World, backup: Path, state: str
) -> None:
    """F-14: a rollback is a person's decision, and a signed event says so."""
    newest = world.fill("three", "four")[-1]
    if state == "missing":
        world.path.unlink()
    else:
        overwrite(world.path, b"")
    with _checked(backup) as checked:
        with pytest.raises(RollbackError, match="@4 was acknowledged here"):
            restoring.move_here(checked, _here(world), ADA)
        assert not world.path.exists() or world.path.read_bytes() == b""
        done = restoring.move_here(checked, _here(world), ADA, reason="the disk died")
    event = world.events()[-1]
    assert (event.id, event.kind, event.epoch) == (done.recovered, "recover", 1)
    assert event.head["lost"] == {"seq": 4, "id": newest}
    world.goes_on("one", "two")


def test_a_backup_of_a_fork_that_is_longer_does_not_hide_the_loss(world: World, tmp_path: Path) -> None:
    """F-14: what counts is whether the marked event is in the backup, not which chain is longer."""
    shutil.copytree(tmp_path / "old", tmp_path / "fork")
    other = World.__new__(World)
    other.__dict__.update(world.__dict__)
    other.directory = tmp_path / "fork" / "ledger"
    other.path = other.directory / "chain.jsonl"
    other.keys, other.state = (
        KeyDirectory(tmp_path / "fork" / "keys"),
        StateDirectory(tmp_path / "fork" / "state"),
    )
    other.fill("their three", "their four", "their five")
    longer = _backup(other, tmp_path / "fork.tar.gz")
    world.fill("our three")
    world.path.unlink()
    with _checked(longer) as checked:
        with pytest.raises(RollbackError):
            restoring.move_here(checked, _here(world), ADA)
        done = restoring.move_here(checked, _here(world), ADA, reason="theirs is better")
    assert world.events()[-1].id == done.recovered
    world.goes_on("one", "two", "their three", "their four", "their five")


def test_without_a_key_a_ledger_can_be_read_and_says_so(world: World, tmp_path: Path) -> None:
    """F-14: a backup without keys is no failure."""
    new = Machine(tmp_path / "new")
    with _checked(_backup(world, tmp_path / "k.tar.gz", keys=False)) as checked:
        done = restoring.move_here(checked, new.at, ADA)
    assert not done.keyed
    assert new.chain.read_bytes() == world.path.read_bytes()
    ledger = Spoken.of(founding.open_ledger(new.at.directory, new.at.keys, new.at.state, view=MemoryView()))
    with pytest.raises(KeyFileError):
        ledger.create(Memory("three"), ADA)


def test_without_a_key_nothing_is_given_up(world: World, tmp_path: Path) -> None:
    """F-14: a rollback that nobody could sign is not begun."""
    backup = _backup(world, tmp_path / "k.tar.gz", keys=False)
    world.fill("three")
    world.path.unlink()
    world.keys.path_of(world.identity.id).unlink()
    with _checked(backup) as checked, pytest.raises(KeyFileError):
        restoring.move_here(checked, _here(world), ADA, reason="because")
    assert not world.path.exists()


def test_a_key_of_another_chain_is_not_replaced(world: World, backup: Path, tmp_path: Path) -> None:
    """F-14: what lies in the key's place is a person's to judge."""
    new = Machine(tmp_path / "new")
    other = World(tmp_path / "other", "another seed")
    new.at.keys.path.mkdir(parents=True)
    shutil.copy(other.keys.path_of(other.identity.id), new.at.keys.path_of(world.identity.id))
    with _checked(backup) as checked, pytest.raises(KeyFileError):
        restoring.move_here(checked, new.at, ADA)
    assert not new.chain.exists()


def test_two_copies_on_one_machine_are_refused(world: World, backup: Path, tmp_path: Path) -> None:
    """F-14: both would write with one key and one mark."""
    at = Destination(tmp_path / "second", world.keys, world.state)
    with _checked(backup) as checked, pytest.raises(LedgerExistsError, match="fork"):
        restoring.move_here(checked, at, ADA)
    assert not at.directory.exists()
    shutil.rmtree(world.directory)
    with _checked(backup) as checked:
        restoring.move_here(checked, at, ADA)  # it moved inside of the machine
    assert (at.directory / "chain.jsonl").exists()


def test_a_directory_of_another_ledger_is_refused(world: World, tmp_path: Path) -> None:
    """F-14: the pin decides."""
    other = World(tmp_path / "other", "another seed", Identity("ff" * 16, "other", "user"))
    backup = _backup(other, tmp_path / "o.tar.gz")
    world.path.unlink()
    with _checked(backup) as checked, pytest.raises(ForeignChainError):
        restoring.move_here(checked, _here(world), ADA)
    assert not world.path.exists()


def test_another_chain_with_the_id_of_a_known_ledger_is_refused(world: World, tmp_path: Path) -> None:
    """F-14: somebody's archive that claims to be our ledger is told from it by the mark."""
    other = World(tmp_path / "other", "another seed")
    other.fill("one", "two", "three", "four")
    backup = _backup(other, tmp_path / "o.tar.gz")
    at = Destination(tmp_path / "elsewhere", world.keys, world.state)
    with _checked(backup) as checked, pytest.raises(ForeignChainError):
        restoring.move_here(checked, at, ADA, reason="because")
    assert not at.directory.exists()


# --- checking ---


@pytest.mark.parametrize("fault", ["altered", "cut", "another"])
def test_a_backup_whose_chain_does_not_hold_is_refused(tmp_path: Path, fault: str) -> None:
    """F-13: the chain is verified from end to end, and the manifest must speak of it."""
    world = World(tmp_path / "old")
    world.fill("one", "two")
    other = World(tmp_path / "other", "another seed")
    lines = lines_of(world.path)
    changes: dict[str, Callable[[], bytes]] = {
        "altered": lambda: b"".join(lines).replace(b"two", b"six"),
        "cut": lambda: b"".join(lines[:-1]),
        "another": other.path.read_bytes,
    }
    with unpacked(_backup(world, tmp_path / "b.tar.gz")) as found:
        found.chain.write_bytes(changes[fault]())
        with pytest.raises((ChainError, FormatError), match="nothing was changed"):
            restoring.check(found)


# --- second machine ---
