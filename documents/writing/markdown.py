"""Writes MEMORY.md and its overflow files.

Implements specs/projections.md (P-1, P-8, P-14, P-21, P-22). `overflow` decides what MEMORY.md shows. Files are made of
pieces, so that the entry of each line is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from documents.writing.entry_lines import block_of
from documents.writing.links import link_lines
from documents.writing.overflow import LINKS_HEADING, TITLE, Selection
from ledger.fold import Entry
from ledger.memory import SECTIONS
from ledger.named_tuple import NamedTuple
from projections import commonmark
from projections.layout import (
    GROUP_OF_SECTION,
    Lookup,
    arrange,
    nowhere,
    order_key,
)
from projections.settings import RenderSettings


class DocumentPiece(NamedTuple):
    """Whole lines of a document: the id of their entry (or ""), the text."""

    id: str
    text: str


_BLANK = DocumentPiece("", "\n")


# --- pieces ---


def section_pieces(
    heading: str, entries: Iterable[Entry], stale_before: str, lookup: Lookup = nowhere
) -> Iterator[DocumentPiece]:
    """Yield a section: its heading ("" for none), its entries in order, and the blank lines between (P-8)."""
    if heading:
        yield DocumentPiece("", f"\n## {commonmark.escape_heading(heading)}\n")
    before, loose_before = "", True
    for entry in arrange(entries, lookup):
        text, loose, indented = block_of(entry, stale_before)
        if text:
            if loose or loose_before:
                yield _BLANK
            if indented and before and (guard := commonmark.guard(before, text)):
                yield DocumentPiece("", guard)
            before, loose_before = text, loose
        yield DocumentPiece(entry.id, text)


def memory_pieces(
    selection: Selection, topic_count: int, settings: RenderSettings, as_of: int
) -> Iterator[DocumentPiece]:
    """Yield MEMORY.md: title, sections, links (P-8, P-21); of an empty ledger the title alone.

    Args:
        selection: as `select` returns it.
        topic_count: how many topic files there are.
        settings: `decay` and `decay_days` are read.
        as_of: microseconds since 1970; decides what is stale.
    """
    front = _front(selection.shown)
    if front:
        yield DocumentPiece(front.id, commonmark.trimmed(front.memory.body))
        yield DocumentPiece("", "\n")
    yield DocumentPiece("", TITLE)
    rest = (entry for entry in selection.shown if entry is not front)
    yield from _sections(rest, settings.stale_before(as_of), selection.lookup)
    lines = link_lines(selection.overflow, selection.summaries, topic_count, folded=selection.folded)
    if lines:
        yield DocumentPiece("", LINKS_HEADING + "".join(lines))


def _front(entries: Iterable[Entry]) -> Entry | None:
    """Return the earliest note that is a frontmatter and in no section: it must come first in the file (P-8)."""
    notes = (
        entry
        for entry in entries
        if entry.memory.type == "note" and entry.memory.body and not entry.memory.section
    )
    fronts = (entry for entry in notes if commonmark.is_frontmatter(commonmark.trimmed(entry.memory.body)))
    return min(fronts, key=order_key, default=None)


def overflow_pieces(
    entries: Iterable[Entry], settings: RenderSettings, as_of: int, lookup: Lookup = nowhere
) -> Iterator[DocumentPiece]:
    """Yield an overflow file: it has the form of MEMORY.md, without links (P-22).

    Args:
        entries: those of its group that MEMORY.md does not show.
        settings: `decay` and `decay_days` are read.
        as_of: microseconds since 1970; decides what is stale.
        lookup: finds memories that are no longer current.
    """
    yield DocumentPiece("", TITLE)
    yield from _sections(entries, settings.stale_before(as_of), lookup)


def plain_pieces(entries: Iterable[Entry], settings: RenderSettings, as_of: int) -> Iterator[DocumentPiece]:
    """Yield a plain overflow file: `overflow_pieces` of entries that are plain and come in its order (P-58)."""
    yield DocumentPiece("", TITLE)
    stale_before = settings.stale_before(as_of)
    heading = ""
    for entry in entries:
        if entry.memory.heading != heading:
            heading = entry.memory.heading
            yield DocumentPiece("", f"\n## {commonmark.escape_heading(heading)}\n")
            yield DocumentPiece("", "\n")
        yield DocumentPiece(entry.id, block_of(entry, stale_before).text)


def joined(pieces: Iterable[DocumentPiece]) -> bytes:
    """Return the bytes of a document."""
    return "".join([piece.text for piece in pieces]).encode()


def _sections(entries: Iterable[Entry], stale_before: str, lookup: Lookup) -> Iterator[DocumentPiece]:
    by_section: dict[str, list[Entry]] = {section: [] for section in ("", *SECTIONS)}
    for entry in entries:
        by_section.setdefault(entry.memory.heading, []).append(entry)
    for section in ("", *SECTIONS, *_own_headings(by_section)):
        if by_section[section]:
            yield from section_pieces(section, by_section[section], stale_before, lookup)


def _own_headings(by_section: Mapping[str, Sequence[Entry]]) -> list[str]:
    """Return a person's own headings in their order; an emptied one stays after the heading before it (P-8)."""
    own = [
        section
        for section in by_section
        if section and section not in GROUP_OF_SECTION and by_section[section]
    ]
    own.sort(key=lambda section: min(map(order_key, by_section[section])))
    emptied = [section for section in own if _is_emptied(by_section[section])]
    if not emptied:
        return own
    section_of = {
        name: section
        for section, entries in by_section.items()
        for entry in entries
        for name in (*entry.supersedes, entry.order[1], entry.id)
    }
    for section in emptied:
        place = by_section[section][0].memory.place
        before = section_of.get(place.after) if place and place.after else ""
        if before is not None and before != section:
            own.remove(section)
            own.insert(own.index(before) + 1 if before in own else 0, section)
    return own


def _is_emptied(entries: Sequence[Entry]) -> bool:
    """Return whether a section has only the blank note that keeps its heading (I-12), placed by a person."""
    (memory, *more) = (entry.memory for entry in entries)
    return not more and memory.type == "note" and memory.place is not None and not memory.body.strip()
