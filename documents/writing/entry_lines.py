"""One entry as a document of sections shows it: a bullet, a bullet with its body, or a verbatim block.

Implements specs/projections.md (P-9, P-13, P-15). Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ledger.fold import Entry
from ledger.named_tuple import NamedTuple
from projections import commonmark
from projections.layout import RANK

STALE = "[?] "


class EntryBlock(NamedTuple):
    """An entry in a section: whole lines, whether blank lines surround them, and whether they are indented."""

    text: str
    loose: bool = False
    indented: bool = False


@lru_cache(maxsize=1024)
def _bullet(text: str, details: tuple[str, ...], stale: bool) -> EntryBlock:
    """Return a bullet with its sub-bullets (P-9)."""
    first = f"- {STALE if stale else ''}{commonmark.escape(text)}\n"
    return EntryBlock("".join([first, *(f"  - {commonmark.escape(detail)}\n" for detail in details)]))


def block_of(entry: Entry, stale_before: str) -> EntryBlock:
    """Return an entry as a section shows it: a bullet, a bullet with its body, or a verbatim block.

    A note with a blank body is a block without lines: the document shows only its heading.

    Args:
        entry: any entry.
        stale_before: as `RenderSettings.stale_before` returns it.
    """
    memory = entry.memory
    if not memory.body:
        return _bullet(memory.text, memory.details, entry.fresh_since < stale_before)
    body = commonmark.trimmed(memory.body)
    if memory.type == "note":
        if not body:
            return EntryBlock("")
        if (standing := commonmark.verbatim(body)) is not None:
            is_item = standing.startswith("- ") and standing.count("\n") == 1
            return EntryBlock(standing, loose=not is_item, indented=body[0] in " \t")
    bullet = _bullet(memory.text, memory.details, entry.fresh_since < stale_before)
    return EntryBlock(f"{bullet.text}\n{commonmark.indented(body)}", loose=True) if body else bullet


def is_plain(entries: Iterable[Entry]) -> bool:
    """Return whether all entries are bullets without a body or a place, below fixed headings (P-58)."""
    return all(
        not entry.memory.body and entry.memory.place is None and entry.memory.heading in RANK
        for entry in entries
    )
