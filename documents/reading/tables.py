"""Tells a table (CSV or TSV) from a document that a person wrote.

Implements specs/cli.md (X-141). A table read as markdown would be one memory with all its rows.
"""

from __future__ import annotations

import csv
from pathlib import Path

from ledger.lazy_pattern import lazy_pattern

_ENDINGS = (".csv", ".tsv")
_DOCUMENTS = (".md", ".mdc")
_COLUMN = lazy_pattern(r"\w[\w-]*")
_FEWEST = 3
"""With fewer columns a line is as likely a sentence."""


def is_table(path: Path, data: bytes) -> bool:
    """Say whether a file is a table: by its ending, or where that says nothing, by its header and first row."""
    ending = path.suffix.lower()
    if ending in _ENDINGS or ending in _DOCUMENTS:
        return ending in _ENDINGS
    return any(_has_rows(data, separator) for separator in ",;\t")


def _has_rows(data: bytes, separator: str) -> bool:
    """Say whether the first line is names of columns alone, and a row of as many cells follows."""
    header, _, rest = data.partition(b"\n")
    columns = header.decode("utf-8", "replace").removeprefix("\ufeff").strip().split(separator)
    if len(columns) < _FEWEST or not all(_COLUMN.fullmatch(column.strip('"')) for column in columns):
        return False
    rows = csv.reader(rest.decode("utf-8", "replace").splitlines(keepends=True), delimiter=separator)
    try:
        return len(next(rows, ())) == len(columns)
    except csv.Error:
        return True  # a cell larger than csv takes: no sentence has one
