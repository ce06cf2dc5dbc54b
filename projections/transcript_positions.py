"""How far transcripts were read, and the corrections that a detector remembers; in local.db.

Implements specs/capture.md (K-74, K-75). Observations like all of local.db: losing them costs reading anew.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from ledger.errors import StorageError
from ledger.path_names import name_of
from ledger.redaction import default_redactor
from projections.local import Local

CORRECTIONS_KEPT = 50


@dataclass(frozen=True, slots=True)
class Position:
    """How far one file was read.

    The file is the one on `device` with `inode` whose first `head_size` bytes have the digest `head`; `tail` is that
    of the last bytes before `offset`. `state` is what reading on needs to know.
    """

    device: int
    inode: int
    path: str
    head: str
    head_size: int
    tail: str
    offset: int
    state: str


class Positions:
    """The positions and corrections of one ledger's local state."""

    def __init__(self, local: Local) -> None:
        self._local = local
        self.trouble = ""
        """Why what was read could not be noted, when that was tried last."""

    def of(self, device: int, inode: int, path: str) -> list[Position]:
        """Return what is known of this file, and of others that stood at its path."""
        query = """SELECT device, inode, path, head, head_size, tail, offset, state FROM transcripts
            WHERE ((device = ?1 AND inode = ?2) OR path = ?3) AND typeof(offset) = 'integer'
            ORDER BY (device = ?1 AND inode = ?2) DESC, offset DESC"""
        rows = self._local.database.reading().execute(query, (str(device), str(inode), name_of(path)))
        return [Position(int(row[0]), int(row[1]), *row[2:]) for row in rows]

    def corrections(self) -> list[str]:
        """Return the remembered corrections, each as JSON, the oldest first."""
        return [
            str(value)
            for (value,) in self._local.database.reading().execute("SELECT value FROM corrections ORDER BY n")
        ]

    def save(self, position: Position, before: Sequence[str], now: Sequence[str]) -> None:
        """Note how far a file was read, and what became of the corrections in the meantime, all or nothing.

        Other processes note theirs beside: only what changed from `before` to `now` is put in or taken out. What
        cannot be noted is told in `trouble`: it will be read anew. What holds a secret is not remembered.
        """
        row = (
            str(position.device), str(position.inode), name_of(position.path), position.head, position.head_size, position.tail,
            position.offset, position.state,
        )  # fmt: skip
        try:
            with self._local.database.transaction() as db:
                db.execute("INSERT OR REPLACE INTO transcripts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
                _change_corrections(db, before, now)
        except (sqlite3.Error, StorageError, OSError) as error:
            self.trouble = f"{self._local.database.path} could not be written ({error})"

    def save_corrections(self, before: Sequence[str], now: Sequence[str]) -> None:
        """Note what became of the corrections alone; as `save` otherwise."""
        if list(before) == list(now):
            return
        try:
            with self._local.database.transaction() as db:
                _change_corrections(db, before, now)
        except (sqlite3.Error, StorageError, OSError) as error:
            self.trouble = f"{self._local.database.path} could not be written ({error})"


def _change_corrections(db: sqlite3.Connection, before: Sequence[str], now: Sequence[str]) -> None:
    old, new = set(before), set(now)
    gone = [(value,) for value in before if value not in new]
    come = [(value,) for value in now if value not in old and not default_redactor().findings(value)]
    db.executemany("DELETE FROM corrections WHERE value = ?", gone)
    db.executemany("INSERT OR IGNORE INTO corrections (value) VALUES (?)", come)
    if come:
        kept = "SELECT n FROM corrections ORDER BY n DESC LIMIT ?"
        db.execute(f"DELETE FROM corrections WHERE n NOT IN ({kept})", (CORRECTIONS_KEPT,))
