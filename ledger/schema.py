"""The event catalogue: each kind, its members, and the check of every member.

Implements specs/event.md (E-14…E-24). To add a kind, add it here; the tests then demand a handler for it in
the index, and a line of it in the worked example of the format (docs/architecture.md lists the places).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from ledger.canonical import MAX_INTEGER, unb64
from ledger.instant import is_instant
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import EVENT_ID, RECORD_RULES, SLUG, MemberCheck, line, record_fault
from ledger.named_tuple import NamedTuple

FORMAT_VERSION = 1
ROLES = ("user", "agent", "system")
VIAS = ("cli", "mcp", "hook", "library", "edit", "git", "import")
SCOPES = ("user", "project", "local")
MAX_TARGETS = 16
MAX_SEEN = 64
SALT = lazy_pattern("[A-Za-z0-9_-]{21}[AQgw]")
"""16 bytes in base64url: the four unused bits of the last character are zero (E-8, E-13)."""

_ALWAYS = frozenset({"v", "seq", "prev", "ts", "kind", "epoch", "by"})
_LEDGER_ID = lazy_pattern(r"[0-9a-f]{32}")


PayloadCheck = Callable[[Mapping[str, Any]], str | None]


class Kind(NamedTuple):
    """One row of the catalogue: the members that EVENT must and may have, and the check of the payload."""

    name: str
    required: frozenset[str]
    optional: frozenset[str]
    payload_fault: PayloadCheck | None


def note_fault(payload: Mapping[str, Any]) -> str | None:
    """Return the fault of the payload of a delete, confirm, erase or recover, or None (E-24)."""
    if "reason" in payload and (fault := RECORD_RULES["reason"](payload["reason"])):
        return f"reason {fault}"
    if "provenance" in payload and (fault := RECORD_RULES["provenance"](payload["provenance"])):
        return f"provenance {fault}"
    return None


_ANCHOR_LINE = line(1000)


def _anchor_fault(payload: Mapping[str, Any]) -> str | None:
    if "method" not in payload:
        return "method is missing"
    for name in ("method", "root", "digest", "file", "where"):
        if name in payload and (fault := _ANCHOR_LINE(payload[name])):
            return f"{name} {fault}"
    size = payload.get("size", 0)
    return None if type(size) is int and size >= 0 else "size must be an integer of at least 0"


def _kind(name: str, required: str = "", optional: str = "", payload: PayloadCheck | None = None) -> Kind:
    everywhere = "at" if name == "genesis" else "at seen"
    return Kind(name, _ALWAYS | set(required.split()), frozenset(f"{optional} {everywhere}".split()), payload)


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            _kind("genesis", "key next nonce ledger"),
            _kind("create", "commit", payload=record_fault),
            _kind("supersede", "targets commit", payload=record_fault),
            _kind("delete", "targets", "commit", payload=note_fault),
            _kind("confirm", "targets", "commit", payload=note_fault),
            _kind("erase", "targets", "commit", payload=note_fault),
            _kind("rotate", "key next", "proof since"),
            _kind("recover", "lost cut", "commit", payload=note_fault),
            _kind("anchor", "commit", payload=_anchor_fault),
        )
    }
)
"""All nine kinds of format v1, by name."""

MEMORY_KINDS = frozenset({"create", "supersede"})


def event_fault(event: Mapping[str, Any]) -> str | None:
    """Return the fault of the members of a decoded EVENT (of version 1), or None.

    The checks are narrower than the domain of E-6: an EVENT that passes them is within it.
    """
    kind = event.get("kind")
    row = KINDS.get(kind) if type(kind) is str else None
    if row is None:
        return f"kind {kind!r} is unknown"
    members = event.keys()
    if missing := row.required - members:
        return f"a {kind} lacks {', '.join(sorted(missing))}"
    if unknown := members - row.required - row.optional:
        return f"a {kind} has no member {', '.join(sorted(unknown))}"
    for name, check in _CHECKS:
        if name in event and (fault := check(event[name])):
            return f"{name} {fault}"
    if "at" in event and event["at"] == event["ts"]:
        return "at is the same as ts and must be left out"
    return None


def payload_fault(kind: str, payload: Mapping[str, Any]) -> str | None:
    """Return the fault of the members of a decoded PAYLOAD, or None (M-4, E-13, E-24)."""
    salt = payload.get("salt")
    if type(salt) is not str or not SALT.fullmatch(salt):
        return "salt must be the base64url of 16 bytes"
    check = KINDS[kind].payload_fault
    return check(payload) if check else "this kind has no payload"


# --- members of EVENT ---------------------------------------------------------------------------------------


def _count(value: Any) -> str | None:
    good = type(value) is int and 0 <= value <= MAX_INTEGER
    return None if good else "must be an integer of at least 0"


_is_id = EVENT_ID.fullmatch


def _id(value: Any) -> str | None:
    return None if type(value) is str and _is_id(value) else "must be 64 hex digits"


def _id_or_null(value: Any) -> str | None:
    return None if value is None else _id(value)


def _ids(most: int) -> MemberCheck:
    def check(value: Any) -> str | None:
        if type(value) is not list or not 1 <= len(value) <= most:
            return f"must be a list of 1 to {most} ids"
        for item in value:
            if fault := _id(item):
                return f"holds an id that {fault}"
        return None if len(set(value)) == len(value) else "names an id twice"

    return check


def _time(value: Any) -> str | None:
    return None if is_instant(value) else "must be a UTC time such as 2026-11-20T15:11:00.123456Z"


def by_fault(value: Any) -> str | None:
    """Return the fault of a `by` member (E-17), or None."""
    if type(value) is not dict or value.keys() != _BY_MEMBERS:
        return "must be {name, role, via}"
    name, role, via = value["name"], value["role"], value["via"]
    if type(name) is not str or not SLUG.fullmatch(name):
        return "has a name that is not a slug (a-z, 0-9, . _ -, at most 64)"
    if role not in ROLES or via not in VIAS:
        return f"has the role {role!r} or via {via!r}, which is unknown"
    return None


_BY_MEMBERS = {"name", "role", "via"}


def _ledger(value: Any) -> str | None:
    if type(value) is not dict or value.keys() != {"id", "name", "scope"}:
        return "must be {id, name, scope}"
    if type(value["id"]) is not str or not _LEDGER_ID.fullmatch(value["id"]):
        return "has an id that is not 32 hex digits"
    if type(value["name"]) is not str or not SLUG.fullmatch(value["name"]) or value["scope"] not in SCOPES:
        return "has a name that is not a slug, or an unknown scope"
    return None


def _base64(size: int) -> MemberCheck:
    def check(value: Any) -> str | None:
        good = type(value) is str and unb64(value, size) is not None
        return None if good else f"must be the base64url of {size} bytes"

    return check


def _lost(value: Any) -> str | None:
    if value is None:
        return None
    if type(value) is not dict or value.keys() != {"id", "seq"}:
        return "must be {id, seq} or null"
    return _id(value["id"]) or _count(value["seq"])


def _since(value: Any) -> str | None:
    good = type(value) is int and 1 <= value <= MAX_INTEGER
    return None if good else "must be an integer of at least 1"


def _version(value: Any) -> str | None:
    good = type(value) is int and value == FORMAT_VERSION
    return None if good else f"is {value!r}; this format is version {FORMAT_VERSION}"


_CHECKS: tuple[tuple[str, MemberCheck], ...] = (
    ("v", _version),
    ("seq", _count),
    ("prev", _id_or_null),
    ("ts", _time),
    ("epoch", _count),
    ("by", by_fault),
    ("commit", _id),
    ("at", _time),
    ("targets", _ids(MAX_TARGETS)),
    ("seen", _ids(MAX_SEEN)),
    ("key", _id),
    ("next", _id),
    ("nonce", _base64(16)),
    ("ledger", _ledger),
    ("proof", _base64(64)),
    ("since", _since),
    ("lost", _lost),
    ("cut", _id_or_null),
)
