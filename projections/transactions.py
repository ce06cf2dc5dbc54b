"""One transaction of a SQLite database: the index and the local state write in it.

Implements specs/projections.md (P-52, P-61).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Commit everything that is written inside; roll it back if anything is raised."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        if db.in_transaction:  # a full disk ends it by itself
            db.execute("ROLLBACK")
        raise
    db.execute("COMMIT")
