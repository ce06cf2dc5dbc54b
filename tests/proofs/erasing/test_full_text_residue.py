"""After an erase no page of the index holds a word of it, by the SQLite that is here: without FTS5's own secure-delete.

Tests specs/erasure.md (Z-28).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import muniment
from ledger import steps
from muniment import Memory, MemoryLedger

WORDS = ("qxylophono", "vzeppelino", "wkumquatus")
"""Words that no other memory has, and that no stemming or splitting changes."""
TEXT = f"The {WORDS[0]} of the {WORDS[1]}"
DETAIL = f"behind the {WORDS[2]}"


@pytest.fixture
def memory(isolated: Path) -> Iterator[MemoryLedger]:
    with muniment.init() as made:
        yield made


def _files(memory: MemoryLedger) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes().lower() for path in memory.workspace.place.directory.glob("memory.db*")
    }


def _holding(memory: MemoryLedger) -> set[str]:
    """Return the words that stand in the bytes of the index's files; of a term only what differs from the one before."""
    files = _files(memory).values()
    return {word for word in WORDS if any(word[2:].encode() in data for data in files)}


def _in_tables(memory: MemoryLedger) -> set[str]:
    """Return the words that any table has, those of the full text's shadow tables and its vocabulary included."""
    found = set()
    with closing(sqlite3.connect(memory.workspace.place.directory / "memory.db")) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        assert "memories_fts_data" in tables
        db.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab ('main', 'memories_fts', 'row')")
        for table in [*tables, "vocabulary"]:
            for row in db.execute(f'SELECT * FROM "{table}"'):
                cells = [each.encode() if isinstance(each, str) else each for each in row]
                said = b" ".join(each for each in cells if isinstance(each, bytes)).lower()
                found |= {word for word in WORDS if word[2:].encode() in said}
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    return found


def _erase(memory: MemoryLedger, id_: str) -> None:
    memory.erasures.erase([id_], "no longer ours")
    assert not memory.erasures.cleaning


@pytest.mark.parametrize("searched", [True, False], ids=["in the full text", "waiting for it"])
def test_no_page_keeps_a_word(memory: MemoryLedger, *, searched: bool) -> None:
    """Z-28: rows, shadow tables, vocabulary, free pages, the write-ahead log."""
    id_ = memory.store(Memory(TEXT, details=(DETAIL,))).id
    if searched:
        assert memory.search(WORDS[0])
    assert _holding(memory) == set(WORDS)
    _erase(memory, id_)
    assert _in_tables(memory) == set()
    assert _holding(memory) == set()


def test_segments_that_were_merged_keep_none_either(memory: MemoryLedger) -> None:
    """Z-28: many transactions make many segments, an older version lies in one, the newer one in another."""
    id_ = memory.store(Memory(TEXT, details=(DETAIL,))).id
    for number in range(20):
        memory.store(Memory(f"Service number {number} listens on port {5000 + number}"))
        memory.search(f"service {number}")
    newer = memory.supersede([id_], Memory(f"{TEXT} again", details=(DETAIL,))).id
    assert memory.search(f"{WORDS[1]} again")
    with closing(sqlite3.connect(memory.workspace.place.directory / "memory.db")) as db:
        db.execute("INSERT INTO memories_fts (memories_fts, rank) VALUES ('merge', 4)")
        db.commit()
    assert _in_tables(memory) == set(WORDS)
    _erase(memory, newer)
    assert _in_tables(memory) == set()
    assert _holding(memory) == set()
    assert [hit.entry.memory.text for hit in memory.search("service 17", limit=1)] == [
        "Service number 17 listens on port 5017"
    ]


def test_an_index_that_was_held_when_the_erase_was_signed_keeps_none(
    memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Z-28: another process writes the index just then, and lets go of it before the text is blanked in the chain."""
    id_ = memory.store(Memory(TEXT, details=(DETAIL,))).id
    memory.workspace.current.own.patience = 0
    with closing(sqlite3.connect(memory.workspace.place.directory / "memory.db", isolation_level=None)) as db:
        does = {"append.synced": "BEGIN IMMEDIATE", "erase.appended": "ROLLBACK"}
        monkeypatch.setattr(steps, "observer", lambda step: db.execute(does.get(step, "SELECT 1")))
        _erase(memory, id_)
        assert not db.in_transaction
    assert _in_tables(memory) == set()
    assert _holding(memory) == set()
