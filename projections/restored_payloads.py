"""Finds the payloads of erased events that somebody restored in the chain after they were blanked.

Implements specs/chain.md (C-20). Only the lines of erased events are read, at the offsets that the index knows; a line
counts as the event only if it has its id.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ledger import reader
from ledger.errors import FormatError
from ledger.event import event_id, is_blanked, split_line
from projections.index import Index

_ERASED = (
    "SELECT e.id, e.offset, e.size FROM events e JOIN edges x ON x.target = e.id AND x.kind = 'erase' "
    "WHERE e.writer = 0 ORDER BY e.n"
)


def put_back(index: Index, chain: Path) -> list[str]:
    """Return the ids of the erased events that have a payload again, in the chain's order.

    Args:
        index: up to date.
        chain: the chain file.

    Raises:
        sqlite3.Error, ViewUnavailableError: the index cannot be read.
        StorageError: the chain cannot be read.
    """
    rows = index.connection().execute(_ERASED).fetchall()
    return list(dict.fromkeys(_standing(rows, chain))) if rows else []


def _standing(rows: list[tuple[str, int, int]], chain: Path) -> Iterator[str]:
    with reader.opened(chain) as fd, reader.shared_lock(fd):
        for id_, offset, size in rows:
            try:
                parts = split_line(reader.line_at(fd, offset, offset + size))
            except FormatError:
                continue
            stands = parts.payload is not None and not is_blanked(parts.payload)
            if stands and event_id(parts.head) == id_:
                yield id_
