"""How a ledger stands is a value: Python has what `muniment status` prints."""

from __future__ import annotations

from pathlib import Path

import pytest

import muniment
from documents.writing.files import MISSING
from muniment import Memory, MemoryLedger
from proofs.ledger_status import EQUAL, set_aside


@pytest.fixture
def memory(isolated: Path) -> MemoryLedger:
    """A user's ledger with one memory."""
    made = muniment.init()
    made.store(Memory("Use pnpm"))
    return made


def test_a_calm_ledger_has_nothing_to_do(memory: MemoryLedger) -> None:
    """Where it is, how long, and that the mark and the documents agree with the chain."""
    found = memory.upkeep.status()
    assert (found.id, found.name) == (memory.workspace.ledger.identity.id, "memory")
    assert (found.chain.events, found.mark.state, found.mark.seq) == (2, EQUAL, 1)
    assert found.memories is not None
    assert found.memories["active"] == 1
    assert found.keys is not None
    assert found.keys.current.path.is_file()
    assert (found.verified, found.behind, found.differing, found.set_aside) == (None, False, {}, [])
    assert (found.fault, found.unread) == ("", [])


def test_what_verify_found_is_remembered(memory: MemoryLedger) -> None:
    """Good news of a part alone is not."""
    report = memory.upkeep.verify()
    memory.upkeep.note_verified(report, since_mark=True)
    assert memory.upkeep.status().verified is None
    memory.upkeep.note_verified(report)
    verified = memory.upkeep.status().verified
    assert verified is not None
    assert (verified.sound, verified.seq) == (True, 1)


def test_an_edit_comes_with_what_adopt_would_record(memory: MemoryLedger) -> None:
    """A missing document has no edit."""
    memory.store(Memory("Auth", topic="code/auth"))
    folder = memory.workspace.place.documents
    with (folder / "MEMORY.md").open("a") as file:
        file.write("- Use tabs\n")
    (folder / "memories/code/auth.md").unlink()
    found = memory.upkeep.status().differing
    edit = found["MEMORY.md"].edit
    assert edit is not None
    assert edit.counts() == {"new": 1}
    assert found["memories/code/auth.md"] == (MISSING, None)


def test_what_was_kept_is_found(memory: MemoryLedger) -> None:
    """Beside the chain, beside the local state, beside each document."""
    memory.store(Memory("Auth", topic="code/auth"))
    names = (
        "chain.jsonl.torn-20261120T000000",
        "local.db.damaged-20261120T000000",
        "MEMORY.md.edited-1",
        "memories/code/auth.md.edited-2",
    )
    kept = [memory.workspace.place.directory / name for name in names]
    for path in (*kept, memory.workspace.place.directory / "mine.edited-1"):
        path.write_bytes(b"x")
    assert set_aside(memory.workspace, memory.documents) == sorted(kept)
