"""Keeps apart texts in which a thing belongs to another one: "Alice is Bob's manager", "Bob is Alice's manager".

Implements specs/likeness.md (L-40, L-52). The words `'s` and *of* carry no matter for the rest of likeness; here it is compared
whose a thing is. Pure; linear in the texts' lengths.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from language.likeness import vocabulary
from ledger.lazy_pattern import lazy_pattern

__all__ = ["MUTUAL", "belongs_elsewhere", "has_another_holder"]

MUTUAL = frozenset(
    vocabulary.canonical(word)
    for word in """colleague coworker sibling twin cousin friend neighbour neighbor partner spouse peer teammate
    roommate opposite synonym duplicate complement equivalent equal counterpart married related engaged adjacent identical
    compatible incompatible similar next close parallel friends""".split()
)
"""What one thing is to another, the other is to the one."""
_HELD = lazy_pattern(
    r"(?:the )?([^\W\d_]+(?: team)?) (?:owns|leads|heads|is the (?:sole )?(?:owner|lead|head|maintainer) of) (\S.*)",
    re.IGNORECASE,
)
"""Who holds a thing that has one holder; not *own*, which several do."""
_OWNER = lazy_pattern(r"'s?$")
_ANYBODY = frozenset("everyone everybody someone somebody anyone anybody nobody who whoever".split())
_AROUND = '.,;:!?"()[]{}<>*_`'
_ARTICLES = frozenset(
    "a an the this that these those our your my its their his her all any each every".split()
)
_FEW = 3
"""So many words of what belongs to somebody, or of who has it, are looked at."""


def belongs_elsewhere(one: str, other: str) -> bool:
    """Say whether a thing that both texts name is one owner's in the one and another's in the other."""
    if not (_may_own(one) or _may_own(other)):
        return False
    left, right = _said(one), _said(other)
    mine, yours = _bonds(left), _bonds(right)
    flat = {word for word, _ in left} & {word for word, _ in right}
    for thing in mine.keys() & yours.keys() - MUTUAL:
        # whose it is in one text alone, and both texts speak of both
        gone, come = mine[thing] - yours[thing], yours[thing] - mine[thing]
        if gone and come and (gone | come) <= flat and not mine[thing] & yours[thing]:
            return True
    if _are_turned(mine, yours):
        return True
    return _is_done_by_owner(mine, left, right) or _is_done_by_owner(yours, right, left)


def has_another_holder(one: str, other: str) -> bool:
    """Say whether two texts name another holder of the same thing, and nothing else: `Alice owns x`, `Bob owns x`."""
    mine = _HELD.fullmatch(one.strip(" .")) if " " in one else None
    yours = _HELD.fullmatch(other.strip(" .")) if mine is not None else None
    if mine is None or yours is None or mine[2].casefold() != yours[2].casefold():
        return False
    left, right = (each[1].casefold().removesuffix(" team") for each in (mine, yours))
    named = vocabulary.GRAMMAR.isdisjoint((left, right)) and _ANYBODY.isdisjoint((left, right))
    return named and vocabulary.canonical(left) != vocabulary.canonical(right)


def _are_turned(mine: dict[str, set[str]], yours: dict[str, set[str]]) -> bool:
    """Say whether one thing is another one's, and that is the first one's in the other text."""
    return any(
        owner in yours and thing in yours[owner] and owner not in yours.get(thing, ()) and thing not in MUTUAL
        for thing, owners in mine.items()
        for owner in owners
    )


def _may_own(text: str) -> bool:
    return "'s" in text or "s' " in text or " of " in text


def _said(text: str) -> list[tuple[str, str]]:
    """Return the words of a text, and of each what follows it: `'s` an owner's, a stop where a clause ends, or ""."""
    found: list[tuple[str, str]] = []
    for chunk in text.casefold().split():
        bare = chunk.strip(_AROUND)
        mark = "'s" if _OWNER.search(bare) and len(bare) > 2 else "." if chunk[-1:] in ",.;:!?" else ""
        word = _OWNER.sub("", bare)
        if word and word not in _ARTICLES:
            found.append(
                (word if word == "of" or word in vocabulary.GRAMMAR else vocabulary.canonical(word), mark)
            )
    return found


def _bonds(said: list[tuple[str, str]]) -> dict[str, set[str]]:
    """Return whose each thing is."""
    found: dict[str, set[str]] = {}
    for at, (word, mark) in enumerate(said):
        if mark == "'s" and word not in vocabulary.GRAMMAR:
            for thing in _run(said[at + 1 :]):
                found.setdefault(thing, set()).add(word)
        elif word == "of" and at:
            for thing in _run(reversed(said[max(0, at - 2) : at]), backwards=True):
                for owner in _run(said[at + 1 :]):
                    found.setdefault(thing, set()).add(owner)
    return found


def _run(said: Iterable[tuple[str, str]], *, backwards: bool = False) -> Iterator[str]:
    """Give the words that stand together, up to a word of grammar or a stop."""
    for nth, (word, mark) in enumerate(said):
        if nth == _FEW or word in vocabulary.GRAMMAR or word == "of" or (backwards and mark):
            return
        yield word
        if mark:
            return


def _is_done_by_owner(
    bonds: dict[str, set[str]], owned: list[tuple[str, str]], told: list[tuple[str, str]]
) -> bool:
    """Say whether what belongs to somebody in one text is what he does something to in the other.

    `Review the author's code`, `the author reviews the code`.
    """
    before = {word for word, _ in owned[:1]}
    for at, (word, mark) in enumerate(told[:-2]):
        verb, thing = told[at + 1][0], told[at + 2][0]
        if not mark and verb in before and word in bonds.get(thing, ()):
            return True
    return False
