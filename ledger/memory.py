"""What one memory says: the record that create and supersede events carry as their payload.

Implements specs/memory.md (M-1…M-10). Value types only: no I/O, no clock, no identity. `capture` builds these
values; the ledger decides whether they become events.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType

from ledger.errors import RecordError
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import Any

TYPES = ("fact", "preference", "decision", "note", "episode", "identity", "commitment")
TIERS = ("daily", "curated", "committed")
IMPORTANCES = ("low", "medium", "high", "critical")
SOURCES = ("auto", "manual")
STATUSES = ("active", "candidate")
CATEGORIES = ("repeated-correction", "error-pattern", "user-preference", "project-pattern", "tool-usage")

CORRECTIONS = "Corrections"
SECTIONS = (
    "User Preferences",
    "Project Conventions",
    "Error Patterns",
    "Tool Usage",
    "Architecture Decisions",
    CORRECTIONS,
    "Workflow",
    "People & Roles",
)
"""The fixed sections in the order in which MEMORY.md shows them; any other heading is a person's own."""

SECTION_OF_TYPE: Mapping[str, str] = MappingProxyType(
    {
        "fact": "Project Conventions",
        "preference": "User Preferences",
        "decision": "Architecture Decisions",
        "note": "Project Conventions",
        "episode": "Workflow",
        "identity": "People & Roles",
        "commitment": "Workflow",
    }
)
"""Where a memory without a `section` of its own belongs (specs/memory.md M-6)."""

MAX_TEXT = 1000
MAX_LINE = 500
MAX_REASON = 4000
MAX_SLUG = 64

SLUG = lazy_pattern(r"[a-z0-9][a-z0-9._-]{0,63}")
TOPIC = lazy_pattern(r"[a-z0-9]+(?:-[a-z0-9]+)*(?:/[a-z0-9]+(?:-[a-z0-9]+)*){0,3}")
DECIMAL = lazy_pattern(r"0\.[0-9]{2}|1\.00")
EVENT_ID = lazy_pattern(r"[0-9a-f]{64}")
SPACES = "\t \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
"""What counts as space at the ends of a text (specs/memory.md M-5), whatever Unicode version Python has."""


FROM = "from"
"""The member that names memories from which one was made and that it does not replace; it stays in `unknown` (M-4)."""
MOST_FROM = 16
"""So many of them a writer names."""


def one_line(text: str) -> str:
    """Return a text on one line, without the NULs that no record holds."""
    return " ".join(text.replace("\x00", " ").split())


def made_from(payload: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the ids of the memories from which one was made, as its payload or its unknown members name them."""
    ids = payload.get(FROM)
    return tuple(id_ for id_ in ids if type(id_) is str) if type(ids) is list else ()


class Provenance(NamedTuple):
    """Where a memory came from; every member is free text of one line, empty when unknown."""

    conversation: str = ""
    message: str = ""
    session: str = ""
    agent: str = ""
    task: str = ""
    tool: str = ""
    file: str = ""
    author: str = ""
    date: str = ""

    def to_payload(self) -> dict[str, str]:
        """Return the members that are set."""
        return {name: value for name, value in self._asdict().items() if value}


PROVENANCE_MEMBERS = Provenance._fields


class Place(NamedTuple):
    """The place of a block in a person's document: `doc` is its path, `after` the id of the block before it."""

    doc: str
    after: str | None = None


class BodyPart(NamedTuple):
    """One numbered part (1-based `n` of `of`) of a long body.

    `first` is the id of part 1, None in part 1 itself.
    """

    n: int
    of: int
    first: str | None = None


class Memory(NamedTuple):
    """One memory as a person or an agent states it.

    `text` is the only thing that must be given. `section` is empty if the type's own section applies;
    `effective_section` resolves it. `confidence` is a number from 0 to 1 with two decimals. `unknown` holds
    payload members of a later minor format, kept verbatim so that a supersede by an older program loses
    nothing.
    """

    text: str
    details: tuple[str, ...] = ()
    title: str = ""
    body: str = ""
    part: BodyPart | None = None
    place: Place | None = None
    topic: str = ""
    when_to_use: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    type: str = "fact"
    section: str = ""
    tier: str = "curated"
    importance: str = "medium"
    confidence: float = 1.0
    inferred: bool = False
    source: str = "manual"
    status: str = "active"
    category: str = ""
    provenance: Provenance = Provenance()
    extra: str = ""
    unknown: Mapping[str, Any] = {}

    @property
    def effective_section(self) -> str:
        """The section that the memory belongs to: its own, or that of its type.

        Raises:
            RecordError: there is no such type.
        """
        try:
            return self.section or SECTION_OF_TYPE[self.type]
        except (KeyError, TypeError):
            raise RecordError(f"type {RECORD_RULES['type'](self.type)}") from None

    @property
    def heading(self) -> str:
        """Its heading in a document of sections, or "" before the first (P-8, P-29)."""
        if self.section or (self.tier == "daily" and not self.topic):
            return self.section
        return "" if self.place is not None else self.effective_section

    def to_payload(self) -> dict[str, Any]:
        """Return the canonical payload members without the salt.

        Defaults and empty values are left out (M-2).

        Raises:
            RecordError: a member breaks its rule; the message names the member and the rule.
        """
        payload: dict[str, Any] = dict(self.unknown)
        payload["text"] = self.text
        payload.update({name: value for name in _TEXTS if (value := getattr(self, name))})
        payload.update(
            {name: value for name, default in _DEFAULTS.items() if (value := getattr(self, name)) != default}
        )
        for name in _LISTS:
            if value := getattr(self, name):  # a text is not a list of letters: the check refuses it
                payload[name] = value if isinstance(value, str) else list(value)
        if self.inferred:
            payload["inferred"] = True
        if self.confidence != 1.0:
            payload["confidence"] = _decimal(self.confidence)
        if self.part:
            payload["part"] = {"n": self.part.n, "of": self.part.of, "first": self.part.first}
        if self.place:
            payload["place"] = {"doc": self.place.doc, "after": self.place.after}
        if provenance := self.provenance.to_payload():
            payload["provenance"] = provenance
        if fault := record_fault(payload):
            raise RecordError(fault)
        return payload

    @classmethod
    def from_payload(cls, payload: Mapping[str, Any]) -> Memory:
        """Build the record that a checked payload holds; the salt is dropped, unknown members are kept (M-3)."""
        known: dict[str, Any] = {name: value for name, value in payload.items() if name in _PLAIN}
        for name in _LISTS:
            known[name] = tuple(payload.get(name, ()))
        if "confidence" in payload:
            known["confidence"] = float(payload["confidence"])
        if "part" in payload:
            known["part"] = BodyPart(**{k: payload["part"].get(k) for k in ("n", "of", "first")})
        if "place" in payload:
            known["place"] = Place(payload["place"]["doc"], payload["place"].get("after"))
        provenance = payload.get("provenance", {})
        known["provenance"] = Provenance(**{k: v for k, v in provenance.items() if k in PROVENANCE_MEMBERS})
        unknown = {name: value for name, value in payload.items() if name not in RECORD_MEMBERS}
        return cls(**known, unknown=unknown)

    def with_changes(self, **changes: Any) -> Memory:
        """Return a copy with the named members replaced."""
        return self._replace(**changes)


_DEFAULTS = {
    "type": "fact",
    "tier": "curated",
    "importance": "medium",
    "source": "manual",
    "status": "active",
}
_TEXTS = ("title", "body", "topic", "section", "category", "extra")
_LISTS = ("details", "when_to_use", "tags")
_PLAIN = frozenset({"text", "inferred", *_TEXTS, *_DEFAULTS})


def _decimal(value: Any) -> str:
    if not (isinstance(value, int | float) and 0 <= value <= 1):
        raise RecordError(f"confidence is {value!r}; give a number from 0 to 1")
    return f"{value:.2f}"


# --- rules of the single members ---------------------------------------------------------------------------------
# A check returns what is wrong as the rest of the sentence "<member> …", or None.

MemberCheck = Callable[["Any"], str | None]


def line(limit: int) -> MemberCheck:
    """Return the check for one line of text, 1 to `limit` code points."""

    def check(value: Any) -> str | None:
        if type(value) is not str:
            return "must be text"
        if not 1 <= len(value) <= limit:
            return f"has {len(value)} characters; 1 to {limit} are allowed"
        one = value.splitlines() == [value] and "\x00" not in value  # it cuts at just the characters of M-5
        return None if one else "must be one line"

    return check


def _text(value: Any) -> str | None:
    fault = _LINE_TEXT(value)
    if fault is None:
        return None if value.strip(SPACES) else "is blank"
    return f"{fault}: put the rest into details or body" if value and type(value) is str else fault


_LINE_TEXT = line(MAX_TEXT)


def _long(value: Any) -> str | None:
    if type(value) is not str:
        return "must be text"
    return "must not hold U+0000" if "\x00" in value else None


def reason(value: Any) -> str | None:
    """Return the fault of a reason as "<member> …", or None (E-24)."""
    if type(value) is not str:
        return "must be text"
    if len(value) > MAX_REASON:
        return f"has {len(value)} characters; at most {MAX_REASON} are allowed"
    return "must not hold U+0000" if "\x00" in value else None


def _lines(limit: int, count: int) -> MemberCheck:
    one = line(limit)

    def check(value: Any) -> str | None:
        if type(value) is not list:
            return "must be a list"
        if len(value) > count:
            return f"has {len(value)} items; at most {count} are allowed"
        for item in value:
            if fault := one(item):
                return f"holds an item that {fault}"
        return None

    return check


def _one_of(*values: str) -> MemberCheck:
    allowed = frozenset(values)

    def check(value: Any) -> str | None:
        if type(value) is str and value in allowed:
            return None
        return f"is {value!r}; one of {', '.join(values)} is allowed"

    return check


def _pattern(pattern: re.Pattern[str], what: str) -> MemberCheck:
    def check(value: Any) -> str | None:
        return None if type(value) is str and pattern.fullmatch(value) else f"must be {what}"

    return check


def _topic(value: Any) -> str | None:
    if (
        type(value) is not str
        or not TOPIC.fullmatch(value)
        or any(len(s) > MAX_SLUG for s in value.split("/"))
    ):
        return "must be a slug path such as codebase-structure/auth-module (a-z, 0-9, -, at most 4 segments)"
    return None


def _section(value: Any) -> str | None:
    fault = _SECTION_LINE(value)
    if fault is None and (value.startswith("#") or value != value.strip(SPACES)):
        return "must be a heading's text, without # or outer spaces"
    return fault


_SECTION_LINE = line(100)


def _part(value: Any) -> str | None:
    if type(value) is not dict or not {"n", "of"} <= value.keys():
        return "must be {n, of, first}"
    n, of, first = value["n"], value["of"], value.get("first")
    if type(n) is not int or type(of) is not int or not 1 <= n <= of:
        return "must number its parts from 1 to of"
    if (first is None) != (n == 1) or (
        first is not None and not (type(first) is str and EVENT_ID.fullmatch(first))
    ):
        return "must name the id of its first part (none in part 1)"
    return None


def _place(value: Any) -> str | None:
    if type(value) is not dict or _MIDDLE_LINE(value.get("doc")):
        return "must be {doc, after}"
    after = value.get("after")
    if after is not None and not (type(after) is str and EVENT_ID.fullmatch(after)):
        return "must name an event id, or null, as after"
    return None


def _provenance(value: Any) -> str | None:
    if type(value) is not dict:
        return "must be an object"
    for name, item in value.items():
        if name in _PROVENANCE and (fault := _MIDDLE_LINE(item)):
            return f"holds {name}, which {fault}"
    return None


_MIDDLE_LINE = line(MAX_LINE)
_PROVENANCE = frozenset(PROVENANCE_MEMBERS)


def _flag(value: Any) -> str | None:
    return None if type(value) is bool else "must be true or false"


RECORD_RULES: Mapping[str, MemberCheck] = MappingProxyType(
    {
        "text": _text,
        "details": _lines(MAX_TEXT, 200),
        "title": line(200),
        "body": _long,
        "part": _part,
        "place": _place,
        "topic": _topic,
        "when_to_use": _lines(MAX_LINE, 100),
        "tags": _lines(MAX_SLUG, 100),
        "type": _one_of(*TYPES),
        "section": _section,
        "tier": _one_of(*TIERS),
        "importance": _one_of(*IMPORTANCES),
        "confidence": _pattern(DECIMAL, 'a decimal from "0.00" to "1.00"'),
        "inferred": _flag,
        "source": _one_of(*SOURCES),
        "status": _one_of(*STATUSES),
        "category": _one_of(*CATEGORIES),
        "provenance": _provenance,
        "extra": _long,
        "reason": reason,
    }
)
RECORD_MEMBERS = frozenset(RECORD_RULES) | {"salt"}
_RULES = dict(RECORD_RULES)  # a plain dict is looked up faster than a read-only one


def record_fault(payload: Mapping[str, Any]) -> str | None:
    """Return the fault of the payload of a create or supersede, or None (M-4)."""
    if "text" not in payload:
        return "text is missing"
    for name, value in payload.items():
        check = _RULES.get(name)
        if check is not None and (fault := check(value)):
            return f"{name} {fault}"
    return None
