"""The features of two texts for the model that compares a memory with a later statement.

Implements specs/capture.md (K-137). Four kinds: how much of their subjects is shared; values of one kind that differ; words in
the same place; and words that only one text has, also in short runs. In a run each telling word is only a mark: shared,
foreign or a value. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator

from language.statement_reading import NAME, Statement, Word, read
from language.stop_words import STOP_WORDS
from language.telling_words import stem

_MOST_COUNTED, _MOST_NEW, _MOST_EXCHANGED, _LONGEST_RUN = 4, 10, 2, 3
COUNTED = ("number", "clock")
"""The prefixes of kinds whose values are numbers."""
_VERBS = frozenset(
    """is are was be has have had must should can may do does use uses run runs listen listens go goes live lives work works need needs take
    takes keep keeps write make put set start starts happen happens called answer reply prefer prefers want wants ist sind hat est sont es
    está son""".split()
)
"""The words before one of these are the subject of a sentence."""
_OF_SEVERAL = frozenset(
    """speak speaks like likes love loves enjoy enjoys know knows has have own owns learn learning learns support supports read
    reads allergic hate hates""".split()
)
"""Verbs with several objects at once."""
_SEVERAL = ("language, written", "config", "api", "containers")
"""The prefixes of kinds of which a project uses several, unless one is chosen."""
_CHOOSES = frozenset("prefer prefers preferred favourite favorite main default primary".split())
_SHARED, _FOREIGN, _SAME_VALUE, _OTHER_VALUE, _NEW_KIND = "SFOKV"
"""A telling word that the other text has, or lacks; a value that it has; a value of a kind of which it has another value;
a value of a new kind. Words are in lower case, so that none looks like a mark."""
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
"""Pairs of features that are also features together."""


def features(new: str, old: str, known: str) -> dict[str, float]:
    """Return the features of two texts; `known` is their likeness."""
    now, then = read(new), read(old)
    found = _of_matter(now, then) | _of_values(now, then) | _of_places(now, then)
    found |= {
        "denial differs": now.denies != then.denies,
        "now denied": now.denies,
        "contradicts": known == "contradicts",
    }
    found |= _of_plain_changes(now, then, found)
    crossed = {f"{one} & {two}": found[one] and found[two] for one, two in _CROSSED}
    said = dict.fromkeys(
        (*_around(now.words, then.words), *_runs("#", now, then), *_runs("@", then, now)), 1.0
    )
    return {name: float(value) for name, value in (found | crossed).items() if value} | said


def _of_plain_changes(now: Statement, then: Statement, found: dict[str, float]) -> dict[str, float]:
    """Return whether the texts differ only in a value, or in a denial: "Use npm", "Use pnpm"."""
    names = now.of_kind(NAME), then.of_kind(NAME)
    of_one_matter = found["old is told"] and found["new is told"] and bool(names[0]) == bool(names[1])
    is_number = found["number differs"] and not found["kind differs"]
    other_value = (
        of_one_matter
        and found["another value"]
        and not found["denial differs"]
        and (found["exchange"] or found["contradicts"] or not found["number differs"])
        and not found["in the subject"]
        and not (found["kind differs"] and found["exchange before a noun"])
        and "?" not in now.words
        and not (_several(now, then) and not (found["exchange"] and is_number))
    )
    return {
        "other value": other_value,
        "plain exchange": other_value and found["exchange"],
        "plain denial": of_one_matter
        and names[0] == names[1]
        and found["contradicts"]
        and found["denial differs"],
    }


def _several(now: Statement, then: Statement) -> bool:
    """Return whether both texts may hold at once: "I speak German", "We use Python"."""
    return not _OF_SEVERAL.isdisjoint(now.tokens) or (
        _CHOOSES.isdisjoint(now.tokens)
        and any(kind.startswith(_SEVERAL) for kind, _ in now.values ^ then.values)
    )


def _of_matter(now: Statement, then: Statement) -> dict[str, float]:
    """Return how much of their subjects is shared, and how much only one text has."""
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


def _of_values(now: Statement, then: Statement) -> dict[str, float]:
    """Return whether values of one kind differ, and whether both texts share values."""
    shared = now.kinds() & then.kinds()
    differing = [kind for kind in shared if now.of_kind(kind) != then.of_kind(kind)]
    return {
        "kind differs": any(not kind.startswith(COUNTED) and kind != NAME for kind in differing),
        "name differs": NAME in differing,
        "one value": len(then.values) == 1,
        "another value": bool(differing)
        and (NAME not in differing or len(now.values) == len(then.values) == 1),
        "number differs": any(kind.startswith(COUNTED) for kind in differing),
        "value kept": bool(now.values & then.values),
        "old values kept": bool(then.values) and then.values <= now.values,
        "old value gone": bool(then.values) and not now.values & then.values,
        "other kinds": bool(now.values and then.values and not shared),
        "old has values": bool(then.values),
        "new has values": bool(now.values),
    }


def _of_places(now: Statement, then: Statement) -> dict[str, float]:
    """Return the features of word order: a shared beginning and end, and the text between them."""
    one, other = now.tokens, then.tokens
    head = _common(one, other)
    tail = _common(one[head:][::-1], other[head:][::-1])
    added, left = len(one) - head - tail, len(other) - head - tail
    is_short = 0 < added <= _MOST_EXCHANGED and 0 < left <= _MOST_EXCHANGED
    after = one[len(one) - tail] if tail else ""
    is_noun = bool(after) and after not in STOP_WORDS and stem(after) not in now.implied
    return {
        "in order": 2 * (head + tail) / max(len(one) + len(other), 1),
        "one change": bool(head + tail),
        "exchange": bool(head + tail) and is_short,
        "exchange at the end": bool(head) and not tail and is_short,
        "exchange at the beginning": bool(tail) and not head and is_short,
        "in the subject": bool(tail) and is_short and _VERBS.isdisjoint(one[:head]),
        "exchange before a noun": is_noun and is_short,
        "inserted": bool(head + tail) and not left,
        "tail": not tail,
        "head": head > 1,
    }


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Return how many first words two texts share."""
    return next(
        (at for at, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]),
        min(len(one), len(other)),
    )


def _around(now: tuple[str, ...], then: tuple[str, ...]) -> set[str]:
    """Return the names of features for the words of each text and for the word pairs of the new one."""
    one, other = set(now), set(then)
    return (
        {f"+{word}" for word in one - other}
        | {f"-{word}" for word in other - one}
        | {f"={word}" for word in one & other}
        | {f"{first} {second}" for first, second in zip(("^", *now), now, strict=False)}
    )


def _runs(text: str, one: Statement, other: Statement) -> Iterator[str]:
    """Yield the runs of two and three words of one text that contain a mark: "S moved to", "^ F S"."""
    marked = ["^"]
    known = {name for _, name in other.values}.union(other.tokens)
    kinds = other.kinds()
    for word in one.said:
        mark = _mark(word, other, known, kinds)
        if mark == _SHARED or mark != marked[-1] or mark not in "FOKV":
            marked.append(mark)
    marked += ["?", "$"] if "?" in one.words else ["$"]
    for length in range(2, _LONGEST_RUN + 1):
        for at in range(len(marked) - length + 1):
            run = marked[at : at + length]
            if any(map(str.isupper, run)):
                yield f"{text}{' '.join(run)}"


def _mark(word: Word, other: Statement, known: set[str], kinds: set[str]) -> str:
    """Return the mark of a word in relation to the other text, or the word itself if it tells nothing."""
    if word.values:
        if not word.values.isdisjoint(other.values):
            return _SAME_VALUE
        return _OTHER_VALUE if any(kind in kinds for kind, _ in word.values) else _NEW_KIND
    if not word.stems:
        return word.text
    return _SHARED if word.text in known or not word.stems.isdisjoint(other.stems) else _FOREIGN
