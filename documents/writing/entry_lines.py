"""One entry as a document of sections shows it: a bullet, a bullet with its body, or a verbatim block.

Implements specs/projections.md (P-9, P-13, P-15). Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from ledger.fold import Entry
from ledger.named_tuple import NamedTuple
from projections import commonmark
from projections.layout import RANK

STALE = "[?] "


class EntryBlock(NamedTuple):
    """An entry in a section: whole lines, if blank lines go around them, if they are indented."""

    text: str
    loose: bool = False
    indented: bool = False


def bullet_lines(entry: Entry, stale_before: str) -> list[str]:
    """Return an entry as a bullet with its sub-bullets, a line each, without line ends (P-9).

    Args:
        entry: any entry.
        stale_before: as `RenderSettings.stale_before` returns it.
    """
    memory = entry.memory
    return _lines(memory.text, memory.details, stale=entry.fresh_since < stale_before)


def _lines(text: str, details: Sequence[str], *, stale: bool) -> list[str]:
    mark = STALE if stale else ""
    return [f"- {mark}{commonmark.escape(text)}", *(f"  - {commonmark.escape(detail)}" for detail in details)]


@lru_cache(maxsize=1024)
def _bullet(text: str, details: tuple[str, ...], stale: bool) -> EntryBlock:
    return EntryBlock("\n".join(_lines(text, details, stale=stale)) + "\n")


def block_of(entry: Entry, stale_before: str) -> EntryBlock:
    """Return an entry as a section shows it: a bullet, a bullet with its body, or a verbatim block.

    A note whose body is blank is a block without lines: only the heading that it keeps is seen.
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
    bullet = "\n".join(bullet_lines(entry, stale_before)) + "\n"
    return EntryBlock(f"{bullet}\n{commonmark.indented(body)}", loose=True) if body else EntryBlock(bullet)


def is_plain(entries: Iterable[Entry]) -> bool:
    """Return whether entries stand as bullets alone, below fixed headings and where they were learned (P-58)."""
    return all(
        not entry.memory.body and entry.memory.place is None and entry.memory.heading in RANK
        for entry in entries
    )
