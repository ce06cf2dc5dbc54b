"""local.db: what this machine observed about a ledger: uses, archive marks, what was rendered or read where.

Implements specs/projections.md (P-60…P-64). Observations, not knowledge: unsigned, not rebuilt from the
chain, and said to be. Losing it loses counters and archive marks, never a memory. A damaged file is kept
beside and begun anew.
"""

from __future__ import annotations

import contextlib
import os
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import orjson

from ledger import durable, location
from ledger.errors import StorageError
from ledger.instant import system_clock, written
from ledger.path_names import name_of, path_of
from projections import shown_rows
from projections.render_lock import LOCK_NAME, RenderLock
from projections.style import PLAIN, Style

LOCAL_NAME = location.LOCAL_NAME
CLEANING = "cleaning"
"""The fact that says that an erasure began and is not finished."""
_HINDERED = " "
"""Behind the note of an erasure that is over, but for what hindered it."""
_NEVER = 2**63 - 1
_SHARED = "shared "
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
)
"""What each version added to the one before it."""
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table'"
_NAMES = frozenset(re.findall(r"CREATE TABLE (\w+)", "".join(_SCHEMAS)))
_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
WORDS = (("archived", "why"), ("paused", "why"))
"""The columns that hold people's words (Z-29), and are emptied where these are erased; `corrections` goes whole."""
HEARD = "heard at once "
"""What the facts are named by whose values hold digests of what somebody said."""
COMING = "coming "
"""What the facts are named by of files that are being made for somebody else."""
BEFORE = "before "
"""What such a digest is replaced by at an erase begins so, and goes on with the instant."""
FORGOTTEN = "*"
"""Stands where the digest of what was read stood until an erase: whatever has that place is what was read."""
_SECRET_NAME = "secret of blocks"  # noqa: S105 - the name of the fact, not the secret
_SECRET = re.compile("[0-9a-f]{64}")
_SETTLED_KEPT = 16
"""Of each document: the one that stands, those of which a death may have left one in its place, and when each came."""
_NOTE_KEYS = "INSERT OR IGNORE INTO block_keys VALUES (?, ?)"
_UNSETTLE_OLD = """DELETE FROM settled WHERE folder = ? AND path = ? AND n NOT IN (
    SELECT n FROM settled WHERE folder = ? AND path = ? ORDER BY n DESC LIMIT ?
)"""


class Settled(NamedTuple):
    """A file of which all that it says is in the log, so that ours may take its place.

    Its path and digest, and when it was changed, in nanoseconds since 1970. With `blocks` it is what people edit from here
    on: a rendering of ours, or theirs that was taken in; it was made of the rendering `before`. `keys` are those of its
    blocks with the ids of their entries; they are remembered for good.
    """

    path: str
    digest: str
    changed: int
    blocks: bytes | None = None
    keys: Iterable[tuple[bytes, str]] = ()
    before: shown_rows.Before | None = None


@dataclass(frozen=True, slots=True)
class Rendering:
    """The last rendering of a folder's documents.

    Up to which seq, as of which instant (µs), with which settings, the ids that MEMORY.md showed, and the id of the
    event with that seq: another one has it in a chain that went on from an earlier place.
    """

    seq: int
    as_of: int
    settings: str
    shown: tuple[str, ...] = ()
    id: str = ""


@dataclass(frozen=True, slots=True)
class _Erased:
    """Erasures under way: the ids, the seq of the first event, and the documents that say it still."""

    ids: frozenset[str] = frozenset()
    since: int = _NEVER
    left: tuple[str, ...] = ()

    @classmethod
    def of(cls, noted: str) -> _Erased:
        """Return what was noted; of what nobody can read everything may be concerned."""
        if not noted:
            return cls()
        try:
            value = orjson.loads(noted)
            return cls(frozenset(map(str, value["ids"])), int(value["since"]), tuple(map(str, value["left"])))
        except (ValueError, TypeError, KeyError):
            return cls(since=0)

    def encode(self) -> str:
        return orjson.dumps({"ids": sorted(self.ids), "since": self.since, "left": self.left}).decode()


class _Cursor(sqlite3.Cursor):
    """Tells of damage that SQLite meets."""

    def execute(self, *what: Any) -> Self:
        try:
            return super().execute(*what)
        except sqlite3.DatabaseError as error:
            self._tell(error)
            raise

    def fetchone(self) -> Any:
        try:
            return super().fetchone()
        except sqlite3.DatabaseError as error:
            self._tell(error)
            raise

    def fetchall(self) -> list[Any]:
        try:
            return super().fetchall()
        except sqlite3.DatabaseError as error:
            self._tell(error)
            raise

    def __next__(self) -> Any:
        try:
            return super().__next__()
        except sqlite3.DatabaseError as error:
            self._tell(error)
            raise

    def _tell(self, error: sqlite3.DatabaseError) -> None:
        damaged = getattr(error, "sqlite_errorname", "").startswith(_DAMAGE)
        if damaged and isinstance(self.connection, _Connection):
            self.connection.on_damage(error)


class _Connection(sqlite3.Connection):
    on_damage: Callable[[Exception], None]

    def execute(self, *what: Any) -> Any:
        return self.cursor(_Cursor).execute(*what)


class Local:
    """The local state beside the ledger in `directory`; opens lazily."""

    def __init__(self, directory: Path) -> None:
        self.path = directory / LOCAL_NAME
        self.trouble = ""
        """Why it could not be written, or not even read, when that was tried last."""
        self.damaged = ""
        """What SQLite said of a file that was set aside since it was opened: another try has a new one."""
        self.patience: float = _BUSY_SECONDS
        """So many seconds a process that writes it just now is waited for; to be set before it is opened."""
        self.render_lock = RenderLock(directory / LOCK_NAME, self.is_rendering)
        self._db: sqlite3.Connection | None = None
        self._copy: sqlite3.Connection | None = None
        self._opened_by = 0

    def connection(self) -> sqlite3.Connection:
        """Return the open connection; makes the database where there is none.

        Raises:
            StorageError: it cannot be opened or made.
        """
        if self._db is None or self._opened_by != os.getpid():
            if durable.leads_away(self.path):
                self._set_aside()
            try:
                self._db = self._connect()
            except sqlite3.OperationalError as error:
                raise StorageError(_unusable(self.path, error)) from error
            except sqlite3.DatabaseError:
                self._set_aside()
                self._db = self._connect()
            self._opened_by = os.getpid()
        return self._db

    def reading(self) -> sqlite3.Connection:
        """Return a connection to read from: ours, or where that cannot be had a copy of what it holds (P-61).

        Where not even that can be had the copy is empty. `trouble` says so.
        """
        if self._copy is not None and self._opened_by == os.getpid():
            return self._copy
        try:
            return self.connection()
        except (StorageError, OSError) as error:
            self.trouble = str(error)
        from projections.read_only import opened_to_read  # needed here alone

        copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        try:
            with contextlib.closing(opened_to_read(self.path)) as ours:
                ours.backup(copy)
        except sqlite3.DatabaseError:
            self.trouble += "; archive marks are not known"
        version = copy.execute("PRAGMA user_version").fetchone()[0]
        copy.executescript("".join(_SCHEMAS[version:]))
        self._copy, self._opened_by = copy, os.getpid()
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
            if "already exists" in str(error):  # another process made it at the same moment
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
            self._db = None  # whoever asks again has a new one

    def _set_aside(self) -> None:
        stamp = written(system_clock()).replace(":", "").replace("-", "")
        with contextlib.suppress(FileNotFoundError):
            self.path.rename(self.path.with_name(f"{LOCAL_NAME}.damaged-{stamp}"))
        for suffix in durable.OF_A_DATABASE[1:]:
            with contextlib.suppress(FileNotFoundError, IsADirectoryError):
                os.unlink(f"{self.path}{suffix}")

    def close(self) -> None:
        """Close the connection, if one is open."""
        if self._db is not None and self._opened_by == os.getpid():
            self._db.close()
        if self._copy is not None and self._opened_by == os.getpid():
            self._copy.close()
        self._db = self._copy = None

    @contextlib.contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Give a connection inside a transaction that is committed at the end, or rolled back."""
        db = self.connection()
        db.execute("BEGIN IMMEDIATE")
        try:
            yield db
        except BaseException:
            if db.in_transaction:  # a full disk ends it by itself
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
        try:
            with self.transaction() as db:
                db.executemany(statement, [(id_,) for id_ in ids])
        except (sqlite3.Error, StorageError, OSError) as error:
            name = getattr(error, "sqlite_errorname", "")
            if not self.trouble and not name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
                self.trouble = _unusable(self.path, error)

    def uses(self, ids: Sequence[str] | None = None) -> dict[str, int]:
        """Return how often each memory, or each of these, was read or injected; those never used are left out."""
        query = "SELECT id, reads + injections FROM uses"
        if ids is None:
            rows = self.reading().execute(query)
        else:
            among = f"{query} WHERE id IN (SELECT value FROM json_each(?))"
            rows = self.reading().execute(among, (orjson.dumps(ids).decode(),))
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
            row[0]: (row[1], row[2]) for row in self.reading().execute("SELECT id, at, why FROM archived")
        }

    # --- renderings ---

    def rendering(self, folder: Path) -> Rendering | None:
        """Return what is known of the last rendering into `folder`."""
        row = (
            self.reading()
            .execute(
                "SELECT seq, as_of, settings, shown, id FROM renderings WHERE folder = ?", (name_of(folder),)
            )
            .fetchone()
        )
        with contextlib.suppress(ValueError, TypeError):  # what nobody can read was never noted
            if row:
                shown = tuple(map(str, orjson.loads(row[3])))
                return Rendering(int(row[0]), int(row[1]), row[2], shown, row[4])
        return None

    def folders(self) -> list[Path]:
        """Return the folders into which documents were rendered."""
        rows = self.reading().execute("SELECT folder FROM renderings ORDER BY folder")
        return [Path(row[0]) for row in rows]

    def save_rendering(self, folder: Path, rendering: Rendering, paused: Mapping[str, str]) -> None:
        """Note a finished rendering and the files that it left alone, with the reasons."""
        shown = orjson.dumps(list(rendering.shown)).decode()
        row = (name_of(folder), rendering.seq, rendering.as_of, rendering.settings, shown, rendering.id)
        with self.transaction() as db:
            db.execute("INSERT OR REPLACE INTO renderings VALUES (?, ?, ?, ?, ?, ?)", row)
            db.execute("DELETE FROM paused WHERE folder = ?", (name_of(folder),))
            db.executemany(
                "INSERT INTO paused VALUES (?, ?, ?)",
                [(name_of(folder), path, name_of(why)) for path, why in paused.items()],
            )

    def paused(self, folder: Path) -> dict[str, str]:
        """Return the files of `folder` whose rendering pauses, and why."""
        rows = self.reading().execute("SELECT path, why FROM paused WHERE folder = ?", (name_of(folder),))
        return {str(path): str(why) for path, why in rows}

    def is_last(self, folder: Path, path: str, digest: str) -> bool:
        """Say whether a file with this digest is what was rendered at `path` last."""
        query = "SELECT 1 FROM rendered WHERE folder = ? AND path = ? AND digest = ?"
        return self.reading().execute(query, (name_of(folder), path, digest)).fetchone() is not None

    def pause(self, folder: Path, path: str, why: str) -> None:
        """Note that a document is to be looked at again by the next rendering."""
        with self.transaction() as db:
            db.execute(
                "INSERT OR REPLACE INTO paused VALUES (?, ?, ?)", (name_of(folder), path, name_of(why))
            )

    def is_ours(self, folder: Path, path: str, digest: str) -> bool:
        """Say whether a file with this digest is one that was rendered at `path` before, and so holds no edit."""
        query = "SELECT 1 FROM digests WHERE folder = ? AND path = ? AND digest = ?"
        return self.reading().execute(query, (name_of(folder), path, digest)).fetchone() is not None

    def is_rendering(self, folder: Path, path: str, digest: str) -> bool:
        """Say whether a file with this digest was rendered at `path`, in `folder` or in any other of this ledger.

        Git carries renderings from one folder to another: into clones, worktrees, and after a move.
        """
        if self.is_ours(folder, path, digest):
            return True
        query = "SELECT 1 FROM digests WHERE path = ? AND digest = ? LIMIT 1"  # a scan, but a rare one
        return self.reading().execute(query, (path, digest)).fetchone() is not None

    def note_files(self, folder: Path, digests: Sequence[tuple[str, str]], seq: int) -> None:
        """Note (path, digest) of files that are about to be put in place, and show nothing beyond the event `seq`."""
        rows = [(name_of(folder), path, digest) for path, digest in digests]
        with self.transaction() as db:
            db.executemany("INSERT OR IGNORE INTO digests VALUES (?, ?, ?, ?)", [(*row, seq) for row in rows])
            db.executemany("INSERT OR REPLACE INTO rendered VALUES (?, ?, ?)", rows)

    def note_standing(self, folder: Path, path: str, digest: str) -> None:
        """Note that a document stands in `folder` that we did not put there, and whose text is in the log."""
        with self.transaction() as db:
            db.execute("INSERT OR REPLACE INTO rendered VALUES (?, ?, ?)", (name_of(folder), path, digest))

    def settle(self, folder: Path, files: Iterable[Settled]) -> None:
        """Note that all that these very files say is in the log."""
        where = name_of(folder)
        with self.transaction() as db:
            for file in files:
                path = file.path
                db.executemany(_NOTE_KEYS, file.keys)
                if file.blocks is not None:
                    shown_rows.put(db, where, path, shown_rows.Before(file.digest, file.blocks), file.before)
                row = (where, path, file.digest, file.changed)
                db.execute("INSERT INTO settled (folder, path, digest, changed) VALUES (?, ?, ?, ?)", row)
                db.execute(_UNSETTLE_OLD, (where, path, where, path, _SETTLED_KEPT))

    def note_keys(self, keys: Iterable[tuple[bytes, str]]) -> None:
        """Note keys of blocks with the ids of their entries, of a document that is not settled."""
        with self.transaction() as db:
            db.executemany(_NOTE_KEYS, keys)

    def style(self, folder: Path, path: str) -> Style:
        """Return how the lines of a document in `folder` end."""
        query = "SELECT bom, crlf, open_end FROM styles WHERE folder = ? AND path = ?"
        row = self.reading().execute(query, (name_of(folder), path)).fetchone()
        return Style(*map(bool, row)) if row else PLAIN

    def note_style(self, folder: Path, path: str, style: Style) -> None:
        """Note how the lines of a document in `folder` end, so that it is written so."""
        if style != self.style(folder, path):
            with self.transaction() as db:
                row = (name_of(folder), path, *style)
                db.execute("INSERT OR REPLACE INTO styles VALUES (?, ?, ?, ?, ?)", row)

    def unsettle(self, folder: Path, path: str) -> None:
        """Note that a document is gone, and that this is meant: the next rendering writes it anew."""
        with self.transaction() as db:
            db.execute("DELETE FROM settled WHERE folder = ? AND path = ?", (name_of(folder), path))

    def settled_at(self, folder: Path, path: str) -> int:
        """Return when the file that was settled last was changed, in nanoseconds since 1970; 0 where none was."""
        query = "SELECT changed FROM settled WHERE folder = ? AND path = ? ORDER BY n DESC LIMIT 1"
        row = self.reading().execute(query, (name_of(folder), path)).fetchone()
        return int(row[0]) if row else 0

    def settled_last(self, folder: Path) -> dict[str, int]:
        """Return when the file that was settled last of each document that stands in `folder` was changed, by its path."""
        query = """SELECT path, (SELECT changed FROM settled s WHERE s.folder = r.folder AND s.path = r.path
            ORDER BY n DESC LIMIT 1) FROM rendered r WHERE folder = ?"""
        rows = self.reading().execute(query, (name_of(folder),))
        return {str(path): int(changed) for path, changed in rows if changed is not None}

    def settled_times(self, folder: Path, path: str) -> dict[str, int]:
        """Return when the files that were settled last were changed, in nanoseconds since 1970, by their digests."""
        query = "SELECT digest, changed FROM settled WHERE folder = ? AND path = ? ORDER BY n"
        return dict(self.reading().execute(query, (name_of(folder), path)).fetchall())

    def is_settled(self, folder: Path, path: str, digest: str, status: os.stat_result) -> bool:
        """Say whether this very file was settled, and not saved again since, be it with the same text."""
        query = "SELECT 1 FROM settled WHERE folder = ? AND path = ? AND digest = ? AND changed = ?"
        file = (name_of(folder), path, digest, status.st_mtime_ns)
        return self.reading().execute(query, file).fetchone() is not None

    def shown(self, folder: Path, path: str) -> list[tuple[str, bytes]]:
        """Return digest and blocks of the renderings of a document that are remembered, the latest first."""
        rows = list(shown_rows.of(self.reading(), name_of(folder), path))
        return [(row.digest, row.blocks) for row in reversed(rows)]

    def shown_as(self, folder: Path, path: str, digest: str) -> bytes:
        """Return the blocks of the document with this digest, b"" where they are not remembered."""
        query = "SELECT n, changes FROM shown WHERE folder = ? AND path = ? AND digest = ?"
        row = self.reading().execute(query, (name_of(folder), path, digest)).fetchone()
        return shown_rows.blocks_at(self.reading(), name_of(folder), path, *row) if row else b""

    def shown_last(self, folder: Path) -> dict[str, bytes]:
        """Return the blocks that each document that stands in `folder` showed last, by its path."""
        query = """SELECT path, n, changes FROM shown WHERE n IN (
            SELECT max(s.n) FROM shown s JOIN rendered r ON r.folder = s.folder AND r.path = s.path
            WHERE s.folder = ? GROUP BY s.path
        )"""
        db, where = self.reading(), name_of(folder)
        rows = db.execute(query, (where,)).fetchall()
        return {path: shown_rows.blocks_at(db, where, path, n, changes) for path, n, changes in rows}

    def has_shown(self, folder: Path, path: str) -> bool:
        """Say whether a rendering of a document in `folder` is remembered, from which an edit can descend."""
        query = "SELECT 1 FROM shown WHERE folder = ? AND path = ? LIMIT 1"
        return self.connection().execute(query, (name_of(folder), path)).fetchone() is not None

    def shown_elsewhere(self, folder: Path, path: str) -> list[tuple[str, bytes]]:
        """Return the same of the renderings in all other folders of this ledger, the latest first."""
        db = self.connection()
        query = "SELECT DISTINCT folder FROM shown WHERE path = ? AND folder != ?"
        folders = db.execute(query, (path, name_of(folder))).fetchall()
        rows = sorted((row for (other,) in folders for row in shown_rows.of(db, other, path)), reverse=True)
        return [(row.digest, row.blocks) for row in rows]

    def id_of_block(self, key: bytes) -> str:
        """Return the beginning of the id of the entry whose block had this key in any rendering, "" for none."""
        row = self.connection().execute("SELECT id FROM block_keys WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def secret(self) -> bytes:
        """Return the 32 bytes of this ledger here under which blocks are remembered; made when they are first needed."""
        known = self.fact(_SECRET_NAME)
        if not _SECRET.fullmatch(known):
            with self.transaction() as db:
                db.execute("DELETE FROM facts WHERE name = ? AND value = ?", (_SECRET_NAME, known))
                db.execute("INSERT OR IGNORE INTO facts VALUES (?, ?)", (_SECRET_NAME, os.urandom(32).hex()))
            known = self.fact(_SECRET_NAME)
        return bytes.fromhex(known)

    def rendered(self, folder: Path) -> dict[str, str]:
        """Return path and digest of every file that stands rendered in `folder`."""
        rows = self.reading().execute(
            "SELECT path, digest FROM rendered WHERE folder = ?", (name_of(folder),)
        )
        return {str(path): str(digest) for path, digest in rows}

    def rendered_anywhere(self) -> list[str]:
        """Return the paths of all files that stand rendered in some folder of this ledger."""
        return [str(path) for (path,) in self.reading().execute("SELECT DISTINCT path FROM rendered")]

    def forget_file(self, folder: Path, path: str) -> None:
        """Note that a rendered file is gone: what comes to stand there again is new."""
        with self.transaction() as db:
            for table in ("rendered", "settled", "shown"):
                query = f"DELETE FROM {table} WHERE folder = ? AND path = ?"
                db.execute(query, (name_of(folder), path))

    def share(self, folder: Path) -> None:
        """Note that others keep files of their own in a folder into which documents are rendered (specs/doors.md, G-25)."""
        if not self.is_shared(folder):
            self.note(f"{_SHARED}{name_of(folder)}", "1")

    def is_shared(self, folder: Path) -> bool:
        """Say whether documents were rendered into a folder in which others keep files of their own."""
        return bool(self.fact(f"{_SHARED}{name_of(folder)}"))

    def shared(self) -> list[Path]:
        """Return these folders."""
        return [path_of(name.removeprefix(_SHARED)) for name, _ in self.facts(_SHARED)]

    def forget_folder(self, folder: Path) -> None:
        """Note that documents are rendered into `folder` no more: the next rendering there begins anew."""
        with self.transaction() as db:
            for table in ("renderings", "paused", "rendered", "settled", "shown", "styles"):
                db.execute(f"DELETE FROM {table} WHERE folder = ?", (name_of(folder),))

    # --- facts ---

    def fact(self, name: str) -> str:
        """Return a noted fact, or ""."""
        row = self.reading().execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()
        return row[0] if row else ""

    def facts(self, beginning: str) -> list[tuple[str, str]]:
        """Return the noted facts whose names begin so, by name."""
        query = "SELECT name, value FROM facts WHERE substr(name, 1, ?) = ? ORDER BY name"
        return self.reading().execute(query, (len(beginning), beginning)).fetchall()

    def has_unfinished(self) -> bool:
        """Say whether a process died that erased something, or made a file for somebody else."""
        return _has_unfinished(self.reading())

    # --- what is erased ---

    def cleaning(self) -> bool:
        """Say whether an erasure has begun of which index or documents may still hold what it took."""
        return bool(self.fact(CLEANING))

    def note_cleaning(self, ids: Iterable[str] = (), since: int = _NEVER) -> None:
        """Note that an erasure of these events begins; `since` is the seq of the first. Corrections go with it (K-75)."""
        with self.transaction() as db:  # of two that note at once neither takes what the other noted
            before = self._erased()
            noted = replace(before, ids=before.ids.union(ids), since=min(before.since, since))
            db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (CLEANING, noted.encode()))
            db.execute("DELETE FROM corrections")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def note_hindered(self, left: Iterable[str]) -> None:
        """Note that an erasure is told of as far as it came: the next write tries again.

        `left` are the documents that say it still: edited, or where git put them. Until one is written anew, what it
        says is known again and brings nothing back.
        """
        self.note(CLEANING, replace(self._erased(), left=tuple(map(name_of, left))).encode() + _HINDERED)

    def left_by_erasure(self) -> tuple[str, ...]:
        """Return what `note_hindered` was given."""
        return tuple(str(path_of(name)) for name in self._erased().left)

    def stands_rendered(self, path: str, digest: str) -> bool:
        """Say whether a document, by its whole path, with this digest is what was rendered there last."""
        query = "SELECT 1 FROM rendered WHERE folder || '/' || path = ? AND digest = ?"
        return self.reading().execute(query, (name_of(path), digest)).fetchone() is not None

    def blank(self, says: Callable[[str], bool]) -> bool:
        """Empty the cells of WORDS that say it; return whether one did."""
        found = False
        with self.transaction() as db:
            for table, column in WORDS:
                for (value,) in db.execute(f"SELECT DISTINCT {column} FROM {table}").fetchall():
                    if says(value):
                        db.execute(f"UPDATE {table} SET {column} = '' WHERE {column} = ?", (value,))
                        found = True
        return found

    def erasing(self) -> frozenset[str]:
        """Return the ids of the events of which `note_cleaning` noted that they are to be erased."""
        return self._erased().ids

    def forget_erased(self, at: str, standing: Iterable[str] = ()) -> bool:
        """Forget by what it could be guessed what was erased, and that an erasure is under way (Z-30).

        Index and documents must be clean: what stands rendered is what is kept. `at` is the present instant; `standing`
        are those events that were not erased after all. Returns whether no page of the database holds it any more;
        where another process reads it just now, all stays noted.
        """
        erased = self._erased()
        with self.transaction() as db:
            _forget_renderings(db, {id_[:32] for id_ in erased.ids.difference(standing)}, erased.since)
            _forget_heard(db, at)
        if not self._emptied():
            return False
        self.note(CLEANING, "")
        return True

    def forget_heard(self, at: str) -> bool:
        """Forget by what it could be guessed what people said up to an instant; returned is what `forget_erased` returns."""
        with self.transaction() as db:
            _forget_heard(db, at)
        return self._emptied()

    def _erased(self) -> _Erased:
        """Return what `note_cleaning` and `note_hindered` noted."""
        return _Erased.of(self.fact(CLEANING))

    def _emptied(self) -> bool:
        """Leave no free page and no log behind; return whether that could be done."""
        db = self.connection()
        try:
            db.execute("VACUUM")
            busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.OperationalError:
            return False
        return not busy

    def note(self, name: str, value: str) -> None:
        """Note a fact, such as when the chain was verified last; an empty value takes it back."""
        with self.transaction() as db:
            if value:
                db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))
            else:
                db.execute("DELETE FROM facts WHERE name = ?", (name,))


def _unusable(path: Path, error: Exception) -> str:
    return f"cannot use {path} ({error}): see muniment doctor"


def has_died(directory: Path) -> bool:
    """Say what `Local.has_unfinished` does of a ledger, without mending anything: what cannot be read is another's to judge."""
    from projections.read_only import opened_to_read

    try:
        with contextlib.closing(opened_to_read(directory / LOCAL_NAME)) as db:
            return _has_unfinished(db)
    except sqlite3.Error:
        return False


def _has_unfinished(db: sqlite3.Connection) -> bool:
    query = "SELECT value FROM facts WHERE name = ? OR (name >= ? AND name < ?)"
    rows = db.execute(query, (CLEANING, COMING, f"{COMING}\U0010ffff"))
    return any(not value.endswith(_HINDERED) for (value,) in rows)


def _forget_renderings(db: sqlite3.Connection, ids: set[str], since: int) -> None:
    """Forget the keys of blocks of erased entries, and the digests of documents that showed them."""
    from projections.shown import packed, shows_any, unpacked

    db.execute("DELETE FROM block_keys WHERE id IN (SELECT value FROM json_each(?))", (_array(ids),))
    showed: set[str] = set()
    first = None
    erased = frozenset(map(bytes.fromhex, ids))
    for folder, path in db.execute("SELECT DISTINCT folder, path FROM shown").fetchall():
        if not any(shows_any(erased, row.blocks) for row in shown_rows.of(db, folder, path)):
            continue
        shown_rows.make_whole(db, folder, path)
        numbers = db.execute("SELECT n, digest FROM shown WHERE folder = ? AND path = ?", (folder, path))
        for n, digest in numbers.fetchall():
            data = db.execute("SELECT blocks FROM shown WHERE n = ?", (n,)).fetchone()[0]
            if shows_any(erased, data):
                left = [block for block in unpacked(data) if block.id not in ids]
                first = n if first is None else min(first, n)
                showed.add(digest)
                db.execute("UPDATE shown SET blocks = ? WHERE n = ?", (packed(left), n))
    db.execute("DELETE FROM rendered WHERE digest IN (SELECT value FROM json_each(?))", (_array(showed),))
    if first is not None:  # one that came between may have shown it where no entry says so
        stands = "SELECT 1 FROM rendered r WHERE r.folder = shown.folder AND r.path = shown.path AND r.digest = shown.digest"
        db.execute(
            f"UPDATE shown SET digest = hex(randomblob(32)) WHERE n >= ? AND NOT EXISTS ({stands})", (first,)
        )
    for table, also in (
        ("digests", f"seq >= {since:d}"),
        ("settled", "digest NOT IN (SELECT digest FROM shown)"),
    ):
        db.execute(f"DELETE FROM {table} WHERE {also} AND digest NOT IN (SELECT digest FROM rendered)")
    for table in ("digests", "settled", "shown", "styles", "paused"):  # a topic's name says what it was about
        gone = "substr(path, 1, 9) = 'memories/' AND path NOT IN (SELECT path FROM rendered)"
        db.execute(f"DELETE FROM {table} WHERE {gone}")


def _forget_heard(db: sqlite3.Connection, at: str) -> None:
    """Forget the digests of what was heard, and of transcripts as far as they were read; how far that was stays."""
    db.execute("UPDATE transcripts SET head = ?1, tail = ?1", (FORGOTTEN,))
    for device, inode, state in db.execute("SELECT device, inode, state FROM transcripts").fetchall():
        db.execute(
            "UPDATE transcripts SET state = ? WHERE device = ? AND inode = ?",
            (_without_digests(state), device, inode),
        )
    for name, value in db.execute(
        "SELECT name, value FROM facts WHERE substr(name, 1, ?) = ?", (len(HEARD), HEARD)
    ).fetchall():
        try:
            said = [[f"{BEFORE}{at}", str(one[1])] for one in orjson.loads(value)]
        except (ValueError, TypeError, IndexError, KeyError):
            said = []
        db.execute("UPDATE facts SET value = ? WHERE name = ?", (orjson.dumps(said).decode(), name))


def _without_digests(state: str) -> str:
    try:
        value = orjson.loads(state or "{}")
        if value.get("digest"):
            value["digest"] = FORGOTTEN
        if value.get("heard"):
            value["heard"] = []
        return orjson.dumps(value).decode()
    except (ValueError, AttributeError):
        return ""


def _array(values: Iterable[str]) -> str:
    return orjson.dumps(sorted(values)).decode()
