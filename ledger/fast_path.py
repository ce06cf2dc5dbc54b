"""Recognises usual events and payloads at a glance: most of what verify costs beside libsodium is saved here.

Implements specs/verification.md (V-3, V-4) for the common case only: one regular expression, made from the
catalogue, in place of decoding, encoding again and checking each member. It never finds a fault: what it
does not recognise is checked the strict way, which names what is wrong. A test shows that all it takes
passes that way too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache

from ledger import memory
from ledger.schema import FORMAT_VERSION, KINDS, ROLES, SALT, VIAS

Recogniser = Callable[[str], object]


def is_usual_event(kind: object, raw: bytes) -> bool:
    """Say whether EVENT's bytes, of which `kind` was read, are surely well-formed; False says nothing."""
    recogniser = _event(kind) if type(kind) is str and kind in KINDS else None
    return recogniser is not None and _matches(recogniser, raw)


def is_usual_payload(kind: str, raw: bytes) -> bool:
    """Say whether the PAYLOAD bytes of an event of this kind are surely well-formed; False says nothing."""
    recogniser = _payload(kind)
    return recogniser is not None and _matches(recogniser, raw)


def _matches(recogniser: Recogniser, raw: bytes) -> bool:
    try:
        return recogniser(raw.decode()) is not None
    except UnicodeDecodeError:
        return False


@cache
def _event(kind: str) -> Recogniser | None:
    """Return the recogniser of a kind's EVENT; None for rare kinds."""
    row = KINDS[kind]
    if not row.required <= _EVENT.keys():
        return None
    members = {name: _EVENT[name] for name in sorted((row.required | row.optional) & _EVENT.keys())}
    members["kind"] = f'"{kind}"'
    return _compiled(_object(members, row.required))


@cache
def _payload(kind: str) -> Recogniser | None:
    """Return the recogniser of a kind's PAYLOAD; None where the strict way must look."""
    check = KINDS[kind].payload_fault
    if check is memory.record_fault:
        return _compiled(_object(_RECORD, {"salt", "text"}))
    if check is KINDS["delete"].payload_fault:
        return _compiled(_object(_NOTE, {"salt"}))
    return None


def _compiled(pattern: str) -> Recogniser:
    return re.compile(pattern).fullmatch


# --- spelling -----------------------------------------------------------------------------------------------
# Quantifiers are possessive: a string ends at the first quote, so there is nothing to go back for.


def _object(members: Mapping[str, str], required: frozenset[str] | set[str]) -> str:
    """Return the pattern of an object with these members in their order; those not required may be absent."""
    parts = []
    for name, value in members.items():
        member = rf'"{name}":{value}(?:,|(?=\}}))'
        parts.append(member if name in required else f"(?:{member})?+")
    return r"\{" + "".join(parts) + r"(?<!,)\}"


def _line(limit: int, first: str = "", last: str = "") -> str:
    """Return the pattern of one line of 1 to `limit` code points without an escape."""
    return f'"{first}{_CHARACTER}{{1,{limit}}}+{last}"'


def _lines(limit: int, count: int) -> str:
    return rf"\[{_line(limit)}(?:,{_line(limit)}){{0,{count - 1}}}+\]"


def _one_of(*values: str) -> str:
    return f'"(?:{"|".join(values)})"'


_CHARACTER = r'[^"\\\x00-\x1f\x85\u2028\u2029]'  # M-5: what ends a line below U+0020 has to be escaped anyway
_ESCAPED = r'"[^"\\\x00-\x1f]*+(?:\\["\\bfnrt][^"\\\x00-\x1f]*+)*+"'
_HEX = '"[0-9a-f]{64}"'
_NUMBER = "(?:0|[1-9][0-9]{0,14})"
_SALT = f'"{SALT.pattern}"'
_DAY = "(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)"
_TIME = rf'"(?!0000)[0-9]{{4}}-{_DAY}T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{{6}}Z"'

_EVENT: Mapping[str, str] = {
    "by": _object(
        {"name": f'"{memory.SLUG.pattern}"', "role": _one_of(*ROLES), "via": _one_of(*VIAS)},
        {"name", "role", "via"},
    ),
    "commit": _HEX,
    "epoch": _NUMBER,
    "kind": "",
    "prev": _HEX,
    "seq": _NUMBER,
    "targets": rf"\[{_HEX}\]",
    "ts": _TIME,
    "v": str(FORMAT_VERSION),
}
"""Usual members: one target, no `at` and no `seen`. The 29th of February is left to the calendar."""

_PROVENANCE = _object({name: _line(memory.MAX_LINE) for name in sorted(memory.PROVENANCE_MEMBERS)}, set())

_REASON = rf'"[^"\\\x00-\x1f]{{0,{memory.MAX_REASON}}}+"'

_RECORD: Mapping[str, str] = {
    "body": _ESCAPED,
    "category": _one_of(*memory.CATEGORIES),
    "confidence": f'"(?:{memory.DECIMAL.pattern})"',
    "details": _lines(memory.MAX_TEXT, 200),
    "extra": _ESCAPED,
    "importance": _one_of(*memory.IMPORTANCES),
    "inferred": "(?:true|false)",
    "provenance": _PROVENANCE,
    "reason": _REASON,
    "salt": _SALT,
    "section": _line(100, f"(?![#{memory.SPACES}])", f"(?<![{memory.SPACES}])"),
    "source": _one_of(*memory.SOURCES),
    "status": _one_of(*memory.STATUSES),
    "tags": _lines(64, 100),
    "text": _line(memory.MAX_TEXT, f"(?![{memory.SPACES}])"),
    "tier": _one_of(*memory.TIERS),
    "title": _line(200),
    "topic": f'"(?![a-z0-9/-]{{0,195}}[a-z0-9-]{{{memory.MAX_SLUG + 1}}}){memory.TOPIC.pattern}"',
    "type": _one_of(*memory.TYPES),
    "when_to_use": _lines(memory.MAX_LINE, 100),
}

_NOTE: Mapping[str, str] = {
    "provenance": _PROVENANCE,
    "reason": _REASON,
    "salt": _SALT,
}
