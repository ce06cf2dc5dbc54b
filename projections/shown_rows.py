"""The rows of `local.db` that hold what renderings showed: of a long list of blocks only what changed is written.

Implements specs/projections.md (P-211). A row is *whole*, or a *change* of the row before it of the same document: at
which byte of that one it begins (8 bytes, big-endian), how many bytes go (8), and what comes in their place. `changes`
counts the rows back to the whole one, which is 0 there.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from ledger.named_tuple import NamedTuple

KEPT = 16
"""Of each document so many renderings are remembered, and those that they are changes of; what older ones showed is forgotten."""
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
    """The rendering that another one was made of: its digest and packed blocks."""

    digest: str
    blocks: bytes


class Row(NamedTuple):
    """What a rendering showed: the row's number, the rendering's digest, its packed blocks."""

    n: int
    digest: str
    blocks: bytes


def put(db: sqlite3.Connection, folder: str, path: str, after: Before, before: Before | None = None) -> None:
    """Note what a rendering of the document `path` in `folder` shows, which was made of `before`; inside a transaction."""
    if db.execute(_IS_KNOWN, (folder, path, after.digest)).fetchone():
        make_whole(db, folder, path)  # the row that is replaced may be one that another is a change of
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
    """Yield what the known renderings of a document showed, the first one first."""
    query = "SELECT n, digest, changes, blocks FROM shown WHERE folder = ? AND path = ? ORDER BY n"
    now = bytearray()
    for n, digest, changes, blocks in db.execute(query, (folder, path)):
        if changes:
            _apply(blocks, now)
        else:
            now = bytearray(blocks or b"")
        yield Row(n, digest, bytes(now))


def blocks_at(db: sqlite3.Connection, folder: str, path: str, n: int, changes: int) -> bytes:
    """Return what the rendering of a document showed whose row has this number, and so many changes."""
    rows = db.execute(_UP_TO, (folder, path, n, changes + 1)).fetchall()
    blocks = bytearray(rows.pop()[0] or b"")
    while rows:
        _apply(rows.pop()[0], blocks)
    return bytes(blocks)


def make_whole(db: sqlite3.Connection, folder: str, path: str) -> None:
    """Write the rows of a document as whole ones, inside a transaction: any of them may go or be rewritten then."""
    query = "SELECT n, changes FROM shown WHERE folder = ? AND path = ? AND changes > 0 ORDER BY n DESC"
    for n, changes in db.execute(query, (folder, path)).fetchall():
        whole = blocks_at(db, folder, path, n, changes)
        db.execute("UPDATE shown SET blocks = ?, changes = 0 WHERE n = ?", (whole, n))


def _change(before: bytes, after: bytes) -> bytes:
    """Return what changed from one list of blocks to the next."""
    most = min(len(before), len(after))
    start = _common(before, after, most)
    low, high = 0, most - start  # the longest end that both have behind that
    while low < high:
        middle = (low + high + 1) // 2
        if before[len(before) - middle :] == after[len(after) - middle :]:
            low = middle
        else:
            high = middle - 1
    cut = len(before) - low - start
    return start.to_bytes(_NUMBER) + cut.to_bytes(_NUMBER) + after[start : len(after) - low]


def _common(one: bytes, other: bytes, most: int) -> int:
    """Return how many bytes two lists begin with alike, at most `most`."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _apply(change: bytes, blocks: bytearray) -> None:
    """Make a change in a list of blocks; one that nobody can read leaves none (P-64)."""
    if len(change) < _HEAD:
        blocks.clear()
        return
    start, cut = (int.from_bytes(change[at : at + _NUMBER]) for at in (0, _NUMBER))
    blocks[start : start + cut] = change[_HEAD:]
