"""The positions up to which transcripts were read, in local.db.

Implements specs/capture.md (K-74). Losing them only costs reading again.
"""

from __future__ import annotations

import sqlite3

from ledger.errors import StorageError
from ledger.named_tuple import NamedTuple
from ledger.path_names import name_of
from projections.local import Local


class Position(NamedTuple):
    """The position in one file.

    The file has this `device` and `inode`, and its first `head_size` bytes have the digest `head`; `tail` is the digest
    of the last bytes before `offset`. `state` is the reader's state there.
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
    """The positions in one ledger's local state."""

    def __init__(self, local: Local) -> None:
        self._local = local
        self.trouble = ""
        """Why the last position could not be saved."""

    def of(self, device: int, inode: int, path: str) -> list[Position]:
        """Return the positions in this file, and in earlier files at its path."""
        query = """SELECT device, inode, path, head, head_size, tail, offset, state FROM transcripts
            WHERE ((device = ?1 AND inode = ?2) OR path = ?3) AND typeof(offset) = 'integer'
            ORDER BY (device = ?1 AND inode = ?2) DESC, offset DESC"""
        rows = self._local.database.reading().execute(query, (str(device), str(inode), name_of(path)))
        return [Position(int(row[0]), int(row[1]), *row[2:]) for row in rows]

    def save(self, position: Position) -> None:
        """Note how far a file was read; if that fails, `trouble` says why, and the file is read again."""
        row = (
            str(position.device), str(position.inode), name_of(position.path), position.head, position.head_size, position.tail,
            position.offset, position.state,
        )  # fmt: skip
        try:
            with self._local.database.transaction() as db:
                db.execute("INSERT OR REPLACE INTO transcripts VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)
        except (sqlite3.Error, StorageError, OSError) as error:
            self.trouble = f"{self._local.database.path} could not be written ({error})"
