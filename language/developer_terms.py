"""Related terms of developers: a search for "package manager" also means pnpm.

Implements specs/projections.md (P-212). The table is `developer_terms.txt`, which explains its format.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from language.unspaced import words_of

_TABLE = Path(__file__).with_name("developer_terms.txt")


def related(words: Sequence[str]) -> list[str]:
    """Return the further terms that these words may mean, without the words themselves."""
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
    """Yield for each line the names that lead to it, and its terms."""
    for line in _TABLE.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            subjects, _, members = line.partition(": ")
            names = subjects.split(", ")
            yield [_words(name) for name in names], [*names, *(members.split(", ") if members else ())]


def _words(term: str) -> frozenset[str]:
    return frozenset(map(_stem, words_of(term)))


def _stem(word: str) -> str:
    """Return the common stem of caches, cache and caching; full-text search has its own stems."""
    return word.lower().removesuffix("s").removesuffix("ing").removesuffix("e")
