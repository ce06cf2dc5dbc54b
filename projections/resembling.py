"""Finds the memory that says what a new one says, in other words: for a hint, never for a refusal.

Implements specs/projections.md (P-159). The full text as it is and the few texts that wait for it are asked, and
nothing is written; likeness, which takes long to load, is asked only where most words agree.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from itertools import combinations

from ledger.fold import Entry
from projections import full_text
from projections.index import Index
from projections.index_rows import MEMORY_FIELDS, entry_of

_WORD = re.compile(r"[^\W_]{3,}")
_ASKED = 3
"""Of so many words of a text, the longest, two must be there."""
_LOOKED_AT = 10
_BEGINNING = 4
_SAME_PLACE = (
    "m.section = ? AND m.topic = ? AND m.type = ? AND m.tier = ? AND m.status = 'active' AND m.seq != ?"
)


def resembling(index: Index, entry: Entry) -> Entry | None:
    """Return the oldest of the best matches in its section and topic that says what `entry` says, or None."""
    words = sorted(set(_WORD.findall(entry.memory.text.casefold())), key=lambda word: (-len(word), word))
    if not words:
        return None
    stems = _stems(entry.memory.text)
    near = {
        other.id: other
        for other in _near(index.connection(), entry, words[:_ASKED])
        if len(stems & _stems(other.memory.text)) * 2 >= len(stems)
    }
    if not near:
        return None
    from ledger.likeness import likeness, read

    said = read(entry.memory.text)
    same = [other for other in near.values() if likeness(said, other.memory.text) == "same"]
    return min(same, key=lambda other: (other.ts, other.id), default=None)


def _near(db: sqlite3.Connection, entry: Entry, words: list[str]) -> Iterator[Entry]:
    memory = entry.memory
    place = (memory.effective_section, memory.topic, memory.type, memory.tier, entry.seq)
    tables = f"FROM {full_text.TABLE} f CROSS JOIN memories m ON m.seq = f.rowid CROSS JOIN events e ON e.seq = m.seq"
    query = f"SELECT {MEMORY_FIELDS} {tables} WHERE {full_text.TABLE} MATCH ? AND {_SAME_PLACE} ORDER BY f.rank LIMIT ?"
    pairs = [" AND ".join(f'text : "{word}"' for word in pair) for pair in combinations(words, 2)]
    expression = " OR ".join(f"({pair})" for pair in pairs) or f'text : "{words[0]}"'
    for row in db.execute(query, (expression, *place, _LOOKED_AT)):
        yield entry_of(row)
    waiting = (
        f"SELECT {MEMORY_FIELDS} FROM memories m JOIN events e USING (seq) WHERE m.seq > ? AND {_SAME_PLACE}"
    )
    for row in db.execute(waiting, (full_text.reach(db), *place)):
        yield entry_of(row)


def _stems(text: str) -> set[str]:
    return {word[:_BEGINNING] for word in _WORD.findall(text.casefold())}
