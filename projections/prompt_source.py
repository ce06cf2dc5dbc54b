"""Draws from an index the memories that a prompt can show, so that its cost does not grow with the log.

Implements specs/projections.md (P-36, P-40, P-170, P-207). Light to import: it opens the database itself, read-only, and
only if the index covers the chain to its very end.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Collection, Iterable
from itertools import islice
from pathlib import Path

from ledger.durable import open_file
from ledger.errors import FormatError
from ledger.event import event_id, split_line
from ledger.fold import Entry
from ledger.named_tuple import NamedTuple
from projections.entry_rows import entries_where
from projections.index_schema import INDEX_NAME, VERSION
from projections.patterns import TaskContext
from projections.prompt_questions import LOOKS
from projections.read_only import opened_to_read

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import Any

LEAST = 100
TOKENS = 6
"""One memory per `TOKENS` tokens of the budget, and at least `LEAST`, is read outside topics, in topics and in daily notes
of each scope, the highest rank first (P-36): more would hardly fit."""
_BUSY_SECONDS = 1
_BACK = 40
"""The number of entries before one that are searched for the note that introduces it."""
_DOCUMENTS = frozenset({"import", "edit", "git"})
_BLOCK = 1 << 20
_SHOWN = "m.id NOT IN (SELECT value FROM json_each(?))"
_OUTSIDE = f"m.doc_kind = 'memory' AND {_SHOWN}"
# Its first half makes SQLite use the partial index of both kinds.
_OF_KIND = f"m.doc_kind IN ('topic', 'daily') AND m.doc_kind = '{{}}' AND {_SHOWN}"
_HIGHEST = "ORDER BY m.rank_class DESC, m.said DESC, m.id DESC LIMIT ?"


def caught_up(directory: Path, chain: Path, behind: int = 0) -> sqlite3.Connection | None:
    """Open the index in `directory` for reading, if it holds all of `chain`; all answers are of one instant.

    Returns None if it is missing, damaged, of another version, of another chain, or lacks more than `behind`
    events: `projections.index` repairs that.
    """
    db: sqlite3.Connection | None = None
    try:
        db = opened_to_read(directory / INDEX_NAME, _BUSY_SECONDS)
        db.execute("BEGIN")
        version = db.execute("PRAGMA user_version").fetchone()
        cursor = db.execute('SELECT id, start, "end" FROM cursor').fetchone()
        if version == (VERSION,) and cursor:
            id_, start, end = cursor
            if _stands_on(chain, id_, start, end, behind):
                return db
    except (sqlite3.Error, OSError, FormatError):
        pass
    if db is not None:
        db.close()
    return None


def _stands_on(chain: Path, id_: str, start: int, end: int, behind: int) -> bool:
    """Return whether the event with this id spans `start` to `end`, and at most `behind` lines follow."""
    fd = open_file(chain, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        size = os.fstat(fd).st_size
        if size < end or (size > end and not behind):
            return False
        line, at, more = os.pread(fd, end - start, start), end, 0
        while at < size and more <= behind:
            piece = os.pread(fd, _BLOCK, at)
            at, more = at + (len(piece) or size), more + piece.count(b"\n")
        if more > behind:
            return False
    finally:
        os.close(fd)
    return line.endswith(b"\n") and event_id(split_line(line[:-1]).head) == id_


class Drawn(NamedTuple):
    """Entries of a scope, how many more would take part, and the `candidates` that the user may be asked about (P-170).

    `introduced` gives the note that introduces an entry.
    """

    entries: list[Entry]
    more: int
    candidates: list[Entry]
    introduced: dict[str, Entry]


def draw(
    db: sqlite3.Connection,
    asked: TaskContext,
    budget: int,
    hidden: Iterable[str] = (),
    first: Iterable[str] = (),
) -> Drawn:
    """Return the memories of one scope that a prompt can show.

    Args:
        db: the scope's index.
        asked: the agent's next task, and its name.
        budget: the tokens of the prompt.
        hidden: ids that gc has archived.
        first: ids to draw at any rank, if they take part.

    Raises:
        sqlite3.Error: the index cannot be read.
    """
    away, wanted, most = _json(hidden), _json(first), max(budget // TOKENS, LEAST)
    ranked = f"SELECT n FROM memories m WHERE {_OUTSIDE} {_HIGHEST}"
    sought = "SELECT n FROM events WHERE id IN (SELECT value FROM json_each(?))"
    where = f"{_OUTSIDE} AND (m.n IN ({ranked}) OR m.n IN ({sought}))"
    found = list(entries_where(db, where, away, away, most, wanted))
    outside = db.execute(f"SELECT count(*) FROM memories m WHERE {_OUTSIDE}", (away,)).fetchone()[0]
    more = outside - len(found)
    for kind, takes_part in (("daily", asked.of_task), ("topic", asked)):
        if takes_part:
            found += entries_where(db, f"{_OF_KIND.format(kind)} {_HIGHEST}", away, most)
    archived = frozenset(hidden)
    return Drawn(found, more, pending_in(db, archived), introduced_in(db, found, archived))


# --- candidates to ask about (P-170) ---


_NEWEST = """m.status = 'candidate' AND m.via NOT IN ('git', 'import') AND (m.role = 'user' OR m.source = 'auto')
    AND m.fresh_since != '' ORDER BY m.ts DESC, m.id DESC
"""
_OF_OTHERS = """
WITH RECURSIVE line (id) AS (
    VALUES (?) UNION SELECT edges.target FROM line JOIN edges USING (id) WHERE edges.kind = 'supersede'
)
SELECT 1 FROM line JOIN events USING (id) WHERE via IN ('git', 'import') OR role = 'agent' LIMIT 1
"""


def pending_in(db: sqlite3.Connection, hidden: Collection[str]) -> list[Entry]:
    """Return the newest candidates of an index that a prompt may ask about, but for the `hidden` ids.

    Raises:
        sqlite3.Error: the index cannot be read.
    """
    asked = (
        entry
        for entry in entries_where(db, _NEWEST)
        if entry.id not in hidden and not db.execute(_OF_OTHERS, (entry.id,)).fetchone()
    )
    return list(islice(asked, LOOKS))


# --- notes that introduce a bullet (P-207) ---


def introduced_in(
    db: sqlite3.Connection, entries: Iterable[Entry], hidden: Collection[str] = ()
) -> dict[str, Entry]:
    """Return the notes that introduce these entries, by the entry's id; entries without one are left out (P-207).

    Args:
        db: the index that holds them.
        entries: any.
        hidden: ids of memories that are not told.
    """
    bullets = [e for e in entries if e.by.via in _DOCUMENTS and not e.supersedes and not e.memory.topic]
    if not bullets:
        return {}
    numbers = {n for e in bullets for n in range(max(e.n - _BACK, 0), e.n + 1)}
    query = (
        "SELECT n, via, file, section, type = 'note' AND body != '', "
        "rtrim(body, char(9) || char(10) || char(13) || ' *_') LIKE '%:' "
        "FROM memories WHERE n IN (SELECT value FROM json_each(?)) AND doc_kind = 'memory'"
    )
    rows = {
        n: ((via, file, section), *rest)
        for n, via, file, section, *rest in db.execute(query, (_json(numbers),))
    }
    notes: dict[str, int] = {}
    for entry in bullets:
        where, is_note, _ = rows.get(entry.n, (None, True, False))
        if is_note:
            continue
        for n in range(entry.n - 1, entry.n - _BACK, -1):
            there, is_note, leads = rows.get(n, (where, False, False))
            if there != where:
                break
            if is_note:
                if leads:
                    notes[entry.id] = n
                break
    found = entries_where(db, "m.n IN (SELECT value FROM json_each(?))", _json(set(notes.values())))
    told = {entry.n: entry for entry in found if entry.id not in hidden}
    return {id_: told[n] for id_, n in notes.items() if n in told}


def _json(values: Iterable[Any]) -> str:
    return json.dumps(sorted(values))
