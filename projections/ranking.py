"""Ranks the hits of the full-text search: by neighbours, then importance, recency and use.

Implements specs/projections.md (P-107, P-108, P-214). Reads nothing: the caller fetches neighbours.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from language.stop_words import STOP_WORDS
from language.time_words import NamedTime
from ledger.instant import DAY, parsed

_IMPORTANCE = {"low": 0.0, "medium": 1 / 3, "high": 2 / 3, "critical": 1.0}
_FADING_DAYS = 90.0
_LIFTING = 20
"""The number of best hits that lift their neighbours."""
_REACH = 8
"""The most events between neighbours."""
_SAME_HOUR = DAY // 24
_SHARPNESS = 1.5
"""Two words found weigh more than twice as much as one."""

Uses = Callable[[Sequence[str]], Mapping[str, int]]
"""Returns how often each of these memories was read or injected; those never used may be left out."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """The weights of a search (P-66, P-107, P-108); `PLAIN` has none of them, for comparison.

    `neighbours` are the shares of a hit's score for the next memory on either side, and for the one behind that.
    `related` is the share of bm25 for a word that only means the same as one of the query (P-212).
    `time` is the share by which a memory's score rises if it was learned at the time in the query (P-214).
    `importance`, `recency` and `use` are the largest shares by which each raises a score. `meaning` is the score that
    the closest memory's vector adds; the best match of words has 1 (P-222).
    """

    stop_words: frozenset[str] = STOP_WORDS
    neighbours: tuple[float, ...] = (0.5, 0.25)
    related: float = 0.5
    time: float = 0.5
    importance: float = 0.06
    recency: float = 0.03
    use: float = 0.03
    meaning: float = 1.5


RANKING = Ranking()
PLAIN = Ranking(frozenset(), (), 0, 0, 0, 0, 0, 0)


@dataclass(slots=True, eq=False)
class Found:
    """A memory that may be shown; `every` says that it holds every word, `matched` that it holds one.

    `related` says that it holds a term with the meaning of words of the query.
    `beside` is the hit that lifts it most, by `lifted`; `close` is its closeness if only its meaning matches.
    """

    n: int
    id: str
    topic: str
    importance: str
    conversation: str
    session: str
    learned: str
    score: float
    every: bool = False
    related: bool = False
    matched: bool = True
    beside: Found | None = None
    lifted: float = 0.0
    close: float = 0.0

    @property
    def group(self) -> tuple[str, ...]:
        """The group of its neighbours: its conversation, else its topic, else only the time."""
        return (self.conversation, self.session) if self.in_conversation else (self.topic,)

    @property
    def in_conversation(self) -> bool:
        """Whether it says where it was learned."""
        return bool(self.conversation or self.session)


ByMeaning = Callable[[Collection[str]], tuple[Mapping[str, float], Sequence[Found]]]
"""Returns how close these memories and the closest others are to the query, from 0 to 1, and those others (P-222)."""

Nearby = Callable[[Iterable[int]], Iterable[Found]]
"""Returns those of the memories with these numbers that may be shown."""


def ranked(
    found: list[Found],
    *,
    nearby: Nearby,
    ranking: Ranking,
    now: int | None = None,
    uses: Uses | None = None,
    during: NamedTime | None = None,
    by_meaning: ByMeaning | None = None,
) -> list[Found]:
    """Return the memories found, best first, with their neighbours.

    Args:
        found: memories that match, with their bm25 as score.
        nearby: fetches neighbours that do not match.
        ranking: the weights.
        now: the instant in µs from which recency counts; None leaves it out.
        uses: how often memories were used; None leaves it out.
        during: a time that the query names.
        by_meaning: compares meanings; None leaves them out.
    """
    best = max((each.score for each in found), default=0.0) or 1.0
    for each in found:
        each.score = (each.score / best) ** _SHARPNESS
    if by_meaning is not None:
        found = _with_meaning(found, by_meaning, ranking.meaning)
    for each in found:
        if during and during.since <= each.learned < during.until:
            each.score *= 1 + ranking.time
    if ranking.neighbours:
        found = _with_neighbours(found, nearby, ranking.neighbours)
    _weigh(found, ranking, now, uses)
    return sorted(found, key=_order)


def _with_meaning(found: list[Found], by_meaning: ByMeaning, share: float) -> list[Found]:
    """Add the score of the meaning to each, and add memories that match only by meaning (P-222)."""
    close, others = by_meaning([each.id for each in found])
    for each in others:
        each.close = close[each.id]
    for each in (*found, *others):
        each.score += share * close.get(each.id, 0.0)
    return [*found, *others]


def _order(each: Found) -> tuple[bool, float, int]:
    return (not each.every, -each.score, -each.n)


def _with_neighbours(found: list[Found], nearby: Nearby, shares: Sequence[float]) -> list[Found]:
    """Let the best hits lift their neighbours, and add neighbours that do not match themselves.

    If a hit holds every word, or a related one, only conversations add neighbours: the question is answered, and time
    alone says little.
    """
    best = sorted(found, key=_order)[:_LIFTING]
    answered = any(each.every or each.related for each in best)
    adding = [hit for hit in best if hit.in_conversation or not answered]
    known = {each.n: each for each in found}
    around = {n for hit in adding for n in range(hit.n - _REACH, hit.n + _REACH + 1)}
    for each in nearby(around - known.keys()) if around else ():
        each.matched = False
        known[each.n] = each
    groups: dict[tuple[str, ...], list[Found]] = defaultdict(list)
    for n in sorted(known):
        groups[known[n].group].append(known[n])
    lifts = [
        (other, hit, share * hit.score)
        for hit in best
        for other, share in _beside(hit, groups[hit.group], shares)
        if other.matched or hit.in_conversation or not answered
    ]
    for other, hit, score in lifts:
        _lift(other, hit, score)
    return [each for each in known.values() if each.matched or each.beside]


def _beside(hit: Found, group: Sequence[Found], shares: Sequence[float]) -> Iterator[tuple[Found, float]]:
    """Yield the neighbours of a hit in its group, each with its share."""
    at = group.index(hit)
    for step, share in enumerate(shares, 1):
        for place in (at - step, at + step):
            if 0 <= place < len(group) and _near(hit, group[place]):
                yield group[place], share


def _near(one: Found, other: Found) -> bool:
    """Return whether two of one group were learned near each other."""
    if abs(one.n - other.n) > _REACH:
        return False
    return one.group != ("",) or abs(parsed(one.learned) - parsed(other.learned)) <= _SAME_HOUR


def _lift(other: Found, hit: Found, score: float) -> None:
    other.score += score
    if score > other.lifted:
        other.beside, other.lifted = hit, score


def _weigh(found: Sequence[Found], ranking: Ranking, now: int | None, uses: Uses | None) -> None:
    """Raise the scores of important, recent and used memories a little (P-108)."""
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
