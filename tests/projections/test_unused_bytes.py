"""The bytes of a database that belong to no row are overwritten, and nothing else is.

Tests specs/erasure.md (Z-28).
"""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ledger import steps
from projections.unused_bytes import overwritten

SECRET = "qxylophono"


def rows(db: sqlite3.Connection) -> list[tuple[int, str, str]]:
    return db.execute("SELECT * FROM said ORDER BY id").fetchall()


def make(path: Path, seed: int = 5, *, size: int = 4096) -> sqlite3.Connection:
    """Make a database whose rows were moved from page to page, and from which every row was taken out that said the secret."""
    rng = random.Random(seed)
    db = sqlite3.connect(path, isolation_level=None)
    for pragma in (f"page_size = {size}", "journal_mode = WAL", "secure_delete = ON", "synchronous = OFF"):
        db.execute(f"PRAGMA {pragma}")
    db.execute("CREATE TABLE said (id INTEGER PRIMARY KEY, text TEXT, state TEXT)")
    db.execute("CREATE TABLE tags (tag TEXT, id INTEGER, PRIMARY KEY (tag, id)) WITHOUT ROWID")
    db.execute("CREATE INDEX said_text ON said (text)")

    def text() -> str:
        word = SECRET if rng.random() < 0.1 else "other"
        return f"{word} {rng.random()} " + "x" * rng.choice([0, 10, 100, 300, 9000])

    for _ in range(3000):
        id_ = rng.randrange(400)
        if rng.random() < 0.6:
            said = text()
            db.execute("INSERT OR REPLACE INTO said VALUES (?, ?, '')", (id_, said))
            db.execute("INSERT OR REPLACE INTO tags VALUES (?, ?)", (said[:30], id_))
        else:
            db.execute("UPDATE said SET state = state || ? WHERE id = ?", ("s" * rng.randrange(60), id_))
    db.execute("UPDATE said SET text = '' WHERE text LIKE ?", (f"%{SECRET}%",))
    db.execute("DELETE FROM tags WHERE tag LIKE ?", (f"%{SECRET}%",))
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return db


def raw(path: Path) -> bytes:
    return b"".join(each.read_bytes() for each in path.parent.glob(f"{path.name}*"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rows.db"


@pytest.mark.parametrize("size", [4096, 65536])
def test_what_rows_said_that_were_moved_is_gone(tmp_path: Path, size: int) -> None:
    """Rows and their order are as they were, and SQLite finds the database whole."""
    left = 0
    for seed in range(4):
        path = tmp_path / f"{seed}.db"
        with closing(make(path, seed, size=size)) as db:
            before = rows(db), db.execute("SELECT * FROM tags").fetchall()
        left += SECRET.encode() in raw(path)
        with overwritten(path, 1) as found:
            assert found is not None
            assert (rows(found), found.execute("SELECT * FROM tags").fetchall()) == before
        assert SECRET.encode() not in raw(path)
        with closing(sqlite3.connect(path)) as db:
            assert (rows(db), db.execute("SELECT * FROM tags").fetchall()) == before
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert left  # what secure_delete alone leaves


def test_another_connection_does_not_write_it_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it had read before is read anew, since the database changed."""
    with closing(make(path)) as other:
        assert SECRET.encode() in raw(path)
        monkeypatch.setattr(steps, "observer", lambda step: step == "index.emptied" and rows(other))
        with overwritten(path, 1):
            pass
        other.execute("UPDATE said SET state = replace(state, 's', 't')")
        other.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert SECRET.encode() not in raw(path)


def test_nothing_is_overwritten_while_another_reads_the_log(path: Path) -> None:
    """It may stand in the log, which cannot be cut to nothing."""
    with closing(make(path)) as reader, closing(sqlite3.connect(path, isolation_level=None)) as writer:
        reader.execute("BEGIN")
        before = rows(reader)
        writer.execute("UPDATE said SET state = 'new' WHERE id = 1")
        with overwritten(path, 0.01) as db:
            assert db is None
        assert rows(reader) == before
        reader.execute("COMMIT")
        with overwritten(path, 0.01) as db:
            assert db is not None
    assert SECRET.encode() not in raw(path)
