"""Corrects a query that finds nothing: finds words of the ledger with a similar spelling.

Implements specs/projections.md (P-213). Reads only.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator, Sequence

from language.edit_distance import allowed, distance, distance_to_stem, is_far
from language.unspaced import words_of
from projections.index import Index
from projections.search import Hit
from projections.search_terms import parse

_MOST_WORDS = 5
"""A longer query is a text, not a search with a typo."""
_MOST_TERMS = 20_000
"""At most this many words of the ledger are compared with one of the query."""
_TRIED = 5


def corrected(index: Index, text: str, find: Callable[[str], Sequence[Hit]]) -> str:
    """Return the query with its typos replaced by words of the ledger, or "" if it has none.

    Args:
        index: up to date.
        text: a query that finds nothing.
        find: finds the memories that may be shown; only their words are proposed.
    """
    query = parse(text)
    if query.phrases or len(query.words) > _MOST_WORDS:
        return ""
    db = index.connection()
    db.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary USING fts5vocab(main, memories_fts, row)")
    meant = text
    for term in query.words:
        word = term.said.lower()
        if term.kind == "word" and word.isalpha() and (known := _known(db, word, find)):
            meant = re.sub(rf'(?<![\w:"]){re.escape(term.said)}(?!\w)', known, meant)
    return "" if meant == text else meant


def _known(db: sqlite3.Connection, word: str, find: Callable[[str], Sequence[Hit]]) -> str:
    """Return a word of a memory with a similar spelling, or ""."""
    for stem in _stems(db, word):
        others = {other.lower() for hit in find(f"{stem}*") for other in _words(hit)}
        best, known = min(((distance(word, other), other) for other in others), default=(len(word), ""))
        if best <= allowed(word):
            return known
    return ""


def _stems(db: sqlite3.Connection, word: str) -> list[str]:
    """Return the stems in the full text that are most like a word, the most frequent first.

    Only stems that begin with its first or second letter count: FTS5 finds these without reading the others.
    """
    most = allowed(word)
    found = []
    for first in sorted(set(word[:2])) if most else ():
        query = "SELECT term, doc FROM temp.vocabulary WHERE term >= ? AND term < ? LIMIT ?"
        for stem, memories in db.execute(query, (first, chr(ord(first) + 1), _MOST_TERMS)):
            if abs(len(stem) - len(word)) <= most + 4 and not is_far(word, stem, most):
                found.append((distance_to_stem(word, stem), -memories, stem))
    return [stem for changes, _, stem in sorted(found)[:_TRIED] if changes <= most]


def _words(hit: Hit) -> Iterator[str]:
    memory = hit.memory
    for text in (memory.text, memory.title, memory.topic, *memory.details, *memory.tags, *memory.when_to_use):
        yield from words_of(text)
