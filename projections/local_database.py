"""The database `local.db`: its tables, how it is opened, and how a damaged or read-only file is handled.

Implements specs/projections.md (P-61, P-64); `projections.local` reads and writes its rows.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ledger import durable
from ledger.errors import StorageError
from ledger.instant import system_clock, written
from projections.transactions import transaction

_BUSY_SECONDS = 5

_SCHEMAS = (
    """
CREATE TABLE uses (id TEXT PRIMARY KEY, reads INTEGER NOT NULL DEFAULT 0, injections INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE archived (id TEXT PRIMARY KEY, at TEXT NOT NULL, why TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE digests (folder TEXT, path TEXT, digest TEXT, PRIMARY KEY (folder, path, digest)) WITHOUT ROWID;
CREATE TABLE rendered (folder TEXT, path TEXT, digest TEXT NOT NULL, PRIMARY KEY (folder, path)) WITHOUT ROWID;
CREATE TABLE renderings (
    folder TEXT PRIMARY KEY, seq INTEGER NOT NULL, as_of INTEGER NOT NULL, settings TEXT NOT NULL, shown TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE paused (folder TEXT, path TEXT, why TEXT NOT NULL, PRIMARY KEY (folder, path)) WITHOUT ROWID;
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
""",
    """
CREATE TABLE shown (n INTEGER PRIMARY KEY, folder TEXT, path TEXT, digest TEXT, blocks BLOB NOT NULL);
CREATE UNIQUE INDEX shown_file ON shown (folder, path, digest);
CREATE TABLE settled (
    n INTEGER PRIMARY KEY, folder TEXT, path TEXT, digest TEXT NOT NULL, changed INTEGER NOT NULL
);
CREATE INDEX settled_file ON settled (folder, path);
CREATE TABLE block_keys (key BLOB PRIMARY KEY, id TEXT NOT NULL) WITHOUT ROWID;
""",
    """
CREATE TABLE styles (
    folder TEXT, path TEXT, bom INTEGER NOT NULL, crlf INTEGER NOT NULL, open_end INTEGER NOT NULL,
    PRIMARY KEY (folder, path)
) WITHOUT ROWID;
""",
    """
CREATE TABLE transcripts (
    device TEXT, inode TEXT, path TEXT NOT NULL, head TEXT NOT NULL, head_size INTEGER NOT NULL, tail TEXT NOT NULL,
    offset INTEGER NOT NULL, state TEXT NOT NULL, PRIMARY KEY (device, inode)
) WITHOUT ROWID;
CREATE INDEX transcripts_path ON transcripts (path);
CREATE TABLE corrections (n INTEGER PRIMARY KEY, value TEXT NOT NULL UNIQUE);
""",
    "ALTER TABLE renderings ADD COLUMN id TEXT NOT NULL DEFAULT '';",
    """
ALTER TABLE digests ADD COLUMN seq INTEGER NOT NULL DEFAULT 9223372036854775807;
""",
    "ALTER TABLE shown ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;",
    "DROP TABLE corrections;",
    """
CREATE TABLE seen (
    n INTEGER PRIMARY KEY, day TEXT NOT NULL, at TEXT NOT NULL, agent TEXT NOT NULL, session TEXT NOT NULL,
    door TEXT NOT NULL, why TEXT NOT NULL, tokens INTEGER NOT NULL, ids BLOB NOT NULL
);
CREATE INDEX seen_day ON seen (day);
""",
)
"""The changes of each version."""
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"
_NAMES = frozenset(re.findall(r"CREATE TABLE (\w+)", "".join(_SCHEMAS))) - {"corrections"}
_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB")


def _telling(method: Callable[..., Any]) -> Any:
    """Return a cursor's method that reports damage to its connection."""

    @functools.wraps(method)
    def told(self: _Cursor, *what: Any) -> Any:
        try:
            return method(self, *what)
        except sqlite3.DatabaseError as error:
            damaged = getattr(error, "sqlite_errorname", "").startswith(_DAMAGE)
            if damaged and isinstance(self.connection, _Connection):
                self.connection.on_damage(error)
            raise

    return told


class _Cursor(sqlite3.Cursor):
    execute = _telling(sqlite3.Cursor.execute)
    fetchone = _telling(sqlite3.Cursor.fetchone)
    fetchall = _telling(sqlite3.Cursor.fetchall)
    __next__ = _telling(sqlite3.Cursor.__next__)


class _Connection(sqlite3.Connection):
    on_damage: Callable[[Exception], None]

    def execute(self, *what: Any) -> Any:
        return self.cursor(_Cursor).execute(*what)


class LocalDatabase:
    """The database at `path`; opens lazily."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.trouble = ""
        """Why the last write, or even read, failed."""
        self.damaged = ""
        """SQLite's message about a damaged file that was set aside: the next attempt opens a new one."""
        self.patience: float = _BUSY_SECONDS
        """Seconds to wait for a process that writes it; set this before it is opened."""
        self._db: sqlite3.Connection | None = None
        self._copy: sqlite3.Connection | None = None

    def connection(self) -> sqlite3.Connection:
        """Return the open connection; creates the database if it is missing.

        Raises:
            StorageError: it cannot be opened or created.
        """
        if self._db is None:
            if durable.leads_away(self.path):
                self._set_aside()
            try:
                self._db = self._connect()
            except sqlite3.OperationalError as error:
                raise StorageError(unusable(self.path, error)) from error
            except sqlite3.DatabaseError:
                self._set_aside()
                self._db = self._connect()
        return self._db

    def reading(self) -> sqlite3.Connection:
        """Return a connection to read from: ours, or a copy in memory if ours cannot be opened (P-61).

        If the file cannot be read at all, the copy is empty. `trouble` says so.
        """
        if self._copy is not None:
            return self._copy
        try:
            return self.connection()
        except (StorageError, OSError) as error:
            self.trouble = str(error)
        from projections.read_only import opened_to_read  # needed here alone

        copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        try:
            with contextlib.closing(opened_to_read(self.path, self.patience)) as ours:
                ours.backup(copy)
        except sqlite3.DatabaseError:
            self.trouble += "; archive marks are not known"
        version = copy.execute("PRAGMA user_version").fetchone()[0]
        copy.executescript("".join(_SCHEMAS[version:]))
        self._copy = copy
        return copy

    def _connect(self) -> sqlite3.Connection:
        durable.own(self.path)
        db = sqlite3.connect(
            self.path,
            isolation_level=None,
            timeout=self.patience,
            check_same_thread=False,
            factory=_Connection,
        )
        db.on_damage = self._note_damage
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = OFF")
            db.execute("PRAGMA secure_delete = ON")
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version > len(_SCHEMAS):
                raise sqlite3.OperationalError("it was made by a later version: update muniment")
            if version < len(_SCHEMAS):
                missing = "".join(_SCHEMAS[version:])
                db.executescript(f"BEGIN IMMEDIATE; {missing} PRAGMA user_version = {len(_SCHEMAS)}; COMMIT;")
            if {name for (name,) in db.execute(_TABLES)} < _NAMES:
                raise sqlite3.DatabaseError("it lacks a table")
        except sqlite3.OperationalError as error:
            db.close()
            if "already exists" in str(error):  # another process created it at the same moment
                return self._connect()
            raise
        except sqlite3.DatabaseError:
            db.close()
            raise
        return db

    def _note_damage(self, error: Exception) -> None:
        if not self.damaged:
            self.damaged = str(error)
            self._set_aside()
            self._db = None  # the next request opens a new one

    def _set_aside(self) -> None:
        stamp = written(system_clock()).replace(":", "").replace("-", "")
        with contextlib.suppress(FileNotFoundError):
            self.path.rename(self.path.with_name(f"{self.path.name}.damaged-{stamp}"))
        for suffix in durable.OF_A_DATABASE[1:]:
            with contextlib.suppress(FileNotFoundError, IsADirectoryError):
                os.unlink(f"{self.path}{suffix}")

    def close(self) -> None:
        """Close the connection, if one is open."""
        if self._db is not None:
            self._db.close()
        if self._copy is not None:
            self._copy.close()
        self._db = self._copy = None

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection inside a transaction that is committed at the end, or rolled back."""
        db = self.connection()
        if self._copy is not None:  # it was busy when it was first read
            self._copy, self.trouble = None, ""
        with transaction(db):
            yield db

    def observe(self, write: Callable[[sqlite3.Connection], object]) -> None:
        """Write an observation in a transaction: a busy database costs the observation, never the answer (P-61)."""
        try:
            with self.transaction() as db:
                write(db)
        except (sqlite3.Error, StorageError, OSError) as error:
            name = getattr(error, "sqlite_errorname", "")
            if not self.trouble and not name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                self.trouble = unusable(self.path, error)

    def fact(self, name: str) -> str:
        """Return a noted fact, or ""."""
        row = self.reading().execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return row[0] if row else ""

    def note(self, name: str, value: str) -> None:
        """Note a fact; an empty value removes it."""
        with self.transaction() as db:
            if value:
                db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))
            else:
                db.execute("DELETE FROM facts WHERE name = ?", (name,))


def unusable(path: Path, error: Exception) -> str:
    """Return one sentence: why the database at `path` cannot be used."""
    return f"cannot use {path} ({error}): see muniment doctor"
