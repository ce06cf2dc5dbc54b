"""The memories that read like instructions to the model, as the page and the findings name them.

Implements specs/report.md (H-12) with the signs of specs/projections.md (P-132).
"""

from __future__ import annotations

from typing import Any

from language.instructions import signs_of
from ledger.progress import counted
from muniment import MemoryLedger


def suspicions(memory: MemoryLedger, since: str = "") -> list[dict[str, Any]]:
    """Return each suspicious memory's id with its signs: the sign's name, the member, and the words.

    With `since`, a written instant, only memories are looked at whose event was written from then on.
    """
    with memory.workspace.on_progress("reading memories") as progress:
        entries = counted(memory.recall.each(archived=True), progress)
        shown = (entry for entry in entries if entry.ts >= since)
        found = [(entry, signs) for entry in shown if (signs := signs_of(entry.memory))]
    return [
        {
            "id": entry.id,
            "signs": [{"sign": one.name, "member": one.member, "words": one.words} for one in signs],
        }
        for entry, signs in found
    ]
