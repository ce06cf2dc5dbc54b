"""Finds the best memories for a query, each with the reasons.

Implements specs/projections.md (P-66, P-109, P-212, P-214). Reads only. The limit bounds the work in
Python, not the number of memories or matches.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from language.time_words import NamedTime
from ledger.fold import Entry
from ledger.memory import Memory
from projections.entry_rows import entries_where
from projections.index import Index
from projections.index_rows import as_json
from projections.index_schema import FULL_TEXT
from projections.query import Filter, conditions
from projections.ranking import RANKING, Found, Ranking, Uses, ranked
from projections.search_terms import Query, Term, beginnings, parse, related, without_filters

_LOOKED_AT = 60
"""The number of memories ranked together: a larger limit adds hits and changes none."""
_BY_MEANING = 30
"""The most memories found by meaning alone."""

Closest = Callable[[str, Collection[str]], Mapping[str, float]]
"""Returns how close these memories, and the closest others, are to a text: from 0 to 1, best first (P-222)."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason for a hit: the words typed, or the id of the memory beside which it was learned."""

    kind: Literal[
        "word", "phrase", "beginning", "characters", "related", "time", "beside", "filter", "meaning"
    ]
    said: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory, the reasons, and its score, which only orders the hits of one search.

    `meant` is the corrected query that found it if the typed one matches nothing (P-213).
    """

    entry: Entry
    why: tuple[Reason, ...]
    score: float
    meant: str = ""

    @property
    def id(self) -> str:
        """The memory's id."""
        return self.entry.id

    @property
    def memory(self) -> Memory:
        """What it says."""
        return self.entry.memory


_SAID = "(m.text || char(10) || m.title || char(10) || m.body || char(10) || m.details || char(10) || m.tags)"
_LOOKED_FOR = "m.n, m.id, m.topic, m.importance, m.conversation, m.session, m.learned"


def search(
    index: Index,
    text: str,
    wanted: Filter | None = None,
    *,
    limit: int = 10,
    hidden: Iterable[str] = (),
    now: int | None = None,
    uses: Uses | None = None,
    ranking: Ranking = RANKING,
    closest: Closest | None = None,
) -> list[Hit]:
    """Return the best `limit` memories for a query, best first.

    Args:
        index: up to date.
        text: words, "phrases", beginnings* and filters (`search_terms.parse`).
        wanted: the filter from options.
        limit: how many at most.
        hidden: ids of memories that are not shown.
        now: the instant in µs from which recency counts; None leaves it out.
        uses: how often memories were used; None leaves it out.
        ranking: the weights.
        closest: compares meanings; None leaves them out.

    Raises:
        UsageError: the query asks for nothing, or one of its filters is malformed.
    """
    query = parse(text, wanted, stop_words=ranking.stop_words, now=now if ranking.time else None)
    hidden = frozenset(hidden)
    looking = _Looking(index, query.wanted, hidden)
    rank = partial(ranked, nearby=looking.nearby, ranking=ranking, now=now, uses=uses, during=query.during)
    if closest is not None:
        said, most = partial(closest, without_filters(text)), 0 if query.phrases else _BY_MEANING
        rank = partial(rank, by_meaning=partial(looking.by_meaning, said, most))
    if found := _found(looking, query, limit, ranking.related, rank):
        return found
    if query.phrases or (query.words and not query.during):
        return []
    if (newest := _newest(looking, text, query, limit)) or not query.during:
        return newest
    timeless = replace(ranking, time=0)
    return search(
        index, text, wanted, limit=limit, hidden=hidden, now=now, uses=uses, ranking=timeless, closest=closest
    )


def _found(
    looking: _Looking,
    query: Query,
    limit: int,
    related_share: float,
    rank: Callable[[list[Found]], list[Found]],
) -> list[Hit]:
    """Return the best memories that hold words or phrases of a query."""
    if not query.terms:
        return []
    found, terms = _matching(looking, query, related_share)
    found = rank(found)
    if _LOOKED_AT <= len(found) < limit:
        there = {each.n for each in found}
        more, terms = _matching(looking.further(3 * limit), query, related_share)
        found += [each for each in rank(more) if each.n not in there]
    return looking.hits(found[:limit], terms, query.during)


def _newest(looking: _Looking, text: str, query: Query, limit: int) -> list[Hit]:
    """Return the newest memories that pass filters, signs and a named time, for a query without words or hits."""
    why = [Reason("phrase", sign) for sign in query.signs] or [Reason("filter", text)]
    if query.during:
        looking, why = looking.within(query.during), [Reason("time", query.during.said)]
    return [Hit(entry, tuple(why), 1.0) for entry in looking.newest(limit, query.signs)]


def _matching(looking: _Looking, query: Query, related_share: float) -> tuple[list[Found], Sequence[Term]]:
    """Return the matching memories, and the terms used."""
    words = query.words
    found = looking.matches(query.phrases, words)
    if not found:
        words = beginnings(words)
        found = looking.matches(query.phrases, words)
    if found and query.during:
        there = {each.n for each in found}
        then = looking.within(query.during).matches(query.phrases, words)
        found += [each for each in then if each.n not in there]
    terms = (*query.phrases, *words)
    full = sum(each.every for each in found) >= _LOOKED_AT  # related terms would come behind all these
    if related_share and not full and (meant := related(query.words)):
        found = looking.with_related(found, query.phrases, meant, related_share)
        terms = (*terms, *meant)
    return found, terms


class _Looking:
    """One search's questions to the index."""

    def __init__(self, index: Index, wanted: Filter, hidden: Iterable[str]) -> None:
        self._db = index.connection()
        self._where, self._values = conditions(wanted, hidden)
        self._most = _LOOKED_AT

    def further(self, most: int) -> _Looking:
        """Return the same questions with another limit."""
        other = copy(self)
        other._most = most
        return other

    def within(self, during: NamedTime) -> _Looking:
        """Return the same questions for memories learned at that time."""
        other = copy(self)
        other._where = [*self._where, "m.learned >= ?", "m.learned < ?"]
        other._values = [*self._values, during.since, during.until]
        return other

    def newest(self, limit: int, signs: Sequence[str] = ()) -> list[Entry]:
        """Return the memories that pass the filter and contain all these signs (P-188), newest first."""
        where = [*self._where, *(f"instr({_SAID}, ?) > 0" for _ in signs)]
        newest = f"{' AND '.join(where) or '1'} ORDER BY m.ts DESC, m.id LIMIT ?"
        return list(entries_where(self._db, newest, *self._values, *signs, limit))

    def matches(self, phrases: Sequence[Term], words: Sequence[Term]) -> list[Found]:
        """Return the best matches: those of all words, then of any word, then of the phrases alone."""
        must = [f"({term.every})" for term in phrases]
        any_word = " OR ".join(term.some for term in words)
        tiers = [
            " AND ".join([*must, *(f"({term.every})" for term in words)]),
            " AND ".join([*must, *([f"({any_word})"] if words else [])]),
            " AND ".join(must),
        ]
        found: dict[int, Found] = {}
        for tier, expression in enumerate(dict.fromkeys(filter(None, tiers))):
            for each in self._best(expression):
                each.every = tier == 0
                found.setdefault(each.n, each)
            if len(found) >= self._most:
                break
        return list(found.values())

    def with_related(
        self, found: Sequence[Found], phrases: Sequence[Term], terms: Sequence[Term], share: float
    ) -> list[Found]:
        """Add the memories with one of these terms for a share of bm25, which also raises known matches (P-212)."""
        known = {each.n: each for each in found}
        any_term = " OR ".join(term.some for term in terms)
        for each in self._best(" AND ".join([*(f"({term.every})" for term in phrases), f"({any_term})"])):
            there = known.setdefault(each.n, each)
            there.related = True
            there.score = share * each.score + (0.0 if there is each else there.score)
        return list(known.values())

    def _best(self, expression: str) -> list[Found]:
        """Return the best rows of the full-text index that pass the filter.

        FTS5 returns rows by rank, and CROSS JOIN keeps the order of the tables, so SQLite stops at the limit.
        """
        query = (
            f"SELECT {_LOOKED_FOR}, -f.rank FROM {FULL_TEXT} f CROSS JOIN memories m ON m.n = f.rowid "
            f"WHERE {' AND '.join([f'{FULL_TEXT} MATCH ?', *self._where])} ORDER BY f.rank LIMIT ?"
        )
        return [Found(*row) for row in self._db.execute(query, (expression, *self._values, self._most))]

    def nearby(self, numbers: Iterable[int]) -> list[Found]:
        """Return those of the memories with these numbers that pass the filter."""
        where = " AND ".join(["m.n IN (SELECT value FROM json_each(?))", *self._where])
        query = f"SELECT {_LOOKED_FOR}, 0.0 FROM memories m WHERE {where}"
        return [Found(*row) for row in self._db.execute(query, (as_json(list(numbers)), *self._values))]

    def by_meaning(
        self, closest: Callable[[Collection[str]], Mapping[str, float]], most: int, ids: Collection[str]
    ) -> tuple[Mapping[str, float], list[Found]]:
        """Return how close memories are to the query, and the closest `most` besides `ids` that pass the filter."""
        close = closest(ids)
        query = (
            f"SELECT {_LOOKED_FOR}, 0.0 FROM json_each(?) j CROSS JOIN events e ON e.id = j.value "
            f"CROSS JOIN memories m ON m.n = e.n WHERE {' AND '.join(self._where) or '1'} ORDER BY j.key LIMIT ?"
        )
        others = [id_ for id_ in close if id_ not in ids]
        return close, [Found(*row) for row in self._db.execute(query, (as_json(others), *self._values, most))]

    def hits(self, found: Sequence[Found], terms: Sequence[Term], during: NamedTime | None) -> list[Hit]:
        """Return the memories themselves, and why each was found."""
        numbers = as_json([each.n for each in found])
        shown = entries_where(self._db, "m.n IN (SELECT value FROM json_each(?))", numbers)
        entries = {entry.n: entry for entry in shown}
        matching = self._matching_each(terms, found)
        return [
            Hit(entries[each.n], tuple(_reasons(each, terms, matching, during)), each.score) for each in found
        ]

    def _matching_each(self, terms: Sequence[Term], found: Sequence[Found]) -> list[set[int]]:
        """Return for each term the memories that match it, without those that hold every word."""
        asked = [each.n for each in found if not each.every]
        if not asked:
            return [set() for _ in terms]
        return [self._matching(term, asked) for term in terms]

    def _matching(self, term: Term, numbers: Sequence[int]) -> set[int]:
        """Return those of these memories that match a term."""
        query = f"SELECT rowid FROM {FULL_TEXT} WHERE {FULL_TEXT} MATCH ? AND rowid IN (SELECT value FROM json_each(?))"
        return {n for (n,) in self._db.execute(query, (term.some, as_json(numbers)))}


def _reasons(
    each: Found, terms: Sequence[Term], matching: Sequence[set[int]], during: NamedTime | None
) -> Iterator[Reason]:
    """Yield the reasons for a memory: its terms and time, or the hit beside which it was learned."""
    for term, numbers in zip(terms, matching, strict=True):
        if each.n in numbers or (each.every and term.kind != "related"):
            yield Reason(term.kind, term.said)
    if each.beside and not each.matched:
        yield Reason("beside", each.beside.id)
    if each.close:
        yield Reason("meaning", f"{each.close:.2f}")
    if during and during.since <= each.learned < during.until:
        yield Reason("time", during.said)
