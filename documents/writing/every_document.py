"""All documents with their bytes. Pure, over any Source.

Implements specs/projections.md (P-58, P-52). The file writer asks for the documents that changed; verify and
`replay --check` ask for all. A document is a list of pieces, so that the entry of each block is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from documents.writing.daily import day_pieces
from documents.writing.entry_lines import is_plain
from documents.writing.markdown import (
    DocumentPiece,
    joined,
    memory_pieces,
    overflow_pieces,
    plain_pieces,
)
from documents.writing.overflow import Selection, select
from projections.layout import DAILY, MEMORY, MEMORY_FILE, TOPIC, DocumentKey, DocumentSource, path_of
from projections.settings import RenderSettings


def render_all(source: DocumentSource, settings: RenderSettings, as_of: int) -> dict[str, bytes]:
    """Return every document by its path, as of the instant `as_of` (µs)."""
    return dict(rendered(source, settings, as_of))


def rendered(source: DocumentSource, settings: RenderSettings, as_of: int) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the bytes of every document, one by one."""
    keys = [DocumentKey(TOPIC, name) for name in source.topics()]
    keys += [DocumentKey(DAILY, date) for date in source.days()]
    selection = select(source, settings)
    pages = (
        pages_of(source, keys, settings, as_of),
        [(MEMORY_FILE, list(memory_pieces(selection, source.topic_count(), settings, as_of)))],
        group_pages(source, selection, selection.overflow, settings, as_of),
    )
    for path, pieces in chain.from_iterable(pages):
        yield path, joined(pieces)


def pages_of(
    source: DocumentSource, keys: Iterable[DocumentKey], settings: RenderSettings, as_of: int
) -> Iterator[tuple[str, list[DocumentPiece]]]:
    """Yield path and pieces of topic files and daily notes."""
    for key in keys:
        if key.kind == TOPIC:
            entries = source.topic(key.name)
            if not entries:
                continue  # another process removed the last entry since the keys were read; its rendering follows
            from documents.writing.topics import topic_pieces

            pieces = topic_pieces(key.name, entries, settings, as_of, source.entry)
        elif key.kind == DAILY:
            pieces = day_pieces(key.name, source.day(key.name), settings, as_of, source.entry)
        else:
            continue
        yield path_of(key, as_of, settings), list(pieces)


def group_pages(
    source: DocumentSource, selection: Selection, groups: Iterable[str], settings: RenderSettings, as_of: int
) -> Iterator[tuple[str, list[DocumentPiece]]]:
    """Yield path and pieces of the overflow files of these groups: the entries that MEMORY.md does not show."""
    for group in groups:
        if group in selection.overflow:
            pieces, _ = group_file(source, selection, group, settings, as_of)
            yield overflow_path(group), list(pieces)


def group_file(
    source: DocumentSource, selection: Selection, group: str, settings: RenderSettings, as_of: int
) -> tuple[Iterator[DocumentPiece], bool]:
    """Return the pieces of the overflow file of a group, and say whether it is plain (P-58).

    It has the entries of the group that MEMORY.md does not show. The entries of a plain file are read one by one while it is
    written, so they are never in memory together.
    """
    shown = {entry.id for entry in selection.shown}
    entries = source.plain_group(group, selection.groups.tags)
    if entries is not None:
        return plain_pieces((each for each in entries if each.id not in shown), settings, as_of), True
    rest = [entry for entry in source.group(group, selection.groups.tags) if entry.id not in shown]
    return overflow_pieces(rest, settings, as_of, source.entry), is_plain(rest)


def overflow_path(group: str) -> str:
    """Return the path of the overflow file of a group."""
    return path_of(DocumentKey(MEMORY, group), 0)
