"""Overwrites the bytes of a SQLite database that belong to no row: there stands what rows said that were moved or removed.

Implements specs/erasure.md (Z-28). SQLite's own `secure_delete` overwrites the cell of a row that is removed and each page that is
freed. It leaves what a b-tree page held where rows are moved to another page: that stands in the *gap* between the array of cell
pointers and the first cell (section 1.6 of SQLite's file format) until a row is put there. VACUUM writes the whole database anew for
the same end, which takes fifteen times as long.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from struct import unpack_from

from ledger.steps import reached

_HEADERS = {2: 12, 5: 12, 10: 8, 13: 8}
"""The size of a b-tree page's header by its first byte. No other page begins so: an overflow or trunk page begins with the number of
the next page, which begins with 0 in a database of less than 64 GiB, and a free page with 0."""
_AT_ONCE = 256
"""So many pages are read at once."""


@contextmanager
def overwritten(path: Path, patience: float) -> Iterator[sqlite3.Connection | None]:
    """Overwrite them in the database at `path`, and give a connection to it in the same transaction; None where others hinder it.

    The connections that this process has to the database must be closed: they would write pages again as they hold them. Those
    of other processes read pages anew, because the transaction changes the database. The write-ahead log is empty when it begins,
    so that every page stands in the file; only bytes are changed that nobody reads.

    Args:
        path: the database, in WAL mode.
        patience: so many seconds others are waited for.

    Raises:
        sqlite3.Error: the database is locked, damaged or cannot be written.
        OSError: the file cannot be written.
    """
    with closing(sqlite3.connect(path, isolation_level=None, timeout=patience)) as db:
        db.execute("PRAGMA secure_delete = ON")
        db.execute("PRAGMA synchronous = OFF")
        busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        reached("index.emptied")
        db.execute("BEGIN IMMEDIATE")
        if busy or _has_log(path):
            db.execute("ROLLBACK")
            yield None
            return
        version = db.execute("PRAGMA user_version").fetchone()[0]
        db.execute(f"PRAGMA user_version = {version:d}")  # writes a page, so that others read theirs anew
        # closed behind the connection: to close a descriptor drops the locks that this process has on the file
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            _overwrite(fd)
            reached("index.overwritten")
            yield db
            db.execute("COMMIT")
            db.close()
        finally:
            db.close()
            os.close(fd)


def _has_log(path: Path) -> bool:
    try:
        return path.with_name(f"{path.name}-wal").stat().st_size > 0
    except FileNotFoundError:
        return False


def _overwrite(fd: int) -> None:
    size = int.from_bytes(os.pread(fd, 2, 16), "big")
    page = 65536 if size == 1 else size
    at = 0
    while data := os.pread(fd, page * _AT_ONCE, at):
        for begin in range(0, len(data) - page + 1, page):
            header = _HEADERS.get(data[begin])
            if header is None:
                continue
            cells, content = unpack_from(">HH", data, begin + 3)
            low, high = begin + header + 2 * cells, begin + (content or 65536)
            if data[low:high].strip(b"\0"):
                os.pwrite(fd, bytes(high - low), at + low)
        at += len(data) - len(data) % page or len(data)
