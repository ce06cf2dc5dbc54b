"""Tests of ledger/steps.py: every step has one name, and is reached in the order that the spec gives."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger import steps
from ledger.event import blanked, split_line
from ledger.memory import Memory
from ledger.steps import reached
from tests import observing
from tests.ledger.world import ADA, World, lines_of, overwrite
from tests.observing import STEPS

APPEND = ["append.locked", "append.read", "append.written", "append.synced", "append.marked"]
ERASE = ["erase.appended", "erase.blanked", "erase.synced"]
TORN = ["torn.copied", "torn.cut"]
GENESIS = ["genesis.written", "genesis.synced", "genesis.renamed"]


@pytest.fixture
def watched() -> Iterator[list[str]]:
    with observing.watched() as seen:
        yield seen


def test_the_ledgers_steps_are_all_here() -> None:
    """A step that nobody reaches would be a hole in the crash table; no name stands twice."""
    ours = [step for step in STEPS if step.split(".")[0] in ("genesis", "append", "torn", "erase")]
    assert ours == [*GENESIS, *APPEND, *TORN, *ERASE]
    assert len(set(STEPS)) == len(STEPS)


def test_steps_of_a_life(tmp_path: Path, watched: list[str]) -> None:
    """Founding, an append, an erase, a torn tail (C-5, C-10, C-16, C-19)."""
    world = World(tmp_path)
    assert watched == [*GENESIS, "append.locked", "append.read"]
    ledger = world.open()
    watched.clear()
    id_ = ledger.create(Memory("one"), ADA).id
    assert watched == APPEND
    watched.clear()
    ledger.erase([id_], ADA)
    assert watched == [*APPEND, *ERASE]
    with world.path.open("ab") as file:
        file.write(b"torn")
    watched.clear()
    ledger.create(Memory("two"), ADA)
    assert watched == ["append.locked", *TORN, *APPEND[1:]]


def test_steps_of_what_a_crash_left(tmp_path: Path, watched: list[str]) -> None:
    """A lost line feed and a half erasure are mended before the writer's own work (C-10, C-20)."""
    world = World(tmp_path)
    [id_] = world.fill("one")
    line = lines_of(world.path)[-1]
    world.open().erase([id_], ADA)
    erased = lines_of(world.path)
    payload = split_line(line[:-1]).payload
    assert payload is not None
    assert erased[1] == line.replace(payload, blanked(len(payload)))
    overwrite(world.path, erased[0] + line + erased[2][:-1])
    watched.clear()
    world.open().create(Memory("two"), ADA)
    mended = ["append.written", "append.synced"]
    assert watched == ["append.locked", *mended, "append.read", *ERASE[1:], *APPEND[2:]]
    assert world.codes() == []


def test_without_an_observer_a_step_does_nothing() -> None:
    """As in production."""
    assert steps.observer is None
    reached("append.written")
