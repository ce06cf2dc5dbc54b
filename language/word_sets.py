"""The words of a sentence as a set: a quick look whether a pattern can find anything in it. Pure."""

from __future__ import annotations

from functools import lru_cache

from ledger.lazy_pattern import lazy_pattern

_WORD = lazy_pattern(r"[^\W\d_]+(?:'[a-z]+)?")
_RUN = lazy_pattern(r"[^\W\d_]+")


def word_set(words: str) -> frozenset[str]:
    """Return a set of words, which are in lower case and stand between blanks; a contraction is one word."""
    return frozenset(words.split())


@lru_cache(maxsize=512)
def words_in(sentence: str) -> frozenset[str]:
    """Return the words of a sentence in lower case, contractions whole and cut."""
    low = sentence.lower().replace("’", "'")
    return frozenset((*_WORD.findall(low), *_RUN.findall(low)))
