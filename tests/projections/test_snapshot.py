"""A copy of a database is of one instant, and taking it changes nothing."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import muniment
from muniment import Memory
from projections.local import Local
from projections.read_only import opened_to_read
from projections.snapshot import copy_database, forget_missing_documents


def _database(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("CREATE TABLE facts (name TEXT)")
    db.execute("INSERT INTO facts VALUES ('one')")
    return db


def _rows(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as db:
        return [name for (name,) in db.execute("SELECT name FROM facts")]


def test_a_copy_holds_what_was_committed_and_nothing_else(tmp_path: Path) -> None:
    """F-12: also what still stands in the log of writes, and in one file."""
    with closing(_database(tmp_path / "a.db")) as db:
        db.execute("BEGIN IMMEDIATE")
        db.execute("INSERT INTO facts VALUES ('two')")
        assert copy_database(tmp_path / "a.db", tmp_path / "b.db")
        db.execute("COMMIT")
    assert sorted(path.name for path in tmp_path.glob("b.db*")) == ["b.db"]
    assert (tmp_path / "b.db").read_bytes()[18:20] == b"\1\1", "it still wants a log beside it"
    assert _rows(tmp_path / "b.db") == ["one"]


def test_where_there_is_none_nothing_is_made(tmp_path: Path) -> None:
    """F-12: a ledger that was never looked at has no local state."""
    assert not copy_database(tmp_path / "a.db", tmp_path / "b.db")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["a?b.db", "a#b.db", "a%20b.db", "ä b.db"])
def test_a_path_may_hold_what_an_address_may_not(tmp_path: Path, name: str) -> None:
    """F-12: SQLite is given an address, people give paths."""
    _database(tmp_path / name).close()
    assert copy_database(tmp_path / name, tmp_path / "copy")
    assert _rows(tmp_path / "copy") == ["one"]


def test_damage_is_told(tmp_path: Path) -> None:
    """F-12: and the damaged file stays as it is."""
    (tmp_path / "a.db").write_bytes(b"no database" * 100)
    with pytest.raises(sqlite3.DatabaseError):
        copy_database(tmp_path / "a.db", tmp_path / "b.db")
    assert (tmp_path / "a.db").read_bytes() == b"no database" * 100


def test_nothing_can_be_written_through_it(tmp_path: Path) -> None:
    """P-92: not even by mistake."""
    _database(tmp_path / "a.db").close()
    with closing(opened_to_read(tmp_path / "a.db")) as db, pytest.raises(sqlite3.OperationalError):
        db.execute("DELETE FROM facts")


def test_a_document_that_is_only_in_a_backup_was_not_deleted(isolated: Path) -> None:
    """F-13: what was rendered elsewhere and is not here is forgotten; what is here stays known."""
    with muniment.init() as memory:
        memory.store(Memory("Use pnpm"))
        memory.store(Memory("Auth", topic="code/auth"))
        place = memory.workspace.place
    (place.documents / "memories/code/auth.md").unlink()
    forget_missing_documents(place.directory)
    with closing(Local(place.directory)) as local:
        assert local.settled_at(place.documents, "MEMORY.md")
        assert not local.settled_at(place.documents, "memories/code/auth.md")
