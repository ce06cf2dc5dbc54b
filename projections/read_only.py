"""Opens a database only for reading, even on a read-only disk or while another process writes it.

Implements specs/projections.md (P-61) and specs/files.md (F-22, F-23). Light: hooks wait for its import.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ledger.durable import is_no_file

_NOT_WRITABLE = ("readonly", "unable to open")
"""SQLite's messages if it cannot create the scratch files that reading a WAL database needs."""


def opened_to_read(path: Path, timeout: float = 5.0) -> sqlite3.Connection:
    """Open the database at `path` for reading only; a database on a read-only disk has no writer.

    Raises:
        sqlite3.DatabaseError: it is damaged, locked, or not a database.
    """
    if is_no_file(path):
        raise sqlite3.OperationalError(f"{path} is no file")
    address = path.absolute().as_uri()  # a path may hold ? and #
    db = sqlite3.connect(f"{address}?mode=ro", uri=True, isolation_level=None, timeout=timeout)
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        db.close()
        if _has_log(path) or not any(reason in str(error) for reason in _NOT_WRITABLE):
            raise
        db = sqlite3.connect(f"{address}?immutable=1", uri=True, isolation_level=None)
        try:
            db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except BaseException:
            db.close()
            raise
    except BaseException:
        db.close()
        raise
    return db


def _has_log(path: Path) -> bool:
    """Return whether the write-ahead log is not empty."""
    try:
        return path.with_name(f"{path.name}-wal").stat().st_size > 0
    except FileNotFoundError:
        return False
