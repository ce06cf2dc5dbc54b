"""Which documents there are and what bytes they have: pure, over any Source.

Implements specs/projections.md (P-57…P-59). The file writer asks for the documents that changed; verify and
`replay --check` ask for all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ledger.fold import Entry
from projections.daily import render_day
from projections.layout import DocumentKey, Source, path_of
from projections.markdown import Selection, render_memory, render_overflow, select
from projections.settings import RenderSettings
from projections.topics import render_topic

MEMORY_FILE = "MEMORY.md"


def render_all(source: Source, settings: RenderSettings, as_of: int) -> dict[str, bytes]:
    """Return every document by its path, as of the instant `as_of` (µs)."""
    keys = [DocumentKey("topic", name) for name in source.topics()] + [
        DocumentKey("daily", date) for date in source.days()
    ]
    files = dict(render_some(source, keys, settings, as_of))
    selection = select(source, settings, as_of)
    files[MEMORY_FILE] = render_memory(selection, source.topic_count(), settings, as_of)
    files.update(render_groups(source, selection, selection.overflow, settings, as_of))
    return files


def render_some(
    source: Source, keys: Iterable[DocumentKey], settings: RenderSettings, as_of: int
) -> Iterator[tuple[str, bytes]]:
    """Give path and bytes of topic files and daily notes."""
    for key in keys:
        if key.kind == "topic":
            yield (
                path_of(key, as_of, settings),
                render_topic(key.name, source.topic(key.name), settings, as_of),
            )
        elif key.kind == "daily":
            yield path_of(key, as_of, settings), render_day(key.name, source.day(key.name), settings, as_of)


def render_groups(
    source: Source, selection: Selection, groups: Iterable[str], settings: RenderSettings, as_of: int
) -> dict[str, bytes]:
    """Return the overflow files of these groups: what they hold beside what MEMORY.md shows."""
    shown = {entry.id for entry in selection.shown}
    files = {}
    for group in groups:
        if group not in selection.overflow:
            continue
        rest: list[Entry] = [entry for entry in source.group(group) if entry.id not in shown]
        files[path_of(DocumentKey("memory", group), as_of, settings)] = render_overflow(
            group, rest, settings, as_of
        )
    return files
