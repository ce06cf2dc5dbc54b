"""Says whether a sentence says again, in other words, what stands: "I've got a peanut allergy", "is allergic to peanuts".

Implements specs/capture.md (K-139, K-245, K-247). Looser than likeness's *same*, and stricter where something new would be lost:
every telling word and value of the memory must be said, with the same sign, and next to nothing beside. Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache

from language.cues import TASKS
from learning.detection.as_ever import marks, without_marks
from learning.subject import WEAK, Matter, of_kind, read, stem
from ledger.lazy_pattern import lazy_pattern

_LEAST = 2
"""So many telling words make a matter that is known by its words."""
_KNOWN_BY = 3
"""By so many telling words a memory is known though one of its own is not said."""
_IS_VALUE = lazy_pattern(r"[\d_/.]")
_MOST_BESIDE = 0
_CONDITIONS = lazy_pattern(
    r"\b(?:when|whenever|if|unless|until|except|only|while|before|after|without|instead|second|another|also|wenn|falls|außer|quand|"
    r"si|cuando)\b",
    re.IGNORECASE,
)
_CONSEQUENCE = lazy_pattern(
    r"(?<=\w\w),?\s+(?:so|because|since|as|which is why|therefore|hence|therefore|even if|even though|auch wenn|also|weil|deshalb|"
    r"donc|car|así que|porque|então)\s",
    re.IGNORECASE,
)
_COMMA = lazy_pattern(r"[,;]\s+(?:and\s+|please\s+|then\s+)*(?P<next>\w+)")
_NEW_THOUGHT = lazy_pattern(r"[;,.!]\s+|\s+[–—-]\s+|\s+(?=(?:so|because|since|but|and|as)\b)", re.IGNORECASE)


_MOST_CLAUSES = 6
_LISTED = 6
"""So many words may be no more than the end of a list."""
_MANNERS = frozenset(
    stem(word) for word in "answer reply respond write speak talk explain say tell show make use put".split()
)
"""What a person says of how they want to be answered, whatever it is."""
_ANSWERED_BESIDE = 1
_BACK = lazy_pattern(
    r"\bback\s+(?:to|on|with)\b|\bwieder\s+(?:bei|auf|mit)\b|\bde\s+retour\b|\bde\s+vuelta\b", re.IGNORECASE
)
"""What is so again was otherwise for a while: that says nothing of what holds."""
_OF_OTHERS = lazy_pattern(
    r"\b(?:my|his|her|their|mein\w?|sein\w?|ihr\w?|mon|ma|sa|mi|su|meu|minha)\s+(?P<who>brother|sister|mum|mom|mother|dad|father|parents?|son|"
    r"daughter|wife|husband|partner|boyfriend|girlfriend|friend|colleague|neighbou?r|boss|flatmate|roommate|cousin|aunt|uncle|grand\w+|kids?|child\w*|"
    r"client|guests?|besuch|bruder|schwester|mutter|vater|frau|mann|sohn|tochter|freund\w*|kolleg\w+|frère|sœur|mère|père|mari|femme|fils|fille|"
    r"hermano|hermana|madre|padre|marido|mujer|hijo|hija)\b",
    re.IGNORECASE,
)
_PURPOSE = lazy_pattern(r"\s(?:so\s+)?that\s+(?:i|we)\s|\s(?:damit|pour\s+que|para\s+que)\s", re.IGNORECASE)


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


def says_again(new: str, stands: str, *, answers: str = "") -> bool:
    """Say whether a sentence says a memory again though it says it in part: by what it answers, or as what is known (K-245, K-247, K-139).

    Args:
        new: the sentence.
        stands: the memory's text.
        answers: what it answers, and what the person said before it: what stands there need not be said again.
    """
    if is_back(new) or is_of_others(new, stands):
        return False
    around = read(f"{new}. {answers}")
    for part in windows(without_marks(new)):
        if marks(new) and _conditions(part) <= _conditions(stands) and _refers(part, stands, around):
            return True
        if _completes(part, stands, around, answered=bool(answers)):
            return True
    return False


@lru_cache(maxsize=256)
def windows(text: str) -> tuple[str, ...]:
    """Return the runs of neighbouring clauses of a sentence, the longest first; a purpose that it ends in is left out."""
    parts: list[str] = []
    for part in clauses(_PURPOSE.split(text, maxsplit=1)[0])[:_MOST_CLAUSES]:
        ordered = parts and parts[0].partition(" ")[0].casefold() in TASKS
        if parts and not ordered and part.startswith("and ") and len(part.split()) <= _LISTED:
            parts[-1] += f" {part}"
        else:
            parts.append(part)
    return tuple(
        ", ".join(part.strip(" ,;.") for part in parts[at : at + size])
        for size in range(len(parts), 0, -1)
        for at in range(len(parts) - size + 1)
    )


def _refers(part: str, stands: str, around: Matter) -> bool:
    """Say whether words that are marked as known are of a memory or a clause of it: nothing beside, no other value, half of it said."""
    now = read(part)
    for old in map(read, dict.fromkeys((stands, *clauses(stands)))):
        beside = now.stems - old.stems - _implied(old) - _MANNERS | _others(now, old)
        if now.denied != old.denied or not now.all & old.all or _differs(now, old) or beside:
            continue
        needed = old.all - _implied(old)
        if 2 * len(needed & (now.all | around.stems)) >= len(needed):
            return True
    return False


def _completes(part: str, stands: str, around: Matter, *, answered: bool) -> bool:
    """Say whether a part of a sentence says what a memory does but for what stands around it."""
    now, old = read(part), read(stands)
    if now.denied != old.denied or _conditions(part) != _conditions(stands) or _differs(now, old):
        return False
    if any(kind not in now.values for kind in old.values):
        return False
    needed = old.stems - _implied(old)
    own = len(needed & now.stems) + len(old.values)
    missing = needed - now.stems - around.stems
    beside = (now.stems - old.stems - _implied(now) - _MANNERS) | _others(now, old)
    most = _ANSWERED_BESIDE if answered else _MOST_BESIDE
    if answered and own and not missing and not beside and needed & now.all:
        return True
    return (
        own >= _LEAST and len(missing) <= (own > _LEAST) and len(beside) <= most and bool(needed & now.stems)
    )


def _differs(now: Matter, old: Matter) -> bool:
    return any(kind in old.values and _order(now, kind) != _order(old, kind) for kind in now.values)


@lru_cache(maxsize=256)
def is_back(text: str) -> bool:
    """Say whether a text tells that what holds is so again: it was otherwise for a while."""
    return _BACK.search(text) is not None


def is_of_others(new: str, stands: str) -> bool:
    """Say whether a text tells of a relative or an acquaintance of whom a memory does not speak."""
    who = _other(new)
    return bool(who) and not read(who).all & read(stands).all


@lru_cache(maxsize=256)
def _other(text: str) -> str:
    """Return the word for a relative or an acquaintance whom a text tells of, "" for none."""
    named = _OF_OTHERS.search(text)
    return named["who"] if named is not None else ""


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


@lru_cache(maxsize=512)
def _conditions(text: str) -> frozenset[str]:
    return frozenset(found[0].casefold() for found in _CONDITIONS.finditer(text))
