"""The full-text rows of the index: written a stretch at a time, at the latest when somebody searches.

Implements specs/projections.md (P-51, P-56). A full-text row costs an append as much as everything else in
the index. So new memories wait until a search comes or `WAITING` of them are there; the table `texts` says up
to which seq the full text reaches. Each function runs in the caller's transaction.
"""

from __future__ import annotations

import sqlite3
from typing import Any

from ledger.steps import reached
from projections.index_schema import FTS_COLUMNS, TOKENIZE

TABLE, BESIDE = "memories_fts", "waiting_fts"
"""The full text, and what a search puts beside it where it cannot be written."""

WAITING = 256
"""How many events may pass before their texts are taken in without a search."""

_NAMES = ", ".join(FTS_COLUMNS)
_TOKENIZE = "tokenize = '{}'".format(TOKENIZE.replace("'", "''"))
_INSERT = f"INSERT INTO memories_fts (rowid, {_NAMES}) SELECT seq, {_NAMES} FROM memories WHERE seq "
_DELETE = f"INSERT INTO memories_fts (memories_fts, rowid, {_NAMES}) SELECT 'delete', seq, {_NAMES} FROM memories WHERE seq = ?"


def reach(db: sqlite3.Connection) -> int:
    """Return the seq up to which memories stand in the full text, -1 where none do."""
    row = db.execute("SELECT seq FROM texts").fetchone()
    return int(row[0]) if row else -1


def behind(db: sqlite3.Connection) -> bool:
    """Say whether a memory waits for its full-text row."""
    newest = db.execute("SELECT max(seq) FROM memories").fetchone()[0]
    return newest is not None and newest > reach(db)


def bring_up(db: sqlite3.Connection) -> None:
    """Take in all memories that wait."""
    newest = db.execute("SELECT max(seq) FROM memories").fetchone()[0]
    if newest is not None:
        db.execute(f"{_INSERT} > ?", (reach(db),))
        _set_reach(db, newest)
        reached("texts.added")


def put_beside(db: sqlite3.Connection) -> None:
    """Put the texts of all memories that wait into a table of this connection alone, which is in memory."""
    db.execute("PRAGMA temp_store = MEMORY")
    db.execute(f"DROP TABLE IF EXISTS temp.{BESIDE}")
    db.execute(f"CREATE VIRTUAL TABLE temp.{BESIDE} USING fts5 ({_NAMES}, {_TOKENIZE})")
    waiting = f"INSERT INTO temp.{BESIDE} (rowid, {_NAMES}) SELECT seq, {_NAMES} FROM memories WHERE seq > ?"
    db.execute(waiting, (reach(db),))


def rebuild(db: sqlite3.Connection) -> None:
    """Write all full-text rows anew; nothing of what stood before stays in them."""
    db.execute("INSERT INTO memories_fts (memories_fts) VALUES ('rebuild')")
    newest = db.execute("SELECT max(seq) FROM memories").fetchone()[0]
    _set_reach(db, -1 if newest is None else newest)
    reached("texts.rebuilt")


def drop_gone(db: sqlite3.Connection) -> None:
    """Leave nothing of rows that were taken out: all segments are merged into one, without what only those said."""
    db.execute("INSERT INTO memories_fts (memories_fts) VALUES ('optimize')")
    reached("texts.merged")


def change(db: sqlite3.Connection, seq: int, statement: str, values: tuple[Any, ...]) -> None:
    """Run an UPDATE or INSERT of the memory with this seq together with its full-text row."""
    taken = seq <= reach(db)
    if taken:
        db.execute(_DELETE, (seq,))
    db.execute(statement, values)
    if taken:
        db.execute(f"{_INSERT} = ?", (seq,))


def fault(db: sqlite3.Connection) -> str:
    """Say what SQLite finds wrong with the full text after taking in what waits, or "".

    Writes, so give it a copy.
    """
    try:
        bring_up(db)
        db.execute("INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)")
    except sqlite3.DatabaseError as error:
        return str(error)
    return ""


def _set_reach(db: sqlite3.Connection, seq: int) -> None:
    db.execute("INSERT OR REPLACE INTO texts VALUES (1, ?)", (seq,))
