"""Canonical JSON and base64url: one value, one spelling.

Implements specs/event.md (E-5…E-8). Inside the domain of E-6 orjson's sorted output is RFC 8785; a test
compares it with an independent implementation.
"""

from __future__ import annotations

import binascii
from collections.abc import Callable, Mapping
from typing import Any

import orjson

from ledger.errors import FormatError, RecordError
from ledger.lazy_pattern import lazy_pattern

ObjectCheck = Callable[[Mapping[str, Any]], str | None]
MAX_DEPTH = 16
MAX_INTEGER = 2**53 - 1

_KEY = lazy_pattern(r"[a-z0-9_]+")
_NUL = "U+0000 in a string"
_TO_URL, _FROM_URL = bytes.maketrans(b"+/", b"-_"), bytes.maketrans(b"-_", b"+/")


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


def decode(raw: bytes, what: str, check: ObjectCheck | None = None) -> dict[str, Any]:
    """Return the object that `raw` spells canonically; `what` names it in the error.

    Args:
        raw: the bytes.
        what: the object's name in the error.
        check: returns the fault of the object's members; whatever it accepts is in the domain of E-6.

    Raises:
        FormatError: not JSON, not canonical, outside the domain, not an object, or `check` found something.
    """
    try:
        value = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise FormatError("E-7", f"{what} is not JSON ({error})", code="not-canonical") from None
    if type(value) is not dict:
        raise FormatError("E-1", f"{what} is not an object", code="not-canonical")
    wrong = check(value) if check else None
    if (wrong or not check) and (fault := domain_fault(value)):
        raise FormatError("E-6", f"{what} is not canonical: {fault}", code="not-canonical")
    if orjson.dumps(value, option=orjson.OPT_SORT_KEYS) != raw:
        message = f"{what} is not canonical: order of keys, spaces, escapes, or a key twice"
        raise FormatError("E-7", message, code="not-canonical")
    if wrong:
        raise FormatError("E-14", wrong, code="schema")
    return value


def domain_fault(value: Any, depth: int = 1) -> str | None:
    """Return the fault of a `value` outside the domain of E-6, or None."""
    kind = type(value)
    if kind is str:
        return _NUL if "\x00" in value else None
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
    for item in items:
        if type(item) is str:  # most are, and a call costs more than a look
            if "\x00" in item:
                return _NUL
        elif fault := domain_fault(item, depth + 1):
            return fault
    return None


def b64(raw: bytes) -> str:
    """Return `raw` as unpadded base64url."""
    return binascii.b2a_base64(raw, newline=False).rstrip(b"=").translate(_TO_URL).decode()


def unb64(text: str | bytes, size: int) -> bytes | None:
    """Return the `size` bytes that `text` spells in unpadded base64url (E-8), or None if it does not."""
    data = text if isinstance(text, bytes) else text.encode("ascii", "replace")
    try:
        raw = binascii.a2b_base64(data.translate(_FROM_URL) + b"=" * (-len(data) % 4))
    except binascii.Error:
        return None
    again = binascii.b2a_base64(raw, newline=False).rstrip(b"=").translate(_TO_URL)
    return raw if len(raw) == size and again == data else None
