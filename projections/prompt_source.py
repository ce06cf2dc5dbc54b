"""Draws from the index the few memories that a prompt can show, so that its cost follows the budget.

Implements specs/projections.md (P-36, P-42, P-170). The prompt looks at a quarter as many entries as it has tokens;
most of 10,000 memories need not be read. What is drawn gives the same prompt as everything would. Light to
import: it opens the database itself, read-only, and only where the index stands at the chain's very end.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from ledger.durable import open_file
from ledger.errors import FormatError
from ledger.event import By, event_id, split_line
from ledger.fold import Entry
from ledger.memory import IMPORTANCES, Memory, Place, Provenance
from ledger.named_tuple import NamedTuple
from projections.index_schema import INDEX_NAME, VERSION
from projections.patterns import TaskContext
from projections.prompt import prompt_order
from projections.prompt_questions import pending_in
from projections.read_only import opened_to_read
from projections.relevance import relevance_to
from projections.scope_merge import NEWEST, ScopedEntry, precedence

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import Any

_BUSY_SECONDS = 1
_BACK = 40
"""So many entries before one are looked through for the note that introduces it."""
_DOCUMENTS = frozenset({"import", "edit", "git"})
_BLOCK = 1 << 20
OTHER = "other"
"""The group of all headings of a person's own, as in `projections.layout`."""

LOOKED_AT = 4_000
"""So many memories of a section or topic are looked at, those of the highest rank (P-36)."""
_RANK = "CASE importance {} END".format(
    " ".join(f"WHEN '{importance}' THEN {rank}" for rank, importance in enumerate(IMPORTANCES))
)
# The second half lets SQLite see that the partial index of both kinds will do.
_DAILY, _TOPIC = (f"doc_kind = '{kind}' AND doc_kind IN ('topic', 'daily')" for kind in ("daily", "topic"))
_FIELDS = (
    "seq, id, ts, learned, fresh_since, text, details, title, body, topic, when_to_use, tags, type, "
    "own_section, tier, importance, place, via, date, order_ts, order_id, supersedes"
)


def caught_up(directory: Path, chain: Path, behind: int = 0) -> sqlite3.Connection | None:
    """Open the index in `directory` for reading, if it holds all of `chain`; its answers are of one instant.

    Returns None where it is missing, damaged, of another version, of another chain, or lacks more than `behind`
    events: `projections.index` mends that.
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
    """Say whether the event with this id stands from `start` to `end`, and at most `behind` lines follow."""
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


class PromptScope:
    """One scope to draw from.

    `name` is user, project or local, `db` a connection of `caught_up`, `hidden` the ids that gc has archived.
    `skipped` are the seqs of what takes no part: hidden, or said by a more local scope; `days` are the daily
    notes that have to do with the task, by seq with section and relevance; `drawn` the seqs to be fetched.
    """

    # No dataclass: to make one takes half a millisecond, and hooks wait for every import.
    def __init__(self, name: str, db: sqlite3.Connection, hidden: Collection[str] = ()) -> None:
        self.name = name
        self.db = db
        self.hidden = hidden
        self.skipped: set[int] = set()
        self.days: dict[int, tuple[str, int]] = {}
        self.drawn: set[int] = set()

    def rows(self, query: str, *values: Any) -> sqlite3.Cursor:
        """Ask for rows; `AND SHOWN` in the query leaves out what is skipped."""
        if "AND SHOWN" in query:
            left_out = "AND seq NOT IN (SELECT value FROM json_each(?))" if self.skipped else ""
            query = query.replace("AND SHOWN", left_out)
            values = (*values, _json(self.skipped)) if self.skipped else values
        return self.db.execute(query, values)


class Drawn(NamedTuple):
    """What was drawn: names and entries in the order of the scopes, and how many more would take part.

    About the `candidates` the user may be asked (P-170). `introduced` gives the note that introduces an entry.
    """

    scopes: list[tuple[str, list[Entry]]]
    more: int
    candidates: list[ScopedEntry]
    introduced: dict[str, Entry]


def drawn_from(
    ledgers: Sequence[tuple[str, Path, Path, Collection[str]]],
    asked: TaskContext,
    looks: int,
    behind: int = 0,
    first: Collection[str] = (),
) -> Drawn | None:
    """Open the index of each ledger and draw from all; None where one of them has to be mended first.

    Args:
        ledgers: scope name, directory, chain file and archived ids of each, in any order.
        asked: as for `draw`.
        looks: as for `draw`.
        behind: so many events an index may lack.
        first: as for `draw`.
    """
    scopes: list[PromptScope] = []
    try:
        for name, directory, chain, hidden in ledgers:
            db = caught_up(directory, chain, behind)
            if db is None:
                return None
            scopes.append(PromptScope(name, db, hidden))
        return draw(scopes, asked, looks, first)
    except sqlite3.DatabaseError:
        return None
    finally:
        for scope in scopes:
            scope.db.close()


def draw(scopes: Sequence[PromptScope], asked: TaskContext, looks: int, first: Collection[str] = ()) -> Drawn:
    """Return entries that give the same prompt as all memories of these scopes.

    Args:
        scopes: where to draw from, in any order.
        asked: what the agent is about to do, and its name.
        looks: how many entries each part of the prompt looks at, at most.
        first: ids that are drawn in any case, as far as they take part.

    Raises:
        sqlite3.Error: an index cannot be read.
    """
    wanted = asked.of_task
    for scope in scopes:
        scope.skipped |= _hidden(scope)
    speaking = sorted(
        (scope for scope in scopes if _witness(scope)), key=lambda scope: precedence(scope.name)
    )
    for scope in speaking:
        scope.days = _days(scope, wanted) if wanted else {}
    if len(speaking) > 1:
        _skip_repeated(speaking)
    total = _draw_sections(speaking, wanted, looks) + _draw_topics(speaking, asked, looks)
    for scope in speaking:
        scope.drawn |= _named(scope, first)
    passed = sum(len(scope.drawn) for scope in speaking)
    candidates = [ScopedEntry(entry, one.name) for one in scopes for entry in pending_in(one.db, one.hidden)]
    found = [(scope.name, _entries(scope)) for scope in scopes]
    introduced: dict[str, Entry] = {}
    for scope, (_, entries) in zip(scopes, found, strict=True):
        introduced |= introduced_in(scope.db, entries, scope.hidden)
    return Drawn(found, total - passed, candidates, introduced)


def _named(scope: PromptScope, ids: Collection[str]) -> set[int]:
    """Return the seqs of those of these memories that take part and belong to no topic."""
    query = (
        "SELECT seq FROM events e JOIN memories m USING (seq) WHERE e.id IN (SELECT value FROM json_each(?)) "
        "AND (doc_kind = 'memory' OR seq IN (SELECT value FROM json_each(?))) AND SHOWN"
    )
    return {seq for (seq,) in scope.rows(query, _json(ids), _json(scope.days))} if ids else set()


def introduced_in(
    db: sqlite3.Connection, entries: Iterable[Entry], hidden: Collection[str] = ()
) -> dict[str, Entry]:
    """Return the note that introduces each of these entries, where there is one, by the entry's id (P-207).

    Args:
        db: the index that holds them.
        entries: any.
        hidden: ids of memories that are not told.
    """
    bullets = [e for e in entries if e.by.via in _DOCUMENTS and not e.supersedes and not e.memory.topic]
    if not bullets:
        return {}
    seqs = {seq for e in bullets for seq in range(max(e.seq - _BACK, 0), e.seq + 1)}
    query = (
        "SELECT seq, via, file, section, type = 'note' AND body != '', "
        "rtrim(body, char(9) || char(10) || char(13) || ' *_') LIKE '%:' "
        "FROM memories WHERE seq IN (SELECT value FROM json_each(?)) AND doc_kind = 'memory'"
    )
    rows = {
        seq: ((via, file, section), *rest)
        for seq, via, file, section, *rest in db.execute(query, (_json(seqs),))
    }
    notes: dict[str, int] = {}
    for entry in bullets:
        where, is_note, _ = rows.get(entry.seq, (None, True, False))
        if is_note:
            continue
        for seq in range(entry.seq - 1, entry.seq - _BACK, -1):
            there, is_note, leads = rows.get(seq, (where, False, False))
            if there != where:
                break
            if is_note:
                if leads:
                    notes[entry.id] = seq
                break
    query = f"SELECT {_FIELDS} FROM memories WHERE seq IN (SELECT value FROM json_each(?))"
    found = [_entry(*row) for row in db.execute(query, (_json(set(notes.values())),))]
    told = {entry.seq: entry for entry in found if entry.id not in hidden}
    return {id_: told[seq] for id_, seq in notes.items() if seq in told}


def _json(values: Iterable[Any]) -> str:
    return json.dumps(sorted(values))


# --- who takes part ---


def _hidden(scope: PromptScope) -> set[int]:
    if not scope.hidden:
        return set()
    query = "SELECT seq FROM events WHERE id IN (SELECT value FROM json_each(?))"
    return {seq for (seq,) in scope.rows(query, _json(scope.hidden))}


def _witness(scope: PromptScope) -> int | None:
    """Return the seq of a memory by which a scope has a say, be it one that takes no part."""
    row = scope.rows("SELECT seq FROM memories WHERE doc_kind != '' AND SHOWN LIMIT 1").fetchone()
    return row[0] if row else None


def _days(scope: PromptScope, wanted: frozenset[str]) -> dict[int, tuple[str, int]]:
    """Return the daily notes that share a word with the task (P-40)."""
    query = f"SELECT seq, section, text, title, details, tags FROM memories WHERE {_DAILY} AND SHOWN"
    found = {}
    for seq, section, *said in scope.rows(query):
        if relevance := _relevance_of(said, wanted):
            found[seq] = (section, relevance)
    return found


def _relevance_of(said: Sequence[str], wanted: frozenset[str]) -> int:
    """Return the relevance of a row's text, title, details and tags (P-37); the lists are JSON."""
    text, title, details, tags = said
    whole = f"{text} {title} {details} {tags}".lower()
    if not [stem for stem in wanted if stem in whole]:  # of most, and a memory need not be made
        return 0
    return relevance_to(Memory(text, _list(details), title, tags=_list(tags)), wanted)


def _skip_repeated(scopes: Sequence[PromptScope]) -> None:
    """Skip what was said already, in the order in which the prompt meets it (P-31)."""
    said: set[str] = set()
    query = "SELECT seq, statement, doc_kind FROM memories WHERE doc_kind != '' AND SHOWN ORDER BY ts, id"
    for scope in scopes:
        for seq, statement, kind in scope.rows(query).fetchall():
            if kind == "daily" and seq not in scope.days:
                continue
            if statement in said:
                scope.skipped.add(seq)
                scope.days.pop(seq, None)
            else:
                said.add(statement)


# --- sections ---


def _draw_sections(scopes: Sequence[PromptScope], wanted: frozenset[str], looks: int) -> int:
    """Draw the best of each section as far as the prompt would look; return how many take part in all."""
    sizes: dict[str, int] = {}
    groups: dict[str, str] = {}
    earliest: dict[str, tuple[str, PromptScope, int]] = {}
    for scope in scopes:
        for section, group, count in _sections(scope):
            sizes[section] = sizes.get(section, 0) + count
            groups[section] = group
        for section, _ in scope.days.values():
            sizes[section] = sizes.get(section, 0) + 1
        for section, order, seq in _earliest(scope):
            if section not in earliest or order < earliest[section][0]:
                earliest[section] = (order, scope, seq)
    left = looks
    if len(scopes) > 1:
        _draw_newest(scopes, "doc_kind = 'memory'", ())
    order_of = {section: order for section, (order, _, _) in earliest.items()}
    for section in sorted(sizes, key=lambda name: (prompt_order(name), order_of.get(name, ""))):
        if left <= 0:
            break
        if section in earliest:
            _, scope, seq = earliest[section]
            scope.drawn.add(seq)  # without it the heading would come later
        group = groups.get(section, "")
        drawn = [_best_of_section(scope, section, group, wanted, left) for scope in scopes]
        for scope, best in zip(scopes, drawn, strict=True):
            scope.drawn |= best
        if sum(map(bool, drawn)) > 1:
            _draw_newest(scopes, "doc_kind = 'memory' AND doc_name = ? AND section = ?", (group, section))
        left -= sizes[section]
    return sum(sizes.values())


def _draw_newest(scopes: Sequence[PromptScope], where: str, values: Sequence[Any]) -> None:
    """Draw what the entries of other scopes are compared with (P-127)."""
    order = f"ORDER BY ts DESC, id DESC LIMIT {NEWEST:d}"
    query = f"SELECT seq FROM memories WHERE {where} AND (body = '' OR type != 'note') AND tier != 'daily' AND SHOWN {order}"
    for scope in scopes:
        scope.drawn.update(seq for (seq,) in scope.rows(query, *values))


def _sections(scope: PromptScope) -> Iterator[tuple[str, str, int]]:
    """Give section, group and how many memories take part, daily notes left out.

    The index keeps the number of entries of each group; only a group of several headings, or one of which
    something is skipped, is counted.
    """
    skipped: set[str] = set()
    if scope.skipped:
        query = "SELECT DISTINCT doc_name FROM memories WHERE seq IN (SELECT value FROM json_each(?))"
        skipped = {name for (name,) in scope.rows(query, _json(scope.skipped))}
    of_group = "FROM memories WHERE doc_kind = 'memory' AND doc_name = ?"
    counted = f"SELECT section, count(*) {of_group} AND SHOWN GROUP BY section"
    named = f"SELECT section {of_group} LIMIT 1"
    groups = scope.rows("SELECT name, entries FROM documents WHERE kind = 'memory' AND entries > 0")
    for group, entries in groups.fetchall():
        if group == OTHER or group in skipped:
            yield from ((section, group, count) for section, count in scope.rows(counted, group))
        else:
            yield scope.rows(named, group).fetchone()[0], group, entries


def _earliest(scope: PromptScope) -> Iterator[tuple[str, str, int]]:
    """Give each own heading, what its earliest entry is ordered by (P-36), and that entry's seq.

    The parts of the order have a fixed length each, so that their texts, joined, compare as the parts do.
    """
    query = "SELECT section, min(order_ts || order_id || ts || id), seq FROM memories WHERE {} AND SHOWN GROUP BY section"
    yield from scope.rows(query.format("doc_kind = 'memory' AND doc_name = ?"), OTHER)
    yield from scope.rows(query.format("seq IN (SELECT value FROM json_each(?))"), _json(scope.days))


def _best_of_section(
    scope: PromptScope, section: str, group: str, wanted: frozenset[str], count: int
) -> set[int]:
    where = "doc_kind = 'memory' AND doc_name = ? AND section = ?"
    best = _ranked(scope, where, (group, section), wanted, count)
    if days := [seq for seq, (of, _) in scope.days.items() if of == section]:
        best += _ranked(scope, "seq IN (SELECT value FROM json_each(?))", (_json(days),), wanted, count)
    return {rank[-1] for rank in sorted(best, reverse=True)[:count]}


def _ranked(
    scope: PromptScope, where: str, values: Sequence[Any], wanted: frozenset[str], count: int
) -> list[tuple[Any, ...]]:
    """Return the `count` memories of the highest rank as (relevance, importance, said, id, seq) (P-36)."""
    by_rank = f"ORDER BY rank_class DESC, said DESC, id DESC LIMIT {LOOKED_AT:d}"
    shown = f"FROM (SELECT * FROM memories WHERE {where} AND SHOWN {by_rank})"
    if not wanted:
        order = f"ORDER BY 2 DESC, said DESC, id DESC LIMIT {count:d}"
        return scope.rows(f"SELECT 0, {_RANK}, said, id, seq {shown} {order}", *values).fetchall()
    query = f"SELECT {_RANK}, said, id, seq, text, title, details, tags {shown}"
    ranked = (
        (_relevance_of(said, wanted), importance, when, id_, seq)
        for importance, when, id_, seq, *said in scope.rows(query, *values)
    )
    return sorted(ranked, reverse=True)[:count]


# --- topics ---


def _draw_topics(scopes: Sequence[PromptScope], asked: TaskContext, looks: int) -> int:
    """Draw the best of each topic that matches; return how many take part in all."""
    matches: dict[str, int] = {}
    for scope in scopes:
        for topic, seq, match in _matching(scope, asked) if asked else ():
            if match > matches.get(topic, 0):
                matches[topic] = match
                scope.drawn.add(seq)  # without it the topic would match less well
    highest = dict.fromkeys(matches, 0)
    for scope in scopes:
        for topic in matches:
            best = _ranked(scope, f"{_TOPIC} AND doc_name = ?", (topic,), frozenset(), 1)
            for _, importance, _, _, seq in best:  # without it the topic would be less important
                highest[topic] = max(highest[topic], importance)
                scope.drawn.add(seq)
    total = 0
    for topic in sorted(matches, key=lambda name: (-matches[name], -highest[name], name)):
        left = looks - total
        for scope in scopes:
            where = f"{_TOPIC} AND doc_name = ?"
            size = scope.rows(f"SELECT count(*) FROM memories WHERE {where} AND SHOWN", topic).fetchone()
            total += int(size[0])
            if left > 0:
                scope.drawn.update(rank[-1] for rank in _ranked(scope, where, (topic,), asked.of_task, left))
        if left > 0 and len(scopes) > 1:
            _draw_newest(scopes, f"{_TOPIC} AND doc_name = ?", (topic,))
    return total


def _matching(scope: PromptScope, asked: TaskContext) -> Iterator[tuple[str, int, int]]:
    """Give topic, seq and match of each memory with a pattern that matches what is asked (P-40)."""
    matches: dict[str, int] = {}
    for memory, pattern in scope.rows("SELECT memory, pattern FROM patterns"):
        if strength := asked.strength(pattern):
            matches[memory] = max(strength, matches.get(memory, 0))
    query = (
        "SELECT doc_name, seq, e.id FROM events e JOIN memories m USING (seq) "
        f"WHERE e.id IN (SELECT value FROM json_each(?)) AND {_TOPIC} AND SHOWN"
    )
    for topic, seq, id_ in scope.rows(query, _json(matches)):
        yield topic, seq, matches[id_]


# --- entries ---


def _entries(scope: PromptScope) -> list[Entry]:
    """Fetch what was drawn; of a scope of which nothing was, one entry that takes no part but has a say."""
    if scope.drawn:
        return _fetched(scope, scope.drawn)
    scope.skipped = _hidden(scope)
    witness = _witness(scope)
    return [] if witness is None else [e._replace(status="candidate") for e in _fetched(scope, [witness])]


def _fetched(scope: PromptScope, seqs: Iterable[int]) -> list[Entry]:
    query = f"SELECT {_FIELDS} FROM memories WHERE seq IN (SELECT value FROM json_each(?))"
    return [_entry(*row) for row in scope.rows(query, _json(seqs))]


def _entry(  # noqa: PLR0917 - the columns of _FIELDS
    seq: int,
    id_: str,
    ts: str,
    learned: str,
    fresh_since: str,
    text: str,
    details: str,
    title: str,
    body: str,
    topic: str,
    when_to_use: str,
    tags: str,
    type_: str,
    own_section: str,
    tier: str,
    importance: str,
    place: str,
    via: str,
    date: str,
    order_ts: str,
    order_id: str,
    supersedes: str,
) -> Entry:
    """Return an entry with all that a prompt reads of it; most of its provenance is left out."""
    where = json.loads(place) if place and place != "[]" else None
    memory = Memory(
        text,
        _list(details),
        title,
        body,
        topic=topic,
        when_to_use=_list(when_to_use),
        tags=_list(tags),
        type=type_,
        section=own_section,
        tier=tier,
        importance=importance,
        place=Place(where["doc"], where.get("after")) if where else None,
        provenance=Provenance(date=date),
    )
    by = By("", "", via)
    return Entry(
        id_, seq, memory, "active", ts, learned, by, fresh_since, (order_ts, order_id), _list(supersedes)
    )


@lru_cache(maxsize=1024)  # many memories have the same tags
def _list(value: str) -> tuple[str, ...]:
    return tuple(json.loads(value)) if value != "[]" else ()
