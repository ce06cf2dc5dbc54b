"""Canonical JSON and base64url: one value, one spelling.

Implements specs/event.md (E-5…E-8). Inside the domain of E-6 orjson's sorted output is RFC 8785; a test
compares it with an independent implementation.
"""

from __future__ import annotations

import base64
import binascii
from typing import Any

import orjson

from ledger.errors import FormatError, RecordError
from ledger.lazy_pattern import lazy_pattern

MAX_DEPTH = 16
MAX_INTEGER = 2**53 - 1

_KEY = lazy_pattern(r"[a-z0-9_]+")


def encode(value: Any) -> bytes:
    """Return the canonical bytes of `value`.

    Raises:
        RecordError: the value lies outside the domain of E-6; the message says where.
    """
    if fault := domain_fault(value):
        raise RecordError(f"cannot be stored: {fault}")
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError as error:  # a lone surrogate
        raise RecordError(f"cannot be stored: {error}") from None


def decode(raw: bytes, what: str) -> dict[str, Any]:
    """Return the object that `raw` spells canonically; `what` names it in the error.

    Raises:
        FormatError: not JSON, not canonical, outside the domain, or not an object.
    """
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise FormatError("E-7", f"{what} is not JSON ({error})", code="not-canonical") from None
    if type(value) is not dict:
        raise FormatError("E-1", f"{what} is not an object", code="not-canonical")
    if fault := domain_fault(value):
        raise FormatError("E-6", f"{what} is not canonical: {fault}", code="not-canonical")
    if orjson.dumps(value, option=orjson.OPT_SORT_KEYS) != raw:
        message = f"{what} is not canonical: order of keys, spaces, escapes, or a key twice"
        raise FormatError("E-7", message, code="not-canonical")
    return value


def domain_fault(value: Any, depth: int = 1) -> str | None:
    """Say what in `value` lies outside the domain of E-6, or return None."""
    kind = type(value)
    if kind is str:
        return "U+0000 in a string" if "\x00" in value else None
    if kind is bool or value is None:
        return None
    if kind is int:
        return None if -MAX_INTEGER <= value <= MAX_INTEGER else f"the integer {value} is too large"
    if kind is float:
        return f"a float ({value!r}); only integers are allowed"
    if depth > MAX_DEPTH:
        return f"more than {MAX_DEPTH} levels"
    items = value.values() if kind is dict else value if kind is list else None
    if items is None:
        return f"a {kind.__name__}"
    for key in value if kind is dict else ():
        if type(key) is not str or not _KEY.fullmatch(key):
            return f"the key {key!r}; keys are of a-z, 0-9 and _"
    return next((fault for item in items if (fault := domain_fault(item, depth + 1))), None)


def b64(raw: bytes) -> str:
    """Return `raw` as unpadded base64url."""
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def unb64(text: str | bytes, size: int) -> bytes | None:
    """Return the `size` bytes that `text` spells in unpadded base64url (E-8), or None where it does not."""
    data = text if isinstance(text, bytes) else text.encode("ascii", "replace")
    try:
        raw = base64.urlsafe_b64decode(data + b"=" * (-len(data) % 4))
    except binascii.Error:
        return None
    return raw if len(raw) == size and b64(raw).encode() == data else None
