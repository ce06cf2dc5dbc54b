"""How many memories were written automatically: in a conversation, or since an instant.

Implements specs/capture.md (K-68). Counted from the log through the index, so a restart does not reset it.
"""

from __future__ import annotations

from projections.index import Index

_AUTOMATIC = (
    "m.role != 'user' AND m.via NOT IN ('import', 'git', 'edit') AND (m.source = 'auto' OR m.role = 'agent') "
    "AND NOT (m.tier = 'daily' AND (m.type = 'episode' OR m.file = 'session-buffer.md')) "
    "AND NOT (m.via = 'library' AND m.tool IS m.name)"
)
"""Daily notes of a session and episodes do not count (K-95, K-105), nor do memories that a program stores through an
adapter: their writer is the tool (specs/frameworks.md FW-1, FW-2)."""


def automatic_in(index: Index, conversation: str) -> int:
    """Return how many automatic memories name this conversation."""
    query = f"""SELECT count(*) FROM events e JOIN memories m USING (n)
        WHERE e.conversation = ? AND {_AUTOMATIC}"""
    return int(index.connection().execute(query, (conversation,)).fetchone()[0])


def automatic_between(index: Index, since: str, until: str) -> int:
    """Count our own chain's automatic memories between two instants of their writing clock (`at`), both included.

    It reads from the newest back to the first with a `ts` before `since` (`ts` only rises in one chain), so that the cost
    depends on that time and not on the log.
    """
    query = (
        f"SELECT m.ts, m.learned, {_AUTOMATIC} FROM memories m CROSS JOIN events e USING (n) "
        "WHERE e.writer = 0 ORDER BY m.n DESC"
    )
    count = 0
    for ts, learned, automatic in index.connection().execute(query):
        if ts < since:
            break
        count += bool(automatic) and since <= learned <= until
    return count
