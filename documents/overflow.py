"""Search among the memories that MEMORY.md has no room for.

Implements specs/projections.md (P-110).
"""

from __future__ import annotations

from documents.writing.fitting import select
from documents.writing.folder import day_begin
from projections.index_source import IndexSource
from projections.query import Filter
from projections.recall import Recall
from projections.search import Hit


def search_overflow(
    recall: Recall, text: str, wanted: Filter | None = None, *, limit: int = 10, count: bool = True
) -> list[Hit]:
    """Return the best memories for a query among those that MEMORY.md has no room for; see `Recall.search`."""
    source = recall.source
    settings = source.readable_configuration.render_settings()
    shown = select(IndexSource(source.index), settings, day_begin(source.clock())).shown
    left = (wanted or Filter())._replace(statuses=("active",), document="memory")
    return recall.search(text, left, limit=limit, hidden={entry.id for entry in shown}, count=count)
