"""Daily notes: the entries of one day, in the form of MEMORY.md.

Implements specs/projections.md (P-28, P-29).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from documents.writing.markdown import DocumentPiece, section_pieces
from ledger.fold import Entry
from projections.layout import Lookup, nowhere, order_key
from projections.settings import RenderSettings


def day_pieces(
    date: str, entries: Iterable[Entry], settings: RenderSettings, as_of: int, lookup: Lookup = nowhere
) -> Iterator[DocumentPiece]:
    """Yield the pieces of a day's note (P-28).

    Args:
        date: `YYYY-MM-DD`.
        entries: the day's active entries, in any order.
        settings: `decay` and `decay_days` are read.
        as_of: microseconds since 1970; decides what is stale.
        lookup: finds memories that are no longer current.
    """
    yield DocumentPiece("", f"# {date}\n")
    by_section: dict[str, list[Entry]] = {"": []}
    for entry in sorted(entries, key=order_key):
        by_section.setdefault(entry.memory.section, []).append(entry)
    stale_before = settings.stale_before(as_of)
    for section, standing in by_section.items():
        yield from section_pieces(section, standing, stale_before, lookup)
