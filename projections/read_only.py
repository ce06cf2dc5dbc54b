"""Opens a database only to read it, where nothing can be written and where another process writes it just now.

Implements specs/projections.md (P-61) and specs/files.md (F-22, F-23). Light: hooks wait for its import.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from ledger.durable import is_no_file

_NOT_WRITABLE = ("readonly", "unable to open")
"""What SQLite says where it cannot make the scratch files that even reading a WAL database takes."""


def opened_to_read(path: Path, timeout: float = 5.0) -> sqlite3.Connection:
    """Open the database at `path` for reading only; one that nobody here may write to has no writer either.

    Raises:
        sqlite3.DatabaseError: it is damaged, locked, or no database.
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
    """Return whether a write-ahead log holds something that the database file lacks."""
    try:
        return path.with_name(f"{path.name}-wal").stat().st_size > 0
    except FileNotFoundError:
        return False
