"""Quickly finds the few memories that may repeat or contradict a text, for likeness to judge.

Implements specs/projections.md (P-159). Reads only; likeness, which is slow to load, runs only if most words agree.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, islice

from language.stop_words import content_words
from language.unspaced import is_unspaced, wanted, words_of
from ledger.fold import Entry, age
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple
from projections.entry_rows import entries_where
from projections.index import Index
from projections.index_schema import FULL_TEXT

_WORD = lazy_pattern(r"[^\W_]{3,}")
_ASKED = 12
"""The number of words of a text to search for, the longest first."""
_FEW = 200
"""The number of newest rows to read for a word; a word of more memories says little by itself."""
_COMMON = 3
"""The number of common words to search for together, all and two at a time."""
_TELLING = 10
"""The weight of a rare word; common words weigh as many as are searched for together."""
LOOKED_AT = 16
"""The most memories that are returned."""
_BEGINNING = 4


def near(index: Index, text: str, most: int = LOOKED_AT) -> list[Entry]:
    """Return the current memories, without daily notes, that share the most telling words with `text`, the best first.

    The time depends on the words of the text and hardly on the number of memories (P-159).
    """
    words = _telling(text)
    db = index.connection()
    weights: Counter[int] = Counter()
    common: list[str] = []
    for word in words:
        rows = _rows(db, word)
        if len(rows) > _FEW:
            common.append(word)
        else:
            weights.update(dict.fromkeys(rows, _TELLING if len(rows) <= most else _TELLING // 2))
    pairs = list(combinations(common[:_COMMON], 2))
    together = pairs if len(pairs) == 1 else [tuple(common[:_COMMON]), *pairs]
    for several in together if pairs else ((word,) for word in common):
        weights.update(dict.fromkeys(_rows(db, " AND ".join(several)), len(several)))
    best = sorted(weights, key=lambda n: (-weights[n], -n))[: 2 * most]
    return list(islice(_standing(db, best), most))


def _telling(text: str) -> list[str]:
    """Return the telling words of a text as terms of FTS5, the longest first."""
    found: dict[str, None] = {}
    words = words_of(text)
    for word in content_words(words) or words:
        if is_unspaced(word):
            found.update(dict.fromkeys(f'pieces : "{piece}"' for piece in wanted(word) if "*" not in piece))
        else:
            found[f'text : "{word.casefold()}"'] = None
    return sorted(found, key=lambda term: (-len(term), term))[:_ASKED]


def _rows(db: sqlite3.Connection, expression: str) -> list[int]:
    found = f"SELECT rowid FROM {FULL_TEXT} WHERE {FULL_TEXT} MATCH ? ORDER BY rowid DESC LIMIT ?"
    query = f"SELECT group_concat(rowid) FROM ({found})"  # one row: reading two hundred takes longer than finding them
    rows: str | None = db.execute(query, (expression, _FEW + 1)).fetchone()[0]
    return [*map(int, rows.split(","))] if rows else []


def _standing(db: sqlite3.Connection, numbers: list[int]) -> Iterator[Entry]:
    for n in numbers:
        standing = "m.n = ? AND m.status IN ('active', 'candidate') AND m.tier != 'daily'"
        yield from entries_where(db, standing, n)


class Resembling(NamedTuple):
    """The oldest memory that says the same, or else the newest one that contradicts it; or neither."""

    same: Entry | None = None
    otherwise: Entry | None = None


def resembling(index: Index, entry: Entry) -> Resembling:
    """Return the memories of its topic and kind that say the same as `entry`, or contradict it (P-159)."""
    text = entry.memory.text
    stems = _stems(text)
    others = [
        other
        for other in near(index, text)
        if other.id != entry.id
        and other.status == "active"
        and _place(other) == _place(entry)
        and len(stems & _stems(other.memory.text)) * 2 >= len(stems)
    ]
    if not others or not stems:
        return Resembling()
    from language.likeness import likeness, read

    said = read(text)
    judged = [(likeness(said, other.memory.text), other) for other in others]
    same = [other for verdict, other in judged if verdict == "same"]
    otherwise = [other for verdict, other in judged if verdict == "contradicts"]
    if same:
        return Resembling(same=min(same, key=age))
    return Resembling(otherwise=max(otherwise, key=age, default=None))


def _place(entry: Entry) -> tuple[str, str, str, str]:
    memory = entry.memory
    return (memory.effective_section, memory.topic, memory.type, memory.tier)


def _stems(text: str) -> set[str]:
    return {word[:_BEGINNING] for word in _WORD.findall(text.casefold())}
