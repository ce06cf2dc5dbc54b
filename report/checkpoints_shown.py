"""The checkpoints that were signed of a ledger, and what the receipts of them show to the person of this machine.

Implements specs/report.md (H-14).
"""

from __future__ import annotations

from typing import Any

from ledger.errors import LedgerError
from muniment import MemoryLedger
from proofs.trusting import evidence, trust


def checkpoints_shown(memory: MemoryLedger) -> list[str]:
    """Return the stored checkpoints as the signed notes that they are, the one of the most events last."""
    return [each.data.decode("utf-8", "replace") for each in memory.proofs.signed.stored()]


def receipts_shown(memory: MemoryLedger) -> list[dict[str, Any]]:
    """Return what `verify --json` says of each receipt (V-40); none of a chain that its checkpoints cannot be compared with."""
    if not memory.proofs.signed.stored():
        return []
    try:
        found = evidence(memory.proofs.compared(), trust(memory.workspace.home))
    except (LedgerError, ValueError):
        return []
    return [each.to_json() for each in found]
