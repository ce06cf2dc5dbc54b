"""Copies of derived data: a SQLite database at one instant, and all projections before a recovery.

Implements specs/files.md (F-12, F-13) and specs/verification.md (V-21): a backup holds a copy of local.db, and verify reads
copies. The originals are not changed.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ledger.errors import LedgerError, StorageError
from ledger.instant import written
from ledger.location import LOCAL_NAME
from projections.index_schema import INDEX_NAME
from projections.local import Local
from projections.read_only import opened_to_read


def copy_database(path: Path, into: Path) -> bool:
    """Copy the database at `path` to the new file `into`; return False if there is none.

    Raises:
        sqlite3.DatabaseError: it is damaged, locked, or not a database.
    """
    if not path.exists():
        return False
    with closing(opened_to_read(path)) as source, closing(sqlite3.connect(into)) as copy:
        copy.execute("PRAGMA synchronous = OFF")  # no copy outlives the command that made it
        source.backup(copy)
        copy.execute("PRAGMA journal_mode = DELETE")  # all of it in one file
    return True


@contextmanager
def copied_local(directory: Path) -> Iterator[Path | None]:
    """Yield a temporary copy of the local state of a ledger; None if there is none.

    Raises:
        StorageError: it cannot be read.
    """
    original = directory / LOCAL_NAME
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / LOCAL_NAME
        try:
            there = copy_database(original, copy)
        except sqlite3.DatabaseError as error:
            raise StorageError(
                f"the local state {original} cannot be read: {error}; "
                "muniment doctor says what to do; no backup was made"
            ) from error
        yield copy if there else None


def forget_missing_documents(directory: Path) -> None:
    """Forget in the restored local state the documents that do not exist here: nobody deleted them (F-13).

    Otherwise a restore that dies before it renders would leave them missing for good.
    """
    if not (directory / LOCAL_NAME).is_file():
        return
    with closing(Local(directory)) as local:
        for folder in local.folders():
            for path in local.rendered(folder):
                if not (folder / path).exists():
                    local.unsettle(folder, path)


@contextmanager
def kept_projections(chain: Path, documents: Path, rendered: Iterable[str], now: int) -> Iterator[Path]:
    """Copy index and documents aside for a recovery: they may be the last copy of lost events.

    A refused recovery leaves no copy, unless it has changed the chain.

    Args:
        chain: the chain to recover; the index and the yielded folder of copies are beside it.
        documents: the folder of the documents.
        rendered: their paths in it; missing ones are left out.
        now: the instant in µs, for the name of the folder.
    """
    kept = chain.parent / f"before-recover-{written(now).replace(':', '').replace('-', '')}"
    kept.mkdir(mode=0o700)
    sources = [(chain.parent, f"{INDEX_NAME}{suffix}") for suffix in ("", "-wal")]
    for folder, path in (*sources, *((documents, path) for path in rendered)):
        if (folder / path).is_file():
            (kept / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(folder / path, kept / path)
    before = _stamp(chain)
    try:
        yield kept
    except LedgerError:
        if _stamp(chain) == before:
            shutil.rmtree(kept, ignore_errors=True)
        raise


def _stamp(path: Path) -> tuple[int, ...] | None:
    """Return the identity and state of a file, None if it is missing."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
