"""Tests of ledger/recovery.py: a person goes on after damage, and nothing is dropped (C-17)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from blake3 import blake3

from ledger.command import Create
from ledger.errors import (
    ChainError,
    ForeignChainError,
    KeyFileError,
    RecordError,
    RollbackError,
    SecretError,
    StateError,
)
from ledger.memory import Memory
from ledger.recovery import Recovered, examine, recover
from tests.ledger.broken import cut_to, damage, goes_on_after
from tests.ledger.world import ADA, SECRET, World, flipped, lines_of, overwrite, texts_of
from tests.observing import dying_at


@pytest.fixture
def world(world: World) -> World:
    """A ledger of six events: genesis and five memories."""
    world.fill("one", "two", "three", "four", "five")
    return world


# --- looking ------------------------------------------------------------------------------------------------


def test_a_whole_chain_needs_no_recovery(world: World) -> None:
    """Recovering one is refused, and says so."""
    before = world.path.read_bytes()
    standing = examine(world.open())
    assert standing.whole
    assert standing.events == 6
    assert standing.sentences() == ["6 good events, the newest is @5", "nothing needs recovery"]
    with pytest.raises(StateError, match="nothing to recover"):
        recover(world.open(), ADA, "just in case")
    assert world.path.read_bytes() == before


def test_looking_changes_nothing(world: World) -> None:
    """What was found is said in sentences: how much stands, the fault, what was lost."""
    rest = damage(world, 3)
    before = world.path.read_bytes()
    said = " | ".join(examine(world.open()).sentences())
    assert "3 good events, the newest is @2" in said
    assert "then line 4: " in said
    assert f"{len(rest)} bytes from there on would be set aside" in said
    assert "event @5" in said
    assert "was acknowledged here and is not among them" in said
    assert world.path.read_bytes() == before


# --- recover ------------------------------------------------------------------------------------------------


def test_after_a_rollback(world: World) -> None:
    """Appends are refused until then; the recover event names what is lost (C-17)."""
    ledger, lost = world.open(), world.events()[-1].id
    cut_to(world, 3)
    for _ in range(2):
        with pytest.raises(RollbackError):
            ledger.create(Memory("six"), ADA)
    done = recover(ledger, ADA, "the disk went back")
    event = world.events()[-1]
    assert done == Recovered(event.id, None, (5, lost))
    assert event.head["lost"] == {"id": lost, "seq": 5}
    assert event.head["cut"] is None
    assert event.payload is not None
    assert event.payload["reason"] == "the disk went back"
    goes_on_after(world, done, "one", "two")
    assert world.torn() == []


def test_after_a_bad_line(world: World) -> None:
    """From the bad line on all bytes lie beside the chain, their hash stands in the event (C-17)."""
    lost = world.events()[-1].id
    rest = damage(world, 4)
    done = recover(world.open(), ADA, "a bad sector")
    [torn] = world.torn()
    assert done.kept == torn
    assert torn.read_bytes() == rest
    event = world.events()[-1]
    assert event.head["cut"] == blake3(rest).hexdigest()
    assert event.head["lost"] == {"id": lost, "seq": 5}
    goes_on_after(world, done, "one", "two", "three")


def test_after_a_bad_line_without_a_mark(world: World) -> None:
    """Nothing says what was lost, so nothing is named; the bytes are kept all the same."""
    rest = damage(world, 4)
    world.mark.remove()
    with pytest.raises(ChainError, match="muniment recover"):
        world.open().create(Memory("six"), ADA)
    done = recover(world.open(), ADA, "")
    assert world.torn()[0].read_bytes() == rest
    assert (done.lost, world.events()[-1].head["lost"]) == (None, None)
    goes_on_after(world, done, "one", "two", "three")


def test_after_damage_to_every_line(world: World) -> None:
    """Whichever line is bad: what stands before it stays, and one recovery is enough."""
    whole, mark = world.path.read_bytes(), world.mark.read()
    assert mark is not None
    texts = ["one", "two", "three", "four", "five"]
    for line in range(1, 6):
        overwrite(world.path, whole)
        world.mark.write(mark)
        rest = damage(world, line)
        done = recover(world.open(), ADA, "")
        assert done.kept is not None
        assert done.kept.read_bytes() == rest
        goes_on_after(world, done, *texts[: line - 1])


def test_a_chain_without_a_good_genesis_is_not_recovered(world: World) -> None:
    """Only a backup helps, whether it was emptied or its first line is bad (C-17)."""
    ledger, whole = world.open(), world.path.read_bytes()
    for data in (b"", flipped(whole, 3)):
        for marked in (True, False):
            overwrite(world.path, data)
            mark = world.mark.read()
            if not marked:
                world.mark.remove()
            with pytest.raises(ChainError, match=r"holds no good event at all .*muniment restore"):
                recover(ledger, ADA, "")
            assert world.path.read_bytes() == data
            if mark:
                world.mark.write(mark)
    assert world.torn() == []


def test_another_ledgers_chain_is_not_recovered(world: World, tmp_path: Path) -> None:
    """However good it is in itself; with and without a mark."""
    stranger = World(tmp_path / "stranger", "two")
    overwrite(world.path, stranger.path.read_bytes())
    for _ in range(2):
        with pytest.raises(ForeignChainError, match="another ledger's chain"):
            recover(world.open(), ADA, "")
        world.mark.remove()
    assert world.path.read_bytes() == stranger.path.read_bytes()


@pytest.mark.parametrize("marked", [True, False])
def test_a_lost_line_feed_loses_no_event(world: World, marked: bool) -> None:
    """The event is all there: recover has nothing to do, and the next append mends it."""
    overwrite(world.path, world.path.read_bytes()[:-1])
    if not marked:
        world.mark.remove()
    assert examine(world.open()).whole
    with pytest.raises(StateError, match="nothing to recover"):
        recover(world.open(), ADA, "")
    world.goes_on("one", "two", "three", "four", "five")


def test_a_lost_line_feed_before_a_rollback_is_mended_on_the_way(world: World) -> None:
    """Rolled back into the middle of nowhere: the last whole event counts."""
    cut_to(world, 4)
    overwrite(world.path, world.path.read_bytes()[:-1])
    done = recover(world.open(), ADA, "")
    assert done.kept is None
    goes_on_after(world, done, "one", "two", "three")


def test_a_half_line_after_a_rollback_is_set_aside(world: World) -> None:
    """Also one that was cut just after a brace of its payload."""
    ledger = world.open()
    payload = Memory("six", details=("a", "b"), place=None, when_to_use=("c",)).with_changes(title="t")
    ledger.create(payload, ADA)
    lines = lines_of(world.path)
    for size in (100, len(lines[5]) - 10):
        overwrite(world.path, b"".join(lines[:5]) + lines[5][:size])
        standing = examine(ledger)
        assert standing.fault is not None
        assert standing.events == 5
    done = recover(ledger, ADA, "")
    assert world.torn()[0].read_bytes() == lines[5][:-10]
    goes_on_after(world, done, "one", "two", "three", "four")


@pytest.mark.parametrize("marked", [True, False])
def test_half_a_document_after_a_rollback_is_set_aside(world: World, marked: bool) -> None:
    """A file that ends inside a long body must not show a part of it as the whole (C-10, C-17)."""
    ledger = world.open()
    ledger.create(Memory("long", body="a line of it\n" * 12_000), ADA)
    rest = b"".join(lines_of(world.path)[6:-1])
    cut_to(world, len(lines_of(world.path)) - 1)
    standing = examine(ledger)
    assert (standing.events, standing.rest) == (6, len(rest))
    assert any("half a document" in sentence for sentence in standing.sentences())
    if not marked:
        world.mark.remove()
        world.goes_on("one", "two", "three", "four", "five")
    else:
        done = recover(ledger, ADA, "")
        assert world.events()[-1].head["cut"] == blake3(rest).hexdigest()
        goes_on_after(world, done, "one", "two", "three", "four", "five")
    assert [torn.read_bytes() for torn in world.torn()] == [rest]


def test_what_lost_events_had_erased_stays_erased(world: World) -> None:
    """The file was cut, so the blanks are there and the erase is not: a new one says so (C-17)."""
    ledger = world.open()
    gone = [written.id for written in ledger.write([Create(Memory(f"private {n}")) for n in range(20)], ADA)]
    ledger.erase([world.events()[1].id], ADA)
    ledger.erase(gone, ADA)
    cut_to(world, 6 + 20 + 1)
    done = recover(ledger, ADA, "")
    recovered, *erases = world.events()[-3:]
    assert (recovered.id, recovered.kind) == (done.id, "recover")
    assert [target for erase in erases for target in erase.targets] == gone
    assert world.codes() == []
    world.goes_on("two", "three", "four", "five")


def test_a_torn_tail_can_be_recovered_by_hand_too(world: World) -> None:
    """The next append would set it aside by itself; recover does the same and says so in the log."""
    with world.path.open("ab") as file:
        file.write(b"half a li")
    done = recover(world.open(), ADA, "")
    assert world.torn()[0].read_bytes() == b"half a li"
    assert done.lost is None
    goes_on_after(world, done, "one", "two", "three", "four", "five")


def test_recovering_twice_needs_a_second_damage(world: World) -> None:
    """Each recovery opens an epoch of its own."""
    cut_to(world, 4)
    recover(world.open(), ADA, "first")
    world.fill("six")
    cut_to(world, 5)
    recover(world.open(), ADA, "second")
    assert [event.epoch for event in world.events()] == [0, 0, 0, 0, 1, 2]
    assert world.codes() == []


def test_other_open_processes_go_on_after_a_recovery(world: World) -> None:
    """What they knew of the lost events is forgotten, not written down again as known."""
    other = world.open()
    assert texts_of(other) == ["one", "two", "three", "four", "five"]
    cut_to(world, 3)
    recover(world.open(), ADA, "")
    assert texts_of(other) == ["one", "two"]
    assert not other.create(Memory("five"), ADA).known
    assert texts_of(other) == ["one", "two", "five"]
    assert world.codes() == []


def test_the_process_that_recovered_goes_on(world: World) -> None:
    """Its own view had the lost events as well."""
    ledger = world.open()
    assert len(texts_of(ledger)) == 5
    damage(world, 3)
    recover(ledger, ADA, "")
    ledger.create(Memory("three"), ADA)
    assert texts_of(ledger) == ["one", "two", "three"]
    assert world.codes() == []


def test_without_the_key_nothing_is_cut(world: World) -> None:
    """The recover event could not be signed, so the damaged chain stays as it is."""
    rest = damage(world, 3)
    before = world.path.read_bytes()
    ledger, key = world.open(), world.keys.path_of(world.identity.id)
    key.rename(key.with_suffix(".away"))
    with pytest.raises(KeyFileError, match="missing"):
        recover(ledger, ADA, "")
    shutil.copy(World(world.directory.parent / "other", "two").keys.path_of(world.identity.id), key)
    with pytest.raises(KeyFileError, match="not the key that the chain is signed with"):
        recover(ledger, ADA, "")
    assert world.path.read_bytes() == before
    assert rest
    assert world.torn() == []


@pytest.mark.parametrize("reason", [f"the key was {SECRET}", "x" * 4001, "a\0b"])
def test_a_reason_that_cannot_be_signed_changes_nothing(world: World, reason: str) -> None:
    """A secret in the reason is refused as everywhere; so is one that is too long."""
    damage(world, 3)
    before = world.path.read_bytes()
    with pytest.raises((SecretError, RecordError)) as caught:
        recover(world.open(), ADA, reason)
    assert SECRET not in str(caught.value)
    assert world.path.read_bytes() == before


@pytest.mark.parametrize("step", ["torn.copied", "torn.cut", "append.written", "append.synced"])
def test_a_recovery_that_dies_is_repeated(world: World, step: str) -> None:
    """At whichever step: nothing good is lost, and a second recovery, or none, is needed."""
    rest = damage(world, 3)
    ledger = world.open()
    with dying_at(step):
        recover(ledger, ADA, "")
    if not examine(world.open()).whole:
        recover(world.open(), ADA, "")
    world.goes_on("one", "two")
    assert rest in [torn.read_bytes() for torn in world.torn()]
