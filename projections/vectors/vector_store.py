"""The vectors of a ledger's memories, in a SQLite file of their own beside the index.

Implements specs/projections.md (P-221) and specs/erasure.md (Z-34). A projection: deleting the file costs time and
nothing else. A row holds the memory's id and its vector as half-precision numbers. Freed bytes are overwritten, and
there is no log beside the file. Each call reopens the file, so that threads and forks may share an object.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from ledger import durable

VECTORS_NAME = "vectors.db"
_BUSY_SECONDS = 5
_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (id TEXT PRIMARY KEY, vector BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
_COUNT_CHANGE = "INSERT INTO facts VALUES ('changes', '1') ON CONFLICT (name) DO UPDATE SET value = CAST(value AS INTEGER) + 1"


class VectorStore:
    """The file of vectors in the folder of a ledger."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / VECTORS_NAME

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection to read from; a missing file is empty.

        Raises:
            sqlite3.Error: the file is damaged, or another process writes it for too long.
        """
        if not self.path.is_file() or durable.leads_away(self.path):
            empty = sqlite3.connect(":memory:", isolation_level=None)
            empty.executescript(_SCHEMA)
            with closing(empty):
                yield empty
            return
        address = f"{self.path.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, _BUSY_SECONDS, uri=True, isolation_level=None)) as db:
            db.execute("BEGIN")
            yield db

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection whose changes are committed together; creates the file if it is missing.

        Raises:
            OSError, sqlite3.Error: it cannot be created or written.
        """
        if durable.leads_away(self.path):
            self.discard()
        durable.own(self.path)
        with closing(sqlite3.connect(self.path, _BUSY_SECONDS, isolation_level=None)) as db:
            db.execute("PRAGMA secure_delete = ON")
            db.execute("PRAGMA synchronous = OFF")
            db.execute("BEGIN IMMEDIATE")
            for statement in filter(str.strip, _SCHEMA.split(";")):
                db.execute(statement)
            yield db
            db.execute(_COUNT_CHANGE)
            db.execute("COMMIT")

    def discard(self) -> None:
        """Delete the file."""
        for ending in durable.OF_A_DATABASE:
            with suppress(FileNotFoundError):
                os.unlink(f"{self.path}{ending}")

    def changes(self) -> tuple[int, str]:
        """Return a stamp that changes with every change of the file."""
        with self.reading() as db:
            return self.path.stat().st_ino if self.path.exists() else 0, _fact(db, "changes")

    def fact(self, name: str) -> str:
        """Return a fact about the vectors, "" if it is not noted."""
        with self.reading() as db:
            return _fact(db, name)

    def note(self, name: str, value: str) -> None:
        """Note a fact about the vectors."""
        with self.writing() as db:
            db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def ids(self) -> set[str]:
        """Return the ids of the memories that have a vector."""
        with self.reading() as db:
            return {id_ for (id_,) in db.execute("SELECT id FROM vectors")}

    def rows(self) -> list[tuple[str, bytes]]:
        """Return each id with its vector."""
        with self.reading() as db:
            return list(db.execute("SELECT id, vector FROM vectors"))

    def holds(self, ids: Iterable[str]) -> bool:
        """Return whether one of these memories has a vector; true if the file cannot be read."""
        try:
            return not self.ids().isdisjoint(ids)
        except sqlite3.Error:
            return True

    def remove(self, ids: Collection[str]) -> None:
        """Remove the vectors of these memories; delete a damaged file.

        Raises:
            OSError, sqlite3.OperationalError: it cannot be written.
        """
        if not ids:
            return
        try:
            with self.writing() as db:
                db.executemany("DELETE FROM vectors WHERE id = ?", [(id_,) for id_ in ids])
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:
            self.discard()


def add(db: sqlite3.Connection, rows: Iterable[tuple[str, bytes]]) -> None:
    """Write vectors inside of `VectorStore.writing`."""
    db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)


def _fact(db: sqlite3.Connection, name: str) -> str:
    row = db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
    return str(row[0]) if row else ""
