"""Says whether a text changes what another one says, says it again, or speaks of something else.

Implements specs/capture.md (K-137, K-139, K-249). In doubt two texts are apart, so that both stand. Pure.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal

from language.likeness import are_apart, likeness
from language.slots import kinds
from language.slots.reading import Reading, Slot, core, is_known, read
from language.slots.words import stem
from ledger.lazy_pattern import lazy_pattern

Comparison = Literal["changes", "same", "apart"]

_OWN_VALUES = ("answer", "day", "month", "rhythm", "length", "quotes", "colour", "units", "case", "language", "currency", "spelling")
"""Kinds of the table whose values no unknown name stands for."""
_NARROWS = lazy_pattern(
    r"\b(?:when|whenever|if|unless|until|except|only|while|before|after|without|wenn|falls|außer|quand|si|cuando)\b", re.IGNORECASE
)
"""Words that say when, or for what, a text holds."""
_TURNS = lazy_pattern(
    r"\b(?:on|off|out|back|against|about|or|any|all|from|must|should|ha(?:ve|s) to|needs?|min\w*|max\w*|least|most|more|less)\b|(?<!\w)-{1,2}\w+", re.IGNORECASE
)
"""Words of the frame that turn what the others say."""
_JOINS = lazy_pattern(r"\b(?:to|and|in|for|by|at|of|with|M[Bb]|G[Bb]|k[Bb])\b|[\^~<>=$€£]")


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
    now, then = read(new), read(old)
    if not now.deeds or not then.deeds:
        return "apart"
    known = likeness(new, old)
    if known == "same":
        return "same"
    if _is_denied(now, then, new, old, surely=known == "contradicts") or any(_changes(one, other, now, then) for one in now.slots for other in then.slots):
        return "changes"
    return "same" if known == "different" and _says_again(now, then, new, old) else "apart"


def _changes(new: Slot, old: Slot, now: Reading, then: Reading) -> bool:
    """Say whether a slot is filled otherwise, and nothing else that was said is lost."""
    if new.adds or old.over or "several" in (new.likes, old.likes):
        return False
    if new.over:
        return _names_as_over(new, old, now, then)
    if not _are_one(new, old) or not _covers(new, old, now, then):
        return False
    if new.denied != old.denied:
        return new.value == old.value
    return not new.denied and not new.likes and not old.likes and not _is_one_value(new, old)


def _are_one(new: Slot, old: Slot) -> bool:
    """Say whether two slots are of one thing and one attribute, and stand to it alike."""
    if new.likes != old.likes and not (new.denied != old.denied and "has" in (new.likes, old.likes)):
        return False
    if new.attribute == old.attribute:
        if new.attribute.startswith(("is", "in ")) and _are_of_other_kinds(new.value, old.value):
            return False
        counted = new.attribute in ("number", "clock") or new.attribute.startswith(("is", "in "))
        return new.subject == old.subject and (bool(new.subject) or not counted)
    bare = {new.attribute, old.attribute}
    numbers = all(each.startswith("number") for each in bare) and "number" in bare
    return numbers and new.subject == old.subject != frozenset()


def _are_of_other_kinds(new: str, old: str) -> bool:
    """Say whether two values are known, and not of one kind, or one is of a kind that has no unknown values."""
    one, other = ({each.kind for each in kinds.values(value.split())} for value in (new, old))
    if one and other:
        return not any(mine == yours or _are_akin(mine, yours) for mine in one for yours in other)
    return any(kind.startswith(_OWN_VALUES) for kind in one | other)


def _are_akin(one: str, other: str) -> bool:
    """Say whether names of two kinds may stand for each other: a database in the place of a cache."""
    return bool(kinds.nouns(one) & kinds.nouns(other)) and not one.startswith(_OWN_VALUES) and not other.startswith(_OWN_VALUES)


def _is_one_value(new: Slot, old: Slot) -> bool:
    return new.value == old.value or (not is_known(new) and new.said == old.said) or (new.attribute != "number" and _within(new.value, old.value))


def _within(one: str, other: str) -> bool:
    """Say whether a path lies in the other, or a name is a part of the other."""
    short, long = sorted((one.rstrip("/"), other.rstrip("/")), key=len)
    return long.startswith((f"{short}/", f"{short} ")) or long.endswith(f" {short}")


def _covers(new: Slot, old: Slot, now: Reading, then: Reading) -> bool:
    """Say whether all that a memory says beside the value is said again, or implied by the value."""
    nouns = frozenset(map(stem, kinds.nouns(old.attribute)))
    return not then.stems - old.said - nouns - then.implied - now.stems - now.implied - new.subject


def _names_as_over(new: Slot, old: Slot, now: Reading, then: Reading) -> bool:
    """Say whether what a person names as given up is the value of a slot of a memory."""
    if old.denied or not (new.value == old.value if new.attribute == old.attribute else new.said == old.said):
        return False
    if old.likes in ("likes", "knows") or old.adds:
        return False
    beside = then.stems - old.said - then.implied - frozenset(map(stem, kinds.nouns(old.attribute)))
    shared = (then.stems - old.said) & now.stems
    return beside <= now.stems and (bool(shared) or not new.subject - then.stems - then.implied)


def _is_denied(now: Reading, then: Reading, new: str, old: str, *, surely: bool) -> bool:
    """Say whether one clause says all that a memory says, and denies it, or says so what was denied."""
    if len(then.deeds) != 1 or _found(_NARROWS, new) != _found(_NARROWS, old):
        return False
    was = then.deeds[0]
    return any(
        is_now.stems == was.stems != frozenset()
        and is_now.denied != was.denied
        and not is_now.adds
        and (surely or _order(new, was.stems) == _order(old, was.stems))
        for is_now in now.deeds
    )


def _says_again(now: Reading, then: Reading, new: str, old: str) -> bool:
    """Say whether two texts say the same in other words: the same values, with the same signs, and nothing beside."""
    values = _values(now)
    one, other = (each.stems - each.implied - each.values for each in (now, then))
    ways = [[(each.denied, each.likes, each.adds) for each in reading.deeds] for reading in (now, then)]
    is_taste = all(each.likes == "likes" for each in now.deeds) and bool(one)
    if not (values or is_taste) or one != other or values != _values(then) or ways[0] != ways[1]:
        return False
    patterns = [_NARROWS, _TURNS, *([_JOINS] if any(value[0].startswith("number") for value in values) else [])]
    if any(_found(pattern, new) != _found(pattern, old) for pattern in patterns) or are_apart(new, old):
        return False
    said = one | now.values
    return len(said) == 1 or _order(new, said) == _order(old, said)


def _found(pattern: re.Pattern[str], text: str) -> list[str]:
    return sorted(found[0] for found in pattern.finditer(core(text)))


def _values(reading: Reading) -> list[tuple[str, str, bool, str]]:
    """Return what fills the slots of a text, those of the table alone where it knows a value."""
    known = [each for each in reading.slots if is_known(each)]
    named = [each for each in reading.slots if each.attribute == "is"] if not known else []
    return sorted({(each.attribute, each.value, each.denied, each.likes) for each in (*known, *named)})


def _order(text: str, stems: frozenset[str]) -> list[str]:
    said = [stem(word) for word in kinds.tokens(text)]
    return [word for word, after in pairwise([*(word for word in said if word in stems), ""]) if word != after]


def asked_for(text: str) -> list[str]:
    """Return words, in groups, by which memories are found that fill the slots of a text, though they share none with it."""
    found: dict[str, None] = {}
    for slot in read(text).slots:
        words = _BY_ATTRIBUTE.get(slot.attribute) or " ".join((*kinds.nouns(slot.attribute), *kinds.others(slot.attribute)))
        every = words.split()
        found.update(dict.fromkeys(" ".join(every[at : at + _ASKED]) for at in range(0, len(every), _ASKED)))
    return list(found)[:_MOST_ASKED]


_ASKED = 12
_MOST_ASKED = 8
_BY_ATTRIBUTE = {
    "lives": "lives live living based home city",
    "name": "name called user",
    "employer": "works work employer joined",
    "job": "works work job profession user",
    "car": "drives drive car",
}
"""Words by which memories of what the table has no values for are found."""
