"""How much a ledger holds: memories, events, bytes, growth and use.

Implements specs/cli.md (X-63). Reads only.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ledger.location import LOCAL_NAME
from projections.index_schema import INDEX_NAME
from projections.memory_counts import Month, counts, growth, stale
from projections.recall import Recall
from projections.source import Source

_MOST_USED = 10


class MemoryUse(NamedTuple):
    """A current memory, and how often it was used."""

    id: str
    uses: int
    text: str


class LedgerCounts(NamedTuple):
    """The counts: memories by status, stale ones, events by kind, and bytes by file.

    `standing` counts the current memories by section, type, tier and source.
    """

    memories: dict[str, int]
    stale: int
    events: dict[str, int]
    standing: dict[str, dict[str, int]]
    bytes: dict[str, int]
    growth: list[Month]
    most_used: list[MemoryUse]

    def to_json(self) -> dict[str, Any]:
        """Return them as a JSON-ready object."""
        return {
            **self._asdict(),
            "growth": [month._asdict() for month in self.growth],
            "most_used": [one._asdict() for one in self.most_used],
        }


def ledger_counts(recall: Recall, *, past: bool = False) -> LedgerCounts:
    """Return all counts; for the past only those from the log, since index and uses are of now."""
    source = recall.source
    by, months = counts(source.index), growth(source.index)
    if past:
        size, used = {"chain": sum(month.bytes for month in months)}, list[MemoryUse]()
    else:
        size, used = _bytes(source), _most_used(source)
    return LedgerCounts(
        memories=by.pop("status"),
        stale=stale(source.index, recall.stale_before()),
        events=by.pop("kind"),
        standing=by,
        bytes=size,
        growth=months,
        most_used=used,
    )


def _bytes(source: Source) -> dict[str, int]:
    names = {
        "chain": (source.chain.name,),
        "index": (INDEX_NAME, f"{INDEX_NAME}-wal"),
        "local": (LOCAL_NAME, f"{LOCAL_NAME}-wal"),
    }
    folder = source.place.directory
    return {
        what: sum((folder / name).stat().st_size for name in files if (folder / name).exists())
        for what, files in names.items()
    }


def _most_used(source: Source) -> list[MemoryUse]:
    found: list[MemoryUse] = []
    for id_, uses in sorted(source.local.uses().items(), key=lambda each: (-each[1], each[0])):
        entry = source.index.entry(id_)
        if entry is not None and entry.live:
            found.append(MemoryUse(id_, uses, entry.memory.text))
        if len(found) == _MOST_USED:
            break
    return found
