"""Every document as the log renders it, now or at an instant of the past.

Implements specs/projections.md (P-65).
"""

from __future__ import annotations

from documents.writing.every_document import render_all
from documents.writing.folder import day_begin
from projections.index_source import IndexSource
from projections.past import as_of
from projections.source import Source


def replayed(source: Source, instant: str | None = None) -> dict[str, bytes]:
    """Return every document by its path as the log renders it now, or as of `instant` (@N or a time).

    Raises as `projections.past.as_of` does.
    """
    settings = source.readable_configuration.render_settings()
    with as_of(source, instant) as (index, moment):
        return render_all(IndexSource(index), settings, day_begin(moment))
