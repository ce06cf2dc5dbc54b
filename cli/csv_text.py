"""Tables as RFC 4180 has them, safe to open in a spreadsheet.

Implements specs/cli.md (X-52). What memories say is other people's text, and a spreadsheet runs a cell that
begins like a formula: such a cell gets an apostrophe. Who needs the very bytes reads JSON.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from ledger.lazy_pattern import lazy_pattern

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_CONTROLS = lazy_pattern("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def as_csv(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table with its header; lines end in CRLF."""
    text = io.StringIO(newline="")
    table = csv.writer(text)
    table.writerow(columns)
    for row in rows:
        table.writerow([cell(value) for value in row])
    return text.getvalue()


def cell(value: object) -> str:
    """Return a value as the text of a cell: lists one item a line, truth values as true and false."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, int):
        return str(value)
    text = "\n".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    text = _CONTROLS.sub(" ", text.replace("\r\n", "\n"))
    return f"'{text}" if text.startswith(_FORMULA) else text
