"""Forgets in `local.db` by what it could be guessed what was erased.

Implements specs/erasure.md (Z-30): the bookkeeping of erased blocks, of documents that showed them, and of what was heard.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

import orjson

from ledger.named_tuple import NamedTuple

NEVER = 2**63 - 1
HEARD = "heard at once "
"""What the facts are named by whose values hold digests of what somebody said."""
BEFORE = "before "
"""What such a digest is replaced by at an erase begins so, and goes on with the instant."""
FORGOTTEN = "*"
"""Stands where the digest of what was read stood until an erase: whatever has that place is what was read."""


class Erased(NamedTuple):
    """Erasures under way: the ids, the seq of the first event, and the documents that say it still."""

    ids: frozenset[str] = frozenset()
    since: int = NEVER
    left: tuple[str, ...] = ()

    @classmethod
    def of(cls, noted: str) -> Erased:
        """Return what was noted; of what nobody can read everything may be concerned."""
        if not noted:
            return cls()
        try:
            value = orjson.loads(noted)
            return cls(frozenset(map(str, value["ids"])), int(value["since"]), tuple(map(str, value["left"])))
        except (ValueError, TypeError, KeyError):
            return cls(since=0)

    def encode(self) -> str:
        """Return what is to be noted."""
        return orjson.dumps({"ids": sorted(self.ids), "since": self.since, "left": self.left}).decode()


def forget_renderings(db: sqlite3.Connection, ids: set[str], since: int) -> None:
    """Forget the keys of blocks of erased entries, and the digests of documents that showed them."""
    from projections.shown_blocks import packed, shows_any, unpacked  # not where nothing is erased

    db.execute("DELETE FROM block_keys WHERE id IN (SELECT value FROM json_each(?))", (_array(ids),))
    showed: set[str] = set()
    first = None
    erased = frozenset(map(bytes.fromhex, ids))
    for n, digest, data in db.execute("SELECT n, digest, blocks FROM shown ORDER BY n").fetchall():
        if shows_any(erased, data):
            left = [block for block in unpacked(data) if block.id not in ids]
            first = n if first is None else first
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


def forget_heard(db: sqlite3.Connection, at: str) -> None:
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
        if value.get("heard"):
            value["heard"] = []
        return orjson.dumps(value).decode()
    except (ValueError, AttributeError):
        return ""


def _array(values: Iterable[str]) -> str:
    return orjson.dumps(sorted(values)).decode()
