"""Memories in conflict: several descendants of one memory, written in different chains without knowing each other.

Implements specs/team.md (TM-31). A writer never supersedes a superseded memory (S-8), so two live versions in
different chains were written concurrently.
"""

from __future__ import annotations

import sqlite3

from ledger.fold import LIVE, Entry, age
from projections.index import Index

_SHARED = """SELECT x.target FROM edges x JOIN events e ON e.id = x.id WHERE x.kind = 'supersede' AND x.counts
    GROUP BY x.target HAVING count(DISTINCT e.writer) > 1 ORDER BY min(x.ts), x.target"""
_NEWER = "SELECT id FROM edges WHERE target = ? AND kind = 'supersede' AND counts ORDER BY ts, id"
_STATUS = "SELECT status FROM memories WHERE n = (SELECT n FROM events WHERE id = ?)"


def rivals(index: Index) -> list[tuple[Entry, ...]]:
    """Return the live memories that are in conflict with each other, each group oldest first."""
    if not index.has_others():
        return []
    db = index.connection()
    groups: dict[tuple[str, ...], None] = {}
    for (shared,) in db.execute(_SHARED).fetchall():
        live = _live(db, shared)
        if len(live) > 1:
            groups[tuple(live)] = None
    found = [[entry for id_ in group if (entry := index.entry(id_))] for group in groups]
    return [tuple(sorted(group, key=age)) for group in found]


def _live(db: sqlite3.Connection, id_: str) -> list[str]:
    """Return the current versions that descend from a memory, sorted."""
    seen, todo = {id_}, [id_]
    while todo:
        for (newer,) in db.execute(_NEWER, (todo.pop(),)).fetchall():
            if newer not in seen:
                seen.add(newer)
                todo.append(newer)
    seen.discard(id_)
    return sorted(
        each for each in seen if (row := db.execute(_STATUS, (each,)).fetchone()) and row[0] in LIVE
    )
