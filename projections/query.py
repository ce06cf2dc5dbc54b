"""People's questions to the index: list, log, counts; for `search` see `search.py`.

Implements specs/projections.md (P-65…P-67, P-69). Reads only; archived memories are hidden unless asked for.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from language import dates
from ledger import reader
from ledger.canonical import decode
from ledger.event import Event, event_value, is_blanked, split_line
from ledger.fold import Entry, is_disowned
from ledger.memory import CORRECTIONS
from ledger.named_tuple import NamedTuple
from projections.entry_rows import entries_where
from projections.index import Index
from projections.index_fold import disowned_ranges

_COLUMNS = ("section", "type", "tier", "source", "topic", "conversation", "session", "importance")
_ALTERED = 3
"""The `payload` of an altered event."""

STATUSES = ("active", "candidate", "superseded", "deleted", "erased", "all")
"""The values of a filter by status: those of S-2, and all."""


class Filter(NamedTuple):
    """A filter for memories; empty members do not restrict. By default, current memories pass.

    A memory has all `tags` and one of the `texts`. `author` is the writer's name; `since` and `until` (exclusive), as a
    person types them, bound the instant at which it was learned.
    """

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
    tags: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    author: str = ""
    since: str = ""
    until: str = ""


class LogFilter(NamedTuple):
    """A filter for events; `since` and `until` as a person types them (specs/cli.md X-320), `until` exclusive.

    With `compromised`, only events that a disowned key signed; with `own`, only events of our own chain.
    """

    since: str = ""
    until: str = ""
    kinds: tuple[str, ...] = ()
    author: str = ""
    conversation: str = ""
    session: str = ""
    memory: str = ""
    limit: int | None = None
    compromised: bool = False
    own: bool = False


class LogRow(NamedTuple):
    """One event of the timeline.

    `what` is its text, "" once erased; an event without a reason has the texts of its targets. `targets` are
    the ids that it points at. `compromised`: the owner disowned the key that signed it. `n` and `writer` as in `Entry`.
    """

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
    compromised: bool = False
    n: int = -1
    writer: int = 0


# --- memories ---


def entries(
    index: Index, wanted: Filter, hidden: Iterable[str] = (), limit: int | None = None
) -> list[Entry]:
    """Return the memories that `wanted` describes, oldest first, without the `hidden` ids; with a limit the newest."""
    if limit is None:
        return list(each(index, wanted, hidden))
    where, values = conditions(wanted, hidden)
    order = "m.ts DESC, m.id DESC" if index.has_others() else "m.n DESC"
    newest = f"{' AND '.join(where) or '1'} ORDER BY {order} LIMIT ?"
    return list(entries_where(index.connection(), newest, *values, limit))[::-1]


def each(index: Index, wanted: Filter, hidden: Iterable[str] = ()) -> Iterator[Entry]:
    """Yield the same memories one by one. The events of one chain have rising `ts`, so their numbers give the order."""
    where, values = conditions(wanted, hidden)
    order = "m.ts, m.id" if index.has_others() else "m.n"
    return entries_where(index.connection(), f"{' AND '.join(where) or '1'} ORDER BY {order}", *values)


def conditions(wanted: Filter, hidden: Iterable[str]) -> tuple[list[str], list[Any]]:
    """Return the SQL conditions of a filter on `memories m`, and their values."""
    columns = (
        ("m.section = ? COLLATE NOCASE" if name == "section" else f"m.{name} = ?", name) for name in _COLUMNS
    )
    where, values = _given(
        *((condition, getattr(wanted, name)) for condition, name in columns),
        *(
            (_TAGGED, _json(_written(tag)) if tag else "")
            for tag in dict.fromkeys(map(str.casefold, (wanted.tag, *wanted.tags)))
        ),
        ("m.text IN (SELECT value FROM json_each(?))", _json(wanted.texts) if wanted.texts else ""),
        ("m.name = ? COLLATE NOCASE", wanted.author),
        ("m.learned >= ?", dates.since(wanted.since)),
        ("m.learned < ?", dates.until(wanted.until)),
    )
    if wanted.statuses:
        where.append(f"m.status IN ({', '.join('?' * len(wanted.statuses))})")
        values += wanted.statuses
    if ids := sorted(hidden):
        where.append("m.id NOT IN (SELECT value FROM json_each(?))")
        values.append(_json(ids))
    return where, values


_TAGGED = """m.id IN (SELECT memory FROM tags, json_each(?) AS wanted
    WHERE tag = wanted.value COLLATE NOCASE)"""
"""NOCASE folds only ASCII."""


def _written(tag: str) -> list[str]:
    """Return the spellings of a case-folded tag that SQLite does not treat as equal."""
    return list(dict.fromkeys((tag, tag.lower(), tag.upper(), tag.title(), tag.capitalize())))


def _given(*wanted: tuple[str, Any]) -> tuple[list[str], list[Any]]:
    """Return the conditions with a value, and these values."""
    given = [(condition, value) for condition, value in wanted if value]
    return [condition for condition, _ in given], [value for _, value in given]


def _json(value: Sequence[str]) -> str:
    return json.dumps(value)  # unlike orjson it accepts half a surrogate pair, which no memory has


def doubtful(
    index: Index, wanted: Filter, hidden: Iterable[str], before: str, *, naming: bool = False
) -> list[Entry]:
    """Return the active memories that are stale, the longest unconfirmed first.

    Args:
        index: up to date.
        wanted: which memories; only active ones count, whatever its statuses.
        hidden: ids to leave out.
        before: the written instant before which a `fresh_since` is stale.
        naming: also fresh memories with a code span, which may name a missing file.
    """
    where, values = conditions(wanted._replace(statuses=("active",)), hidden)
    spans = "instr(m.text || m.title || m.details || m.body, '`')" if naming else "0"
    stale = f"{' AND '.join(where)} AND (m.fresh_since < ? OR {spans}) ORDER BY m.fresh_since, m.id"
    return list(entries_where(index.connection(), stale, *values, before))


def collectable(index: Index, hidden: Iterable[str], before: str) -> Iterator[Entry]:
    """Yield the current memories that may be archived and were learned before the written instant `before` (P-71)."""
    where, values = conditions(Filter(), hidden)
    old = f"{' AND '.join(where)} AND m.learned < ? AND m.tier != 'committed' AND m.source != 'manual' AND m.section != ? ORDER BY m.n"
    return entries_where(index.connection(), old, *values, before, CORRECTIONS)


# --- events ---

_ERASED = "(e.payload = 2 OR EXISTS (SELECT 1 FROM edges x WHERE x.target = e.id AND x.kind = 'erase'))"
_OF_TARGETS = """(
    SELECT group_concat(CASE m.status WHEN 'erased' THEN '(erased)' ELSE m.text END, '; ')
    FROM (SELECT target FROM edges WHERE edges.id = e.id ORDER BY n) x
    CROSS JOIN events t ON t.id = x.target CROSS JOIN memories m ON m.n = t.n)"""
_WHAT = f"""CASE WHEN e.what = '' AND e.kind != 'supersede'
    THEN coalesce({_OF_TARGETS}, '') ELSE e.what END"""
_LOG = f"""SELECT e.seq, e.id, e.kind, e.at, e.name, e.role, e.via, e.conversation, e.session, {_WHAT},
    {_ERASED}, (SELECT json_group_array(target) FROM (SELECT target FROM edges WHERE edges.id = e.id ORDER BY edges.n)), e.n, e.writer
    FROM events e"""


def log(index: Index, wanted: LogFilter) -> list[LogRow]:
    """Return the events that `wanted` describes, oldest first; with a limit the newest."""
    where, values = _given(
        ("e.at >= ?", dates.since(wanted.since)),
        ("e.at < ?", dates.until(wanted.until)),
        ("e.name = ?", wanted.author),
        ("e.conversation = ?", wanted.conversation),
        ("e.session = ?", wanted.session),
    )
    if wanted.kinds:
        where.append(f"e.kind IN ({', '.join('?' * len(wanted.kinds))})")
        values += wanted.kinds
    if wanted.memory:
        where.append("e.id IN (SELECT value FROM json_each(?))")
        values.append(_json(_about(index, wanted.memory)))
    if wanted.own:
        where.append("e.writer = 0")
    if wanted.compromised:
        where.append(
            "EXISTS (SELECT 1 FROM disowned d WHERE d.writer = e.writer AND e.seq >= d.since AND e.seq < d.rotate)"
        )
    query = f"{_LOG} WHERE {' AND '.join(where) or '1'} ORDER BY {_newest_first(index)} LIMIT ?"
    limit = -1 if wanted.limit is None else wanted.limit
    return list(_rows(index, query, (*values, limit)))[::-1]


def _newest_first(index: Index) -> str:
    """Return the order of a timeline: with one chain the number of an event, with several its time."""
    return "e.ts DESC, e.id DESC" if index.has_others() else "e.n DESC"


def event(index: Index, id_: str) -> LogRow | None:
    """Return the event with this full id."""
    return next(_rows(index, f"{_LOG} WHERE e.id = ?", (id_,)), None)


def pointing_at(index: Index, id_: str) -> list[LogRow]:
    """Return the events that point at the one with this full id, oldest first.

    An event without a reason has no text here: its target's text is known.
    """
    query = f"{_LOG} WHERE e.id IN (SELECT id FROM edges WHERE target = ?) ORDER BY e.ts, e.id"
    own = "SELECT e.id, e.what FROM events e WHERE e.id IN (SELECT id FROM edges WHERE target = ?)"
    said = dict(index.connection().execute(own, (id_,)).fetchall())
    return [row if said[row.id] else row._replace(what="") for row in _rows(index, query, (id_,))]


def damaged(index: Index) -> list[str]:
    """Return the ids of the events with an altered payload that nobody has erased, oldest first."""
    query = f"SELECT id FROM events e WHERE payload = 3 AND NOT {_ERASED} ORDER BY n"
    return [id_ for (id_,) in index.connection().execute(query)]


def span(index: Index, id_: str) -> tuple[str, int, int] | None:
    """Return the writer of the event with this full id ("" is ourselves), and the first and last byte of its line."""
    query = (
        "SELECT coalesce(w.id, ''), e.offset, e.offset + e.size FROM events e "
        "LEFT JOIN writers w ON w.number = e.writer WHERE e.id = ?"
    )
    row = index.connection().execute(query, (id_,)).fetchone()
    return tuple(row) if row else None


def touched_since(index: Index, before: Index) -> tuple[set[str], set[str]]:
    """Return the ids of the events that `before` lacks with all their targets; and the targets of erases among them.

    It compares ids: with several chains, events came in another order there.
    """
    db = index.connection()
    db.execute("ATTACH DATABASE ? AS earlier", (str(before.path),))
    try:
        lacked = "NOT EXISTS (SELECT 1 FROM earlier.events b WHERE b.id = e.id)"
        made = {id_ for (id_,) in db.execute(f"SELECT e.id FROM main.events e WHERE {lacked}")}
        pointed = db.execute(
            f"SELECT x.target, x.kind FROM main.events e CROSS JOIN main.edges x ON x.id = e.id WHERE {lacked}"
        ).fetchall()
    finally:
        db.execute("DETACH DATABASE earlier")
    return made.union(target for target, _ in pointed), {
        target for target, kind in pointed if kind == "erase"
    }


def _rows(index: Index, query: str, values: Sequence[Any]) -> Iterator[LogRow]:
    db = index.connection()
    parts = {id_: (first, n) for first, n, id_ in db.execute("SELECT first, n, id FROM parts WHERE n > 1")}
    disowned = disowned_ranges(db)
    for found in db.execute(query, values):
        erased, targets, n, writer = found[10:]
        compromised = is_disowned(found[0], disowned.get(writer, ()))
        row = LogRow(*(*found[:10], bool(erased), tuple(orjson.loads(targets)), compromised, n, writer))
        if erased:
            row = row._replace(what="")
        elif row.id in parts:
            row = row._replace(what=f"{row.what} {_part_of(index, *parts[row.id])}")
        yield row


def _part_of(index: Index, first: str, n: int) -> str:
    query = "SELECT parts FROM memories WHERE n = (SELECT n FROM events WHERE id = ?)"
    found = index.connection().execute(query, (first,)).fetchone()
    return f"(part {n} of {found[0]})" if found and found[0] else f"(part {n})"


def events_of(index: Index, chain: Path, ids: Iterable[str]) -> list[Event]:
    """Return those of these events that our own chain holds, in its order, as read from their lines.

    An altered payload is left out.

    Raises:
        StorageError: the chain cannot be read.
    """
    query = "SELECT id, payload, offset, size FROM events WHERE writer = 0 AND id IN (SELECT value FROM json_each(?)) ORDER BY n"
    rows = index.connection().execute(query, (_json(sorted(ids)),)).fetchall()
    genesis = index.at_seq(0) or ""
    with reader.opened(chain) as fd:
        lines = [(*row, split_line(reader.line_at(fd, row[2], row[2] + row[3]))) for row in rows]
    found = []
    for id_, state, offset, size, line in lines:
        blank = line.payload is not None and is_blanked(line.payload)
        said = line.payload if not blank and state != _ALTERED else None
        value = decode(said, "the payload") if said is not None else None
        head = decode(line.event, "the event")
        found.append(event_value(head, id_, value, erased=blank, chain=genesis, offset=offset, size=size))
    return found


def erases_of(index: Index, ids: Iterable[str]) -> list[str]:
    """Return the ids of the erases that point at any of these events."""
    query = (
        "SELECT DISTINCT id FROM edges WHERE kind = 'erase' AND target IN (SELECT value FROM json_each(?))"
    )
    return [id_ for (id_,) in index.connection().execute(query, (_json(sorted(ids)),))]


def _about(index: Index, id_: str) -> list[str]:
    """Return the ids of a memory's versions with their parts, and of all events that point at any of them."""
    db, found = index.connection(), index.versions([id_])
    pointing = "SELECT id FROM edges WHERE target = ?"
    return sorted(found.union(row[0] for one in found for row in db.execute(pointing, (one,))))
