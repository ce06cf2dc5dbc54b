"""Kinds of tools of which one purpose needs one each: React and pnpm for the frontend stand beside each other.

Implements specs/likeness.md (L-53). Pure. A kind is wide: whatever may be chosen instead of each other belongs to one, so that
what is of different kinds excludes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from language.likeness.vocabulary import canonical
from language.value_kinds import purposes

__all__ = ["are_of_other_kinds"]


def are_of_other_kinds(some: Iterable[str], others: Iterable[str]) -> bool:
    """Say whether words of two texts name tools, and none of one kind; what no table knows says nothing."""
    mine, yours = _kinds(some), _kinds(others)
    return bool(mine and yours) and mine.isdisjoint(yours)


def _kinds(words: Iterable[str]) -> frozenset[str]:
    table = _table()
    return frozenset[str]().union(*(table.get(word, ()) for word in words))


@cache
def _table() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for name, kinds in purposes().items():
        found[canonical(name)] = found.get(canonical(name), frozenset()) | kinds
    return found
