"""Reads a text for the comparison of a memory with a later statement: values with kinds, telling words, a denial.

Implements specs/capture.md (K-136). Pure; caches each text, since it is compared with many others.
"""

from __future__ import annotations

from functools import lru_cache

from language import value_kinds
from language.telling_words import stem, telling
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

_DENIES = lazy_pattern(
    r"(?i)\b(?:no|not|never|none|nothing|neither|nor|cannot|without|avoid|stop|stopped|skip|omit|kein\w*|nicht|nie|niemals|pas|"
    r"jamais|aucun\w*|nunca|não|ningun\w*)\b|n't\b"
)
_HERE = lazy_pattern(r"(?i),? ?\b(?:in|for|on|of) (?:this|the|our) (?:project|repo|repository|code ?base)\b")
"""A place where a statement holds, which the scope already says."""
_NAME = lazy_pattern(r"(?<=[\w,;'’\")] )(?!I\b|I')[^\W\d_a-zß-ÿ][\w'-]*|(?<= )[\w-]+(?:[./_@:][\w-]+)+")
"""Words in the form of a name within a sentence, a path, a host or code."""

NAME = "name"
"""The kind of words in the form of a name."""


class Word(NamedTuple):
    """One word: the values that it is part of, with their kinds, and its telling stems."""

    text: str
    values: frozenset[tuple[str, str]]
    stems: frozenset[str]


class Statement(NamedTuple):
    """One text as the model reads it.

    `tokens` has each value as one word, `words` has a mark in its place; `named` has the values of the table in order;
    `values` has them with their kinds, and names; `stems` has the other telling words; of these, `implied` only name a kind.
    """

    said: tuple[Word, ...]
    tokens: tuple[str, ...]
    words: tuple[str, ...]
    named: tuple[str, ...]
    values: frozenset[tuple[str, str]]
    stems: frozenset[str]
    implied: frozenset[str]
    denies: bool

    def kinds(self) -> set[str]:
        """Return the kinds of its values."""
        return {kind for kind, _ in self.values}

    def of_kind(self, kind: str) -> set[str]:
        """Return its values of one kind."""
        return {name for each, name in self.values if each == kind}


def share_nothing(one: Statement, other: Statement) -> bool:
    """Return whether two texts have neither a telling word nor a kind of value in common."""
    return one.stems.isdisjoint(other.stems) and one.kinds().isdisjoint(other.kinds())


@lru_cache(maxsize=1024)
def read(text: str) -> Statement:
    """Read a text, without the place where it holds ("in this repo")."""
    text = _HERE.sub("", text.replace("’", "'"))
    said = value_kinds.tokens(text)
    values = tuple(value_kinds.values(said))
    at = [
        frozenset((v.kind, v.name) for v in values if v.first <= place <= v.last)
        for place in range(len(said))
    ]
    starts = {value.first: value.name for value in values}
    tokens = [starts.get(place, word) for place, word in enumerate(said) if place in starts or not at[place]]
    words = [
        ("0" if word[0].isdigit() else "V") if known else word for word, known in zip(said, at, strict=True)
    ]
    if text.rstrip().endswith("?"):
        words.append("?")
    taken = {word for word, known in zip(said, at, strict=True) if known}
    names = {found[0].casefold() for found in _NAME.finditer(text)} - taken
    stems = [frozenset() if known else telling([word]) for word, known in zip(said, at, strict=True)]
    plain = frozenset().union(*stems) - {stem(name) for name in names}
    nouns = {stem(word) for value in values for word in value_kinds.nouns(value.kind)}
    return Statement(
        said=tuple(map(Word, said, at, stems)),
        tokens=tuple(tokens),
        words=tuple(words),
        named=tuple(dict.fromkeys(value.name for value in values)),
        values=frozenset({(value.kind, value.name) for value in values} | {(NAME, name) for name in names}),
        stems=plain,
        implied=plain & nouns,
        denies=len(_DENIES.findall(text)) % 2 == 1,
    )
