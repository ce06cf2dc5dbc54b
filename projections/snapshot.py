"""A copy of a SQLite database as it stood in one instant, taken without changing anything of the original.

Implements specs/files.md (F-12): a backup holds local.db as a copy, and verify judges by one.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

_NOT_WRITABLE = ("readonly", "unable to open")
"""What SQLite says where it cannot make the scratch files that even reading a WAL database takes."""


def copy_database(path: Path, into: Path) -> bool:
    """Copy the database at `path` to the new file `into`; return False where there is none.

    Raises:
        sqlite3.DatabaseError: it is damaged, locked, or no database.
    """
    if not path.exists():
        return False
    with closing(opened_to_read(path)) as source, closing(sqlite3.connect(into)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # all of it in one file
    return True


def opened_to_read(path: Path) -> sqlite3.Connection:
    """Open the database at `path` for reading only; one that nobody here may write to has no writer either.

    Raises:
        sqlite3.DatabaseError: it is damaged, locked, or no database.
    """
    address = path.absolute().as_uri()  # a path may hold ? and #
    db = sqlite3.connect(f"{address}?mode=ro", uri=True)
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        db.close()
        if _has_log(path) or not any(reason in str(error) for reason in _NOT_WRITABLE):
            raise
        db = sqlite3.connect(f"{address}?immutable=1", uri=True)
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
    """Say whether a write-ahead log holds what the database file does not."""
    try:
        return path.with_name(f"{path.name}-wal").stat().st_size > 0
    except FileNotFoundError:
        return False
