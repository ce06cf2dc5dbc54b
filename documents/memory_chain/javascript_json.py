"""Reads and writes JSON like a JavaScript program: a memory-chain hashes and signs such texts.

Implements specs/doors.md (G-52). The rules are those of ECMAScript's JSON.parse and JSON.stringify: every number is a
double and is written in its shortest form; a key that is an array index precedes all others; half a surrogate pair
is escaped, and so are the characters that must be escaped.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, NoReturn

from ledger.lazy_pattern import lazy_pattern

_ESCAPED = lazy_pattern('["\\\\\x00-\x1f\ud800-\udfff]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}
_INDEX = lazy_pattern("0|[1-9][0-9]{0,9}")
_INDICES = 2**32 - 1
_POINT_FROM, _POINT_UP_TO = 1e-6, 1e21
"""Between these Number::toString writes no exponent."""


def parse(text: str) -> Any:
    """Return the value of a JSON text; every number is a float.

    Raises:
        ValueError: it is not JSON, or nested too deeply.
    """
    try:
        return json.loads(text, parse_int=float, parse_float=float, parse_constant=_refuse)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def stringify(value: Any) -> str:
    """Return the text that JSON.stringify makes of a value from `parse`.

    Raises:
        ValueError: it is nested too deeply.
    """
    try:
        return _text_of(value)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _text_of(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _ESCAPED.sub(_escape, value).join('""')
    if isinstance(value, int | float):
        return _number(float(value))
    if isinstance(value, list):
        return f"[{','.join(map(_text_of, value))}]"
    return f"{{{','.join(f'{_text_of(key)}:{_text_of(item)}' for key, item in _ordered(value))}}}"


def sorted_by_key(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with its keys in the order of Array.sort: by UTF-16 code units."""
    return dict(sorted(value.items(), key=lambda each: each[0].encode("utf-16-be", "surrogatepass")))


def _escape(found: re.Match[str]) -> str:
    return _SHORT.get(found[0]) or f"\\u{ord(found[0]):04x}"


def _ordered(value: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return members in the order of a JavaScript object: array indices ascending, then the others as they came."""
    indices = [each for each in value.items() if _is_index(each[0])]
    return [
        *sorted(indices, key=lambda each: int(each[0])),
        *(e for e in value.items() if not _is_index(e[0])),
    ]


def _is_index(key: str) -> bool:
    return _INDEX.fullmatch(key) is not None and int(key) < _INDICES


def _number(value: float) -> str:
    """Write a double as ECMAScript's Number::toString does (ECMA-262, 6.1.6.1.20)."""
    if not math.isfinite(value):
        return "null"
    if value == 0:
        return "0"
    shortest = repr(value)
    if _POINT_FROM <= abs(value) < _POINT_UP_TO:
        return f"{Decimal(shortest):f}".removesuffix(".0")
    return re.sub(r"e([+-])0*", r"e\1", shortest)
