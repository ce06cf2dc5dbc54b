"""What several checks ask of a ledger, and how a diagnosis is told."""

from __future__ import annotations

from pathlib import Path

import pytest

import muniment
from cli.examined_ledger import ADVICE, FAULT, OK, Diagnosis, Patient
from muniment import Memory, MemoryLedger


@pytest.fixture
def memory(isolated: Path) -> MemoryLedger:
    """A user's ledger with one memory."""
    made = muniment.init()
    made.store(Memory("Use pnpm"))
    return made


@pytest.mark.parametrize(("level", "ok"), [(OK, True), (ADVICE, True), (FAULT, False)])
def test_only_a_fault_is_not_ok(level: str, ok: bool) -> None:
    """Advice may be left for another day."""
    diagnosis = Diagnosis("locks", level, "what", "how")
    assert diagnosis.to_json() == {
        "ok": ok,
        "check": "locks",
        "level": level,
        "message": "what",
        "mend": "how",
    }


def test_a_ledger_is_known_by_its_pin_then_by_its_chain(memory: MemoryLedger) -> None:
    """A chain that was put there must not choose our key or mark."""
    id_ = memory.workspace.ledger.identity.id
    patient = Patient(memory)
    assert (patient.founded, patient.ledger_id, patient.mark is not None) == (True, id_, True)
    (pin,) = (memory.workspace.home.state / "pins").iterdir()
    pin.unlink()
    assert Patient(memory).ledger_id == id_
    memory.workspace.chain.write_bytes(b"no chain\n")
    lost = Patient(memory)
    assert (lost.founded, lost.ledger_id, lost.identity, lost.mark) == (True, "", None, None)
    assert lost.report is not None
    assert [finding.code for finding in lost.report.integrity.findings] == ["framing", "no-key"]
