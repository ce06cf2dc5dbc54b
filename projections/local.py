"""local.db: what this machine observed about a ledger: uses, archive marks, what was rendered where.

Implements specs/projections.md (P-60…P-64). Observations, not knowledge: unsigned, not rebuilt from the
chain, and said to be. Losing it loses counters and archive marks, never a memory. A damaged file is kept
beside and begun anew.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from ledger import durable, location
from ledger.errors import StorageError
from ledger.instant import system_clock, written

LOCAL_NAME = location.LOCAL_NAME
_BUSY_SECONDS = 5
_VERSION = 1

_SCHEMA = """
CREATE TABLE uses (id TEXT PRIMARY KEY, reads INTEGER NOT NULL DEFAULT 0, injections INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
CREATE TABLE archived (id TEXT PRIMARY KEY, at TEXT NOT NULL, why TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE digests (folder TEXT, path TEXT, digest TEXT, PRIMARY KEY (folder, path, digest)) WITHOUT ROWID;
CREATE TABLE rendered (folder TEXT, path TEXT, digest TEXT NOT NULL, PRIMARY KEY (folder, path)) WITHOUT ROWID;
CREATE TABLE renderings (
    folder TEXT PRIMARY KEY, seq INTEGER NOT NULL, as_of INTEGER NOT NULL, settings TEXT NOT NULL, shown TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE paused (folder TEXT, path TEXT, why TEXT NOT NULL, PRIMARY KEY (folder, path)) WITHOUT ROWID;
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class Rendering:
    """The last rendering of a folder's documents.

    Up to which seq, as of which instant (µs), with which settings, and the ids that MEMORY.md showed.
    """

    seq: int
    as_of: int
    settings: str
    shown: tuple[str, ...] = ()


class Local:
    """The local state beside the ledger in `directory`; opens lazily."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / LOCAL_NAME
        self._db: sqlite3.Connection | None = None
        self._opened_by = 0

    def connection(self) -> sqlite3.Connection:
        """Return the open connection; makes the database where there is none.

        Raises:
            StorageError: it cannot be opened or made.
        """
        if self._db is None or self._opened_by != os.getpid():
            try:
                self._db = self._connect()
            except sqlite3.OperationalError as error:
                if not self.path.is_dir():
                    raise StorageError(f"cannot use {self.path}: {error}") from error
                self._set_aside()
                self._db = self._connect()
            except sqlite3.DatabaseError:
                self._set_aside()
                self._db = self._connect()
            self._opened_by = os.getpid()
        return self._db

    def _connect(self) -> sqlite3.Connection:
        durable.own(self.path)
        db = sqlite3.connect(self.path, isolation_level=None, timeout=_BUSY_SECONDS, check_same_thread=False)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = OFF")
            if db.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
                db.executescript(f"BEGIN IMMEDIATE; {_SCHEMA} PRAGMA user_version = {_VERSION}; COMMIT;")
        except sqlite3.OperationalError as error:
            db.close()
            if "already exists" in str(error):  # another process made it at the same moment
                return self._connect()
            raise
        except sqlite3.DatabaseError:
            db.close()
            raise
        return db

    def _set_aside(self) -> None:
        stamp = written(system_clock()).replace(":", "").replace("-", "")
        with contextlib.suppress(FileNotFoundError):
            self.path.rename(self.path.with_name(f"{LOCAL_NAME}.damaged-{stamp}"))
        for suffix in ("-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"{self.path}{suffix}")

    def close(self) -> None:
        """Close the connection, if one is open."""
        if self._db is not None and self._opened_by == os.getpid():
            self._db.close()
        self._db = None

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Give a connection inside a transaction that is committed at the end, or rolled back."""
        db = self.connection()
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
        except BaseException:
            db.execute("ROLLBACK")
            raise
        db.execute("COMMIT")

    # --- uses ---

    def count(self, ids: Iterable[str], *, injected: bool = False) -> None:
        """Count one read (or injection) of each of these memories.

        A busy database costs the count, never the answer.
        """
        column = "injections" if injected else "reads"
        statement = f"INSERT INTO uses (id, {column}) VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET {column} = {column} + 1"
        with contextlib.suppress(sqlite3.Error, StorageError), self.transaction() as db:
            db.executemany(statement, [(id_,) for id_ in ids])

    def uses(self) -> dict[str, int]:
        """Return how often each memory was read or injected; those never used are left out."""
        rows = self.connection().execute("SELECT id, reads + injections FROM uses").fetchall()
        return {str(id_): int(n) for id_, n in rows}

    # --- archive marks ---

    def archive(self, ids: Mapping[str, str], at: int) -> None:
        """Hide these memories from list, search and prompt; the values say why."""
        with self.transaction() as db:
            rows = [(id_, written(at), why) for id_, why in ids.items()]
            db.executemany("INSERT OR REPLACE INTO archived VALUES (?, ?, ?)", rows)

    def unarchive(self, id_: str) -> bool:
        """Show a memory again; return whether it was archived."""
        with self.transaction() as db:
            return db.execute("DELETE FROM archived WHERE id = ?", (id_,)).rowcount > 0

    def archived(self) -> dict[str, tuple[str, str]]:
        """Return the archived ids with when and why."""
        return {
            row[0]: (row[1], row[2]) for row in self.connection().execute("SELECT id, at, why FROM archived")
        }

    # --- renderings ---

    def rendering(self, folder: Path) -> Rendering | None:
        """Return what is known of the last rendering into `folder`."""
        row = (
            self.connection()
            .execute("SELECT seq, as_of, settings, shown FROM renderings WHERE folder = ?", (str(folder),))
            .fetchone()
        )
        return Rendering(row[0], row[1], row[2], tuple(orjson.loads(row[3]))) if row else None

    def folders(self) -> list[Path]:
        """Return the folders into which documents were rendered."""
        rows = self.connection().execute("SELECT folder FROM renderings ORDER BY folder")
        return [Path(row[0]) for row in rows]

    def save_rendering(self, folder: Path, rendering: Rendering, paused: Mapping[str, str]) -> None:
        """Note a finished rendering and the files that it left alone, with the reasons."""
        shown = orjson.dumps(list(rendering.shown)).decode()
        row = (str(folder), rendering.seq, rendering.as_of, rendering.settings, shown)
        with self.transaction() as db:
            db.execute("INSERT OR REPLACE INTO renderings VALUES (?, ?, ?, ?, ?)", row)
            db.execute("DELETE FROM paused WHERE folder = ?", (str(folder),))
            db.executemany(
                "INSERT INTO paused VALUES (?, ?, ?)",
                [(str(folder), path, why) for path, why in paused.items()],
            )

    def paused(self, folder: Path) -> dict[str, str]:
        """Return the files of `folder` whose rendering pauses, and why."""
        rows = self.connection().execute("SELECT path, why FROM paused WHERE folder = ?", (str(folder),))
        return {str(path): str(why) for path, why in rows}

    def is_ours(self, folder: Path, path: str, digest: str) -> bool:
        """Say whether a file with this digest is one that was rendered at `path` before, and so holds no edit."""
        query = "SELECT 1 FROM digests WHERE folder = ? AND path = ? AND digest = ?"
        return self.connection().execute(query, (str(folder), path, digest)).fetchone() is not None

    def is_rendering(self, folder: Path, path: str, digest: str) -> bool:
        """Say whether a file with this digest was rendered at `path`, in `folder` or in any other of this ledger.

        Git carries renderings from one folder to another: into clones, worktrees, and after a move.
        """
        if self.is_ours(folder, path, digest):
            return True
        query = "SELECT 1 FROM digests WHERE path = ? AND digest = ? LIMIT 1"  # a scan, but a rare one
        return self.connection().execute(query, (path, digest)).fetchone() is not None

    def note_files(self, folder: Path, digests: Sequence[tuple[str, str]]) -> None:
        """Note (path, digest) of files that are about to be put in place."""
        rows = [(str(folder), path, digest) for path, digest in digests]
        with self.transaction() as db:
            db.executemany("INSERT OR IGNORE INTO digests VALUES (?, ?, ?)", rows)
            db.executemany("INSERT OR REPLACE INTO rendered VALUES (?, ?, ?)", rows)

    def rendered(self, folder: Path) -> dict[str, str]:
        """Return path and digest of every file that stands rendered in `folder`."""
        rows = self.connection().execute("SELECT path, digest FROM rendered WHERE folder = ?", (str(folder),))
        return {str(path): str(digest) for path, digest in rows}

    def forget_file(self, folder: Path, path: str) -> None:
        """Note that a rendered file is gone."""
        with self.transaction() as db:
            db.execute("DELETE FROM rendered WHERE folder = ? AND path = ?", (str(folder), path))

    # --- facts ---

    def fact(self, name: str) -> str:
        """Return a noted fact, or ""."""
        row = self.connection().execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return row[0] if row else ""

    def note(self, name: str, value: str) -> None:
        """Note a fact, such as when the chain was verified last."""
        with self.transaction() as db:
            db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))
