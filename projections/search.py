"""Finds the best memories for a query, and says of each why it was found.

Implements specs/projections.md (P-66, P-109). Reads only. What is looked at with Python is bounded by the
limit, not by the number of memories or of matches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from ledger.fold import Entry
from ledger.memory import Memory
from projections.index import Index
from projections.index_rows import SELECT_MEMORY, as_json, entry_of
from projections.query import Filter, conditions
from projections.ranking import RANKING, Found, Ranking, Uses, ranked
from projections.search_terms import Query, Term, beginnings, parse

_LOOKED_AT = 60
"""So many are ranked together, whatever the limit: a larger one adds hits and changes none."""


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


_SAID = "(m.text || char(10) || m.title || char(10) || m.body || char(10) || m.details || char(10) || m.tags)"
_LOOKED_FOR = "m.seq, m.id, m.topic, m.importance, m.conversation, m.session, m.learned"


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
    entries = looking.entries(found)
    return [Hit(entries[each.seq], reasons[each.seq], each.score) for each in found]


def _best(
    looking: _Looking, query: Query, ranking: Ranking, now: int | None, uses: Uses | None
) -> tuple[list[Found], Sequence[Term]]:
    """Return what was found, best first, and for which terms."""
    found, terms = looking.matches(query.phrases, query.words), query.terms
    if not found:
        words = beginnings(query.words)
        found, terms = looking.matches(query.phrases, words), (*query.phrases, *words)
    strict = bool(query.phrases)
    return ranked(found, looking.nearby, ranking, now=now, uses=uses, strict=strict), terms


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

    def matches(self, phrases: Sequence[Term], words: Sequence[Term]) -> list[Found]:
        """Return what matches best: all of the words, then any, then, where phrases are asked for, those alone."""
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
                found.setdefault(each.seq, each)
            if len(found) >= self._most:
                break
        return list(found.values())

    def _best(self, expression: str) -> list[Found]:
        """Take the best rows of the full-text index that pass the filter.

        FTS5 gives rows in the order of their rank, so that CROSS JOIN (which keeps the order of the tables) looks
        at no more than it needs.
        """
        found: list[Found] = []
        for table in self._tables:
            query = (
                f"SELECT {_LOOKED_FOR}, -f.rank FROM {table} f CROSS JOIN memories m ON m.seq = f.rowid "
                f"WHERE {' AND '.join([f'{table} MATCH ?', *self._where])} ORDER BY f.rank LIMIT ?"
            )
            rows = self._db.execute(query, (expression, *self._values, self._most))
            found += [Found(*row) for row in rows]
        return found

    def nearby(self, seqs: Iterable[int]) -> list[Found]:
        """Return those of the memories with these seqs that pass the filter."""
        where = " AND ".join(["m.seq IN (SELECT value FROM json_each(?))", *self._where])
        query = f"SELECT {_LOOKED_FOR}, 0.0 FROM memories m WHERE {where}"
        return [Found(*row) for row in self._db.execute(query, (as_json(list(seqs)), *self._values))]

    def entries(self, found: Sequence[Found]) -> dict[int, Entry]:
        """Return the memories themselves, by seq."""
        query = f"{SELECT_MEMORY} WHERE m.seq IN (SELECT value FROM json_each(?))"
        return {
            row[0]: entry_of(row) for row in self._db.execute(query, (as_json([each.seq for each in found]),))
        }

    def reasons(self, terms: Sequence[Term], found: Sequence[Found]) -> dict[int, tuple[Reason, ...]]:
        """Return which of the terms each memory matches, and beside which it was learned."""
        matching = self._matching_each(terms, found)
        return {
            each.seq: (
                *(
                    Reason(term.kind, term.said)
                    for term, seqs in zip(terms, matching, strict=True)
                    if each.every or each.seq in seqs
                ),
                *((Reason("beside", each.beside.id),) if each.beside and not each.matched else ()),
            )
            for each in found
        }

    def _matching_each(self, terms: Sequence[Term], found: Sequence[Found]) -> list[set[int]]:
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
