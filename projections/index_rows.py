"""Rows of the index, as pure functions of events.

Implements specs/projections.md (P-51); `projections.entry_rows` reads memories back from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from language.unspaced import indexed
from ledger.event import Event
from ledger.fold import fresh_from
from ledger.memory import PROVENANCE_MEMBERS, RECORD_MEMBERS, SECTION_OF_TYPE
from ledger.view import said_key
from projections.entry_rows import NO_LIST, NO_PROVENANCE
from projections.index_schema import EVENT_COLUMNS, MEMORY_COLUMNS
from projections.layout import document_key, rank_class_of, said_at, tag_of

_NOTHING: Mapping[str, Any] = {}

INSERT_EVENT = f"INSERT INTO events VALUES ({', '.join('?' * len(EVENT_COLUMNS))})"
INSERT_MEMORY = f"INSERT INTO memories VALUES ({', '.join('?' * len(MEMORY_COLUMNS))})"


def as_json(value: Any) -> str:
    """Return a list or object as JSON text."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode() if value else NO_LIST


def placed(kind: str, place: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Return the part of a note's statement that its place adds (M-8)."""
    return (place["doc"], place.get("after") or "") if place and kind == "note" else ()


def summary(event: Event) -> str:
    """Return an event in one text: a memory's text, a reason, or the act of a rare kind (P-44)."""
    if event.payload is None and "commit" in event.head:
        return ""  # erased, or altered after it was signed
    payload, head = event.payload or _NOTHING, event.head
    match event.kind:
        case "genesis":
            ledger = head.get("ledger", _NOTHING)
            return f"ledger {ledger.get('name', '')} ({ledger.get('scope', '')})"
        case "rotate":
            since = head.get("since")
            return "a new key" if since is None else f"a new key; events from {since} on are disowned"
        case "recover":
            said, lost = payload.get("reason") or "went on after damage", head.get("lost")
            return f"{said} (the newest event known before was @{lost['seq']})" if lost else str(said)
        case "anchor":
            return " ".join(str(payload[name]) for name in ("method", "where", "file") if payload.get(name))
    return str(payload.get("text") or payload.get("reason") or "")


def event_row(event: Event, n: int, writer: int) -> tuple[Any, ...]:
    """Return the row of one event, the `n`-th that came, in the chain of a writer (0: our own)."""
    provenance = (event.payload or _NOTHING).get("provenance", _NOTHING)
    if event.payload is not None:
        state = 1
    elif event.erased:
        state = 2
    else:
        state = 3 if "commit" in event.head else 0
    return (
        n,
        writer,
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


def memory_row(event: Event, n: int, order: tuple[str, str]) -> tuple[Any, ...]:
    """Return the row of the memory of `event`, the `n`-th, before anything points at it; `order` is its lineage's."""
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
    origin = tuple([provenance.get(name, "") for name in PROVENANCE_MEMBERS]) if provenance else NO_PROVENANCE
    unknown = _NOTHING
    if payload is not None and not payload.keys() <= RECORD_MEMBERS:
        unknown = {name: value for name, value in payload.items() if name not in RECORD_MEMBERS}
    document = document_key(status, tier, topic, section, date, event.at)
    return (
        n,
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
