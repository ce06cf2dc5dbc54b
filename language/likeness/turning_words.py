"""Keeps apart texts that a small word turns: "opt in", "opt out"; "during deploys", "before deploys".

Implements specs/likeness.md (L-20, L-37). Prepositions carry no matter for the rest of likeness, and most of them
can stand for each other; here are those that cannot. Asked only about texts that everything else calls the same. Pure;
linear in the texts' lengths.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product
from typing import Literal

from language.likeness import vocabulary
from language.likeness.signs import by_sign
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

__all__ = ["by_condition", "turn"]

Turn = Literal["", "different", "contradicts"]


def turn(one: str, other: str) -> Turn:
    """Return what small words and signs make of two texts that are the same but for them, "" for nothing."""
    found = (by_sign(one, other), _by_word(one, other), _by_order(one, other), by_condition(one, other))
    return "contradicts" if "contradicts" in found else next(filter(None, found), "")


# --- prepositions and particles (L-20) ---

_CLASSES = {
    **{word: word for word in "in on at to by with for of from out up over against as about per".split()},
    **dict.fromkeys("into inside within".split(), "in"),
    **dict.fromkeys("onto upon".split(), "on"),
    **dict.fromkeys("towards toward".split(), "to"),
    **dict.fromkeys("via through using".split(), "with"),
    **dict.fromkeys("off".split(), "from"),
    **dict.fromkeys("outside".split(), "outside"),
    **dict.fromkeys("till until".split(), "until"),
    **{word: word for word in "after before since".split()},
}
"""What can stand for each other in any place has one name."""

_OTHERS = frozenset(_CLASSES.values())
_TIMES = frozenset("after before until since".split())
_TURNED = {
    "out": _OTHERS - {"outside", "from", "of"},
    "outside": _OTHERS - {"out", "from", "of"},
    "against": frozenset("for with by from as".split()),
    "from": frozenset("to for as".split()) | _TIMES,
    "by": frozenset("for to as".split()) | _TIMES,
    "with": frozenset("for as".split()),
    "as": frozenset("with for from by to on at".split()),
    "per": frozenset("for to from in on at by with".split()),
    "about": frozenset("to for from by with against".split()),
    "up": frozenset("in on over".split()),
    "until": _OTHERS - {"until", "to"},
    **{time: _OTHERS - {time} for time in _TIMES - {"until"}},
}
"""What turns a text where it stands in place of another one; either way round."""
_AT_TIMES = frozenset(frozenset(("for", other)) for other in "in on at by".split())
_BY_TIMES = frozenset(frozenset(("by", other)) for other in "in on at".split())
"""These turn before a time alone: `for 5 days`, `in 5 days`; `by noon`, `at noon`."""

_PASSED = frozenset(
    """a an the this that these those it its their his her my our your we you they i is are was were be been being
    all any each every do does did must should shall will can may have has had also always still just""".split()
)
"""What may stand between a preposition and what it belongs to."""
_OF_USE = ({"with", "for"}, {"as", "for"})
"""What is used *with* something, or *as* it, is used *for* it."""
_EACH = frozenset("each every".split())
_TESTING = frozenset(
    """test run check verify validate compare lint build compile measure benchmark type-check develop diff match
    integration""".split()
)
"""With one of these, *against* says on what."""
_AT_WHAT = frozenset("against on to at in".split())
"""What *against* can stand for: `open pull requests against main`."""
_IDLE_OUT = frozenset(
    "find figure carry point print write try test spell lay start fill work map fan time last".split()
)
"""What these are without their *out* is not turned."""
_EXCLUSIVE = frozenset("opt phase".split())
"""Nobody does these *in* and *out* at once."""
_CLOCK = lazy_pattern(
    r"\d+(?::\d\d)?(?:s|ms|h|d|min|am|pm)|\d+:\d\d|noon|midnight|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
)
_HYPHEN = lazy_pattern(r"(?<=[a-z])-(?=[a-z])")
_AROUND = ".,;:!?\"'()[]{}<>*_`-"


@cache
def _stems(table: frozenset[str]) -> frozenset[str]:
    return frozenset(map(vocabulary.canonical, table))


class _Run(NamedTuple):
    """Small words that stand together, with the word before and the word after them, "" where there is none.

    `timed` says that the word after begins a time.
    """

    before: str
    small: frozenset[str]
    after: str
    timed: bool = False


def _by_word(one: str, other: str) -> Turn:
    left, right = list(_words(one)), list(_words(other))
    mine, yours = _runs(left), _runs(right)
    testing = not (_stems(_TESTING).isdisjoint(left) or _stems(_TESTING).isdisjoint(right))
    each = not _EACH.isdisjoint((*left, *right))  # `for each user` is `per user`
    using = "use" in left and "use" in right
    both_out = (_goes(mine, "out") or _any_joined(left)) and (_goes(yours, "out") or _any_joined(right))
    found: Turn = ""
    for x, y in _beside(mine, yours):
        for i, j in product(x.small - y.small, y.small - x.small):
            idle = "out" in (i, j) and (both_out or _is_idle(x, y) or _is_idle(y, x))
            if (
                idle
                or ("per" in (i, j) and each)
                or (testing and "against" in (i, j))
                or (using and {i, j} in _OF_USE)
            ):
                continue
            timed = x.after == y.after and x.timed
            if j in _TURNED.get(i, ()) or i in _TURNED.get(j, ()) or (timed and _is_other_time(i, j)):
                if _excludes(x, y, i, j, timed=timed):
                    return "contradicts"
                found = "different"
    return found or _by_absence((left, mine), (right, yours), testing=testing)


def _goes(runs: list[_Run], small: str) -> bool:
    return any(small in run.small for run in runs)


def _is_idle(run: _Run, other: _Run) -> bool:
    """Say whether `out` only belongs to a verb that says the same without it, or that the other text does not have."""
    if "out" not in run.small or "of" in run.small:
        return False
    return run.before != other.before or run.before in _stems(_IDLE_OUT)


def _is_other_time(one: str, other: str) -> bool:
    return frozenset((one, other)) in _AT_TIMES | _BY_TIMES


def _excludes(x: _Run, y: _Run, one: str, other: str, *, timed: bool) -> bool:
    """Say whether what two small words make of one place cannot both hold."""
    both = {one, other}
    if "against" in both:
        return "for" in both
    if "out" in both or "outside" in both:
        place = x.after == y.after and ("outside" in both or "of" in x.small | y.small)
        return "in" in both and (place or (x.before == y.before and x.before in _stems(_EXCLUSIVE)))
    return timed and not _TIMES.isdisjoint(both)


def _by_absence(
    one: tuple[list[str], list[_Run]], other: tuple[list[str], list[_Run]], *, testing: bool
) -> Turn:
    """Return what it makes that one text alone goes *out*, *outside* or *against* something."""
    for (_, has), (said, lacks) in ((one, other), (other, one)):
        theirs = frozenset[str]().union(*(run.small for run in lacks))
        if _goes(has, "against") and theirs.isdisjoint(_AT_WHAT) and not testing:
            return "different"
        verbs = frozenset(said) - _stems(_IDLE_OUT)
        out = any(
            "outside" in run.small or ("out" in run.small and ("of" in run.small or run.before in verbs))
            for run in has
        )
        if out and theirs.isdisjoint(("out", "outside", "from")) and not _any_joined(said):
            return "different"
    return ""


def _any_joined(said: list[str]) -> bool:
    """Say whether *out* is part of a word, as in `checkout`."""
    return any("out" in (word[:3], word[-3:]) for word in said)


def _words(text: str) -> Iterator[str]:
    for chunk in _HYPHEN.sub(" ", text.casefold()).split():
        if word := chunk.strip(_AROUND):
            small = word if word in _CLASSES or word in vocabulary.UNITS else vocabulary.canonical(word)
            yield vocabulary.NUMBERS.get(word, small)


def _runs(said: list[str]) -> list[_Run]:
    found: list[_Run] = []
    before, small = "", set[str]()
    for at, word in enumerate([*said, ""]):
        if word in _CLASSES:
            small.add(_CLASSES[word])
        elif word not in _PASSED:
            if small:
                found.append(_Run(before, frozenset(small), word, _is_time(word, said[at + 1 : at + 2])))
            before, small = word, set()
    return found


def _is_time(word: str, behind: list[str]) -> bool:
    if _CLOCK.fullmatch(word):
        return True
    return word.isdigit() and any(vocabulary.UNITS.get(each, (0, ""))[1] == "ms" for each in behind)


def _beside(mine: list[_Run], yours: list[_Run]) -> Iterator[tuple[_Run, _Run]]:
    """Give the runs that stand beside the same word, where each text has one there and did not put it elsewhere."""
    for side in ("before", "after"):
        left, right = _once(mine, side), _once(yours, side)
        for word in left.keys() & right.keys():
            x, y = left[word], right[word]
            if not (_is_among(x, yours) or _is_among(y, mine)):
                yield x, y


def _is_among(run: _Run, runs: list[_Run]) -> bool:
    """Say whether the same small words stand before the same word in another text, whatever is before them."""
    return any(each.small == run.small and each.after == run.after for each in runs)


def _once(runs: list[_Run], side: str) -> Mapping[str, _Run]:
    """Return the runs by the word on one side; without those of a word that has several."""
    counts = Counter(getattr(run, side) for run in runs)
    return {word: run for run in runs if (word := getattr(run, side)) and counts[word] == 1}


# --- words of order and exception (L-20) ---

_ORDER = {
    **{word: word for word in "before after during since unless except without".split()},
    **dict.fromkeys("while whilst".split(), "during"),
    **dict.fromkeys("until till".split(), "until"),
}
"""Where one of these stands in place of another one, the text is turned, wherever in it that is."""
_ORDERED = lazy_pattern("|".join(_ORDER), re.IGNORECASE)
_SAID_FROM_BEHIND = ({"before", "after"}, {"before", "without"})
"""What one of these says of one word, the other says of another: `lint before tests`, `tests after lint`; `ask before
deleting`, `never delete without asking`. L-5 and L-7 have compared them."""


def _by_order(one: str, other: str) -> Turn:
    if _ORDERED.search(one) is None or _ORDERED.search(other) is None:
        return ""
    left, right = _ordering(one), _ordering(other)
    mine = Counter(order for order, _ in left) - Counter(order for order, _ in right)
    yours = Counter(order for order, _ in right) - Counter(order for order, _ in left)
    if not mine or not yours:
        return ""
    same_word = not {word for _, word in left}.isdisjoint(word for _, word in right)
    return "" if mine.keys() | yours.keys() in _SAID_FROM_BEHIND and not same_word else "different"


def _ordering(text: str) -> list[tuple[str, str]]:
    """Return the words of order in a text, each with the word that follows."""
    found: list[tuple[str, str]] = []
    order = ""
    for chunk in text.casefold().split():
        word = chunk.strip(_AROUND)
        if word in _ORDER:
            found += [(order, "")] if order else []
            order = _ORDER[word]
        elif order and word not in _PASSED:
            found.append((order, vocabulary.canonical(word)))
            order = ""
    return [*found, (order, "")] if order else found


# --- a condition that only one text has (L-37) ---

_CONDITION = lazy_pattern(
    r"\b(?:if|when|whenever|while|once|unless|until|till|except|provided|assuming|in case|as long as)\b([^,.;:]*)",
    re.IGNORECASE,
)
_ANY_CONDITION = lazy_pattern(
    rf"{_CONDITION.pattern}|\b(?:before|after|during|since|without)\b", re.IGNORECASE
)


def by_condition(one: str, other: str) -> Turn:
    """Return what it makes that one text alone has a condition whose words the other does not say."""
    for has, lacks in ((one, other), (other, one)):
        found = _CONDITION.search(has)
        if found is None or _ANY_CONDITION.search(lacks) is not None:
            continue
        telling = {
            word
            for word in _words(found[1])
            if word not in vocabulary.GRAMMAR and word not in vocabulary.tables().frame
        }
        if not telling or not telling <= set(_words(lacks)):
            return "different"
    return ""
