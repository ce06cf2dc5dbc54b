"""Which memories are worth comparing with which: an index of their words instead of all pairs.

Implements specs/projections.md (P-156). Pure. Likeness judges, and takes a hundred times as long as what
is done here for a pair.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import combinations

from language.likeness import PreparedText
from language.likeness.vocabulary import tables

COMMON = 40
"""A word that more memories of one section share than this does not bring two of them together."""

_LACKING = 2
"""So many of its telling words a memory may lack in another one, and one more for each three that both have."""

_MOST_WORDS = 16
"""A memory of more common words than this is not looked for by them: the ways to leave two out are many."""


def telling(readings: Iterable[PreparedText]) -> list[frozenset[str]]:
    """Return the words of each text but for those that say little by themselves (L-10)."""
    soft = tables().soft
    return [frozenset(reading.tokens.keys() - soft) for reading in readings]


def are_near(one: frozenset[str], other: frozenset[str]) -> bool:
    """Say whether two texts of these telling words may be the same or contradict each other at all (P-156)."""
    shared = len(one & other)
    return min(len(one), len(other)) - shared <= _LACKING + shared // 3


def candidates(readings: Sequence[PreparedText]) -> Iterator[tuple[int, int]]:
    """Give the pairs, as places in `readings`, that are worth comparing: each once, the lower place first.

    Two are where they share a word that few have, those with the rarest such word first; of those without such
    a word, where one has nearly all common words of the other, or they are neighbours in the order of their
    words (P-156).
    """
    bearing: dict[str, list[int]] = defaultdict(list)
    for at, reading in enumerate(readings):
        for word in reading.tokens:
            bearing[word].append(at)
    few = {word: places for word, places in bearing.items() if 1 < len(places) <= COMMON}
    seen: set[int] = set()

    def fresh(one: int, other: int) -> bool:
        pair = min(one, other) * len(readings) + max(one, other)
        known = pair in seen
        seen.add(pair)
        return not known

    for _, _, places in sorted((len(places), word, places) for word, places in few.items()):
        yield from (pair for pair in combinations(places, 2) if fresh(*pair))
    crowd = [at for at, reading in enumerate(readings) if not reading.tokens.keys() & few.keys()]
    for one, other in _crowded(crowd, readings, bearing):
        if fresh(one, other):
            yield (min(one, other), max(one, other))
    crowd.sort(key=lambda at: (sorted(readings[at].tokens), readings[at].flat, at))
    for place, at in enumerate(crowd):
        for other in crowd[place + 1 : place + 1 + COMMON]:
            if fresh(at, other):
                yield (min(at, other), max(at, other))


def _crowded(
    crowd: Sequence[int], readings: Sequence[PreparedText], bearing: dict[str, list[int]]
) -> Iterator[tuple[int, int]]:
    """Give for each memory at most `COMMON` others that have all its common words, or all but one or two of them.

    A set of memories is a number with a bit for each of them, so that those that have several words are found at
    once.
    """
    place = {at: 1 << number for number, at in enumerate(crowd)}
    soft = tables().soft
    having = {
        word: sum(place[at] for at in places if at in place)
        for word, places in bearing.items()
        if len(places) > COMMON and word not in soft
    }
    for at in crowd:
        words = [word for word in readings[at].tokens if word in having]
        alone = len(readings[at].tokens.keys() - soft) - len(words)
        found = place[at]
        if len(words) > _MOST_WORDS:
            continue
        for left_out in range(max(0, min(_LACKING - alone, len(words) - 2)) + 1):
            for kept in combinations(words, len(words) - left_out):
                if kept:
                    found |= reduce(int.__and__, (having[word] for word in kept))
            if found.bit_count() > COMMON:
                break
        found &= ~place[at]
        for _ in range(COMMON):
            if not found:
                break
            low = found & -found
            found ^= low
            yield at, crowd[low.bit_length() - 1]
