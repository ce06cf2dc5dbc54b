"""Tells SQLite's errors apart: a broken index, or one that cannot be used now.

Implements specs/projections.md (P-50, P-56).
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

_TRANSIENT = (
    "SQLITE_BUSY",
    "SQLITE_LOCKED",
    "SQLITE_READONLY",
    "SQLITE_FULL",
    "SQLITE_CANTOPEN",
    "SQLITE_IOERR",
    "SQLITE_NOMEM",
)


def unavailable(error: sqlite3.Error, path: Path) -> str:
    """Return one sentence: why the index cannot answer, and what to do."""
    if path.is_dir():
        return f"{path} is a folder: move it away, and the next command makes the index there"
    if getattr(error, "sqlite_errorname", "").startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")):
        return f"{path} cannot be written, which is needed even for reading: make its folder writable, or copy the ledger"
    return f"the index cannot be used now ({error}): try again"


def is_damage(error: sqlite3.Error) -> bool:
    """Return whether an error means a broken file, not a busy one, a full disk or a bug of ours."""
    if isinstance(error, sqlite3.ProgrammingError | sqlite3.InterfaceError):
        return False
    name = getattr(error, "sqlite_errorname", "")
    return not name.startswith(_TRANSIENT)


def logged(message: str, *arguments: object) -> None:
    """Log an event of the index's life."""
    import logging  # a third of a bare Python start, and a healthy index logs nothing

    logging.getLogger(__name__).info(message, *arguments)
