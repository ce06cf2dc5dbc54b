"""Decides between the scopes: drops a memory that a more local one repeats or contradicts.

Implements specs/projections.md (P-125…P-127, P-175). Only `language.likeness` decides whether two memories are the same or
contradict each other. This module selects the pairs, because on free text likeness sees contradictions between the items
of a list. It imports likeness for the first pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ledger.fold import Entry, age
from ledger.named_tuple import NamedTuple
from projections.relevance import content_words

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import Literal

    from language.likeness import PreparedText

    TextRelation = Literal["same", "contradicts", "different"]

__all__ = ["NEWEST", "SCOPES", "MergeGroup", "Ruling", "ScopedEntry", "precedence"]

SCOPES = ("local", "project", "user")
"""The scopes, the prevailing one first."""

NEWEST = 200
"""The number of a scope's newest entries of one section or topic that are compared with others."""
_SHARE = 2
"""One in two words of the shorter text must be shared: 97.5 % of our equal pairs share as many."""
_ALIKE = 4
"""The number of entries with shared words to compare, those with the most first."""
_SHORT = 4
"""Two texts with together so few content words are compared even if they share none: use npm, use pnpm."""
_FEW = 40
"""The number of short texts to compare, the newest first."""


class ScopedEntry(NamedTuple):
    """An entry and its scope."""

    entry: Entry
    scope: str


class Ruling(NamedTuple):
    """A dropped entry, the prevailing one, and whether the two are the same or in contradiction."""

    loser: ScopedEntry
    winner: ScopedEntry
    verdict: TextRelation


def precedence(scope: str) -> int:
    """Return the rank of a scope, the most local first; an unknown one comes last."""
    return SCOPES.index(scope) if scope in SCOPES else len(SCOPES)


def _may_give_way(entry: Entry) -> bool:
    """Return whether an entry may be dropped: only a statement without a body, which would be lost (P-126)."""
    return not entry.memory.body and entry.memory.tier != "daily"


def _may_hold(entry: Entry) -> bool:
    """Return whether an entry may displace others: a statement, not a day's note or a block of prose (P-126)."""
    return entry.memory.tier != "daily" and not (entry.memory.type == "note" and entry.memory.body)


class MergeGroup:
    """The entries of one section or topic, of several scopes; `elsewhere` are those of all sections together."""

    def __init__(self, found: Sequence[ScopedEntry], elsewhere: MergeGroup | None = None) -> None:
        self.found = found
        self._elsewhere = elsewhere
        self._sides: dict[str, _Side] | None = None
        self._rulings: dict[str, Ruling | None] = {}

    def ruling(self, found: ScopedEntry) -> Ruling | None:
        """Return the ruling against an entry that a more local one repeats or contradicts; None if it stays."""
        entry = found.entry
        if entry.id not in self._rulings:
            ruling = self._ruling(found) if _may_give_way(entry) else None
            if ruling is None and self._elsewhere:
                other = self._elsewhere.ruling(found)
                # Two sections may repeat a statement; a contradiction counts in any section (P-125).
                ruling = other if other and other.verdict == "contradicts" else None
            self._rulings[entry.id] = ruling
        return self._rulings[entry.id]

    def _ruling(self, found: ScopedEntry) -> Ruling | None:
        sides = self._by_scope()
        if len(sides) < 2:
            return None
        own = sides.get(found.scope)
        for name in sorted(sides, key=precedence):
            if precedence(name) >= precedence(found.scope):
                return None
            side, against = sides[name], []
            for rival, verdict in side.judged(found.entry):
                if verdict == "same" and set(found.entry.memory.details) <= set(rival.memory.details):
                    return Ruling(found, ScopedEntry(rival, name), verdict)
                if verdict == "contradicts":
                    against.append(rival)
            if against and not any(side.contradicting(each) for each in against):
                listed = own.contradicting(found.entry) if own else []
                settling = (each for each in against if not listed or _settles(each, found.entry, listed))
                if winner := next(settling, None):
                    return Ruling(found, ScopedEntry(winner, name), "contradicts")
        return None

    def _by_scope(self) -> dict[str, _Side]:
        if self._sides is None:
            entries: dict[str, list[Entry]] = {}
            for entry, scope in self.found:
                if _may_hold(entry):
                    entries.setdefault(scope, []).append(entry)
            self._sides = {scope: _Side(of) for scope, of in entries.items()}
        return self._sides


class _Side:
    """One scope's newest entries in a group, read at the first comparison."""

    def __init__(self, entries: list[Entry]) -> None:
        entries.sort(key=age, reverse=True)
        self._entries = entries[:NEWEST]
        self._keys: list[frozenset[str]] | None = None

    def judged(self, entry: Entry) -> list[tuple[Entry, TextRelation]]:
        """Return its entries that are comparable with another one, each with the verdict (P-127)."""
        if self._keys is None:
            self._keys = [_keys(each) for each in self._entries]
        mine = _keys(entry)
        alike: list[tuple[int, int]] = []
        short: list[int] = []
        for at, keys in enumerate(self._keys):
            shared = len(mine & keys)
            if shared and shared * _SHARE >= min(len(mine), len(keys)):
                alike.append((-shared, at))
            elif len(mine) + len(keys) <= _SHORT:
                short.append(at)
        near = [at for _, at in sorted(alike)[:_ALIKE]] + short[:_FEW]
        others = [self._entries[at] for at in near if self._entries[at].id != entry.id]
        return [(other, _likeness(entry.memory.text, other.memory.text)) for other in others]

    def contradicting(self, entry: Entry) -> list[Entry]:
        """Return its entries that contradict another one; within one scope these are values of a list."""
        return [each for each, verdict in self.judged(entry) if verdict == "contradicts"]


def _settles(rule: Entry, entry: Entry, listed: Sequence[Entry]) -> bool:
    """Return whether a rule that contradicts a value of a list denies that value (P-175)."""
    said, text = rule.memory.text, entry.memory.text
    return _denies(said, text) or _denies(text, said) or any(_denies(said, e.memory.text) for e in listed)


def _keys(entry: Entry) -> frozenset[str]:
    """Return the beginnings of a text's words: texts without a common one are not compared (P-127)."""
    return frozenset([word[:4] for word in content_words(entry.memory.text)])


@lru_cache(maxsize=4096)
def _read(text: str) -> PreparedText:
    from language.likeness import read

    return read(text)


def _likeness(one: str, other: str) -> TextRelation:
    from language.likeness import likeness

    return likeness(_read(one), _read(other))


def _denies(one: str, other: str) -> bool:
    from language.likeness import denies

    return denies(_read(one), _read(other))
