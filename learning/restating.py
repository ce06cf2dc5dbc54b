"""Says whether a sentence says again, in other words, what stands: "I've got a peanut allergy", "is allergic to peanuts".

Implements specs/capture.md (K-139). Looser than likeness's *same*, and stricter where something new would be lost:
every telling word and value of the memory must be said, with the same sign, and next to nothing beside. Pure.
"""

from __future__ import annotations

import re

from capture.cues import TASKS
from learning.matter import WEAK, Matter, of_kind, read

_LEAST = 2
"""So many telling words make a matter that is known by its words."""
_KNOWN_BY = 3
"""By so many telling words a memory is known though one of its own is not said."""
_IS_VALUE = re.compile(r"[\d_/.]")
_MOST_BESIDE = 0
_CONDITIONS = re.compile(
    r"\b(?:when|whenever|if|unless|until|except|only|while|before|after|without|instead|second|another|also|wenn|falls|außer|quand|"
    r"si|cuando)\b",
    re.IGNORECASE,
)
_CONSEQUENCE = re.compile(
    r"(?<=\w\w),?\s+(?:so|because|since|as|which is why|therefore|hence|therefore|even if|even though|auch wenn|also|weil|deshalb|"
    r"donc|car|así que|porque|então)\s",
    re.IGNORECASE,
)
_COMMA = re.compile(r"[,;]\s+(?:and\s+|please\s+|then\s+)*(?P<next>\w+)")
_NEW_THOUGHT = re.compile(r"[;,.!]\s+|\s+[–—-]\s+|\s+(?=(?:so|because|since|but|and|as)\b)", re.IGNORECASE)


def restates(new: str, stands: str, *, beside: int = _MOST_BESIDE) -> bool:
    """Say whether a text says all of a memory again, and at most `beside` telling words more.

    Of a text of several clauses one may say it, where the others give no more than a reason or an order of the moment: that
    is for the caller to know, by the clauses that it passes.
    """
    now, old = read(new), read(stands)
    if now.denied != old.denied or not old.all or _conditions(new) != _conditions(stands):
        return False
    for kind in old.values.keys() | now.values.keys():
        if kind in old.values and _order(now, kind) != _order(old, kind):
            return False
    needed = old.stems - _implied(old)
    said = now.stems - _implied(now) | _others(now, old)
    missing = needed - now.stems
    said_again = len(needed & now.stems)
    if not said - old.stems:
        said_again += len(old.values)
    known = said_again >= _KNOWN_BY and not any(map(_IS_VALUE.search, missing))
    if len(missing) > known or len(said - old.stems) > beside:
        return False
    return len(needed) + len(old.values) >= _LEAST or (bool(old.values) and not said - old.stems)


def main(text: str) -> str:
    """Return a sentence without the consequence or the reason that it ends in: "we squash merge, so push away"."""
    said = _CONSEQUENCE.split(text, maxsplit=1)[0]
    for found in _COMMA.finditer(said):
        if found["next"].casefold() in TASKS:
            return said[: found.start()]
    return said


def clauses(text: str) -> list[str]:
    """Return the clauses of a sentence, each of which may say something again."""
    return [clause for clause in _NEW_THOUGHT.split(text) if clause and clause.strip()]


def _implied(matter: Matter) -> frozenset[str]:
    """Return the stems of what the values say already: "package manager" beside pnpm."""
    return frozenset().union(*(of_kind(kind) for kind in matter.values)) if matter.values else frozenset()


def _others(now: Matter, old: Matter) -> frozenset[str]:
    """Return the stems of the values of which the memory names no kind."""
    return frozenset().union(*(now.named[kind] for kind in now.values if kind not in old.values)) - WEAK


def _order(matter: Matter, kind: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(matter.values.get(kind, ())))


def _conditions(text: str) -> set[str]:
    return {found[0].casefold() for found in _CONDITIONS.finditer(text)}
