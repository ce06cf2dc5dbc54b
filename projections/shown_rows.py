"""The rows of `local.db` with the blocks of renderings; a long list of blocks is stored as a change.

Implements specs/projections.md (P-211). A row is *whole*, or a *change* of the document's row before it: the byte at which the
change begins (8 bytes, big-endian), the number of removed bytes (8), and the new bytes. `changes` counts the rows back to
the whole one; a whole row has 0.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from ledger.named_tuple import NamedTuple

KEPT = 16
"""The number of remembered renderings per document, besides the rows that they are changes of."""
_MOST_CHANGES = 16
_NUMBER = 8
_HEAD = 2 * _NUMBER

_LATEST = "SELECT digest, changes FROM shown WHERE folder = ? AND path = ? ORDER BY n DESC LIMIT 1"
_IS_KNOWN = "SELECT 1 FROM shown WHERE folder = ? AND path = ? AND digest = ?"
_PUT = "INSERT OR REPLACE INTO shown (folder, path, digest, blocks, changes) VALUES (?, ?, ?, ?, ?)"
_FORGET_OLDER = """DELETE FROM shown WHERE folder = ?1 AND path = ?2 AND n < (
    SELECT max(n) FROM shown WHERE folder = ?1 AND path = ?2 AND changes = 0 AND n <= (
        SELECT n FROM shown WHERE folder = ?1 AND path = ?2 ORDER BY n DESC LIMIT 1 OFFSET ?3
    )
)"""
_UP_TO = "SELECT blocks FROM shown WHERE folder = ? AND path = ? AND n <= ? ORDER BY n DESC LIMIT ?"


class Before(NamedTuple):
    """A rendering: its digest and packed blocks."""

    digest: str
    blocks: bytes


class Row(NamedTuple):
    """One row: its number, the rendering's digest, its packed blocks."""

    n: int
    digest: str
    blocks: bytes


def put(db: sqlite3.Connection, folder: str, path: str, after: Before, before: Before | None = None) -> None:
    """Store the rendering `after` of the document `path` in `folder`, made from `before`; inside a transaction."""
    if db.execute(_IS_KNOWN, (folder, path, after.digest)).fetchone():
        make_whole(db, folder, path)  # another row may be a change of the replaced one
        before = None
    latest = db.execute(_LATEST, (folder, path)).fetchone()
    if before is not None and latest is not None and latest[0] == before.digest and latest[1] < _MOST_CHANGES:
        change = _change(before.blocks, after.blocks)
        if 2 * len(change) < len(after.blocks):
            db.execute(_PUT, (folder, path, after.digest, change, latest[1] + 1))
            return
    db.execute(_PUT, (folder, path, after.digest, after.blocks, 0))
    db.execute(_FORGET_OLDER, (folder, path, KEPT - 1))


def of(db: sqlite3.Connection, folder: str, path: str) -> Iterator[Row]:
    """Yield the known renderings of a document, the oldest first."""
    query = "SELECT n, digest, changes, blocks FROM shown WHERE folder = ? AND path = ? ORDER BY n"
    now = bytearray()
    for n, digest, changes, blocks in db.execute(query, (folder, path)):
        if changes:
            _apply(blocks, now)
        else:
            now = bytearray(blocks or b"")
        yield Row(n, digest, bytes(now))


def blocks_at(db: sqlite3.Connection, folder: str, path: str, n: int, changes: int) -> bytes:
    """Return the blocks of the row `n` of a document, which has this number of changes."""
    rows = db.execute(_UP_TO, (folder, path, n, changes + 1)).fetchall()
    blocks = bytearray(rows.pop()[0] or b"")
    while rows:
        _apply(rows.pop()[0], blocks)
    return bytes(blocks)


def make_whole(db: sqlite3.Connection, folder: str, path: str) -> None:
    """Make all rows of a document whole, inside a transaction: then any of them may be removed or rewritten."""
    query = "SELECT n, changes FROM shown WHERE folder = ? AND path = ? AND changes > 0 ORDER BY n DESC"
    for n, changes in db.execute(query, (folder, path)).fetchall():
        whole = blocks_at(db, folder, path, n, changes)
        db.execute("UPDATE shown SET blocks = ?, changes = 0 WHERE n = ?", (whole, n))


def _change(before: bytes, after: bytes) -> bytes:
    """Return the change from one list of blocks to the next."""
    most = min(len(before), len(after))
    start = _common(before, after, most)
    low, high = 0, most - start  # the longest common end after that
    while low < high:
        middle = (low + high + 1) // 2
        if before[len(before) - middle :] == after[len(after) - middle :]:
            low = middle
        else:
            high = middle - 1
    cut = len(before) - low - start
    return start.to_bytes(_NUMBER) + cut.to_bytes(_NUMBER) + after[start : len(after) - low]


def _common(one: bytes, other: bytes, most: int) -> int:
    """Return the length of the common beginning of two lists, at most `most`."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _apply(change: bytes, blocks: bytearray) -> None:
    """Apply a change to a list of blocks; an unreadable change empties it (P-64)."""
    if len(change) < _HEAD:
        blocks.clear()
        return
    start, cut = (int.from_bytes(change[at : at + _NUMBER]) for at in (0, _NUMBER))
    blocks[start : start + cut] = change[_HEAD:]
