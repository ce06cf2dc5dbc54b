"""Blast radius: the events from a source, and the events built on these.

Implements specs/report.md (H-50…H-52); the page's `ledger/radius.ts` computes the same. Reads the index only.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator, Mapping

import orjson

from language import dates
from ledger.errors import UsageError
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import FROM, made_from
from ledger.named_tuple import NamedTuple
from projections.index import Index

_WORD = lazy_pattern(r"(?:^|,)(conversation|session|file|author|tool|agent|since|until):")
_FORMS = (
    "conversation:ID, session:ID, file:PATH, author:NAME, tool:NAME, agent:NAME, since:WHEN and until:WHEN"
)

_CAME = """SELECT e.n, e.id FROM events e LEFT JOIN memories m USING (n)
    WHERE e.id NOT IN (SELECT id FROM parts WHERE n > 1) AND {} ORDER BY e.n"""
_CONDITIONS: Mapping[str, str] = {
    "conversation": "e.conversation = ?",
    "session": "e.session = ?",
    "file": "m.file = ?",
    "author": "? IN (e.name, m.author)",
    "tool": "m.tool = ?",
    "agent": "? IN (CASE e.role WHEN 'agent' THEN e.name END, m.agent)",
    "since": "e.at >= ?",
    "until": "e.at < ?",
}
_BUILDS = """SELECT e.n, e.id FROM edges x JOIN events e ON e.id = x.id
    WHERE x.target = ? AND x.kind IN ('supersede', 'confirm')"""
_REPLACED = "SELECT target FROM edges WHERE id = ? AND kind = 'supersede'"
_STATEMENT = "SELECT m.statement FROM memories m JOIN events e USING (n) WHERE e.id = ?"


class EventSource(NamedTuple):
    """A source of events; empty members do not restrict, all others must match (H-50)."""

    conversation: str = ""
    session: str = ""
    file: str = ""
    author: str = ""
    tool: str = ""
    agent: str = ""
    since: str = ""
    until: str = ""

    def __str__(self) -> str:
        """Return it as a person writes it."""
        return ",".join(f"{name}:{value}" for name, value in self._asdict().items() if value)


class Radius(NamedTuple):
    """Full ids of the events that came from a source, and of those that were built on them, in the order of the log."""

    came: tuple[str, ...]
    built: tuple[str, ...]


def parsed(text: str) -> EventSource:
    """Return the source that a person names, such as `conversation:c-17` or `author:ci,since:yesterday`.

    Raises:
        UsageError: it is not a source.
    """
    words = list(_WORD.finditer(text))
    ends = [word.start() for word in words[1:]] + [len(text)] * bool(words)
    given = [(word[1], text[word.end() : end].strip()) for word, end in zip(words, ends, strict=True)]
    named = dict(given)
    if not words or words[0].start() or len(named) < len(given) or not all(named.values()):
        raise UsageError(
            f"{text!r} is not a source: use {_FORMS}, each at most once, with a comma between them"
        )
    return EventSource(**named)


def radius(index: Index, source: EventSource) -> Radius:
    """Return the events from a source, and the events built on these, directly or not (H-51, H-52).

    Raises:
        UsageError: a time of the source cannot be read.
    """
    dated = source._replace(since=dates.since(source.since), until=dates.until(source.until))
    given = {name: value for name, value in dated._asdict().items() if value}
    query = _CAME.format(" AND ".join(map(_CONDITIONS.__getitem__, given)))
    came = index.connection().execute(query, (*given.values(),)).fetchall()
    walk = _RadiusWalk(index, {id_ for _, id_ in came})
    return Radius(tuple(id_ for _, id_ in came), tuple(walk.built(came)))


class _RadiusWalk:
    """One walk from the events of a source to those that were built on them."""

    def __init__(self, index: Index, came: set[str]) -> None:
        self._db = index.connection()
        self._reached = came
        self._made = self._made_of()

    def built(self, came: list[tuple[int, str]]) -> Iterator[str]:
        """Yield the events that build on the events `(n, id)` of a source, each after all that it builds on."""
        todo = list(came)
        seen = {id_ for _, id_ in came}
        heapq.heapify(todo)
        while todo:
            _, id_ = heapq.heappop(todo)
            if id_ not in self._reached:
                if self._only_restores(id_):
                    continue
                self._reached.add(id_)
                yield id_
            for later in (*self._db.execute(_BUILDS, (id_,)), *self._made.get(id_, ())):
                if later[1] not in seen:
                    seen.add(later[1])
                    heapq.heappush(todo, later)

    def _made_of(self) -> dict[str, list[tuple[int, str]]]:
        """Return the memories made from each memory, as they state it themselves."""
        made: dict[str, list[tuple[int, str]]] = defaultdict(list)
        query = "SELECT n, id, unknown FROM memories WHERE unknown LIKE ?"
        for n, id_, unknown in self._db.execute(query, (f'%"{FROM}"%',)):
            for origin in made_from(orjson.loads(unknown)):
                made[origin].append((n, id_))
        return made

    def _only_restores(self, id_: str) -> bool:
        """Return whether a supersede only restores what its targets had replaced: then it builds on none of them."""
        statement = self._statement(id_)
        todo = [target for target in self._replaced(id_) if target in self._reached]
        before: set[str] = set()
        seen: set[str] = set()
        while todo:
            one = todo.pop()
            for old in self._replaced(one):
                if old not in seen:
                    seen.add(old)
                    if old in self._reached:
                        todo.append(old)
                    else:
                        before.add(self._statement(old))
        return bool(statement) and statement in before

    def _replaced(self, id_: str) -> list[str]:
        return [target for (target,) in self._db.execute(_REPLACED, (id_,))]

    def _statement(self, id_: str) -> str:
        row = self._db.execute(_STATEMENT, (id_,)).fetchone()
        return row[0] if row else ""
