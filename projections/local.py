"""local.db: this machine's observations of a ledger: uses, archive marks, renderings, transcripts read.

Implements specs/projections.md (P-60…P-64). Observations are unsigned and cannot be rebuilt from the chain. Losing the file
loses counters and archive marks, never a memory. A damaged file is set aside and a new one is started.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from ledger import location
from ledger.instant import written
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple
from ledger.path_names import name_of, path_of
from projections import shown_rows
from projections.line_endings import PLAIN, Style
from projections.local_database import LocalDatabase
from projections.local_erasure import CLEANING, HINDERED, LocalErasures
from projections.render_lock import LOCK_NAME, RenderLock

if TYPE_CHECKING:
    from projections.seen import Sightings

LOCAL_NAME = location.LOCAL_NAME
_SHARED = "shared "
COMING = "coming "
"""The prefix of facts about files that are being written for somebody else."""

_SECRET_NAME = "secret of blocks"  # noqa: S105 - the name of the fact, not the secret
_SECRET = lazy_pattern("[0-9a-f]{64}")
_SETTLED_KEPT = 16
"""Per document: the present file, and earlier ones that a crash may have left in its place."""
_NOTE_KEYS = "INSERT OR IGNORE INTO block_keys VALUES (?, ?)"
_UNSETTLE_OLD = """DELETE FROM settled WHERE folder = ? AND path = ? AND n NOT IN (
    SELECT n FROM settled WHERE folder = ? AND path = ? ORDER BY n DESC LIMIT ?
)"""


class Settled(NamedTuple):
    """A file whose whole content is in the log, so that ours may replace it.

    `changed` is its modification time in nanoseconds since 1970. With `blocks` people edit it from now on: it is our
    rendering, or their imported file; it was made from the rendering `before`. `keys` are the keys of its blocks with the
    ids of their entries; they are remembered for good.
    """

    path: str
    digest: str
    changed: int
    blocks: bytes | None = None
    keys: Iterable[tuple[bytes, str]] = ()
    before: shown_rows.Before | None = None


class Rendering(NamedTuple):
    """The last rendering of a folder's documents.

    Its last seq, its instant (µs), its settings, the ids that MEMORY.md showed, and the id of the event with that seq:
    a chain that was cut and continued has another event there.
    """

    seq: int
    as_of: int
    settings: str
    shown: tuple[str, ...] = ()
    id: str = ""


class Local:
    """The local state beside the ledger in `directory`; opens lazily."""

    def __init__(self, directory: Path) -> None:
        self.database = LocalDatabase(directory / LOCAL_NAME)
        self.erasures = LocalErasures(self.database)
        self.render_lock = RenderLock(directory / LOCK_NAME, self.is_rendering)

    @cached_property
    def seen(self) -> Sightings:
        """The record of the memories that agents were shown."""
        from projections.seen import Sightings

        return Sightings(self.database)

    def close(self) -> None:
        """Close the database, if it is open."""
        self.database.close()

    def _has(self, query: str, *values: str | int) -> bool:
        return self.database.reading().execute(query, values).fetchone() is not None

    def _write(self, statement: str, *values: str | int) -> int:
        """Run one statement in a transaction; return how many rows it changed."""
        with self.database.transaction() as db:
            return int(db.execute(statement, values).rowcount)

    # --- uses ---

    def count(self, ids: Iterable[str], *, injected: bool = False) -> None:
        """Count one read (or injection) of each of these memories.

        A busy database costs the count, never the answer.
        """
        column = "injections" if injected else "reads"
        statement = f"INSERT INTO uses (id, {column}) VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET {column} = {column} + 1"
        self.database.observe(lambda db: db.executemany(statement, [(id_,) for id_ in ids]))

    def uses(self, ids: Sequence[str] | None = None) -> dict[str, int]:
        """Return how often each memory, or each of these, was read or injected; those never used are left out."""
        query = "SELECT id, reads + injections FROM uses"
        if ids is None:
            rows = self.database.reading().execute(query)
        else:
            among = f"{query} WHERE id IN (SELECT value FROM json_each(?))"
            rows = self.database.reading().execute(among, (orjson.dumps(ids).decode(),))
        return {str(id_): int(n) for id_, n in rows}

    # --- archive marks ---

    def archive(self, ids: Mapping[str, str], at: int) -> None:
        """Hide these memories from list, search and prompt; the values say why."""
        with self.database.transaction() as db:
            rows = [(id_, written(at), why) for id_, why in ids.items()]
            db.executemany("INSERT OR REPLACE INTO archived VALUES (?, ?, ?)", rows)

    def unarchive(self, id_: str) -> bool:
        """Show a memory again; return whether it was archived."""
        return self._write("DELETE FROM archived WHERE id = ?", id_) > 0

    def archived(self) -> dict[str, tuple[str, str]]:
        """Return the archived ids with when and why."""
        return {
            row[0]: (row[1], row[2])
            for row in self.database.reading().execute("SELECT id, at, why FROM archived")
        }

    # --- renderings ---

    def rendering(self, folder: Path) -> Rendering | None:
        """Return the last rendering into `folder`, None if it is unknown."""
        row = (
            self.database.reading()
            .execute(
                "SELECT seq, as_of, settings, shown, id FROM renderings WHERE folder = ?", (name_of(folder),)
            )
            .fetchone()
        )
        with contextlib.suppress(ValueError, TypeError):  # an unreadable row counts as none
            if row:
                shown = tuple(map(str, orjson.loads(row[3])))
                return Rendering(int(row[0]), int(row[1]), row[2], shown, row[4])
        return None

    def folders(self) -> list[Path]:
        """Return the folders into which documents were rendered."""
        rows = self.database.reading().execute("SELECT folder FROM renderings ORDER BY folder")
        return [Path(row[0]) for row in rows]

    def save_rendering(self, folder: Path, rendering: Rendering, paused: Mapping[str, str]) -> None:
        """Note a finished rendering, and the files that it did not write, with the reasons."""
        shown = orjson.dumps(list(rendering.shown)).decode()
        row = (name_of(folder), rendering.seq, rendering.as_of, rendering.settings, shown, rendering.id)
        with self.database.transaction() as db:
            db.execute("INSERT OR REPLACE INTO renderings VALUES (?, ?, ?, ?, ?, ?)", row)
            db.execute("DELETE FROM paused WHERE folder = ?", (name_of(folder),))
            db.executemany(
                "INSERT INTO paused VALUES (?, ?, ?)",
                [(name_of(folder), path, name_of(why)) for path, why in paused.items()],
            )

    def paused(self, folder: Path) -> dict[str, str]:
        """Return the files of `folder` whose rendering pauses, and why."""
        query = "SELECT path, why FROM paused WHERE folder = ?"
        rows = self.database.reading().execute(query, (name_of(folder),)).fetchall()
        return {str(path): str(why) for path, why in rows}

    def is_last(self, folder: Path, path: str, digest: str) -> bool:
        """Return whether a file with this digest is the last rendering at `path`."""
        query = "SELECT 1 FROM rendered WHERE folder = ? AND path = ? AND digest = ?"
        return self._has(query, name_of(folder), path, digest)

    def pause(self, folder: Path, path: str, why: str) -> None:
        """Note that the next rendering must look at a document again."""
        self._write("INSERT OR REPLACE INTO paused VALUES (?, ?, ?)", name_of(folder), path, name_of(why))

    def is_ours(self, folder: Path, path: str, digest: str) -> bool:
        """Return whether a file with this digest is an earlier rendering at `path`, and so holds no edit."""
        query = "SELECT 1 FROM digests WHERE folder = ? AND path = ? AND digest = ?"
        return self._has(query, name_of(folder), path, digest)

    def is_rendering(self, folder: Path, path: str, digest: str) -> bool:
        """Return whether a file with this digest was rendered at `path`, in `folder` or in any other of this ledger.

        Git carries renderings from one folder to another: into clones, worktrees, and after a move.
        """
        if self.is_ours(folder, path, digest):
            return True
        query = "SELECT 1 FROM digests WHERE path = ? AND digest = ? LIMIT 1"  # a scan, but a rare one
        return self._has(query, path, digest)

    def note_files(self, folder: Path, digests: Sequence[tuple[str, str]], seq: int) -> None:
        """Note (path, digest) of files before they are put in place; they show no event after `seq`."""
        rows = [(name_of(folder), path, digest) for path, digest in digests]
        with self.database.transaction() as db:
            db.executemany("INSERT OR IGNORE INTO digests VALUES (?, ?, ?, ?)", [(*row, seq) for row in rows])
            db.executemany("INSERT OR REPLACE INTO rendered VALUES (?, ?, ?)", rows)

    def note_standing(self, folder: Path, path: str, digest: str) -> None:
        """Note a document in `folder` that we did not write and whose text is in the log."""
        self._write("INSERT OR REPLACE INTO rendered VALUES (?, ?, ?)", name_of(folder), path, digest)

    def settle(self, folder: Path, files: Iterable[Settled]) -> None:
        """Note that the whole content of these files is in the log."""
        where = name_of(folder)
        with self.database.transaction() as db:
            for file in files:
                path = file.path
                db.executemany(_NOTE_KEYS, file.keys)
                if file.blocks is not None:
                    shown_rows.put(db, where, path, shown_rows.Before(file.digest, file.blocks), file.before)
                row = (where, path, file.digest, file.changed)
                db.execute("INSERT INTO settled (folder, path, digest, changed) VALUES (?, ?, ?, ?)", row)
                db.execute(_UNSETTLE_OLD, (where, path, where, path, _SETTLED_KEPT))

    def note_keys(self, keys: Iterable[tuple[bytes, str]]) -> None:
        """Note keys of blocks of an unsettled document, with the ids of their entries."""
        with self.database.transaction() as db:
            db.executemany(_NOTE_KEYS, keys)

    def style(self, folder: Path, path: str) -> Style:
        """Return how the lines of a document in `folder` end."""
        query = "SELECT bom, crlf, open_end FROM styles WHERE folder = ? AND path = ?"
        row = self.database.reading().execute(query, (name_of(folder), path)).fetchone()
        return Style(*map(bool, row)) if row else PLAIN

    def note_style(self, folder: Path, path: str, style: Style) -> None:
        """Note how the lines of a document in `folder` end; later renderings keep that."""
        if style != self.style(folder, path):
            self._write("INSERT OR REPLACE INTO styles VALUES (?, ?, ?, ?, ?)", name_of(folder), path, *style)

    def unsettle(self, folder: Path, path: str) -> None:
        """Note that a document was removed on purpose: the next rendering writes it again."""
        self._write("DELETE FROM settled WHERE folder = ? AND path = ?", name_of(folder), path)

    def settled_at(self, folder: Path, path: str) -> int:
        """Return the modification time of the last settled file, in nanoseconds since 1970; 0 without one."""
        query = "SELECT changed FROM settled WHERE folder = ? AND path = ? ORDER BY n DESC LIMIT 1"
        row = self.database.reading().execute(query, (name_of(folder), path)).fetchone()
        return int(row[0]) if row else 0

    def settled_last(self, folder: Path) -> dict[str, int]:
        """Return the modification time of the last settled file of each existing document in `folder`, by path."""
        query = """SELECT path, (SELECT changed FROM settled s WHERE s.folder = r.folder AND s.path = r.path
            ORDER BY n DESC LIMIT 1) FROM rendered r WHERE folder = ?"""
        rows = self.database.reading().execute(query, (name_of(folder),)).fetchall()
        return {str(path): int(changed) for path, changed in rows if changed is not None}

    def settled_times(self, folder: Path, path: str) -> dict[str, int]:
        """Return the modification times of the last settled files, in nanoseconds since 1970, by digest."""
        query = "SELECT digest, changed FROM settled WHERE folder = ? AND path = ? ORDER BY n"
        return dict(self.database.reading().execute(query, (name_of(folder), path)).fetchall())

    def is_settled(self, folder: Path, path: str, digest: str, status: os.stat_result) -> bool:
        """Return whether this file was settled and not saved again since, not even with the same text."""
        query = "SELECT 1 FROM settled WHERE folder = ? AND path = ? AND digest = ? AND changed = ?"
        return self._has(query, name_of(folder), path, digest, status.st_mtime_ns)

    def shown(self, folder: Path, path: str) -> list[tuple[str, bytes]]:
        """Return digest and blocks of the remembered renderings of a document, the latest first."""
        rows = list(shown_rows.of(self.database.reading(), name_of(folder), path))
        return [(row.digest, row.blocks) for row in reversed(rows)]

    def shown_as(self, folder: Path, path: str, digest: str) -> bytes:
        """Return the blocks of the document with this digest, b"" if they are not remembered."""
        query = "SELECT n, changes FROM shown WHERE folder = ? AND path = ? AND digest = ?"
        row = self.database.reading().execute(query, (name_of(folder), path, digest)).fetchone()
        return shown_rows.blocks_at(self.database.reading(), name_of(folder), path, *row) if row else b""

    def shown_last(self, folder: Path) -> dict[str, bytes]:
        """Return the blocks that each existing document in `folder` showed last, by its path."""
        query = """SELECT path, n, changes FROM shown WHERE n IN (
            SELECT max(s.n) FROM shown s JOIN rendered r ON r.folder = s.folder AND r.path = s.path
            WHERE s.folder = ? GROUP BY s.path
        )"""
        db, where = self.database.reading(), name_of(folder)
        rows = db.execute(query, (where,)).fetchall()
        return {path: shown_rows.blocks_at(db, where, path, n, changes) for path, n, changes in rows}

    def has_shown(self, folder: Path, path: str) -> bool:
        """Return whether a rendering of a document in `folder` is known, from which an edit can descend."""
        query = "SELECT 1 FROM shown WHERE folder = ? AND path = ? LIMIT 1"
        return self.database.connection().execute(query, (name_of(folder), path)).fetchone() is not None

    def shown_elsewhere(self, folder: Path, path: str) -> list[tuple[str, bytes]]:
        """Return digest and blocks of the document's renderings in all other folders of this ledger, the latest first."""
        db = self.database.connection()
        query = "SELECT DISTINCT folder FROM shown WHERE path = ? AND folder != ?"
        folders = db.execute(query, (path, name_of(folder))).fetchall()
        rows = sorted((row for (other,) in folders for row in shown_rows.of(db, other, path)), reverse=True)
        return [(row.digest, row.blocks) for row in rows]

    def id_of_block(self, key: bytes) -> str:
        """Return the beginning of the id of the entry with a block of this key in any rendering, or ""."""
        row = self.database.connection().execute("SELECT id FROM block_keys WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def secret(self) -> bytes:
        """Return this machine's 32 secret bytes for the keys of blocks; created when first needed."""
        known = self.fact(_SECRET_NAME)
        if not _SECRET.fullmatch(known):
            with self.database.transaction() as db:
                db.execute("DELETE FROM facts WHERE name = ? AND value = ?", (_SECRET_NAME, known))
                db.execute("INSERT OR IGNORE INTO facts VALUES (?, ?)", (_SECRET_NAME, os.urandom(32).hex()))
            known = self.fact(_SECRET_NAME)
        return bytes.fromhex(known)

    def rendered(self, folder: Path) -> dict[str, str]:
        """Return path and digest of every rendered file in `folder`."""
        query = "SELECT path, digest FROM rendered WHERE folder = ?"
        rows = self.database.reading().execute(query, (name_of(folder),)).fetchall()
        return {str(path): str(digest) for path, digest in rows}

    def stands_rendered(self, path: str, digest: str) -> bool:
        """Return whether a document, by its whole path, with this digest is the last rendering there."""
        query = "SELECT 1 FROM rendered WHERE folder || '/' || path = ? AND digest = ?"
        return self._has(query, name_of(path), digest)

    def rendered_anywhere(self) -> list[str]:
        """Return the paths of all rendered files in any folder of this ledger."""
        return [
            str(path) for (path,) in self.database.reading().execute("SELECT DISTINCT path FROM rendered")
        ]

    def forget_file(self, folder: Path, path: str) -> None:
        """Note that a rendered file is gone: a later file in its place is new."""
        with self.database.transaction() as db:
            for table in ("rendered", "settled", "shown"):
                query = f"DELETE FROM {table} WHERE folder = ? AND path = ?"
                db.execute(query, (name_of(folder), path))

    def share(self, folder: Path) -> None:
        """Note that a folder with rendered documents also holds other people's files (specs/doors.md, G-25)."""
        if not self.is_shared(folder):
            self.note(f"{_SHARED}{name_of(folder)}", "1")

    def is_shared(self, folder: Path) -> bool:
        """Return whether documents were rendered into a folder that also holds other people's files."""
        return bool(self.fact(f"{_SHARED}{name_of(folder)}"))

    def shared(self) -> list[Path]:
        """Return these folders."""
        return [path_of(name.removeprefix(_SHARED)) for name, _ in self.facts(_SHARED)]

    def forget_folder(self, folder: Path) -> None:
        """Note that documents are no longer rendered into `folder`: the next rendering there starts from scratch."""
        with self.database.transaction() as db:
            for table in ("renderings", "paused", "rendered", "settled", "shown", "styles"):
                db.execute(f"DELETE FROM {table} WHERE folder = ?", (name_of(folder),))

    # --- facts ---

    def fact(self, name: str) -> str:
        """Return a noted fact, or ""."""
        return self.database.fact(name)

    def facts(self, beginning: str) -> list[tuple[str, str]]:
        """Return the noted facts with this prefix, by name."""
        query = "SELECT name, value FROM facts WHERE substr(name, 1, ?) = ? ORDER BY name"
        return self.database.reading().execute(query, (len(beginning), beginning)).fetchall()

    def has_unfinished(self) -> bool:
        """Return whether a process died during an erasure, or while it wrote a file for somebody else."""
        return _has_unfinished(self.database.reading())

    def note(self, name: str, value: str) -> None:
        """Note a fact, such as when the chain was verified last; an empty value removes it."""
        self.database.note(name, value)


def has_died(directory: Path) -> bool:
    """Return what `Local.has_unfinished` returns for a ledger, without repairs; False if it cannot be read."""
    from projections.read_only import opened_to_read

    try:
        with contextlib.closing(opened_to_read(directory / LOCAL_NAME)) as db:
            return _has_unfinished(db)
    except sqlite3.Error:
        return False


def _has_unfinished(db: sqlite3.Connection) -> bool:
    query = "SELECT value FROM facts WHERE name = ? OR (name >= ? AND name < ?)"
    rows = db.execute(query, (CLEANING, COMING, f"{COMING}\U0010ffff"))
    return any(not value.endswith(HINDERED) for (value,) in rows)
