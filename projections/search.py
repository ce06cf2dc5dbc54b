"""Finds the best memories for a query, and says of each why it was found.

Implements specs/projections.md (P-66, P-107…P-109). Reads only. What is looked at with Python is bounded by the
limit, not by the number of memories or of matches.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Literal

from language.stop_words import STOP_WORDS
from ledger.fold import Entry
from ledger.instant import DAY, parsed
from ledger.memory import Memory
from projections.index import Index
from projections.index_rows import MEMORY_FIELDS, SELECT_MEMORY, as_json, entry_of
from projections.index_schema import MEMORY_COLUMNS
from projections.query import Filter, conditions
from projections.search_terms import Query, Term, beginnings, parse

_LOOKED_AT = 60
"""So many are ranked together, whatever the limit: a larger one adds hits and changes none."""
_IMPORTANCE = {"low": 0.0, "medium": 1 / 3, "high": 2 / 3, "critical": 1.0}
_FADING_DAYS = 90.0
_WINDOW, _PULLING = 4, 3
"""How many neighbours to either side count; and of how many of the best hits neighbours are shown."""

Uses = Callable[[Sequence[str]], Mapping[str, int]]
"""Returns how often each of these memories was read or injected; those never used may be left out."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a search takes into account (P-107, P-108); `PLAIN` has none of it, for comparison.

    `conversation` and `topic` say how much of the score of the best neighbour that matches is added to a hit's own;
    `beside` how much of a hit's score its next neighbours have that do not match themselves, 0 where they are not shown.
    `importance`, `recency` and `use` say by how much at most each raises a score, as a share of it.
    """

    stop_words: frozenset[str] = STOP_WORDS
    conversation: float = 0.4
    topic: float = 0.2
    beside: float = 0.5
    importance: float = 0.06
    recency: float = 0.03
    use: float = 0.03


RANKING = Ranking()
PLAIN = Ranking(frozenset(), 0, 0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that a memory was found for: what was typed, or beside which memory (its id) it was learned."""

    kind: Literal["word", "phrase", "beginning", "characters", "beside", "filter"]
    said: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that was found, why, and its score, which says nothing but the order among hits of one search."""

    entry: Entry
    why: tuple[Reason, ...]
    score: float

    @property
    def id(self) -> str:
        """The memory's id."""
        return self.entry.id

    @property
    def memory(self) -> Memory:
        """What it says."""
        return self.entry.memory


@dataclass(slots=True)
class _Found:
    """A memory that may be shown; `row` is its row of MEMORY_FIELDS, `every` says whether it holds every word."""

    seq: int
    id: str
    topic: str
    importance: str
    conversation: str
    session: str
    learned: str
    score: float
    row: tuple[Any, ...]
    every: bool = False
    matched: bool = True
    beside: list[_Found] = field(default_factory=list)


_SAID = "(m.text || char(10) || m.title || char(10) || m.body || char(10) || m.details || char(10) || m.tags)"
_LOOKED_FOR = ("seq", "id", "topic", "importance", "conversation", "session", "learned")
_members_of = itemgetter(*map(list(MEMORY_COLUMNS).index, _LOOKED_FOR))


def _found_in(row: tuple[Any, ...]) -> _Found:
    """Return what a row of MEMORY_FIELDS and its score says."""
    return _Found(*[*_members_of(row), row[-1], row[:-1]])


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
) -> list[Hit]:
    """Return the best `limit` memories for a query, best first.

    Args:
        index: an index that is caught up.
        text: words, "phrases", beginnings* and filters (`search_terms.parse`).
        wanted: what options ask for beside it.
        limit: how many at most.
        hidden: ids of memories that are not shown.
        now: the instant in µs from which recency counts; None leaves it out.
        uses: how often memories were used; None leaves it out.
        ranking: what is taken into account.

    Raises:
        UsageError: the query asks for nothing, or one of its filters is malformed.
    """
    query = parse(text, wanted, stop_words=ranking.stop_words)
    hidden = frozenset(hidden)
    looking = _Looking(index, query, hidden, _LOOKED_AT)
    if not query.terms:
        why = tuple(Reason("phrase", sign) for sign in query.signs) or (Reason("filter", text),)
        return [Hit(entry, why, 1.0) for entry in looking.newest(limit, query.signs)]
    found, terms = _best(looking, query, ranking, now, uses)
    if len(found) < limit and len(found) >= _LOOKED_AT:
        there = {each.seq for each in found}
        more, terms = _best(_Looking(index, query, hidden, 3 * limit), query, ranking, now, uses)
        found += [each for each in more if each.seq not in there]
    found = found[:limit]
    reasons = looking.reasons(terms, found)
    return [Hit(entry_of(each.row), reasons[each.seq], each.score) for each in found]


def _best(
    looking: _Looking, query: Query, ranking: Ranking, now: int | None, uses: Uses | None
) -> tuple[list[_Found], Sequence[Term]]:
    """Return what was found, best first, and for which terms."""
    found, terms = looking.matches(query.phrases, query.words), query.terms
    if not found:
        words = beginnings(query.words)
        found, terms = looking.matches(query.phrases, words), (*query.phrases, *words)
    return _ranked(found, looking, ranking, now, uses), terms


class _Looking:
    """One search's questions to the index."""

    def __init__(self, index: Index, query: Query, hidden: frozenset[str], most: int) -> None:
        self._db, self._tables = index.searchable()
        self._where, self._values = conditions(query.wanted, hidden)
        self._most = most

    def newest(self, limit: int, signs: Sequence[str] = ()) -> list[Entry]:
        """Return the memories that the filter leaves and that hold all these signs (P-188), newest first."""
        where = [*self._where, *(f"instr({_SAID}, ?) > 0" for _ in signs)]
        query = f"{SELECT_MEMORY} WHERE {' AND '.join(where) or '1'} ORDER BY m.ts DESC, m.id LIMIT ?"
        return [entry_of(row) for row in self._db.execute(query, (*self._values, *signs, limit))]

    def matches(self, phrases: Sequence[Term], words: Sequence[Term]) -> list[_Found]:
        """Return what matches best: all of the words, then any, then, where phrases are asked for, those alone."""
        must = [f"({term.every})" for term in phrases]
        any_word = " OR ".join(term.some for term in words)
        tiers = [
            " AND ".join([*must, *(f"({term.every})" for term in words)]),
            " AND ".join([*must, *([f"({any_word})"] if words else [])]),
            " AND ".join(must),
        ]
        found: dict[int, _Found] = {}
        for tier, expression in enumerate(dict.fromkeys(filter(None, tiers))):
            for each in self._best(expression):
                each.every = tier == 0
                found.setdefault(each.seq, each)
            if len(found) >= self._most:
                break
        return list(found.values())

    def _best(self, expression: str) -> list[_Found]:
        """Take the best rows of the full-text index that pass the filter.

        FTS5 gives rows in the order of their rank, so that CROSS JOIN (which keeps the order of the tables) looks
        at no more than it needs.
        """
        found: list[_Found] = []
        for table in self._tables:
            query = (
                f"SELECT {MEMORY_FIELDS}, -f.rank FROM {table} f CROSS JOIN memories m ON m.seq = f.rowid "
                "CROSS JOIN events e ON e.seq = m.seq "
                f"WHERE {' AND '.join([f'{table} MATCH ?', *self._where])} ORDER BY f.rank LIMIT ?"
            )
            found += map(_found_in, self._db.execute(query, (expression, *self._values, self._most)))
        return found

    def around(self, hit: _Found) -> list[_Found]:
        """Return what was learned right before and after a hit in its conversation, and passes the filter."""
        if not hit.conversation:
            return []
        found: list[_Found] = []
        for sign, order in (("<", "DESC"), (">", "ASC")):
            where = " AND ".join([f"e.conversation = ? AND e.seq {sign} ?", *self._where])
            query = (
                f"SELECT {MEMORY_FIELDS}, 0.0 FROM events e CROSS JOIN memories m ON m.seq = e.seq "
                f"WHERE e.conversation != '' AND {where} ORDER BY e.seq {order} LIMIT 1"  # != '': its index is partial
            )
            values = (hit.conversation, hit.seq, *self._values)
            found += map(_found_in, self._db.execute(query, values))
        near = [each for each in found if each.session == hit.session]
        for each in near:
            each.matched = False
        return near

    def reasons(self, terms: Sequence[Term], found: Sequence[_Found]) -> dict[int, tuple[Reason, ...]]:
        """Return which of the terms each memory matches, and beside which it was learned."""
        matching = self._matching_each(terms, found)
        return {
            each.seq: (
                *(
                    Reason(term.kind, term.said)
                    for term, seqs in zip(terms, matching, strict=True)
                    if each.every or each.seq in seqs
                ),
                *(Reason("beside", other.id) for other in each.beside),
            )
            for each in found
        }

    def _matching_each(self, terms: Sequence[Term], found: Sequence[_Found]) -> list[set[int]]:
        """Return for each term which of the memories match it, those aside that hold every word."""
        asked = [each.seq for each in found if not each.every]
        if not asked:
            return [set() for _ in terms]
        return [self._matching(term, asked) for term in terms]

    def _matching(self, term: Term, seqs: Sequence[int]) -> set[int]:
        """Return those of these memories that match a term."""
        found: set[int] = set()
        for table in self._tables:
            query = f"SELECT rowid FROM {table} WHERE {table} MATCH ? AND rowid IN (SELECT value FROM json_each(?))"
            found.update(seq for (seq,) in self._db.execute(query, (term.some, as_json(seqs))))
        return found


def _ranked(
    found: list[_Found], looking: _Looking, ranking: Ranking, now: int | None, uses: Uses | None
) -> list[_Found]:
    """Return what was found by its score, best first, with the neighbours that are shown for it."""
    best = max((each.score for each in found), default=0.0) or 1.0
    for each in found:
        each.score /= best
    own = {each.seq: each.score for each in found}
    if ranking.conversation:
        _lift(found, own, ranking.conversation, _conversation)
    if ranking.topic:
        _lift(found, own, ranking.topic, _topic)
    if ranking.beside:
        found = _with_neighbours(found, looking, ranking.beside)
    _weigh(found, ranking, now, uses)
    return sorted(found, key=lambda each: (-each.every, -each.score, -each.seq))


def _conversation(each: _Found) -> tuple[str, str] | None:
    return (each.conversation, each.session) if each.conversation or each.session else None


def _topic(each: _Found) -> str | None:
    return each.topic or None


def _lift(
    found: Sequence[_Found], own: Mapping[int, float], share: float, group_of: Callable[[_Found], Any]
) -> None:
    """Add to each score a share of the best score near it in its group."""
    groups: dict[Any, list[_Found]] = defaultdict(list)
    for each in found:
        if group := group_of(each):
            groups[group].append(each)
    for group in groups.values():
        group.sort(key=lambda each: each.seq)
        for at, each in enumerate(group):
            near = [*group[max(0, at - _WINDOW) : at], *group[at + 1 : at + 1 + _WINDOW]]
            if near:
                other = max(near, key=lambda one: own[one.seq])
                each.score += share * own[other.seq]
                if other not in each.beside:
                    each.beside.append(other)


def _with_neighbours(found: list[_Found], looking: _Looking, share: float) -> list[_Found]:
    """Add the next neighbours of the best hits in their conversation, where they do not match themselves."""
    known = {each.seq: each for each in found}
    for hit in sorted(found, key=lambda each: (-each.every, -each.score))[:_PULLING]:
        for each in looking.around(hit):
            there = known.setdefault(each.seq, each)
            if not there.matched and hit not in there.beside:
                there.beside.append(hit)
                there.score = max(there.score, share * hit.score)
    return list(known.values())


def _weigh(found: Sequence[_Found], ranking: Ranking, now: int | None, uses: Uses | None) -> None:
    """Raise scores a little for what is important, recent and used (P-108)."""
    used = uses([each.id for each in found]) if uses and ranking.use else {}
    most = math.log1p(max(used.values(), default=0))
    for each in found:
        raised = 1 + ranking.importance * _IMPORTANCE.get(each.importance, 0.0)
        if now is not None and ranking.recency:
            days = max(0, now - parsed(each.learned)) / DAY
            raised += ranking.recency * math.exp(-days / _FADING_DAYS)
        if most:
            raised += ranking.use * math.log1p(used.get(each.id, 0)) / most
        each.score *= raised
