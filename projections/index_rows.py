"""Rows of the index, as pure functions of events.

The one place that says how a memory becomes columns and back.

Implements specs/projections.md (P-51).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

import orjson

from language.unspaced import indexed
from ledger.event import By, Event
from ledger.fold import Entry, fresh_from
from ledger.memory import (
    PROVENANCE_MEMBERS,
    RECORD_MEMBERS,
    SECTION_OF_TYPE,
    BodyPart,
    Memory,
    Place,
    Provenance,
)
from ledger.view import said_key
from projections.index_schema import EVENT_COLUMNS, MEMORY_COLUMNS
from projections.layout import document_key, rank_class_of, said_at, tag_of

_NOTHING: Mapping[str, Any] = {}
NO_LIST = "[]"

INSERT_EVENT = f"INSERT INTO events VALUES ({', '.join('?' * len(EVENT_COLUMNS))})"
INSERT_MEMORY = f"INSERT INTO memories VALUES ({', '.join('?' * len(MEMORY_COLUMNS))})"
MEMORY_FIELDS = f"{', '.join('m.' + name for name in MEMORY_COLUMNS)}, e.offset, e.size"
SELECT_MEMORY = f"SELECT {MEMORY_FIELDS} FROM memories m JOIN events e USING (seq)"


def as_json(value: Any) -> str:
    """Return a list or object as JSON text."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode() if value else NO_LIST


def placed(kind: str, place: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return what a note's place adds to its statement (M-8)."""
    return (place["doc"], place.get("after") or "") if place and kind == "note" else ()


def summary(event: Event) -> str:
    """Return what an event says in one text.

    A memory's text, or the reason of a delete, confirm, erase or recover, or an anchor's method.
    """
    payload = event.payload or _NOTHING
    return str(payload.get("text") or payload.get("reason") or payload.get("method") or "")


def event_row(event: Event) -> tuple[Any, ...]:
    """Return the row of one event."""
    provenance = (event.payload or _NOTHING).get("provenance", _NOTHING)
    if event.payload is not None:
        state = 1
    elif event.erased:
        state = 2
    else:
        state = 3 if "commit" in event.head else 0
    return (
        event.seq,
        event.id,
        event.kind,
        event.ts,
        event.at,
        event.by.name,
        event.by.role,
        event.by.via,
        event.offset,
        event.size,
        state,
        provenance.get("conversation", ""),
        provenance.get("session", ""),
        summary(event),
    )


def memory_row(event: Event, order: tuple[str, str]) -> tuple[Any, ...]:
    """Return the row of the memory that `event` made, before anything points at it; `order` is its lineage's."""
    payload = event.payload
    erased = payload is None
    get = (_NOTHING if payload is None else payload).get
    kind = get("type", "fact")
    own_section = get("section", "")
    section = own_section or SECTION_OF_TYPE[kind]
    topic, tier = get("topic", ""), get("tier", "curated")
    importance = get("importance", "medium")
    record_status = get("status", "active")
    status = "erased" if erased else record_status
    details = get("details", ())
    text, title, body = get("text", ""), get("title", ""), get("body", "")
    provenance = get("provenance", _NOTHING)
    date = provenance.get("date", "")
    origin = (
        tuple([provenance.get(name, "") for name in PROVENANCE_MEMBERS]) if provenance else _NO_PROVENANCE
    )
    unknown = _NOTHING
    if payload is not None and not payload.keys() <= RECORD_MEMBERS:
        unknown = {name: value for name, value in payload.items() if name not in RECORD_MEMBERS}
    document = document_key(status, tier, topic, section, date, event.at)
    return (
        event.seq,
        event.id,
        status,
        text,
        as_json(details),
        title,
        body,
        topic,
        as_json(get("when_to_use")),
        as_json(get("tags")),
        kind,
        section,
        own_section,
        tier,
        importance,
        float(get("confidence", 1)),
        int(get("inferred", False)),
        get("source", "manual"),
        record_status,
        get("category", ""),
        get("reason", ""),
        *origin,
        get("extra", ""),
        as_json(get("place")),
        as_json(unknown),
        part["of"] if (part := get("part")) else 0,
        event.ts,
        event.at,
        event.by.name,
        event.by.role,
        event.by.via,
        fresh_from(event.at, event.by.via, date, replaces=bool(event.targets)),
        *order,
        as_json(event.targets),
        NO_LIST,
        NO_LIST,
        ""
        if erased
        else said_key(
            section, topic, tier, text, tuple(details), title, body, date, placed(kind, get("place"))
        ),
        document.kind if document else "",
        document.name if document else "",
        tag_of(document, get("tags", ())),
        rank_class_of(section, importance),
        said_at(event.ts, event.by.via, date),
        indexed((text, title, body, *details, topic, *get("tags", ()), *get("when_to_use", ()))),
    )


_NO_PROVENANCE = ("",) * len(PROVENANCE_MEMBERS)
_UNKNOWN = Provenance()


def _list(text: str) -> tuple[str, ...]:
    """Return the list that a column holds; most hold none."""
    return () if text == NO_LIST else tuple(orjson.loads(text))


def entry_of(row: sqlite3.Row | tuple[Any, ...]) -> Entry:
    """Return the Entry of a row of MEMORY_FIELDS."""
    (
        seq, id_, status, text, details, title, body, topic, when_to_use, tags, kind, _section, own_section, tier, importance, confidence,
        inferred, source, record_status, category, reason, conversation, message, session, agent, task, tool, file, author, date, extra,
        place, unknown, parts, ts, learned, name, role, via, fresh_since, order_ts, order_id, supersedes, superseded_by, deleted_by,
        _statement, _doc_kind, _doc_name, _doc_tag, _rank_class, _said, _pieces, offset, size,
    ) = row  # fmt: skip
    origin = (conversation, message, session, agent, task, tool, file, author, date)
    where = None if place == NO_LIST else orjson.loads(place)
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
        _UNKNOWN if origin == _NO_PROVENANCE else Provenance(*origin),
        extra,
        {} if unknown == NO_LIST else orjson.loads(unknown),
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
        False,
        offset,
        size,
        reason,
    )
