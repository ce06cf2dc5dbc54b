"""Rows of the index, as pure functions of events: the one place that says how a memory becomes columns and back.

Implements specs/projections.md (P-51).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

import orjson

from ledger.event import By, Event
from ledger.fold import Entry
from ledger.memory import PROVENANCE_MEMBERS, RECORD_MEMBERS, SECTION_OF_TYPE, Memory, Part, Place, Provenance
from ledger.view import said_key
from projections.index_schema import EVENT_COLUMNS, MEMORY_COLUMNS
from projections.layout import document_key, rank_class_of

_NOTHING: Mapping[str, Any] = {}
NO_LIST = "[]"

INSERT_EVENT = f"INSERT INTO events VALUES ({', '.join('?' * len(EVENT_COLUMNS))})"
INSERT_MEMORY = f"INSERT INTO memories VALUES ({', '.join('?' * len(MEMORY_COLUMNS))})"
SELECT_MEMORY = f"SELECT {', '.join('m.' + name for name in MEMORY_COLUMNS)}, e.offset, e.size FROM memories m JOIN events e USING (seq)"


def as_json(value: Any) -> str:
    """Return a list or object as JSON text."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode() if value else NO_LIST


def summary(event: Event) -> str:
    """Return what an event says in one text: a memory's text, or the reason of a delete, confirm, erase or recover, or an anchor's method."""
    payload = event.payload or _NOTHING
    return str(payload.get("text") or payload.get("reason") or payload.get("method") or "")


def event_row(event: Event) -> tuple[Any, ...]:
    """Return the row of one event."""
    provenance = (event.payload or _NOTHING).get("provenance", _NOTHING)
    state = 1 if event.payload is not None else 2 if event.erased else 0
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
    payload = payload if payload is not None else _NOTHING
    kind = payload.get("type", "fact")
    own_section = payload.get("section", "")
    section = own_section or SECTION_OF_TYPE[kind]
    topic, tier = payload.get("topic", ""), payload.get("tier", "curated")
    importance = payload.get("importance", "medium")
    record_status = payload.get("status", "active")
    status = "erased" if erased else record_status
    details, provenance = payload.get("details", ()), payload.get("provenance", _NOTHING)
    text, title, body = payload.get("text", ""), payload.get("title", ""), payload.get("body", "")
    unknown = {name: value for name, value in payload.items() if name not in RECORD_MEMBERS}
    document = document_key(status, tier, topic, section, provenance.get("date", ""), event.at)
    return (
        event.seq,
        event.id,
        status,
        text,
        as_json(details),
        title,
        body,
        topic,
        as_json(payload.get("when_to_use")),
        as_json(payload.get("tags")),
        kind,
        section,
        own_section,
        tier,
        importance,
        float(payload.get("confidence", 1)),
        int(payload.get("inferred", False)),
        payload.get("source", "manual"),
        record_status,
        payload.get("category", ""),
        *(provenance.get(name, "") for name in PROVENANCE_MEMBERS),
        payload.get("extra", ""),
        as_json(payload.get("place")),
        as_json(unknown),
        payload["part"]["of"] if "part" in payload else 0,
        event.ts,
        event.at,
        event.by.name,
        event.by.role,
        event.by.via,
        event.at,
        *order,
        as_json(event.targets),
        NO_LIST,
        NO_LIST,
        "" if erased else said_key(section, topic, tier, text, details, title, body),
        document.kind if document else "",
        document.name if document else "",
        rank_class_of(section, importance),
    )


_COLUMN = {name: i for i, name in enumerate(MEMORY_COLUMNS)}


def entry_of(row: sqlite3.Row | tuple[Any, ...]) -> Entry:
    """Return the Entry of a row of SELECT_MEMORY."""
    c = _COLUMN
    place = orjson.loads(row[c["place"]])
    first = c["conversation"]
    memory = Memory(
        text=row[c["text"]],
        details=tuple(orjson.loads(row[c["details"]])),
        title=row[c["title"]],
        body=row[c["body"]],
        part=Part(1, row[c["parts"]]) if row[c["parts"]] else None,
        place=Place(place["doc"], place.get("after")) if place else None,
        topic=row[c["topic"]],
        when_to_use=tuple(orjson.loads(row[c["when_to_use"]])),
        tags=tuple(orjson.loads(row[c["tags"]])),
        type=row[c["type"]],
        section=row[c["own_section"]],
        tier=row[c["tier"]],
        importance=row[c["importance"]],
        confidence=row[c["confidence"]],
        inferred=bool(row[c["inferred"]]),
        source=row[c["source"]],
        status=row[c["record_status"]],
        category=row[c["category"]],
        provenance=Provenance(*row[first : first + len(PROVENANCE_MEMBERS)]),
        extra=row[c["extra"]],
        unknown=orjson.loads(row[c["unknown"]]) or {},
    )
    return Entry(
        row[c["id"]],
        row[c["seq"]],
        memory,
        row[c["status"]],
        row[c["ts"]],
        row[c["learned"]],
        By(row[c["name"]], row[c["role"]], row[c["via"]]),
        row[c["fresh_since"]],
        (row[c["order_ts"]], row[c["order_id"]]),
        tuple(orjson.loads(row[c["supersedes"]])),
        tuple(orjson.loads(row[c["superseded_by"]])),
        tuple(orjson.loads(row[c["deleted_by"]])),
        False,
        row[-2],
        row[-1],
    )
