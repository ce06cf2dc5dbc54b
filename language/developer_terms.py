"""Words that developers use for one thing: a search for "package manager" means pnpm as well.

Implements specs/projections.md (P-212). The table is `developer_terms.txt`, which says how it is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from language.unspaced import words_of

_TABLE = Path(__file__).with_name("developer_terms.txt")


def related(words: Sequence[str]) -> list[str]:
    """Return the terms that somebody who says these words may mean as well, without those that they say."""
    said = frozenset(map(_stem, words))
    meant: dict[str, None] = {}
    for subjects, terms in _groups():
        if any(subject <= said for subject in subjects):
            meant.update(dict.fromkeys(terms))
    return [term for term in meant if not _words(term) <= said]


@cache
def _groups() -> tuple[tuple[list[frozenset[str]], list[str]], ...]:
    return tuple(_read())


def _read() -> Iterator[tuple[list[frozenset[str]], list[str]]]:
    """Yield for each line what it is asked for by, and what is meant."""
    for line in _TABLE.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            subjects, _, members = line.partition(": ")
            names = subjects.split(", ")
            yield [_words(name) for name in names], [*names, *(members.split(", ") if members else ())]


def _words(term: str) -> frozenset[str]:
    return frozenset(map(_stem, words_of(term)))


def _stem(word: str) -> str:
    """Return what caches, cache and caching have in common; the full text has stems of its own."""
    return word.lower().removesuffix("s").removesuffix("ing").removesuffix("e")
