"""Questions that people ask of the index: list, search, log, counts.

Implements specs/projections.md (P-65…P-69). Reads only; archived memories are hidden unless asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from ledger.errors import UsageError
from ledger.fold import Entry
from projections.index import Index
from projections.index_rows import MEMORY_FIELDS, SELECT_MEMORY, entry_of

_WORD = re.compile(r"\w+", re.UNICODE)
_COLUMNS = ("section", "type", "tier", "status", "source", "topic", "conversation", "session", "importance")


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories are asked for; empty members do not restrict. `statuses` defaults to those that stand."""

    section: str = ""
    type: str = ""
    tag: str = ""
    tier: str = ""
    source: str = ""
    topic: str = ""
    conversation: str = ""
    session: str = ""
    importance: str = ""
    statuses: tuple[str, ...] = ("active", "candidate")


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Which events are asked for; times as written, `until` exclusive."""

    since: str = ""
    until: str = ""
    kinds: tuple[str, ...] = ()
    by: str = ""
    conversation: str = ""
    session: str = ""
    memory: str = ""
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class LogRow:
    """One event of the timeline; `what` is what it says, "" once erased; `targets` are the ids that it points at."""

    seq: int
    id: str
    kind: str
    at: str
    name: str
    role: str
    via: str
    conversation: str
    session: str
    what: str
    erased: bool
    targets: tuple[str, ...]


def entries(index: Index, wanted: Filter, hidden: Iterable[str] = ()) -> list[Entry]:
    """Return the memories that `wanted` describes, oldest first, without those whose ids are `hidden`."""
    where, values = _conditions(wanted)
    if hidden := list(hidden):
        where.append("m.id NOT IN (SELECT value FROM json_each(?))")
        values.append(orjson.dumps(hidden).decode())
    query = f"{SELECT_MEMORY} WHERE {' AND '.join(where) or '1'} ORDER BY m.ts, m.id"
    return [entry_of(row) for row in index.connection().execute(query, values)]


def _conditions(wanted: Filter) -> tuple[list[str], list[Any]]:
    where: list[str] = []
    values: list[Any] = []
    for name in _COLUMNS:
        value = getattr(wanted, name, "") if name != "status" else ""
        if value:
            where.append(f"m.{name} = ? COLLATE NOCASE" if name == "section" else f"m.{name} = ?")
            values.append(value)
    if wanted.tag:
        where.append("m.id IN (SELECT memory FROM tags WHERE tag = ?)")
        values.append(wanted.tag)
    if wanted.statuses:
        where.append(f"m.status IN ({', '.join('?' * len(wanted.statuses))})")
        values += wanted.statuses
    return where, values


def match_expression(text: str, *, any_word: bool = False) -> str:
    """Return the FTS5 expression that looks for the words of `text`: all of them, or any.

    Raises:
        UsageError: the text holds no word.
    """
    words = [f'"{word}"' for word in _WORD.findall(text)]
    if not words:
        raise UsageError("nothing to search for: give at least one word")
    return (" OR " if any_word else " ").join(words)


def search(
    index: Index, text: str, wanted: Filter, *, limit: int = 10, hidden: Iterable[str] = ()
) -> list[Entry]:
    """Return the best `limit` memories for the words of `text`, best first: those with all words, then those with any.

    Raises:
        UsageError: the text holds no word.
    """
    found: dict[str, Entry] = {}
    forbidden = set(hidden)
    for expression in dict.fromkeys(match_expression(text, any_word=any_word) for any_word in (False, True)):
        for entry in _ranked(index, expression, wanted, limit, forbidden):
            found.setdefault(entry.id, entry)
        if len(found) >= limit:
            break
    return list(found.values())[:limit]


def _ranked(index: Index, expression: str, wanted: Filter, limit: int, forbidden: set[str]) -> list[Entry]:
    """Take the best rows of the full-text index that pass the filter.

    FTS5 gives rows in the order of their rank, so that CROSS JOIN (which keeps the order of the tables) looks at no more than it needs.
    """
    where, values = _conditions(wanted)
    if forbidden:
        where.append("m.id NOT IN (SELECT value FROM json_each(?))")
        values.append(orjson.dumps(sorted(forbidden)).decode())
    query = (
        f"SELECT {MEMORY_FIELDS} FROM memories_fts f CROSS JOIN memories m ON m.seq = f.rowid CROSS JOIN events e ON e.seq = m.seq "
        f"WHERE {' AND '.join(['memories_fts MATCH ?', *where])} ORDER BY f.rank LIMIT ?"
    )
    rows = index.connection().execute(query, (expression, *values, limit))
    return [entry_of(row) for row in rows]


def log(index: Index, wanted: LogFilter) -> list[LogRow]:
    """Return the events that `wanted` describes, oldest first; with a limit, the newest that many."""
    where, values = ["1"], []
    for condition, value in (
        ("e.at >= ?", wanted.since),
        ("e.at < ?", wanted.until),
        ("e.name = ?", wanted.by),
        ("e.conversation = ?", wanted.conversation),
        ("e.session = ?", wanted.session),
    ):
        if value:
            where.append(condition)
            values.append(value)
    if wanted.kinds:
        where.append(f"e.kind IN ({', '.join('?' * len(wanted.kinds))})")
        values += wanted.kinds
    if wanted.memory:
        where.append("e.id IN (SELECT value FROM json_each(?))")
        values.append(orjson.dumps(_about(index, wanted.memory)).decode())
    query = (
        "SELECT e.seq, e.id, e.kind, e.at, e.name, e.role, e.via, e.conversation, e.session, e.what, e.payload = 2, "
        "(SELECT json_group_array(target) FROM edges WHERE edges.id = e.id) "
        f"FROM events e WHERE {' AND '.join(where)} ORDER BY e.seq DESC LIMIT ?"
    )
    rows = (
        index.connection().execute(query, (*values, -1 if wanted.limit is None else wanted.limit)).fetchall()
    )
    return [LogRow(*row[:10], bool(row[10]), tuple(orjson.loads(row[11]))) for row in reversed(rows)]


def _about(index: Index, id_: str) -> list[str]:
    """Return the ids of a memory's versions and of all events that point at any of them."""
    db = index.connection()
    found: set[str] = set()
    todo = [id_]
    while todo:
        one = todo.pop()
        if one in found:
            continue
        found.add(one)
        todo += [
            row[0]
            for row in db.execute("SELECT id FROM edges WHERE target = ? AND kind = 'supersede'", (one,))
        ]
        todo += [
            row[0]
            for row in db.execute("SELECT target FROM edges WHERE id = ? AND kind = 'supersede'", (one,))
        ]
    pointing = [
        row[0] for one in found for row in db.execute("SELECT id FROM edges WHERE target = ?", (one,))
    ]
    return sorted(found | set(pointing))


def counts(index: Index) -> dict[str, dict[str, int]]:
    """Return how many memories there are by status, section, type, tier and source (those that stand), and events by kind."""
    db = index.connection()
    standing = "WHERE status IN ('active', 'candidate')"
    result = {
        "status": dict(
            db.execute("SELECT status, count(*) FROM memories GROUP BY status ORDER BY status").fetchall()
        )
    }
    for name in ("section", "type", "tier", "source"):
        query = f"SELECT {name}, count(*) FROM memories {standing} GROUP BY {name} ORDER BY {name}"  # noqa: S608 - fixed names
        result[name] = dict(db.execute(query).fetchall())
    result["kind"] = dict(
        db.execute("SELECT kind, count(*) FROM events GROUP BY kind ORDER BY kind").fetchall()
    )
    return result


def growth(index: Index, months: int = 12) -> dict[str, int]:
    """Return how many events came in each of the newest `months` months that have any, by YYYY-MM (UTC)."""
    query = "SELECT substr(at, 1, 7), count(*) FROM events GROUP BY 1 ORDER BY 1 DESC LIMIT ?"
    return dict(reversed(index.connection().execute(query, (months,)).fetchall()))
