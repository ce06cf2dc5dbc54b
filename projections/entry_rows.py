"""Reads memories back from rows of the index.

Implements specs/projections.md (P-51); `projections.index_rows` writes these rows. Light to import: hooks read memories
without the code that signs and writes.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from functools import lru_cache

from ledger.event import By
from ledger.fold import Entry
from ledger.memory import PROVENANCE_MEMBERS, BodyPart, Memory, Place, Provenance
from projections.index_schema import MEMORY_COLUMNS

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import Any

NO_LIST = "[]"
_OF_THE_INDEX = {"section", "statement", "doc_kind", "doc_name", "doc_tag", "rank_class", "said", "pieces"}
"""Columns that only serve to find a memory; the other columns hold the same."""
SELECT_MEMORY = (
    f"SELECT {', '.join('m.' + name for name in MEMORY_COLUMNS if name not in _OF_THE_INDEX)}, e.offset, e.size, e.seq, e.writer "
    "FROM memories m JOIN events e USING (n)"
)
NO_PROVENANCE = ("",) * len(PROVENANCE_MEMBERS)
_UNKNOWN = Provenance()


@lru_cache(512)
def _list(text: str) -> tuple[str, ...]:
    """Return the list in a column; cached, because many memories have the same tags and most columns are empty."""
    return tuple(json.loads(text))


def entries_where(db: sqlite3.Connection, condition: str, *values: Any) -> Iterator[Entry]:
    """Yield the memories that a condition on `memories m` and `events e` leaves, as they are read; an order may follow it."""
    return map(entry_of, db.execute(f"{SELECT_MEMORY} WHERE {condition}", values))


def entry_of(row: sqlite3.Row | tuple[Any, ...]) -> Entry:
    """Return the Entry of a row of SELECT_MEMORY."""
    (
        n, id_, status, text, details, title, body, topic, when_to_use, tags, kind, own_section, tier, importance, confidence,
        inferred, source, record_status, category, reason, conversation, message, session, agent, task, tool, file, author, date, extra,
        place, unknown, parts, ts, learned, name, role, via, fresh_since, order_ts, order_id, supersedes, superseded_by, deleted_by,
        offset, size, seq, writer,
    ) = row  # fmt: skip
    origin = (conversation, message, session, agent, task, tool, file, author, date)
    where = None if place == NO_LIST else json.loads(place)
    memory = Memory(
        text,
        _list(details),
        title,
        body,
        BodyPart(1, parts) if parts else None,
        Place(where["doc"], where.get("after")) if where else None,
        topic,
        _list(when_to_use),
        _list(tags),
        kind,
        own_section,
        tier,
        importance,
        confidence,
        inferred == 1,
        source,
        record_status,
        category,
        _UNKNOWN if origin == NO_PROVENANCE else Provenance(*origin),
        extra,
        {} if unknown == NO_LIST else json.loads(unknown),
    )
    return Entry(
        id_,
        seq,
        memory,
        status,
        ts,
        learned,
        By(name, role, via),
        fresh_since,
        (order_ts, order_id),
        _list(supersedes),
        _list(superseded_by),
        _list(deleted_by),
        offset,
        size,
        reason,
        n,
        writer,
    )
