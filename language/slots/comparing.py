"""Says whether a text changes what another one says, says it again, or speaks of something else.

Implements specs/capture.md (K-62, K-137, K-139, K-249). In doubt two texts are apart, so that both stand. Pure.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from language import value_kinds as kinds
from language.likeness import PreparedText, are_apart, likeness
from language.likeness import read as prepared
from language.slots import frames
from language.slots.clauses import clauses
from language.slots.reading import Reading, Slot, nouns, read
from language.slots.words import parts, stem, telling
from ledger.lazy_pattern import lazy_pattern

Comparison = Literal["changes", "same", "apart"]

_OWN_VALUES = tuple("answer day month rhythm quotes colour units case language currency spelling".split())
"""How kinds of the table begin whose values no unknown name stands for."""
_NARROWS = lazy_pattern(
    r"\b(?:when|whenever|if|unless|until|except|only|while|before|after|without|wenn|falls|außer|quand|si|cuando)\b",
    re.IGNORECASE,
)
"""Words that say when, or for what, a text holds."""
_TURNS = lazy_pattern(
    r"\b(?:on|off|out|back|against|about|or|any|all|from|must|should|ha(?:ve|s) to|needs?|min\w*|max\w*|least|most|more|less)\b"
    r"|(?<!\w)-{1,2}\w+",
    re.IGNORECASE,
)
"""Words of the frame that turn what the others say."""
_JOINS = lazy_pattern(r"\b(?:to|and|in|for|by|at|of|with|M[Bb]|G[Bb]|k[Bb])\b|[\^~<>=$€£]")
"""What makes another number of the same digits."""
_OF_ONE_STANCE = ({""}, {"has"}, {"", "has"}, {"likes"}, {"knows"}, {"works"}, {"not me"})
_ASKED_AT_ONCE = 12
_MOST_ASKED = 8
_ASKED_BY = {
    "lives": "lives live living based home city",
    "name": "name called user",
    "employer": "works work employer joined",
    "job": "works work job profession user",
    "car": "drives drive car",
}
"""Words by which memories are found that say of a person what the table has no names for."""


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
    if not (now.stems & then.stems or _attributes(now) & _attributes(then)):
        return "apart"
    known = likeness(_prepared(new), _prepared(old))
    if known == "same":
        return "same"
    if _is_denied(now, then, new, old, surely=known == "contradicts"):
        return "changes"
    of_one_case = _condition(new) == _condition(old) and not _tells_by_number(now, then, new)
    if of_one_case and any(_changes(one, other, now, then) for one in now.slots for other in then.slots):
        return "changes"
    return "same" if known == "different" and _says_again(now, then, new, old) else "apart"


def asked_for(text: str) -> list[str]:
    """Return words, in groups, by which memories are found that fill the slots of a text, though they share none with it."""
    found: dict[str, None] = {}
    for slot in read(text).slots:
        kind = slot.attribute
        words = _ASKED_BY.get(kind, " ".join((*kinds.nouns(kind), *kinds.others(kind)))).split()
        starts = range(0, len(words), _ASKED_AT_ONCE)
        found.update(dict.fromkeys(" ".join(words[at : at + _ASKED_AT_ONCE]) for at in starts))
    return list(found)[:_MOST_ASKED]


def _condition(text: str) -> frozenset[str]:
    """Return the stems of what a text says of when, or for what, it holds."""
    behind = (found for each in clauses(text) for found in _NARROWS.split(each.text)[1:])
    return telling(word for part in behind for word in kinds.tokens(part) if not word[0].isdigit())


def _attributes(reading: Reading) -> set[str]:
    return {each.attribute.partition(" ")[0] for each in reading.slots}


@lru_cache(maxsize=256)
def _prepared(text: str) -> PreparedText:
    """Read a text for likeness once, as it is compared with many."""
    return prepared(text)


# --- changes ---


def _tells_by_number(now: Reading, then: Reading, text: str) -> bool:
    """Say whether two texts say the same of two things that only a number tells apart: "team 1 meets on Monday", "team 2 …".

    The number stands before what is said; behind it, it is what is said: "Postgres listens on 5433".
    """
    low = text.casefold()
    return any(
        new.attribute == old.attribute
        and new.value == old.value
        and new.subject != old.subject
        and all(word.isdigit() for word in new.subject ^ old.subject)
        and 0 <= low.find(next(iter(new.subject - old.subject), "\n")) < low.find(new.value)
        for new in now.slots
        for old in then.slots
        if not new.attribute.startswith("number")
    )


def _changes(new: Slot, old: Slot, now: Reading, then: Reading) -> bool:
    """Say whether a slot is filled otherwise, and nothing else that was said is lost."""
    if new.adds or old.over or "several" in (new.stance, old.stance):
        return False
    if new.over:
        return _names_as_over(new, old, now, then)
    if not _are_one(new, old):
        return False
    beside = then.stems - old.said - nouns(old.attribute) - then.implied
    if beside - now.stems - now.implied - new.subject:
        return False
    if new.denied != old.denied:
        return new.value == old.value
    return not (new.denied or new.stance or old.stance or _is_one_value(new, old))


def _are_one(new: Slot, old: Slot) -> bool:
    """Say whether two slots are of one thing and one attribute, with the same stance to it."""
    if new.subject != old.subject or new.stance != old.stance:
        return False
    if new.attribute != old.attribute:
        numbers = new.attribute.startswith("number") and old.attribute.startswith("number")
        bare = {"number"} < {new.attribute, old.attribute} and "number port" not in (
            new.attribute,
            old.attribute,
        )
        return numbers and bare and bool(new.subject)
    if new.attribute in ("number", "number port", "number version", "clock"):
        return bool(new.subject)
    return new.is_known or (bool(new.subject) and not _are_of_other_kinds(new.value, old.value))


def _are_of_other_kinds(new: str, old: str) -> bool:
    """Say whether two values are known, and not of one kind, or one is of a kind that has no unknown values."""
    one, other = ({each.kind for each in kinds.values(value.split())} for value in (new, old))
    if one and other:
        return not any(mine == yours or _are_akin(mine, yours) for mine in one for yours in other)
    return any(kind.startswith(_OWN_VALUES) for kind in one | other)


def _are_akin(one: str, other: str) -> bool:
    """Say whether names of two kinds may stand for each other: a database in the place of a cache."""
    return one.startswith("store,") and other.startswith("store,")


def _is_one_value(new: Slot, old: Slot) -> bool:
    """Say whether two values are one, or one of two paths or names is a part of the other."""
    if new.value == old.value or (not new.is_known and new.said == old.said):
        return True
    short, long = sorted((new.value.rstrip("/"), old.value.rstrip("/")), key=len)
    is_part = long.startswith((f"{short}/", f"{short} ")) or long.endswith(f" {short}")
    return is_part and not new.attribute.startswith("number")


def _names_as_over(new: Slot, old: Slot, now: Reading, then: Reading) -> bool:
    """Say whether what a person names as given up is the value of a slot of a memory."""
    is_it = new.value == old.value if new.attribute == old.attribute else new.said == old.said
    if not is_it or old.denied or old.adds or old.stance in ("likes", "knows"):
        return False
    beside = then.stems - old.said
    shared = beside & now.stems
    return beside - then.implied - nouns(old.attribute) <= now.stems and (
        bool(shared) or new.subject <= then.stems | then.implied
    )


def _is_denied(now: Reading, then: Reading, new: str, old: str, *, surely: bool) -> bool:
    """Say whether one clause says all that a memory says, and denies it, or says so what was denied."""
    if len(then.deeds) != 1 or _found(_NARROWS, new) != _found(_NARROWS, old):
        return False
    was = then.deeds[0]
    given_up = [each for each in now.slots if each.attribute == "over" and not each.subject]
    if not was.denied and any(each.said == was.stems for each in given_up):
        return True
    return any(
        each.stems == was.stems != frozenset()
        and each.denied != was.denied
        and not each.adds
        and {each.stance, was.stance} in _OF_ONE_STANCE
        and (surely or _order(new, was.stems) == _order(old, was.stems))
        for each in now.deeds
    )


# --- the same ---


def _says_again(now: Reading, then: Reading, new: str, old: str) -> bool:
    """Say whether two texts say the same in other words: the same values, with the same signs, and nothing beside."""
    values = _values(now)
    one, other = (each.stems - each.implied - each.values for each in (now, then))
    ways = [[(each.denied, each.stance, each.adds) for each in reading.deeds] for reading in (now, then)]
    is_taste = bool(one) and all(each.stance == "likes" for each in now.deeds)
    if not (values or is_taste) or one != other or values != _values(then) or ways[0] != ways[1]:
        return False
    is_counted = any(attribute.startswith("number") for attribute, *_ in values)
    patterns = (_NARROWS, _TURNS, *([_JOINS] if is_counted else []))
    if any(_found(pattern, new) != _found(pattern, old) for pattern in patterns) or are_apart(new, old):
        return False
    said = one | now.values
    return len(said) == 1 or _order(new, said) == _order(old, said)


def _values(reading: Reading) -> list[tuple[str, str, bool, str]]:
    """Return what fills the slots of a text, the known values alone where there is one."""
    known = [each for each in reading.slots if each.is_known]
    named = [each for each in reading.slots if each.attribute == "is"] if not known else []
    return sorted({(each.attribute, each.value, each.denied, each.stance) for each in (*known, *named)})


def _found(pattern: re.Pattern[str], text: str) -> list[str]:
    return sorted(found[0] for found in pattern.finditer(frames.core(text)))


def _order(text: str, stems: frozenset[str]) -> list[str]:
    """Return those of the stems that a text says, in its order, each once where it is said twice in a row."""
    words = (stem(part) for word in kinds.tokens(text) for part in parts(word))
    said = [each for each in words if each in stems]
    return [word for word, after in pairwise([*said, ""]) if word != after]
