"""The timeline of a folded state: the model that the log of the index is compared with (specs/projections.md P-43, P-44)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from ledger.errors import LedgerError
from ledger.event import Event
from ledger.fold import Entry, is_later_part
from ledger.hidden_characters import named
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

Lookup = Callable[[str], Entry | None]
"""Returns the memory with a full id, or None where no memory has it."""

ERASED = "(erased)"

_NOT_SHOWN = lazy_pattern("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class TimelineRow(NamedTuple):
    """One event as people read it.

    `when` is the clock (`at`); `what` is one line without control characters: a memory's text, a reason, or
    what the event's kind says. `conversation` and `session` are empty where they are unknown or erased.
    """

    seq: int
    id: str
    when: str
    kind: str
    by: str
    role: str
    via: str
    conversation: str
    session: str
    what: str
    targets: tuple[str, ...]


def row_of(event: Event, lookup: Lookup | None = None) -> TimelineRow:
    """Return the row of an event (P-43).

    Args:
        event: a checked event.
        lookup: finds memories. What an event without a reason is about is taken from its targets; a memory
            that is erased there is not shown even where the event given still holds it.

    Raises:
        LedgerError: the kind is unknown.
    """
    summary = SUMMARIES.get(event.kind)
    if summary is None:
        raise LedgerError(f"cannot show an event of kind {event.kind!r}: update muniment")
    gone = event.erased or _is_erased(event.id, lookup)
    payload = {} if gone or event.payload is None else event.payload
    provenance = payload.get("provenance", {})
    what = ERASED if gone else summary(event, payload, lookup)
    return TimelineRow(
        event.seq,
        event.id,
        event.at,
        event.kind,
        event.by.name,
        event.by.role,
        event.by.via,
        _one_line(provenance.get("conversation", "")),
        _one_line(provenance.get("session", "")),
        _one_line(what),
        event.targets,
    )


def _is_erased(id_: str, lookup: Lookup | None) -> bool:
    entry = lookup(id_) if lookup else None
    return entry is not None and entry.status == "erased"


def _one_line(text: str) -> str:
    """Return the text as one line that no terminal takes for a command; what nobody sees has its name."""
    return " ".join(_NOT_SHOWN.sub(" ", named(text)).split())


# --- what each kind says ---

Summary = Callable[[Event, Mapping[str, Any], Lookup | None], str]


def _memory(_event: Event, payload: Mapping[str, Any], _lookup: Lookup | None) -> str:
    text: str = payload.get("text", "")
    if is_later_part(payload):
        return f"{text} (part {payload['part']['n']} of {payload['part']['of']})"
    return text


def _reason(event: Event, payload: Mapping[str, Any], lookup: Lookup | None) -> str:
    if reason := payload.get("reason"):
        return str(reason)
    entries = [lookup(target) for target in event.targets] if lookup else []
    return "; ".join(ERASED if e.status == "erased" else e.memory.text for e in entries if e is not None)


def _genesis(event: Event, _payload: Mapping[str, Any], _lookup: Lookup | None) -> str:
    ledger = event.head.get("ledger", {})
    return f"ledger {ledger.get('name', '')} ({ledger.get('scope', '')})"


def _rotate(event: Event, _payload: Mapping[str, Any], _lookup: Lookup | None) -> str:
    since = event.head.get("since")
    return "a new key" if since is None else f"a new key; events from {since} on are disowned"


def _recover(event: Event, payload: Mapping[str, Any], _lookup: Lookup | None) -> str:
    lost = event.head.get("lost")
    said = payload.get("reason") or "went on after damage"
    return f"{said} (the newest event known before was @{lost['seq']})" if lost else str(said)


def _anchor(_event: Event, payload: Mapping[str, Any], _lookup: Lookup | None) -> str:
    return " ".join(str(payload[name]) for name in ("method", "where", "file") if payload.get(name))


SUMMARIES: Mapping[str, Summary] = MappingProxyType(
    {
        "genesis": _genesis,
        "create": _memory,
        "supersede": _memory,
        "delete": _reason,
        "confirm": _reason,
        "erase": _reason,
        "rotate": _rotate,
        "recover": _recover,
        "anchor": _anchor,
    }
)
"""What a row of each kind says (P-44); an erased payload says ERASED, whatever the kind."""
