"""The schema of memory.db, made with sqlite-utils.

Implements specs/projections.md (P-50…P-53). Everything in this file can be thrown away: it is rebuilt from the chain. sqlite-utils is imported only when the
schema is made, since opening an existing index does not need it.
"""

from __future__ import annotations

import sqlite3

VERSION = 1
"""Stored as `PRAGMA user_version`; an index of another version is rebuilt."""

EVENT_COLUMNS = {
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
"""One row an event. `payload`: 0 none, 1 there, 2 blank. `what`: its text or reason. `offset` and `size`: its line in the chain, in bytes."""

MEMORY_COLUMNS = {
    "seq": int,
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
    "rank_class": int,
}
"""One row a memory (every version is one). Lists are JSON. `section` is the effective one; `parts` counts the parts of a long body."""

FTS_COLUMNS = ("text", "details", "title", "body", "topic", "tags", "when_to_use")

_SMALL_TABLES: dict[str, tuple[dict[str, type], tuple[str, ...]]] = {
    "edges": ({"target": str, "id": str, "kind": str, "ts": str, "at": str}, ("target", "id")),
    "tags": ({"tag": str, "memory": str}, ("tag", "memory")),
    "patterns": ({"memory": str, "pattern": str}, ("memory", "pattern")),
    "parts": ({"first": str, "n": int, "id": str, "body": str}, ("first", "n")),
    "documents": ({"kind": str, "name": str, "entries": int}, ("kind", "name")),
    "changes": ({"kind": str, "name": str, "seq": int}, ("kind", "name")),
    "unfinished": ({"id": str}, ("id",)),
    "cursor": (
        {
            "one": int,
            "seq": int,
            "id": str,
            "start": int,
            "end": int,
            "ts": str,
            "epoch": int,
            "key": str,
            "next_key": str,
            "chain": str,
        },
        ("one",),
    ),
}
"""edges: what points at a memory. documents: how many entries each holds. changes: the seq that changed it last. unfinished: erasures to finish.
cursor: the one row that says how far the index has read."""

_INDEXES = (
    ("events", ("id",), "events_id"),
    ("events", ("conversation", "seq"), "events_conversation"),
    ("memories", ("id",), "memories_id"),
    ("memories", ("statement",), "memories_statement"),
    ("memories", ("doc_kind", "doc_name"), "memories_document"),
    ("memories", ("doc_kind", "rank_class", "ts", "id"), "memories_rank"),
    ("memories", ("status", "fresh_since"), "memories_fresh"),
    ("changes", ("seq",), "changes_seq"),
)


def create(connection: sqlite3.Connection) -> None:
    """Make all tables in an empty database, in one transaction."""
    import sqlite_utils  # noqa: PLC0415 - 60 ms that opening an index need not pay

    db = sqlite_utils.Database(connection, execute_plugins=False)
    with db.conn:
        db.table("events").create(EVENT_COLUMNS, pk="seq")
        db.table("memories").create(MEMORY_COLUMNS, pk="seq")
        for name, (columns, key) in _SMALL_TABLES.items():
            db.table(name).create(columns, pk=key if len(key) > 1 else key[0])
        for table, columns_of_index, name in _INDEXES:
            db.table(table).create_index(columns_of_index, index_name=name)
        db.table("memories").enable_fts(FTS_COLUMNS, tokenize="porter unicode61")
        connection.execute(f"PRAGMA user_version = {VERSION}")


def is_current(connection: sqlite3.Connection) -> bool:
    """Say whether the database holds this version's schema."""
    row = connection.execute("PRAGMA user_version").fetchone()
    return bool(row and row[0] == VERSION)
