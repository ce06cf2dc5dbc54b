"""A copy of a SQLite database as it stood in one instant, taken without changing anything of the original.

Implements specs/files.md (F-12): a backup holds local.db as a copy, and verify judges by one.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path


def copy_database(path: Path, into: Path) -> bool:
    """Copy the database at `path` to the new file `into`; return False where there is none.

    Raises:
        sqlite3.DatabaseError: it is damaged, locked, or no database.
    """
    if not path.exists():
        return False
    with closing(_opened(path)) as source, closing(sqlite3.connect(into)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # all of it in one file
    return True


def _opened(path: Path) -> sqlite3.Connection:
    """Open a database for reading; one in a folder that cannot be written to has no writer either."""
    address = path.absolute().as_uri()
    db = sqlite3.connect(f"{address}?mode=ro", uri=True)
    try:
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError as error:
        db.close()
        if "unable to open" not in str(error) or path.with_name(f"{path.name}-wal").exists():
            raise
        return sqlite3.connect(f"{address}?immutable=1", uri=True)
    except BaseException:
        db.close()
        raise
    return db
