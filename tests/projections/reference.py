"""Documents and timeline of a folded state: the model that what the index renders is compared with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from documents.writing.overflow import select
from ledger.fold import Entry
from projections.layout import (
    DAILY,
    MEMORY,
    MEMORY_FILE,
    TOPIC,
    DocumentKey,
    RankKey,
    Weight,
    document_of,
    path_of,
    rank_key,
    tag_of,
)
from projections.settings import DEFAULTS, RenderSettings
from tests.documents.writing.rendering import render_day, render_memory, render_overflow, render_topic
from tests.ledger.reference import State
from tests.projections.timeline import TimelineRow, row_of


class StateSource:
    """The Source over a folded state, for replay and for tests; as large as the state."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.weights: dict[str, Weight] = {}

    @cached_property
    def _documents(self) -> dict[DocumentKey, list[Entry]]:
        documents: dict[DocumentKey, list[Entry]] = {}
        for entry in self._state.entries():
            if key := document_of(entry):
                documents.setdefault(key, []).append(entry)
        return documents

    def entry(self, id_: str) -> Entry | None:
        """Return the memory with this full id, whatever its status."""
        node = self._state.nodes.get(id_)
        return self._state.entry(id_) if node is not None and node.event is not None else None

    def memories(self, ids: Sequence[str]) -> list[Entry]:
        """Return the memories with these full ids, in their order."""
        return [entry for entry in map(self.entry, ids) if entry is not None]

    def ranked(self) -> Iterator[RankKey]:
        """Give the ranks of the entries of all memory groups, the highest first."""
        entries = [e for key, found in self._documents.items() if key.kind == MEMORY for e in found]
        return iter(sorted(map(rank_key, entries), reverse=True))

    def entries(self, ranks: Iterable[RankKey]) -> Iterator[Entry]:
        """Give the entries that have these ranks."""
        return filter(None, (self.entry(rank.id) for rank in ranks))

    def texts(self, ids: Sequence[str]) -> dict[str, str]:
        """Return the texts of these memories, by id."""
        return {entry.id: entry.memory.text for entry in self.memories(ids)}

    def group(self, name: str, apart: Collection[str] = ()) -> list[Entry]:
        """Return the entries of one memory group: a tag of `apart`, else a section's without these tags."""
        if name in apart:
            keys = [key for key in self._documents if key.kind == MEMORY]
            return [entry for key in keys for entry in self._documents[key] if self._tag(entry) == name]
        found = self._documents.get(DocumentKey(MEMORY, name), ())
        return [entry for entry in found if not apart or self._tag(entry) not in apart]

    def plain_group(self, _name: str, _apart: Collection[str]) -> Iterator[Entry] | None:
        """Leave it to `group`: the state is in memory."""
        return None

    @staticmethod
    def _tag(entry: Entry) -> str:
        return tag_of(document_of(entry), entry.memory.tags)

    def highest(self, name: str, apart: Collection[str], below: RankKey) -> Iterator[RankKey]:
        """Give the ranks of such a group's entries that are below `below`, the highest first."""
        ranks = map(rank_key, self.group(name, apart))
        return iter(sorted((rank for rank in ranks if rank < below), reverse=True))

    def lowest(self, name: str, apart: Collection[str]) -> Iterator[RankKey]:
        """Give the ranks of such a group's entries, the lowest first."""
        return iter(sorted(map(rank_key, self.group(name, apart))))

    def group_counts(self) -> Mapping[str, int]:
        """Return how many entries each memory group holds."""
        return {key.name: len(found) for key, found in self._documents.items() if key.kind == MEMORY}

    def tag_counts(self) -> Mapping[tuple[str, str], int]:
        """Return how many entries of each section's group bear each tag."""
        documents = [(key, found) for key, found in self._documents.items() if key.kind == MEMORY]
        pairs = Counter((key.name, self._tag(entry)) for key, found in documents for entry in found)
        return {pair: count for pair, count in pairs.items() if pair[1]}

    def topic(self, name: str) -> list[Entry]:
        """Return the entries of one topic."""
        return list(self._documents.get(DocumentKey(TOPIC, name), ()))

    def topics(self) -> list[str]:
        """Return the topics that have entries, sorted."""
        return self._names(TOPIC)

    def topic_count(self) -> int:
        """Return how many topics have entries."""
        return len(self._names(TOPIC))

    def day(self, date: str) -> list[Entry]:
        """Return the entries of one daily note."""
        return list(self._documents.get(DocumentKey(DAILY, date), ()))

    def days(self) -> list[str]:
        """Return the days that have entries, sorted."""
        return self._names(DAILY)

    def _names(self, kind: str) -> list[str]:
        return sorted(key.name for key in self._documents if key.kind == kind)


def daily_notes(state: State, as_of: int, settings: RenderSettings = DEFAULTS) -> dict[str, bytes]:
    """Return the daily notes of a folded state, by path (P-1)."""
    source = StateSource(state)
    return {
        path_of(DocumentKey(DAILY, day), as_of, settings): render_day(
            day, source.day(day), settings, as_of, source.entry
        )
        for day in source.days()
    }


def memory_files(state: State, as_of: int, settings: RenderSettings = DEFAULTS) -> dict[str, bytes]:
    """Return MEMORY.md and the overflow files of a folded state, by path (P-1)."""
    source = StateSource(state)
    selection = select(source, settings)
    shown = {entry.id for entry in selection.shown}
    files = {MEMORY_FILE: render_memory(selection, source.topic_count(), settings, as_of)}
    for group in selection.overflow:
        rest = [entry for entry in source.group(group, selection.groups.tags) if entry.id not in shown]
        path = path_of(DocumentKey(MEMORY, group), as_of, settings)
        files[path] = render_overflow(rest, settings, as_of, source.entry)
    return files


def topic_files(state: State, as_of: int, settings: RenderSettings = DEFAULTS) -> dict[str, bytes]:
    """Return the topic files of a folded state, by path (P-1)."""
    source = StateSource(state)
    return {
        path_of(DocumentKey(TOPIC, topic), as_of, settings): render_topic(
            topic, source.topic(topic), settings, as_of, source.entry
        )
        for topic in source.topics()
    }


def timeline(state: State, _as_of: int, _settings: RenderSettings = DEFAULTS) -> tuple[TimelineRow, ...]:
    """Return the rows of all events of a folded state, oldest first; time and settings change none (P-1)."""

    def lookup(id_: str) -> Entry | None:
        node = state.nodes.get(id_)
        return state.entry(id_) if node is not None and node.event is not None else None

    events = sorted(state.events.values(), key=lambda event: (event.ts, event.id))
    return tuple(row_of(event, lookup) for event in events)
