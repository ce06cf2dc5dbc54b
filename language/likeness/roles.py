"""Finds texts of the same words that exclude each other because two of them changed roles: "copy a to b", "copy b to a".

Implements specs/likeness.md (L-35, L-40, L-50). Asked only about texts of the same words of which nothing else has told that
they contradict each other. Pure; linear in the texts' lengths but for the stretch that changed, of at most 16 words.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from language.likeness import vocabulary
from language.likeness.bonds import MUTUAL
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

__all__ = ["are_mutual", "changed_roles", "is_said_the_other_way"]

_COPULA = lazy_pattern(r"\b(?:is|are) ", re.IGNORECASE)
_OF_ANY = lazy_pattern(r"\bare |\bis an? |^(?:an?|every|each|any) ", re.IGNORECASE)
"""Kinds of things are spoken of; where one thing is another, it is a name of it."""
_LISTED = lazy_pattern(r"\band\b|[,;:\d`/@]|\w_\w", re.IGNORECASE)
_DEFINITE = lazy_pattern(r"\b(?:the|our|my|your|their|his|her|its|these|those)\b|'s\b", re.IGNORECASE)
_NAME = lazy_pattern(r"[A-Z][a-z]+(?: [A-Z][a-z]+)?\W{0,3}$")
_ONE_SIDED = frozenset(
    vocabulary.canonical(word)
    for word in """override overrides beat beats outrank outranks precedence shadow shadows inherit inherits extend
    extends win wins mirror mirrors   contain contains include includes
    precede precedes feed feeds upstream downstream above below behind ahead""".split()
)
"""If one thing does this to another, the other does not do it to the one."""
_RANKS = frozenset(
    vocabulary.canonical(word)
    for word in """manager boss lead leader supervisor mentor parent child mother father son daughter ancestor descendant owner
    subset superset subclass superclass base dependency prerequisite predecessor successor client server copy fork clone
    replica mirror derivative part member primary secondary source subfolder subdirectory submodule""".split()
)
"""What one thing is of another, the other is not of the one."""
_MUTUALLY = lazy_pattern(r"\b(?:to|with|of|as|from)\b|'s", re.IGNORECASE)
_IDLE = frozenset("is are to with of as from 's same very".split())
_TRANSFERS = frozenset(
    map(
        vocabulary.canonical,
        """copy move compile convert rename transpile translate mount replace migrate port transform sync promote redirect
        copied moved compiled converted renamed translated mounted replaced migrated transformed""".split(),
    )
)
"""Verbs that take one thing to, into, onto another, or put it for another."""
_TOWARDS = frozenset("to into onto on with as by".split())
_LINKS = frozenset("for in on is are to when if at use run with".split())
"""What ties a thing to its value: `tabs for Go`, `staging uses MySQL`."""
_PAUSES = frozenset((",", ";", "and", "while", "but"))
_ARTICLES = frozenset("a an the".split())
_AROUND = "\"'()[]{}<>*_`"
_LONGEST = 16
_MOST = 3
"""So many words has a thing that changed its role."""


class _Change(NamedTuple):
    """What changed places: the words before, of the one thing, between, of the other thing, and after."""

    before: list[str]
    x: list[str]
    middle: list[str]
    y: list[str]
    after: list[str]


def changed_roles(one: str, other: str) -> bool:
    """Say whether two texts are each other's reversal: two things changed places around what ties them one way."""
    change = _change(one, other)
    if change is None:
        return False
    return (
        _is_ranked(change.middle, change.after)
        or _is_one_way(change.before, change.middle)
        or _is_keyed(change)
    )


def is_said_the_other_way(one: str, other: str) -> bool:
    """Say whether what is said of a kind of things is what the other text is about (L-50).

    `Lint warnings are errors`, `lint errors are warnings`; but a name may stand on either side of *is*.
    """
    if _OF_ANY.search(one) is None or _OF_ANY.search(other) is None:
        return False
    if _LISTED.search(one) or _LISTED.search(other):
        return False
    left, right = _COPULA.split(one), _COPULA.split(other)
    if len(left) != 2 or len(right) != 2 or _NAME.match(left[1]) or _NAME.match(right[1]):
        return False
    (a, b), (c, d) = map(_contents, left), map(_contents, right)
    if _MUTUALLY.search(one) is not None and not MUTUAL.isdisjoint(a | b):
        return False
    if {frozenset(a), frozenset(b)} == {frozenset(c), frozenset(d)} and any(
        _DEFINITE.search(x) and _DEFINITE.search(y) for x, y in ((left[0], right[1]), (left[1], right[0]))
    ):
        return False
    return not (a - b).isdisjoint(d - c) and not (b - a).isdisjoint(c - d)


def _contents(text: str) -> set[str]:
    return {word for word in _said(text) if word not in vocabulary.GRAMMAR or word.startswith("user")}


def are_mutual(one: str, other: str) -> bool:
    """Say whether two things changed places around what each is to the other: `x is married to y` (L-40)."""
    if _MUTUALLY.search(one) is None:
        return False
    change = _change(one, other)
    if change is None or change.before:
        return False
    rest = [word for word in (*change.middle, *change.after) if word not in _IDLE]
    return bool(rest) and MUTUAL.issuperset(rest)


def _change(one: str, other: str) -> _Change | None:
    """Return which two things changed places, the first fit, None where none did."""
    left, right = _said(one), _said(other)
    start = 0
    while start < min(len(left), len(right)) and left[start] == right[start]:
        start += 1
    end = 0
    while end < min(len(left), len(right)) - start and left[-1 - end] == right[-1 - end]:
        end += 1
    mine, yours = left[start : len(left) - end], right[start : len(right) - end]
    if len(mine) != len(yours) or not 3 <= len(mine) <= _LONGEST:
        return None
    for first in range(1, min(_MOST, len(mine) - 2) + 1):
        for last in range(1, min(_MOST, len(mine) - first - 1) + 1):
            x, middle, y = mine[:first], mine[first:-last], mine[-last:]
            if y + middle + x == yours:
                return _Change(left[:start], x, middle, y, left[len(left) - end :])
    return None


def _said(text: str) -> list[str]:
    found = []
    for chunk in text.casefold().split():
        bare = chunk.strip(_AROUND)
        word = bare.rstrip(",;:.!") or bare
        owner = word.endswith("'s") and len(word) > 3
        word = word.removesuffix("'s") if owner else word
        if word not in _ARTICLES:
            found.append(
                "use"
                if word in ("uses", "using")
                else "run"
                if word == "runs"
                else vocabulary.canonical(word)
            )
        if owner:
            found.append("'s")
        if bare[-1:] in (",", ";") and len(bare) > 1:
            found.append(bare[-1])
    return found


def _is_ranked(middle: Sequence[str], after: Sequence[str]) -> bool:
    """Say whether two things changed places around *is* and a rank: `x is the parent of y`, `x is y's parent` (L-40)."""
    if "is" not in middle and "are" not in middle:
        return False
    if after[:1] == ["'s"]:
        return not _RANKS.isdisjoint(after[1:3])
    return "of" in middle and not _RANKS.isdisjoint(middle)


def _is_one_way(before: Sequence[str], middle: Sequence[str]) -> bool:
    """Say whether what stands between two things, and before them, ties them one way only (L-35)."""
    if not _PAUSES.isdisjoint(middle):
        return False
    if not _ONE_SIDED.isdisjoint(middle):
        return True
    return not _TOWARDS.isdisjoint(middle) and not _TRANSFERS.isdisjoint((*before[:2], *middle))


def _is_keyed(change: _Change) -> bool:
    """Say whether two things changed places in the halves of a text that give each thing its own (L-35)."""
    before, x, middle, y, after = change
    said = [*before, *x, *middle, *y, *after]
    start, end = len(before), len(said) - len(after)
    pauses = [at for at, word in enumerate(said) if word in _PAUSES]
    if not pauses or pauses[-1] - pauses[0] != len(pauses) - 1:
        return False  # none, or several: a list
    first, second = said[: pauses[0]], said[pauses[-1] + 1 :]
    if not (start + len(x) <= pauses[0] and end - len(y) > pauses[-1]):
        return False
    ties = _LINKS.intersection(first) & _LINKS.intersection(second)
    rest = (set(first) | set(second)) - {*x, *y} - ties
    at_end = len(first) == start + len(x) and len(said) == end
    at_start = end - len(y) == pauses[-1] + 1
    return bool(ties) and len(rest) > 1 and (at_end or at_start)
