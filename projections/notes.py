"""Questions to the index about daily notes and episodes, of any status.

Implements specs/capture.md (K-93, K-96, K-105). Reads only; the time depends on the number of results.
"""

from __future__ import annotations

from ledger.fold import Entry
from projections.entry_rows import entries_where
from projections.index import Index


def notes_after(index: Index, seq: int) -> list[Entry]:
    """Return the memories of the daily tier that came after the event `seq`, of any status, oldest first."""
    return list(entries_where(index.connection(), "m.tier = 'daily' AND m.n > ? ORDER BY m.n", seq))


def standing_notes(index: Index, until: str) -> list[Entry]:
    """Return the active memories in the notes of days before `until` (`YYYY-MM-DD`), oldest first."""
    notes = "m.status = 'active' AND m.doc_kind = 'daily' AND m.doc_name < ? ORDER BY m.n"
    return list(entries_where(index.connection(), notes, until))


def notes_of_days(index: Index, since: str) -> list[Entry]:
    """Return the active memories in the notes of the day `since` and later ones, oldest first."""
    notes = "m.status = 'active' AND m.doc_kind = 'daily' AND m.doc_name >= ? ORDER BY m.n"
    return list(entries_where(index.connection(), notes, since))


def episodes_of(index: Index, conversation: str) -> list[Entry]:
    """Return the episodes of a conversation that were not replaced, of any other status, oldest first."""
    episodes = "e.conversation = ? AND m.type = 'episode' AND m.status != 'superseded' ORDER BY m.n"
    return list(entries_where(index.connection(), episodes, conversation))


def uncommitted(index: Index, seq: int) -> list[Entry]:
    """Return memories learned automatically after the event `seq` that belong to the committed tier, oldest first (K-100)."""
    learned = (
        "m.n > ? AND m.status = 'active' AND m.tier = 'curated' AND m.source = 'auto' "
        "AND m.type IN ('identity', 'decision', 'commitment') ORDER BY m.n"
    )
    return list(entries_where(index.connection(), learned, seq))
