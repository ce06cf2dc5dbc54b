"""What waits for a person and says otherwise what stands, as `muniment review` names it.

Implements specs/report.md (H-12).
"""

from __future__ import annotations

from muniment import MemoryLedger

MOST = 100
"""So many of the memories that wait are compared, the newest; each takes a search."""


def contradictions(memory: MemoryLedger) -> list[list[str]]:
    """Return the id of each memory that waits and contradicts active ones, followed by theirs."""
    waiting = [item.entry for item in memory.review.waiting()]
    newest = sorted(waiting, key=lambda entry: entry.ts, reverse=True)[:MOST]
    found = [(entry, memory.review.contradicted(entry)) for entry in newest]
    return [[entry.id, *(each.id for each in others)] for entry, others in found if others]
