"""How many memories were written without a person's hand: in a conversation, since an instant.

Implements specs/capture.md (K-68, K-152). Counted from the log by way of the index, so that no restart begins anew.
"""

from __future__ import annotations

from ledger.named_tuple import NamedTuple
from projections.index import Index

_AUTOMATIC = (
    "m.role != 'user' AND m.via NOT IN ('import', 'git', 'edit') AND (m.source = 'auto' OR m.role = 'agent') "
    "AND NOT (m.tier = 'daily' AND (m.type = 'episode' OR m.file = 'session-buffer.md'))"
)
"""A day's notes of a session, and its episodes, are no memories that crowd others out (K-95, K-105)."""


def automatic_in(index: Index, conversation: str, *, inferred: bool = True) -> int:
    """Return how many automatic memories name this conversation; without `inferred` those alone that somebody said."""
    query = f"""SELECT count(*) FROM events e JOIN memories m USING (seq)
        WHERE e.conversation = ? AND {_AUTOMATIC} AND (? OR NOT m.inferred)"""
    return int(index.connection().execute(query, (conversation, inferred)).fetchone()[0])


class WriteRate(NamedTuple):
    """How many automatic memories were written in a stretch of time; and how many lie ahead of it, up to which seq."""

    within: int
    ahead: int = 0
    newest_ahead: int = -1


def automatic_between(index: Index, since: str, until: str) -> WriteRate:
    """Count the automatic memories by the clock that they were written under (their `at`), both written instants included.

    Only a clock that was wrong writes what lies ahead (K-152). The newest are looked at until one was written before
    `since` by any clock (`ts`, which only rises), so that it costs what an hour holds and not what the log does.
    """
    query = f"SELECT m.seq, m.ts, m.learned, {_AUTOMATIC} FROM memories m ORDER BY m.seq DESC"
    within = ahead = 0
    newest = -1
    for seq, ts, learned, automatic in index.connection().execute(query):
        if ts < since:
            break
        if not automatic or learned < since:
            continue
        if learned <= until:
            within += 1
        else:
            ahead, newest = ahead + 1, max(newest, seq)
    return WriteRate(within, ahead, newest)
