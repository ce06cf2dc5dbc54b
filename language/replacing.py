"""Decides whether a new statement replaces an earlier one: one linear model over both texts, in plain Python.

Implements specs/capture.md (K-136, K-137, K-139). `replacing.json` beside this file holds the weights; `python -m training` writes
it. `replacement_features` lists the features. Likeness (specs/likeness.md) recognises the same statement in other words.
"""

from __future__ import annotations

from functools import cache
from math import exp
from pathlib import Path
from typing import Literal

import orjson

from language import value_kinds
from language.likeness import likeness
from language.replacement_features import COUNTED, features
from language.statement_reading import Statement, read, share_nothing
from language.telling_words import stem

WEIGHTS = Path(__file__).with_name("replacing.json")
Comparison = Literal["changes", "same", "apart"]

LEVELS = {"plain exchange": 0.15, "plain denial": 0.15, "other value": 0.5}
"""The lowest probability of each plain change; all other changes need the level from held-out pairs."""
_LIKELY = 0.5
"""A text that names the same values may still end the memory's statement from this probability on."""
_ASKED_AT_ONCE = 12
_MOST_ASKED = 8


def compare(new: str, old: str) -> Comparison:
    """Compare a new statement with an earlier one.

    Examples:
        >>> compare("We switched to pnpm", "The package manager is npm")
        'changes'
        >>> compare("Answer in French", "Keep answers short")
        'apart'
    """
    if new == old:
        return "same"
    now, then = read(new), read(old)
    if share_nothing(now, then):
        return "apart"
    known = likeness(new, old)
    if known == "same":
        return "same"
    found = features(new, old, known)
    likely = _model().probability(found)
    if likely >= (plain_level(found) or _model().level):
        return "changes"
    is_same = likely < _LIKELY and known == "different" and "`" not in new + old
    return "same" if is_same and _names_the_same(now, then) else "apart"


def names(over: str, new: str, old: str) -> bool:
    """Return whether `over` names a memory's statement on the same subject: "fly" for "Deploy with fly deploy"."""
    gone, now, then = read(over), read(new), read(old)
    is_said = {stem(name) for _, name in gone.values} | gone.stems
    said = then.stems | {stem(name) for _, name in then.values}
    of_one = not share_nothing(now, then)
    return of_one and bool(is_said) and is_said <= said and then.stems - then.implied - is_said <= now.stems


def plain_level(found: dict[str, float]) -> float | None:
    """Return the level of a plain change, None for any other change."""
    return next((level for name, level in LEVELS.items() if name in found), None)


def _names_the_same(now: Statement, then: Statement) -> bool:
    """Return whether two texts say only the same values in one order: "We use pnpm", "The package manager is pnpm"."""
    return (
        bool(then.values)
        and (now.named, now.values) == (then.named, then.values)
        and now.stems - now.implied == then.stems - then.implied
        and now.denies == then.denies
        and ("?" in now.words) == ("?" in then.words)
        and not any(kind.startswith(COUNTED) for kind in then.kinds())
    )


def asked_for(text: str) -> list[str]:
    """Return groups of search words for memories with values of the same kinds, which may share no word with the text."""
    found: dict[str, None] = {}
    for kind in dict.fromkeys(value.kind for value in value_kinds.values(value_kinds.tokens(text))):
        words = [
            word for name in (*value_kinds.nouns(kind), *value_kinds.others(kind)) for word in name.split()
        ]
        starts = range(0, len(words), _ASKED_AT_ONCE)
        found.update(dict.fromkeys(" ".join(words[at : at + _ASKED_AT_ONCE]) for at in starts))
    return list(found)[:_MOST_ASKED]


class _Model:
    """The weights of the features, and the lowest probability of a replacement."""

    def __init__(self, stored: dict[str, dict[str, float]]) -> None:
        self._weights, self._bias = stored["weights"], stored["model"]["bias"]
        self.level = stored["model"]["level"]

    def probability(self, found: dict[str, float]) -> float:
        """Return the probability that the new text replaces the old one."""
        weights = self._weights
        odds = self._bias + sum(weights[name] * value for name, value in found.items() if name in weights)
        return 1 / (1 + exp(-odds))


@cache
def _model() -> _Model:
    return _Model(orjson.loads(WEIGHTS.read_bytes()))
