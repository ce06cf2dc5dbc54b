"""Keeps apart what is done to the same thing: "write the guide", "follow the guide"; "choose a cache", "manage a cache".

Implements specs/likeness.md (L-46). Verbs of the frame carry no matter for the rest of likeness, where they prescribe:
"use tabs", "prefer tabs". Here those are told apart that stand right before the same word. Asked only about texts that
everything else calls the same. Pure; linear in the texts' lengths.
"""

from __future__ import annotations

from functools import cache

from language.likeness import vocabulary

__all__ = ["does_otherwise"]

_ALIKE = """
use adopt choose prefer favor favour like love want need require go pick select set enable with run write
enable activate turn switch use keep set
make ensure keep let get have set need require want like prefer
need require want have must
handle manage
run execute perform use
keep store hold retain put live contain save reside locate sit
write put add
find get
say tell
know remember
follow use keep
listen serve
build make
have contain hold
like love prefer enjoy favor favour
"""
"""Verbs of one line can stand for each other right before a thing."""
_PASSED = frozenset("a an the this that these those our your my its their all any each every to".split())
_AROUND = ".,;:!?\"'()[]{}<>*_`"


@cache
def _groups() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, line in enumerate(_ALIKE.strip().split("\n")):
        for word in line.split():
            for form in (word, vocabulary.stem(word)):
                found.setdefault(form, set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


def does_otherwise(one: str, other: str) -> bool:
    """Say whether verbs that cannot stand for each other are said of one thing, each in one text."""
    left = _deeds(one)
    right = _deeds(other) if left else left
    return any(
        mine.isdisjoint(yours) and not any(_are_alike(x, y) for x in mine for y in yours)
        for thing in left.keys() & right.keys()
        for mine, yours in ((left[thing], right[thing]),)
    )


def _are_alike(one: str, other: str) -> bool:
    groups = _groups()
    return not groups[one].isdisjoint(groups[other])


def _deeds(text: str) -> dict[str, set[str]]:
    """Return of each word the verbs of the frame that stand right before it, articles aside."""
    found: dict[str, set[str]] = {}
    groups = _groups()
    verb = ""
    for chunk in text.casefold().split():
        word = chunk.strip(_AROUND)
        if not word or word in _PASSED:
            continue
        plain = word if word in groups else vocabulary.stem(word)
        if plain in groups:
            verb = plain
        else:
            if verb and word not in vocabulary.GRAMMAR:
                found.setdefault(vocabulary.canonical(word), set()).add(verb)
            verb = ""
        if chunk[-1:] in ".,;:!?":
            verb = ""
    return found
