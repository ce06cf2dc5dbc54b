"""Finds the names in a phrase that are one word though signs join their parts: `user_id`, `--no-verify`, `node:fs`.

Implements specs/projections.md (P-203). A name is found in a task in all its spellings and not by one of its parts. Pure.
Patterns are compiled when first asked: hooks wait for every import.
"""

from __future__ import annotations

import re
from functools import lru_cache

from ledger.named_tuple import NamedTuple
from projections.relevance import content_words

__all__ = ["Name", "Spellings", "names_in"]

_JOINER = r"[_\-./:\\]"
_NAME = (
    rf"(?<![\w-])--?[A-Za-z](?:[\w-]*\w)?"  # an option
    rf"|(?<![\w.])\.[A-Za-z]\w*(?:[.-]\w+)*"  # .env
    rf"|(?<!\w)@?[A-Za-z0-9]+(?:{_JOINER}{{1,3}}[A-Za-z0-9]+)+"
    r"|\b[A-Za-z][a-z0-9]+(?:[A-Z][a-z0-9]*)+"  # userId
)
_HUMPS = r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])"
_PART = r"[^\W\d_]+|\d+"
_MANNER = r"[-/](?:related|based|specific|like|style|driven|aware|only|first|heavy)$"
"""What makes an adjective of a word: `auth-related` is about auth."""
_COMPOUND = r"(?i)[a-z]+(?:-[a-z]+)+"
"""Words that a hyphen joins, as English does as well: `code-reviewer`."""
_LONGEST = 120
_BEGINNING = rf"(?<![a-z0-9])([a-z0-9]{{2,4}})[a-z0-9]*{_JOINER}"
_BETWEEN = rf"(?:{_JOINER}{{1,3}}| )?"


class Name(NamedTuple):
    """A name in a phrase: the pattern of its spellings, and its words where a hyphen joins plain ones, else none."""

    spellings: str
    words: frozenset[str] = frozenset()


@lru_cache(maxsize=1024)
def names_in(phrase: str) -> tuple[tuple[Name, ...], str]:
    """Return the names of a phrase, and the phrase without them."""
    found: list[Name] = []

    def take(match: re.Match[str]) -> str:
        said = match.group()
        bare = re.sub(_MANNER, "", said)
        if bare != said and re.fullmatch(_NAME, bare) is None:
            return bare
        if (name := _name(bare)) is None:
            return said
        found.append(name)
        return " "

    rest = re.sub(_NAME, take, phrase)
    return tuple(dict.fromkeys(found)), rest


def _name(said: str) -> Name | None:
    """Return a name as it is looked for, None where it is none: `e.g`."""
    parts = _parts(said[:_LONGEST])
    if len(parts) == 1 and said[0] in "-.":
        return Name(_signed(parts[0], said[0]))
    if not parts or all(len(part) == 1 and part.isalpha() for part in parts):
        return None
    spellings = _joined(parts)
    folder, _, file = said.rpartition("/")
    if folder and "." in file[1:]:
        spellings += f"|{_joined(_parts(file))}"
    words = content_words(said) if re.fullmatch(_COMPOUND, said) is not None else frozenset[str]()
    return Name(spellings, words if len(words) > 1 else frozenset())


def _parts(said: str) -> list[str]:
    return re.findall(_PART, re.sub(_HUMPS, "_", said).lower())


def _signed(part: str, sign: str) -> str:
    """Return the pattern of an option or a file of one word, which its sign makes a name: `--force`, `.env`."""
    if sign == ".":
        return rf"(?<![\w.])\.{part}(?!\w)"
    return rf"(?<![\w-])--?{part}(?!-?\w)|(?<![\w.-]){part}(?= (?:flag|option|switch|argument)s?(?!\w))"


def _joined(parts: list[str]) -> str:
    return r"(?<![^\W_])" + _BETWEEN.join(parts) + r"(?:e?s)?(?![^\W_])"


class Spellings:
    """A task as names are looked for in it."""

    def __init__(self, text: str) -> None:
        self._text = re.sub(_HUMPS, "_", text).lower() if text else ""
        self.begins = frozenset(re.findall(_BEGINNING, self._text) if text else ())

    def has(self, name: Name) -> bool:
        """Say whether a name stands in the task, in whatever spelling."""
        return re.search(name.spellings, self._text) is not None
