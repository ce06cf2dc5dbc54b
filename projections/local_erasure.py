"""Notes unfinished erasures in `local.db`, and removes data from it that would let somebody guess an erased text.

Implements specs/erasure.md (Z-16, Z-29, Z-30) for the records of blocks, of documents that showed them, and of what was heard.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable

import orjson

from ledger.named_tuple import NamedTuple
from ledger.path_names import name_of, path_of
from projections import shown_rows
from projections.local_database import LocalDatabase

ERASING = "erasing"
"""The fact in `local.db` that notes an erasure without a receipt yet (Z-16)."""
CLEANING = "cleaning"
"""The fact that notes an unfinished erasure."""
HINDERED = " "
"""Ends the note of an erasure that was reported but could not clean everything."""
WORDS = (("archived", "why"), ("paused", "why"))
"""The columns with people's words (Z-29); an erasure empties them."""
NEVER = 2**63 - 1
HEARD = "heard at once "
"""The prefix of facts that hold digests of what somebody said."""
BEFORE = "before "
"""The prefix that replaces such a digest at an erase; the instant follows."""
FORGOTTEN = "*"
"""Replaces the digest of a read transcript at an erase: any file at that place counts as read."""


class Erased(NamedTuple):
    """Unfinished erasures: the ids, the seq of the first event, and the documents that still say it."""

    ids: frozenset[str] = frozenset()
    since: int = NEVER
    left: tuple[str, ...] = ()

    @classmethod
    def of(cls, noted: str) -> Erased:
        """Decode a note; an unreadable one may concern everything."""
        if not noted:
            return cls()
        try:
            value = orjson.loads(noted)
            return cls(frozenset(map(str, value["ids"])), int(value["since"]), tuple(map(str, value["left"])))
        except (ValueError, TypeError, KeyError):
            return cls(since=0)

    def encode(self) -> str:
        """Return the text of the note."""
        return orjson.dumps({"ids": sorted(self.ids), "since": self.since, "left": self.left}).decode()


class LocalErasures:
    """The erasures that the local state of one ledger knows of."""

    def __init__(self, database: LocalDatabase) -> None:
        self._database = database

    def is_erasing(self) -> bool:
        """Return whether an erasure is unfinished: files to clean, or its receipt to write (Z-16)."""
        return self.cleaning() or bool(self._database.fact(ERASING))

    def cleaning(self) -> bool:
        """Return whether the index or documents may still hold the text of an erasure that has begun."""
        return bool(self._database.fact(CLEANING))

    def note_cleaning(self, ids: Iterable[str] = (), since: int = NEVER) -> None:
        """Note that an erasure of these events begins; `since` is the seq of the first."""
        with self._database.transaction() as db:  # neither of two concurrent writers drops the other's note
            before = self._erased()
            noted = before._replace(ids=before.ids.union(ids), since=min(before.since, since))
            db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (CLEANING, noted.encode()))
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def note_hindered(self, left: Iterable[str]) -> None:
        """Note that an erasure was reported as far as it came: the next write tries again.

        `left` are the documents that still contain it: edited, or restored by git. Until one is rewritten, its
        text counts as known and brings nothing back.
        """
        self._database.note(
            CLEANING, self._erased()._replace(left=tuple(map(name_of, left))).encode() + HINDERED
        )

    def left_by_erasure(self) -> tuple[str, ...]:
        """Return the documents that `note_hindered` noted."""
        return tuple(str(path_of(name)) for name in self._erased().left)

    def blank(self, says: Callable[[str], bool]) -> bool:
        """Empty the cells of WORDS for which `says` returns true; return whether there was one."""
        found = False
        with self._database.transaction() as db:
            for table, column in WORDS:
                for (value,) in db.execute(f"SELECT DISTINCT {column} FROM {table}").fetchall():
                    if says(value):
                        db.execute(f"UPDATE {table} SET {column} = '' WHERE {column} = ?", (value,))
                        found = True
        return found

    def erasing(self) -> frozenset[str]:
        """Return the ids of the events that `note_cleaning` noted for erasure."""
        return self._erased().ids

    def forget_erased(self, at: str, standing: Iterable[str] = ()) -> bool:
        """Remove data from which the erased text could be guessed, and the note of the erasure (Z-30).

        Index and documents must be clean: the rendered documents are kept. `at` is the present instant; `standing` are
        the events that were not erased after all. Returns whether no page of the database holds the data any more; while
        another process reads the database, the note stays.
        """
        erased = self._erased()
        with self._database.transaction() as db:
            _forget_renderings(db, {id_[:32] for id_ in erased.ids.difference(standing)}, erased.since)
            _forget_heard(db, at)
        if not self._emptied():
            return False
        self._database.note(CLEANING, "")
        return True

    def forget_heard(self, at: str) -> bool:
        """Remove data from which people's words up to an instant could be guessed; returns as `forget_erased` does."""
        with self._database.transaction() as db:
            _forget_heard(db, at)
        return self._emptied()

    def _erased(self) -> Erased:
        """Return the erasures that `note_cleaning` and `note_hindered` noted."""
        return Erased.of(self._database.fact(CLEANING))

    def _emptied(self) -> bool:
        """Remove free pages and the log; return whether that succeeded."""
        db = self._database.connection()
        try:
            db.execute("VACUUM")
            busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.OperationalError:
            return False
        return not busy


def _forget_renderings(db: sqlite3.Connection, ids: set[str], since: int) -> None:
    """Forget the keys of blocks of erased entries, and the digests of documents that showed them."""
    from projections.shown_blocks import packed, shows_any, unpacked  # needed only if something is erased

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
    if first is not None:  # a later one may have shown it without an entry
        stands = "SELECT 1 FROM rendered r WHERE r.folder = shown.folder AND r.path = shown.path AND r.digest = shown.digest"
        db.execute(
            f"UPDATE shown SET digest = hex(randomblob(32)) WHERE n >= ? AND NOT EXISTS ({stands})", (first,)
        )
    for table, also in (
        ("digests", f"seq >= {since:d}"),
        ("settled", "digest NOT IN (SELECT digest FROM shown)"),
    ):
        db.execute(f"DELETE FROM {table} WHERE {also} AND digest NOT IN (SELECT digest FROM rendered)")
    for table in ("digests", "settled", "shown", "styles", "paused"):  # a topic's name tells its subject
        gone = "substr(path, 1, 9) = 'memories/' AND path NOT IN (SELECT path FROM rendered)"
        db.execute(f"DELETE FROM {table} WHERE {gone}")


def _forget_heard(db: sqlite3.Connection, at: str) -> None:
    """Forget the digests of what was heard and of read transcripts; the positions stay."""
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
        if value.get("heard"):
            value["heard"] = []
        return orjson.dumps(value).decode()
    except (ValueError, AttributeError):
        return ""


def _array(values: Iterable[str]) -> str:
    return orjson.dumps(sorted(values)).decode()
