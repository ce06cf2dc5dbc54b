"""Tests of ledger/recovery.py: what becomes of the high-water mark (C-17, C-24)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.chain_identity import check_standing
from ledger.errors import ChainError, RollbackError, StorageError
from ledger.event import split_line
from ledger.memory import Memory
from ledger.recovery import examine, recover
from tests.ledger.broken import cut_to, goes_on_after
from tests.ledger.world import ADA, World, lines_of, overwrite
from tests.observing import observed


@pytest.fixture
def world(world: World) -> World:
    """A ledger of six events: genesis and five memories."""
    world.fill("one", "two", "three", "four", "five")
    return world


def test_a_mark_of_another_chain_is_replaced_by_recovery(world: World, tmp_path: Path) -> None:
    """A state directory that was mixed up stops appends; a person's recover settles it."""
    stranger = World(tmp_path / "stranger", "two")
    mark = stranger.mark.read()
    assert mark is not None
    world.mark.write(mark)
    done = recover(world.open(), ADA, "state of another machine")
    assert done.lost == (0, stranger.genesis)
    goes_on_after(world, done, "one", "two", "three", "four", "five")


@pytest.mark.parametrize("slot", [0, 1])
def test_a_mark_torn_after_a_recovery_does_not_bring_the_lost_one_back(world: World, slot: int) -> None:
    """Appends would be refused again, for an event that a person has given up."""
    cut_to(world, 4)
    recover(world.open(), ADA, "")
    data = world.mark.path.read_bytes()
    world.mark.path.write_bytes(data[: slot * 1024] + bytes(1024) + data[(slot + 1) * 1024 :])
    world.goes_on("one", "two", "three")


def test_a_mark_that_cannot_be_settled_is_an_error(world: World, tmp_path: Path) -> None:
    """Appends would still be refused; recovering once more, when it can be written, settles it."""
    cut_to(world, 4)
    ledger, marks = world.open(), tmp_path / "state" / "marks"

    def break_it(step: str) -> None:
        if step == "append.written":
            marks.rename(tmp_path / "hidden")
            marks.write_text("a file where the folder was")

    with observed(break_it), pytest.raises(StorageError, match="high-water mark"):
        recover(ledger, ADA, "")
    marks.unlink()
    (tmp_path / "hidden").rename(marks)
    recover(world.open(), ADA, "")
    world.goes_on("one", "two", "three")


# --- a mark that points elsewhere (C-24) ---------------------------------------------------------------------


def with_spaces(world: World, seq: int, spaces: int) -> None:
    """Put spaces into the blank payload of an event, or take some out: no signature covers them."""
    lines = lines_of(world.path)
    frame = lines[seq].removesuffix(b"}\n")
    frame = frame + b" " * spaces if spaces > 0 else frame[:spaces]
    overwrite(world.path, b"".join([*lines[:seq], frame + b"}\n", *lines[seq + 1 :]]))


@pytest.mark.parametrize("spaces", [-30, -1, 1, 30, 3000])
@pytest.mark.parametrize("known", [True, False])
def test_events_that_stand_elsewhere_are_no_loss(world: World, spaces: int, known: bool) -> None:
    """The writer cannot tell, refuses and names recover; that one moves the mark, durably, and says so."""
    ledger, target = world.open(), world.events()[2].id
    ledger.erase([target], ADA)
    ledger = ledger if known else world.open()
    with_spaces(world, 2, spaces)
    before = world.path.read_bytes()
    assert world.codes() == ["moved"]
    for _ in range(2):
        with pytest.raises(ChainError, match="muniment recover"):
            ledger.create(Memory("six"), ADA)
    standing = examine(ledger)
    assert (standing.whole, standing.lost, standing.moved) == (False, None, True)
    said = " | ".join(standing.sentences())
    assert "event @6" in said
    assert "no event is lost, and the mark would move" in said
    assert "nothing needs recovery" not in said
    done = recover(ledger, ADA, "a tool wrote the file anew")
    event = world.events()[-1]
    assert (event.head["lost"], event.head["cut"]) == (None, None)
    assert (done.lost, done.kept, world.torn()) == (None, None, [])
    assert world.path.read_bytes().startswith(before)
    goes_on_after(world, done, "one", "three", "four", "five")


@pytest.mark.parametrize("slot", [0, 1])
def test_a_moved_mark_is_settled_in_both_slots(world: World, slot: int) -> None:
    """The old offsets cannot come back with a torn slot."""
    world.open().erase([world.events()[2].id], ADA)
    with_spaces(world, 2, 5)
    recover(world.open(), ADA, "")
    data = world.mark.path.read_bytes()
    world.mark.path.write_bytes(data[: slot * 1024] + bytes(1024) + data[(slot + 1) * 1024 :])
    world.goes_on("one", "three", "four", "five")


def test_readers_go_on_after_a_mark_was_moved(world: World) -> None:
    """A shorter file is refused by them too, as cut; recover is what both are told."""
    world.open().erase([world.events()[2].id], ADA)
    with_spaces(world, 2, -30)
    with pytest.raises(RollbackError, match="muniment recover"):
        check_standing(world.path, world.state)
    recover(world.open(), ADA, "")
    check_standing(world.path, world.state)


def test_a_marked_event_whose_own_payload_has_another_length(world: World) -> None:
    """Its line begins where it did and ends elsewhere: the writer stops there, and recover helps here too."""
    lines = lines_of(world.path)
    head = split_line(lines[5][:-1]).head
    overwrite(world.path, b"".join([*lines[:5], head + b',"payload":null}\n']))
    with pytest.raises(ChainError, match="muniment recover"):
        world.open().create(Memory("six"), ADA)
    assert examine(world.open()).moved
    recover(world.open(), ADA, "the payload is lost")
    world.open().create(Memory("six"), ADA)
    assert world.verify().completeness.state == "sound"


def test_what_is_moved_and_cut_is_a_loss(world: World) -> None:
    """The mark's event is not there: that counts, wherever it should have stood."""
    world.open().erase([world.events()[2].id], ADA)
    lost = world.events()[-1].id
    with_spaces(world, 2, 5)
    cut_to(world, 6)
    standing = examine(world.open())
    assert (standing.moved, standing.lost) == (False, (6, lost))
    done = recover(world.open(), ADA, "")
    assert done.lost == (6, lost)
    assert world.codes() == []
