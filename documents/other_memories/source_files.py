"""Opens files of other programs read-only: JSON, lines, and SQLite databases.

Implements specs/import.md (I-31).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from documents.memory_chain.javascript_json import parse
from ledger.durable import is_no_file
from ledger.errors import FormatError, NotFoundError, StorageError

RULE = "I-31"
_MAGIC = b"SQLite format 3\x00"
_ZIP = b"PK\x03\x04"
_LOGS = ("-wal", "-journal")
_MOST = 16 << 20
"""How many bytes a row of a database may have; SQLite refuses to compute a longer value."""


def bytes_of(path: Path, wanted: str, most: int = -1) -> bytes:
    """Return the bytes of a file without a byte-order mark.

    Args:
        path: the file.
        wanted: which file to give, for the end of a message.
        most: how many bytes to read; -1 for all.

    Raises:
        NotFoundError: there is no such file.
        StorageError: it is a folder, pipe or device, or cannot be read.
    """
    if path.is_dir():
        raise StorageError(f"{path} is a folder; give {wanted}")
    if path.exists() and is_no_file(path):
        raise StorageError(f"{path} is a pipe, socket or device, not a file; give {wanted}")
    try:
        with path.open("rb") as stream:
            return stream.read(most).removeprefix(b"\xef\xbb\xbf")
    except FileNotFoundError:
        raise NotFoundError(f"there is no {path}; nothing was imported; give {wanted}") from None
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}; check its permissions") from error


def text_of(path: Path, data: bytes, wanted: str) -> str:
    """Return bytes as text.

    Raises:
        FormatError: they are not UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        if data.startswith(_ZIP):
            raise FormatError(RULE, f"{path} is a zip archive: unpack it, and give {wanted}") from None
        raise FormatError(
            RULE,
            f"{path} is not UTF-8 (byte {error.start}), and nothing of it was imported; give {wanted}",
        ) from None


def json_of(path: Path, data: bytes, wanted: str) -> Any:
    """Return the value of a JSON file.

    Raises:
        FormatError: it is not JSON, or not complete.
    """
    try:
        return parse(text_of(path, data, wanted))
    except ValueError as error:
        raise FormatError(
            RULE, f"{path} is not whole JSON ({error}), and nothing of it was imported; give {wanted}"
        ) from None


def is_database(path: Path, wanted: str) -> bool:
    """Return whether a file is a SQLite database, by its first bytes.

    Raises:
        NotFoundError, StorageError: as by `bytes_of`.
    """
    return bytes_of(path, wanted, len(_MAGIC)) == _MAGIC


class ForeignDatabase:
    """A database of another program, opened for reading; `rows` gives the rows of a table."""

    def __init__(self, path: Path, db: sqlite3.Connection, wanted: str) -> None:
        self._path, self._db, self._wanted = path, db, wanted

    def columns(self, table: str) -> set[str]:
        """Return the names of a table's columns without computed ones; none if there is no such table.

        Views and virtual tables, which have no page of their own, do not count: they would run code of the file.
        """
        found = self._db.execute(
            "SELECT c.name FROM sqlite_master AS m, pragma_table_info(m.name) AS c "
            "WHERE m.type = 'table' AND m.rootpage > 0 AND m.name = ?",
            (table,),
        )
        return {name for (name,) in found if isinstance(name, str)}

    def rows(self, table: str, needed: Collection[str]) -> Iterator[dict[str, Any]]:
        """Yield every row in the order of writing; a text that is not UTF-8 comes as bytes.

        Raises:
            FormatError: the table or a needed column is missing.
            sqlite3.DatabaseError: it is damaged, even if some rows can still be read.
        """
        here = self.columns(table)
        if not here:
            what = f"has no table {table}, and nothing of it was imported; give {self._wanted}"
            raise FormatError(RULE, f"{self._path} {what}")
        if missing := [name for name in needed if name not in here]:
            what = f"has no column {missing[0]} in the table {table}, and nothing of it was imported"
            raise FormatError(RULE, f"{self._path} {what}; start its program once, which updates the file")
        [(checked,), *_] = self._db.execute(f"PRAGMA quick_check({table})")
        if checked != "ok":
            raise sqlite3.DatabaseError(f"the table {table} is damaged")
        names = ", ".join('"{}"'.format(name.replace('"', '""')) for name in here)
        for row in self._db.execute(f"SELECT {names} FROM {table} ORDER BY rowid"):
            yield dict(zip(here, row, strict=True))


@contextmanager
def database(path: Path, wanted: str) -> Iterator[ForeignDatabase]:
    """Open a database for reading. SQLite creates no file beside it, unless a log there has rows that the database lacks.

    Raises:
        FormatError: it is damaged or not a database.
    """
    has_log = any(_size(path.with_name(path.name + ending)) for ending in _LOGS)
    how = "mode=ro" if has_log else "immutable=1"
    try:
        db = sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, isolation_level=None)
        try:
            db.text_factory = _text
            db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST)
            db.execute("PRAGMA trusted_schema = OFF")
            db.execute("BEGIN")
            yield ForeignDatabase(path, db, wanted)
        finally:
            db.close()
    except (sqlite3.Error, UnicodeDecodeError) as error:  # the text of an error may be damaged, too
        raise FormatError(
            RULE,
            f"{path} cannot be read as a database ({error}), and nothing of it was imported; if its program runs, "
            "stop it and try again, or import a backup of the file",
        ) from error


def _text(data: bytes) -> str | bytes:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
