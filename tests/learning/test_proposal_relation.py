"""What a proposal is about that names what it replaces: specs/doors.md (G-46)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from muniment import Memory, MemoryLedger
from tests.learning.taking_in import AGENT, ledger, said, taking, texts


@pytest.fixture
def memory(isolated: Path, tmp_path: Path) -> MemoryLedger:
    """An empty ledger."""
    return ledger(tmp_path)


def test_a_supersede_that_names_its_targets_replaces_them(memory: MemoryLedger) -> None:
    """G-46: whatever likeness says of them; what says the same, or is contradicted, goes with them."""
    ids = [
        memory.store(Memory(text, source="auto")).id
        for text in ("Redis runs on db-1", "Always use tabs", "Use spaces in Python", "Answer in German")
    ]
    wanted = replace(said("Never use tabs", action="supersede"), targets=(ids[0],))
    (done,) = taking(memory, AGENT).take([wanted])
    assert (done.outcome, set(done.targets)) == ("superseded", {ids[0], ids[1]})
    assert texts(memory) == ["Use spaces in Python", "Answer in German", "Never use tabs"]
    again = replace(said("Please answer in German", action="supersede", message="m-2"), targets=(ids[2],))
    (done,) = taking(memory, AGENT).take([again])
    assert set(done.targets) == {ids[2], ids[3]}
    assert texts(memory) == ["Never use tabs", "Please answer in German"]


def test_a_persons_own_that_is_named_stays(memory: MemoryLedger) -> None:
    """G-46, K-63: one of several is enough."""
    ids = (memory.store(Memory("Use tabs")).id, memory.store(Memory("Use npm", source="auto")).id)
    wanted = replace(said("Use what the project uses", action="supersede"), targets=ids)
    (done,) = taking(memory, AGENT).take([wanted])
    assert (done.outcome, done.targets) == ("candidate", ids)
    assert texts(memory) == ["Use tabs", "Use npm"]
