"""The schema of memory.db, made with sqlite-utils.

Implements specs/projections.md (P-50…P-52). The database can be deleted: it is rebuilt from
the chain. sqlite-utils is imported only to create the schema; opening an existing index does not need it.
"""

from __future__ import annotations

import contextlib
import sqlite3
from functools import cache

from projections.transactions import transaction

INDEX_NAME = "memory.db"

VERSION = 13
"""Stored as `PRAGMA user_version`; an index of another version is rebuilt."""

EVENT_COLUMNS = {
    "n": int,
    "writer": int,
    "seq": int,
    "id": str,
    "kind": str,
    "ts": str,
    "at": str,
    "name": str,
    "role": str,
    "via": str,
    "offset": int,
    "size": int,
    "payload": int,
    "conversation": str,
    "session": str,
    "what": str,
}
"""One row per event. `payload`: 0 none, 1 present, 2 blank, 3 altered. `what`: its text (P-44).

`n` counts the events in the order of folding (TM-7); `writer` owns the chain that holds it, 0 for our own; `seq` is its
place there. `offset` and `size` give the place of its line in that file, in bytes.
"""

MEMORY_COLUMNS = {
    "n": int,
    "id": str,
    "status": str,
    "text": str,
    "details": str,
    "title": str,
    "body": str,
    "topic": str,
    "when_to_use": str,
    "tags": str,
    "type": str,
    "section": str,
    "own_section": str,
    "tier": str,
    "importance": str,
    "confidence": float,
    "inferred": int,
    "source": str,
    "record_status": str,
    "category": str,
    "reason": str,
    "conversation": str,
    "message": str,
    "session": str,
    "agent": str,
    "task": str,
    "tool": str,
    "file": str,
    "author": str,
    "date": str,
    "extra": str,
    "place": str,
    "unknown": str,
    "parts": int,
    "ts": str,
    "learned": str,
    "name": str,
    "role": str,
    "via": str,
    "fresh_since": str,
    "order_ts": str,
    "order_id": str,
    "supersedes": str,
    "superseded_by": str,
    "deleted_by": str,
    "statement": str,
    "doc_kind": str,
    "doc_name": str,
    "doc_tag": str,
    "rank_class": int,
    "said": str,
    "pieces": str,
}
"""One row per memory (every version is one). Lists are JSON. `section` is the effective one.

`parts` counts the parts of a long body; `said` is the instant for its rank (P-5); `pieces` are its words in scripts
without spaces (P-100).
"""

FULL_TEXT = "memories_fts"
FTS_COLUMNS = ("text", "details", "title", "body", "topic", "tags", "when_to_use", "pieces")

TOKENIZE = "porter unicode61 categories 'L* N* Co M*'"
"""How a full-text table cuts texts into words. Marks belong to words: Hindi and Thai write vowels as marks."""

_SMALL_TABLES = """
CREATE TABLE edges (
    target TEXT, id TEXT, kind TEXT, ts TEXT, at TEXT, n INTEGER, counts INTEGER, PRIMARY KEY (target, id)
) WITHOUT ROWID;
CREATE INDEX edges_id ON edges (id);
CREATE INDEX edges_asking ON edges (target) WHERE NOT counts;
CREATE TABLE tags (tag TEXT, memory TEXT, PRIMARY KEY (tag, memory)) WITHOUT ROWID;
CREATE TABLE patterns (memory TEXT, pattern TEXT, PRIMARY KEY (memory, pattern)) WITHOUT ROWID;
CREATE TABLE parts (first TEXT, n INTEGER, id TEXT, body TEXT, PRIMARY KEY (first, n)) WITHOUT ROWID;
CREATE TABLE documents (kind TEXT, name TEXT, entries INTEGER, changed INTEGER, PRIMARY KEY (kind, name)) WITHOUT ROWID;
CREATE TABLE disowned (writer INTEGER, since INTEGER, rotate INTEGER, PRIMARY KEY (writer, rotate)) WITHOUT ROWID;
CREATE TABLE seen (target TEXT, id TEXT, writer INTEGER, PRIMARY KEY (target, id)) WITHOUT ROWID;
CREATE TABLE writers (number INTEGER PRIMARY KEY, id TEXT UNIQUE, name TEXT, until INTEGER, waits INTEGER);
CREATE TABLE unfinished (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE cursor (
    writer INTEGER PRIMARY KEY, seq INTEGER, id TEXT, start INTEGER, "end" INTEGER,
    ts TEXT, epoch INTEGER, key TEXT, next_key TEXT, chain TEXT, file TEXT
);
"""
"""Tables that sqlite-utils cannot make without a rowid.

edges: an event `id` points at the event `target`, the n-th of its targets; an edge of a proposal `counts` or not (TM-21).
documents: how many entries each holds, and the event (by its n) that changed it last. disowned: the seqs that a rotate
disowns, from `since` up to its own. seen: the events of other chains that an event names (TM-3). writers: the other writers;
0 is ourselves, with a row only if our events wait (TM-25). unfinished: erasures to finish. cursor: for each chain how far the
index has read it, and in which file (device and inode); its `chain` is the writer's id.
"""

_INDEXES = """
CREATE UNIQUE INDEX events_id ON events (id);
CREATE INDEX events_of_others ON events (writer, seq) WHERE writer > 0;
CREATE INDEX events_damaged ON events (n) WHERE payload = 3;
CREATE INDEX events_conversation ON events (conversation, seq) WHERE conversation != '';
CREATE INDEX memories_statement ON memories (statement);
CREATE INDEX memories_document ON memories (doc_kind, doc_name) WHERE doc_kind IN ('topic', 'daily');
CREATE INDEX memories_rank ON memories (doc_name, rank_class, said, id, doc_tag) WHERE doc_kind = 'memory';
CREATE INDEX memories_candidate ON memories (ts, id) WHERE status = 'candidate';
CREATE INDEX memories_fresh ON memories (fresh_since) WHERE status = 'active';
CREATE INDEX memories_gone ON memories (status) WHERE status NOT IN ('active', 'candidate');
CREATE INDEX memories_compromised ON memories (status) WHERE fresh_since = '';
CREATE INDEX memories_tag ON memories (doc_tag, rank_class, said, id) WHERE doc_tag != '';
"""
"""Partial if possible: each index costs every append a page. `events_id` finds a memory by its id."""


_NEW, _OLD = (", ".join(f"{row}.{name}" for name in FTS_COLUMNS) for row in ("new", "old"))
_NAMES = ", ".join(FTS_COLUMNS)
_ADD = f"INSERT INTO {FULL_TEXT} (rowid, {_NAMES}) VALUES (new.n, {_NEW});"
_TAKE_OUT = f"INSERT INTO {FULL_TEXT} ({FULL_TEXT}, rowid, {_NAMES}) VALUES ('delete', old.n, {_OLD});"
_TRIGGERS = (
    f"CREATE TRIGGER memories_added AFTER INSERT ON memories BEGIN {_ADD} END",
    f"CREATE TRIGGER memories_changed AFTER UPDATE OF {_NAMES} ON memories BEGIN {_TAKE_OUT} {_ADD} END",
)
"""They update the full text. Those of sqlite-utils would rewrite it for each new status, and row by row for a rebuild."""


def create(connection: sqlite3.Connection) -> None:
    """Create all tables in an empty database, in one transaction."""
    statements = _statements()
    with transaction(connection):
        if not is_current(connection):  # another process may have created them meanwhile
            for statement in statements:
                connection.execute(statement)


@cache
def _statements() -> tuple[str, ...]:
    import sqlite_utils

    with contextlib.closing(sqlite_utils.Database(memory=True, execute_plugins=False)) as db:
        return (
            db.create_table_sql("events", EVENT_COLUMNS, pk="n"),
            db.create_table_sql("memories", MEMORY_COLUMNS, pk="n"),
            *filter(str.strip, (_SMALL_TABLES + _INDEXES).split(";")),
            f"CREATE VIRTUAL TABLE {FULL_TEXT} USING fts5 ({_NAMES}, tokenize={db.quote(TOKENIZE)}, content=memories)",
            *_TRIGGERS,
            f"PRAGMA user_version = {VERSION}",
        )


def is_current(connection: sqlite3.Connection) -> bool:
    """Return whether the database holds this version's schema."""
    row = connection.execute("PRAGMA user_version").fetchone()
    return bool(row and row[0] == VERSION)


def full_text_fault(connection: sqlite3.Connection) -> str:
    """Return the fault that SQLite finds in the full text, or "". It writes: use a copy."""
    try:
        connection.execute(f"INSERT INTO {FULL_TEXT} ({FULL_TEXT}, rank) VALUES ('integrity-check', 1)")
    except sqlite3.DatabaseError as error:
        return str(error)
    return ""
