"""The memories that read like instructions to the model, as the page and the findings name them.

Implements specs/report.md (H-12) with the signs of specs/projections.md (P-132).
"""

from __future__ import annotations

from collections.abc import Iterable

from language.instructions import Sign, signs_of
from ledger.fold import Entry
from ledger.progress import counted
from muniment import MemoryLedger


def suspicious(memory: MemoryLedger, since: str = "") -> list[tuple[Entry, list[Sign]]]:
    """Return each memory that reads like an instruction to the model, archived ones too, with its signs.

    With `since`, a written instant, only memories are looked at whose event was written from then on.
    """
    with memory.workspace.on_progress("reading memories") as progress:
        entries = counted(memory.recall.each(archived=True), progress)
        shown = (entry for entry in entries if entry.ts >= since)
        return [(entry, signs) for entry in shown if (signs := signs_of(entry.memory))]


def signs_json(signs: Iterable[Sign]) -> list[dict[str, str]]:
    """Return signs as JSON-ready objects: the sign's name, the member, and the words."""
    return [{"sign": one.name, "member": one.member, "words": one.words} for one in signs]
