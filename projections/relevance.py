"""Finds the subject of a text, and how relevant a memory is to it.

Implements specs/projections.md (P-37).
"""

from __future__ import annotations

import re

from ledger.lazy_pattern import lazy_pattern
from ledger.memory import Memory

__all__ = ["content_words", "relevance_to", "shared_words"]

_WORD = lazy_pattern(r"[^\W_]+")
_ESCAPE = lazy_pattern(r"\\[A-Za-z]")
_UNSPACED = r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]"
"""Compiled at its first use: it takes 7 ms, and hooks wait for every import."""
_SUFFIXES = ("ing", "ies", "ed", "es", "s", "y", "e")
_STOP_WORDS = frozenset(
    """
    a about all also an and any are as at be been being but by can could did do does for from get
    had has have how i if in into is it its just let like make may me more must my need no not of
    off on once one only or other our out over please should so some such than that the their them
    then there these they this those to too up use used using very want was way we were what when
    where which while who why will with without work working would you your
    """.split()
)


def content_words(text: str) -> frozenset[str]:
    """Return the words that carry a text's subject, cut to their stems (P-37).

    Scripts without spaces between words yield each pair of neighbours. Signs of a pattern are not words.
    """
    words: set[str] = set()
    for word in _WORD.findall(_ESCAPE.sub(" ", text).lower()):
        if not word.isascii() and re.search(_UNSPACED, word):
            words.update(word[at : at + 2] for at in range(max(len(word) - 1, 1)))
        elif len(word) > 1 and word not in _STOP_WORDS:
            words.add(_stem(word))
    return frozenset(words)


def _stem(word: str) -> str:
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3 and not word.endswith("ss"):
            return word[: -len(suffix)]
    return word


def relevance_to(memory: Memory, wanted: frozenset[str]) -> int:
    """Return how many of the wanted stems begin a word of the memory (P-37)."""
    return len(shared_words(memory, wanted))


def shared_words(memory: Memory, wanted: frozenset[str]) -> list[str]:
    """Return the wanted stems that begin a word of the memory (P-37)."""
    said = memory.text
    if memory.details or memory.tags or memory.title:
        said = "\n".join((said, memory.title, *memory.details, *memory.tags))
    said = said.lower()
    # Most stems are not in a text at all; this check is ten times cheaper than cutting it into words.
    return [stem for stem in wanted if stem in said and _begins_a_word(stem, said)]


def _begins_a_word(stem: str, said: str) -> bool:
    """Return whether a word of `said` begins with the stem; a stem of at most two characters must be the whole word."""
    if not stem.isascii():
        return True  # pairs of neighbours occur inside a word
    at = said.find(stem)
    while at >= 0:
        end = at + len(stem)
        if not said[at - 1 : at].isalnum() and (len(stem) > 2 or not said[end : end + 1].isalnum()):
            return True
        at = said.find(stem, at + 1)
    return False
