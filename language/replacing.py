"""Says whether what is said now takes the place of what was said before: one linear model over both texts, in plain Python.

Implements specs/capture.md (K-136, K-137, K-139). `replacing.json` beside this file holds the weights; `python -m training` writes
it. The model looks at what both texts speak of, at values of one kind that differ, at a denial, and at the words around:
those that only the new or only the old one has, and neighbours in the new one. What says the same is for likeness to know
(specs/likeness.md).
"""

from __future__ import annotations

from functools import cache, lru_cache
from math import exp
from pathlib import Path
from typing import Literal

import orjson

from language import value_kinds as kinds
from language.likeness import PreparedText, likeness
from language.likeness import read as prepared
from language.stop_words import STOP_WORDS
from language.telling_words import stem, telling
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

WEIGHTS = Path(__file__).with_name("replacing.json")
Comparison = Literal["changes", "same", "apart"]

_DENIES = lazy_pattern(
    r"(?i)\b(?:no|not|never|none|nothing|neither|nor|cannot|without|avoid|stop|stopped|skip|omit|kein\w*|nicht|nie|niemals|pas|"
    r"jamais|aucun\w*|nunca|não|ningun\w*)\b|n't\b"
)
_HERE = lazy_pattern(r"(?i),? ?\b(?:in|for|on|of) (?:this|the|our) (?:project|repo|repository|code ?base)\b")
"""Where something holds, which the scope tells."""
_NAME = lazy_pattern(r"(?<=[\w,;'’\")] )(?!I\b|I')[^\W\d_a-zß-ÿ][\w'-]*|(?<= )[\w-]+(?:[./_@:][\w-]+)+")
"""What is written like a name within a sentence, or like a path, a host or code."""
_PLAIN_LEVEL = 0.5
"""From this probability on a plain change counts; others need the level that the pairs show that were left out."""
_MOST_COUNTED, _MOST_NEW, _MOST_EXCHANGED = 4, 10, 2
_COUNTED = ("number", "clock")
"""How kinds begin whose values are numbers."""
_VERBS = frozenset(
    """is are was be has have had must should can may do does use uses run runs listen listens go goes live lives work works need needs take
    takes keep keeps write make put set start starts happen happens called answer reply ist sind hat est sont es está son""".split()
)
"""What stands before these is what a sentence speaks of."""
_OF_SEVERAL = frozenset(
    """speak speaks like likes love loves enjoy enjoys know knows has have own owns learn learning learns support supports read
    reads allergic hate hates""".split()
)
"""What somebody does with several things at once."""
_SEVERAL = ("language, written", "config", "api", "containers")
"""How kinds begin of which a project uses several, where none is chosen."""
_CHOOSES = frozenset("prefer prefers preferred favourite favorite main default primary".split())
_ASKED_AT_ONCE = 12
_MOST_ASKED = 8


class _Reading(NamedTuple):
    """What the model looks at in one text.

    `tokens` has each value as one word, `words` a mark in its place; `named` are the values of the table in their order, `values`
    with their kinds, and names; `stems` tell of what the text speaks beside them, and of these `implied` only name a kind.
    """

    tokens: tuple[str, ...]
    words: tuple[str, ...]
    named: tuple[str, ...]
    values: frozenset[tuple[str, str]]
    stems: frozenset[str]
    implied: frozenset[str]
    denies: bool


def compare(new: str, old: str) -> Comparison:
    """Say how what is said now stands to what was said before.

    Examples:
        >>> compare("We switched to pnpm", "The package manager is npm")
        'changes'
        >>> compare("Answer in French", "Keep answers short")
        'apart'
    """
    if new == old:
        return "same"
    now, then = _read(new), _read(old)
    if now.stems.isdisjoint(then.stems) and _kinds(now).isdisjoint(_kinds(then)):
        return "apart"
    known = likeness(_prepared(new), _prepared(old))
    if known == "same":
        return "same"
    found = features(new, old, known)
    if _model().probability(found) >= (_PLAIN_LEVEL if is_plain(found) else _model().level):
        return "changes"
    return "same" if known == "different" and "`" not in new + old and _names_the_same(now, then) else "apart"


def names(over: str, new: str, old: str) -> bool:
    """Say whether a text names by `over` what a memory says of the same matter: "fly" of "Deploy with fly deploy"."""
    gone, now, then = _read(over), _read(new), _read(old)
    is_said = {stem(name) for _, name in gone.values} | gone.stems
    said = then.stems | {stem(name) for _, name in then.values}
    of_one = not now.stems.isdisjoint(then.stems) or not _kinds(now).isdisjoint(_kinds(then))
    return of_one and bool(is_said) and is_said <= said and then.stems - then.implied - is_said <= now.stems


def is_plain(found: dict[str, float]) -> bool:
    """Say whether one text is the other with another value, or its denial, and has no other word: "Use npm", "Use pnpm"."""
    return "other value" in found or "plain denial" in found


def _names_the_same(now: _Reading, then: _Reading) -> bool:
    """Say whether two texts name the same values in one order, and tell nothing else: "We use pnpm", "The package manager is pnpm"."""
    return (
        bool(then.values)
        and (now.named, now.values) == (then.named, then.values)
        and now.stems - now.implied == then.stems - then.implied
        and now.denies == then.denies
        and ("?" in now.words) == ("?" in then.words)
        and not any(kind.startswith(_COUNTED) for kind in _kinds(then))
    )


def features(new: str, old: str, known: str) -> dict[str, float]:
    """Return what the model weighs of two texts, of which likeness says `known`."""
    now, then = _read(new), _read(old)
    found = _of_matter(now, then) | _of_values(now, then) | _of_places(now, then)
    found |= {
        "denial differs": now.denies != then.denies,
        "now denied": now.denies,
        "contradicts": known == "contradicts",
    }
    names = _named(now, "name"), _named(then, "name")
    of_one_matter = found["old is told"] and found["new is told"] and bool(names[0]) == bool(names[1])
    found |= {
        "other value": of_one_matter
        and found["another value"]
        and now.denies == then.denies
        and (bool(found["shared"]) or found["exchange at the end"] or not found["number differs"])
        and not found["in the subject"]
        and not (found["kind differs"] and found["exchange before a noun"])
        and not _several(now, then),
        "plain denial": of_one_matter
        and names[0] == names[1]
        and found["contradicts"]
        and found["denial differs"],
    }
    crossed = {f"{one} & {two}": found[one] and found[two] for one, two in _CROSSED}
    said = dict.fromkeys(_around(now.words, then.words), 1.0)
    return {name: float(value) for name, value in (found | crossed).items() if value} | said


def _several(now: _Reading, then: _Reading) -> bool:
    """Say whether there may be several of what both say, or no fact is stated: "I speak German", "We use Python", "Is it pnpm?"."""
    return (
        not _OF_SEVERAL.isdisjoint(now.tokens)
        or (
            _CHOOSES.isdisjoint(now.tokens)
            and any(kind.startswith(_SEVERAL) for kind, _ in now.values ^ then.values)
        )
        or "?" in now.words
    )


_CROSSED = tuple(
    (one, two)
    for one, others in {
        "old is told": ("kind differs", "number differs", "name differs", "denial differs", "new is told", "old value gone", "tail"),
        "new is told": ("denial differs", "name differs"),
        "nothing shared": ("kind differs", "number differs", "name differs", "denial differs"),
        "denial differs": ("value kept", "kind differs", "contradicts"),
        "contradicts": ("in the subject", "exchange before a noun"),
    }.items()
    for two in others
)  # fmt: skip
"""Pairs of features that say more together."""


def _of_matter(now: _Reading, then: _Reading) -> dict[str, float]:
    """Return how much of what they speak of is shared, and how much only one has."""
    one, other = now.stems - now.implied, then.stems - then.implied
    return {
        "shared": min(len(one & other), _MOST_COUNTED) / _MOST_COUNTED,
        "only old": min(len(other - one), _MOST_COUNTED) / _MOST_COUNTED,
        "only new": min(len(one - other), _MOST_NEW) / _MOST_NEW,
        "share of old": len(one & other) / max(len(other), 1),
        "share of new": len(one & other) / max(len(one), 1),
        "nothing shared": not one & other,
        "old is told": not other - one,
        "new is told": not one - other,
        "kind is named": bool(now.stems & now.implied or then.stems & then.implied),
    }


def _of_values(now: _Reading, then: _Reading) -> dict[str, float]:
    """Return which values of one kind differ, and which are in both."""
    shared = _kinds(now) & _kinds(then)
    differing = [kind for kind in shared if _named(now, kind) != _named(then, kind)]
    return {
        "kind differs": any(not kind.startswith(_COUNTED) and kind != "name" for kind in differing),
        "name differs": "name" in differing,
        "one value": len(then.values) == 1,
        "another value": bool(differing)
        and ("name" not in differing or len(now.values) == len(then.values) == 1),
        "number differs": any(kind.startswith(_COUNTED) for kind in differing),
        "value kept": bool(now.values & then.values),
        "old values kept": bool(then.values) and then.values <= now.values,
        "old value gone": bool(then.values) and not now.values & then.values,
        "other kinds": bool(now.values and then.values and not shared),
        "old has values": bool(then.values),
        "new has values": bool(now.values),
    }


def _of_places(now: _Reading, then: _Reading) -> dict[str, float]:
    """Return what the two have in one order: the same beginning and end, and what stands between them."""
    one, other = now.tokens, then.tokens
    head = _common(one, other)
    tail = _common(one[head:][::-1], other[head:][::-1])
    added, left = len(one) - head - tail, len(other) - head - tail
    is_short = 0 < added <= _MOST_EXCHANGED and 0 < left <= _MOST_EXCHANGED
    return {
        "in order": 2 * (head + tail) / max(len(one) + len(other), 1),
        "one change": bool(head + tail),
        "exchange": bool(head + tail) and is_short,
        "exchange at the end": bool(head) and not tail and is_short,
        "exchange at the beginning": bool(tail) and not head and is_short,
        "in the subject": bool(tail) and is_short and _VERBS.isdisjoint(one[:head]),
        "exchange before a noun": bool(tail) and is_short and one[len(one) - tail] not in STOP_WORDS,
        "inserted": bool(head + tail) and not left,
        "tail": not tail,
        "head": head > 1,
    }


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Return how many words two texts begin with alike."""
    return next(
        (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]),
        min(len(one), len(other)),
    )


def _around(now: tuple[str, ...], then: tuple[str, ...]) -> set[str]:
    """Return the words that only one text has, and the neighbours in the new one, as the names of features."""
    one, other = set(now), set(then)
    return (
        {f"+{word}" for word in one - other}
        | {f"-{word}" for word in other - one}
        | {f"={word}" for word in one & other}
        | {f"{first} {second}" for first, second in zip(("^", *now), now, strict=False)}
    )


def _kinds(reading: _Reading) -> set[str]:
    return {kind for kind, _ in reading.values}


def _named(reading: _Reading, kind: str) -> set[str]:
    return {name for each, name in reading.values if each == kind}


@lru_cache(maxsize=1024)
def _read(text: str) -> _Reading:
    text = _HERE.sub("", text.replace("’", "'"))
    said = kinds.tokens(text)
    values = tuple(kinds.values(said))
    places = {place for value in values for place in range(value.first, value.last + 1)}
    starts = {value.first: value for value in values}
    units = [
        starts[place].name if place in starts else word
        for place, word in enumerate(said)
        if place in starts or place not in places
    ]
    words = [
        "0" if place in places and word[0].isdigit() else "V" if place in places else word
        for place, word in enumerate(said)
    ]
    if text.rstrip().endswith("?"):
        words.append("?")
    plain = telling(word for place, word in enumerate(said) if place not in places)
    nouns = {stem(word) for value in values for word in kinds.nouns(value.kind)}
    known = {(value.kind, value.name) for value in values}
    taken = {said[place] for place in places}
    names = {found[0].casefold() for found in _NAME.finditer(text)} - taken
    filled = frozenset(known | {("name", name) for name in names})
    named = tuple(dict.fromkeys(value.name for value in values))
    plain -= {stem(name) for name in names}
    denies = len(_DENIES.findall(text)) % 2 == 1
    return _Reading(tuple(units), tuple(words), named, filled, plain, plain & nouns, denies)


@lru_cache(maxsize=256)
def _prepared(text: str) -> PreparedText:
    """Read a text for likeness once, as it is compared with many."""
    return prepared(text)


def asked_for(text: str) -> list[str]:
    """Return words, in groups, by which memories of values of the same kinds are found, though they share none with the text."""
    found: dict[str, None] = {}
    for kind in dict.fromkeys(value.kind for value in kinds.values(kinds.tokens(text))):
        words = [word for name in (*kinds.nouns(kind), *kinds.others(kind)) for word in name.split()]
        starts = range(0, len(words), _ASKED_AT_ONCE)
        found.update(dict.fromkeys(" ".join(words[at : at + _ASKED_AT_ONCE]) for at in starts))
    return list(found)[:_MOST_ASKED]


class _Model:
    """The weights of the features, and the probability from which the old one is replaced."""

    def __init__(self, stored: dict[str, dict[str, float]]) -> None:
        self._weights, self._bias = stored["weights"], stored["model"]["bias"]
        self.level = stored["model"]["level"]

    def probability(self, found: dict[str, float]) -> float:
        """Return how likely it is that the new text takes the place of the old one."""
        weights = self._weights
        odds = self._bias + sum(weights[name] * value for name, value in found.items() if name in weights)
        return 1 / (1 + exp(-odds))


@cache
def _model() -> _Model:
    return _Model(orjson.loads(WEIGHTS.read_bytes()))
