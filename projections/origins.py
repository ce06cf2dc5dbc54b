"""Events of one conversation or message: memories, confirms, deletes, of any present status.

Implements specs/capture.md (K-62, K-220, K-221). Reads only; the time depends on the length of the conversation.
"""

from __future__ import annotations

from ledger.fold import Entry
from projections.entry_rows import entries_where
from projections.index import Index


def learned_from(index: Index, conversation: str, message: str, text: str) -> Entry | None:
    """Return the newest memory of this text from this message, of any status."""
    newest = "e.conversation = ? AND m.message = ? AND m.text = ? ORDER BY m.n DESC LIMIT 1"
    return next(entries_where(index.connection(), newest, conversation, message, text), None)


def is_confirmed_in(index: Index, id_: str, conversation: str) -> bool:
    """Return whether a conversation confirmed the memory with this full id."""
    query = (
        "SELECT 1 FROM edges x JOIN events e ON e.id = x.id "
        "WHERE x.target = ? AND x.kind = 'confirm' AND e.conversation = ? LIMIT 1"
    )
    return index.connection().execute(query, (id_, conversation)).fetchone() is not None


def deletes_of(index: Index, conversation: str) -> list[str]:
    """Return the ids of the deletes that a conversation asked for, oldest first."""
    query = (
        "SELECT id FROM events WHERE conversation = ? AND conversation != '' AND kind = 'delete' ORDER BY n"
    )
    return [id_ for (id_,) in index.connection().execute(query, (conversation,))]
