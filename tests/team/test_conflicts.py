"""Machines that change one memory without knowing of each other: both stand, and one ends it (specs/team.md TM-31, TM-32)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.errors import NotFoundError
from ledger.memory import Memory
from tests.writers.machines import Machine, exchange, joined

Pair = tuple[Machine, Machine]


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    """Two machines of a team, with a memory that both know."""
    laptop = Machine(tmp_path, "laptop")
    laptop.memory.store(Memory("Use npm"))
    laptop.memory.team.init(f"folder:{tmp_path / 'share'}")
    desk = joined(laptop.memory, Machine(tmp_path, "desk"))
    laptop.memory.team.sync()
    yield laptop, desk
    for machine in (laptop, desk):
        machine.close()


def synced(pair: Pair) -> None:
    for machine in (*pair, pair[0]):
        machine.memory.team.sync()


def apart(pair: Pair) -> tuple[str, str]:
    """Let each machine change the memory by itself; return the ids of both new versions."""
    (old,) = [each.id for each in pair[0].memory.load_all()]
    ours = pair[0].memory.supersede([old], "Use pnpm").id
    theirs = pair[1].memory.supersede([old], "Use yarn").id
    synced(pair)
    return ours, theirs


def conflicts(machine: Machine) -> list[list[str]]:
    return [sorted(each.id for each in group) for group in machine.memory.team.conflicts()]


def test_both_versions_stand_everywhere_and_are_named(pair: Pair) -> None:
    ours, theirs = apart(pair)
    for machine in pair:
        assert conflicts(machine) == [sorted((ours, theirs))]
        shown = (machine.directory / "MEMORY.md").read_text()
        assert "pnpm" in shown
        assert "yarn" in shown


def test_one_takes_the_place_of_both(pair: Pair) -> None:
    ours, theirs = apart(pair)
    done = pair[1].memory.team.resolve(ours).id
    synced(pair)
    for machine in pair:
        assert conflicts(machine) == []
        assert [each.id for each in machine.memory.load_all()] == [done]
        assert set(machine.memory.entry(done).supersedes) == {ours, theirs}
        assert machine.memory.entry(done).memory.text == "Use pnpm"


def test_a_conflict_ends_when_one_is_deleted_or_changed_to_say_the_same(pair: Pair) -> None:
    ours, theirs = apart(pair)
    pair[0].memory.delete([theirs], "no")
    synced(pair)
    assert conflicts(pair[0]) == conflicts(pair[1]) == []
    with pytest.raises(NotFoundError, match="has no conflict"):
        pair[0].memory.team.resolve(ours)


def test_the_same_change_on_both_machines_is_no_conflict(pair: Pair) -> None:
    (old,) = [each.id for each in pair[0].memory.load_all()]
    for machine in pair:
        machine.memory.supersede([old], "Use pnpm")
    synced(pair)
    for machine in pair:
        assert conflicts(machine) == []
        assert len(machine.memory.load_all()) == 1


def test_one_machine_alone_is_never_in_conflict(pair: Pair) -> None:
    """A memory that was deleted, brought back and changed has two lines of versions in one chain."""
    laptop, _ = pair
    (old,) = [each.id for each in laptop.memory.load_all()]
    new = laptop.memory.supersede([old], "Use pnpm").id
    laptop.memory.revert([new])
    exchange(list(pair))
    assert conflicts(laptop) == []
