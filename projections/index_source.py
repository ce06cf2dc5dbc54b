"""Draws documents from the index: the source that renderers use in production.

Implements specs/projections.md (P-52). A test compares its answers with those of `StateSource` in
tests/projections/reference.py.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from heapq import merge
from itertools import dropwhile, islice

from ledger.fold import Entry
from projections.entry_rows import NO_LIST, entries_where
from projections.index import Index
from projections.layout import RANK, RankKey, arrange

# SQLite uses a partial index only if the query repeats its condition.
_OF_KIND = {
    "topic": "m.doc_kind IN ('topic', 'daily') AND m.doc_kind = 'topic'",
    "daily": "m.doc_kind IN ('topic', 'daily') AND m.doc_kind = 'daily'",
}
_AT_ONCE = 16
"""The number of memories that are read together: callers want one as often as hundreds."""
_ORDERED = "ORDER BY m.order_ts, m.order_id, m.ts, m.id"
_HIGHEST = "ORDER BY m.rank_class DESC, m.said DESC, m.id DESC"
_LOWEST = "ORDER BY m.rank_class, m.said, m.id"


def _of_group(name: str, apart: Collection[str]) -> str:
    """Return the condition of a group: a tag of `apart`, else a section without these tags."""
    if name in apart:
        return "m.doc_tag != '' AND m.doc_tag = ?"
    without = f" AND m.doc_tag NOT IN ({', '.join('?' * len(apart))})" if apart else ""
    return f"m.doc_kind = 'memory' AND m.doc_name = ?{without}"


def _others(name: str, apart: Collection[str]) -> list[str]:
    return [] if name in apart else sorted(apart)


class IndexSource:
    """The current memories in documents, read from an up-to-date Index.

    The index remembers memories that were read for their rank: most are the same for each write.
    Counts are cached, so create one for each rendering.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        index.forget_changed()
        self.weights = index.weights
        self._group_counts: dict[str, int] | None = None
        self._topic_count: int | None = None

    def _document(self, kind: str, name: str) -> list[Entry]:
        named = f"{_OF_KIND[kind]} AND m.doc_name = ? {_ORDERED}"
        return arrange(entries_where(self._index.connection(), named, name), self.entry)

    def entry(self, id_: str) -> Entry | None:
        """Return the memory with this full id, whatever its status."""
        return self._index.entry(id_)

    def memories(self, ids: Sequence[str]) -> list[Entry]:
        """Return the memories with these full ids, in their order."""
        return self._index.memories(ids)

    def ranked(self) -> Iterator[RankKey]:
        """Yield the ranks of the memories of MEMORY.md and its overflow files, the highest first, lazily."""
        groups = [self._ranks(name, (), _HIGHEST) for name in self.group_counts()]
        return merge(*groups, reverse=True)

    def _ranks(self, name: str, apart: Collection[str], order: str) -> Iterator[RankKey]:
        """Yield the ranks of a group's entries, from the indexes."""
        query = f"SELECT m.rank_class, m.said, m.id FROM memories m WHERE {_of_group(name, apart)} {order}"
        return map(RankKey._make, self._index.connection().execute(query, (name, *_others(name, apart))))

    def entries(self, ranks: Iterable[RankKey]) -> Iterator[Entry]:
        """Yield the memories that have these ranks, in their order, lazily; see `Index.remembered`."""
        ids = (rank.id for rank in ranks)
        while some := list(islice(ids, _AT_ONCE)):
            yield from self._index.remembered(some)

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the texts of the memories with these full ids, by id."""
        query = "SELECT m.id, m.text FROM json_each(?) j CROSS JOIN events e ON e.id = j.value CROSS JOIN memories m USING (n)"
        return dict(self._index.connection().execute(query, (json.dumps(ids),)).fetchall())

    def group(self, name: str, apart: Collection[str] = ()) -> list[Entry]:
        """Return the memories of one group of MEMORY.md, in order."""
        members, values = f"{_of_group(name, apart)} {_ORDERED}", (name, *_others(name, apart))
        return arrange(entries_where(self._index.connection(), members, *values), self.entry)

    def plain_group(self, name: str, apart: Collection[str] = ()) -> Iterator[Entry] | None:
        """Return the memories of one group in the order of its file, lazily; None if it is not plain (P-58)."""
        where, values = _of_group(name, apart), (name, *_others(name, apart))
        headings = ", ".join(f"'{heading}'" for heading in RANK)
        other = f"m.body != '' OR m.place != '{NO_LIST}' OR m.tier = 'daily' OR m.section NOT IN ({headings})"
        query = f"SELECT 1 FROM memories m WHERE {where} AND ({other}) LIMIT 1"
        if self._index.connection().execute(query, values).fetchone():
            return None
        by_heading = " ".join(f"WHEN '{heading}' THEN {rank}" for heading, rank in RANK.items())
        order = f"ORDER BY CASE m.section {by_heading} END, {_ORDERED.removeprefix('ORDER BY ')}"
        return entries_where(self._index.connection(), f"{where} {order}", *values)

    def highest(self, name: str, apart: Collection[str], below: RankKey) -> Iterator[RankKey]:
        """Return the ranks of a group's memories that are below `below`, the highest first."""
        ranks = self._ranks(name, apart, _HIGHEST)  # only the few that MEMORY.md shows are above
        return dropwhile(lambda rank: rank >= below, ranks)

    def lowest(self, name: str, apart: Collection[str]) -> Iterator[RankKey]:
        """Return the ranks of a group's memories, the lowest first."""
        return self._ranks(name, apart, _LOWEST)

    def group_counts(self) -> dict[str, int]:
        """Return how many memories each group holds."""
        if self._group_counts is None:
            query = "SELECT name, entries FROM documents WHERE kind = 'memory' AND entries > 0 ORDER BY name"
            self._group_counts = dict(self._index.connection().execute(query).fetchall())
        return dict(self._group_counts)

    def tag_counts(self) -> dict[tuple[str, str], int]:
        """Return how many memories of each section's group have each tag."""
        query = "SELECT name, entries FROM documents WHERE kind = 'tag' AND entries > 0 ORDER BY name"
        rows = self._index.connection().execute(query).fetchall()
        return {(group, tag): n for name, n in rows for group, _, tag in (name.partition("/"),)}

    def topic(self, name: str) -> list[Entry]:
        """Return the memories of one topic, in order."""
        return self._document("topic", name)

    def topics(self) -> list[str]:
        """Return all topics."""
        return self._index.names("topic")

    def topic_count(self) -> int:
        """Return how many topics hold memories."""
        if self._topic_count is None:
            query = "SELECT count(*) FROM documents WHERE kind = 'topic' AND entries > 0"
            self._topic_count = int(self._index.connection().execute(query).fetchone()[0])
        return self._topic_count

    def day(self, date: str) -> list[Entry]:
        """Return the daily memories of one date, in order."""
        return self._document("daily", date)

    def days(self) -> list[str]:
        """Return all dates that have daily memories."""
        return self._index.names("daily")
