"""Decides which entries MEMORY.md shows and which move to overflow files, from the current memories and the settings.

Implements specs/projections.md (P-17…P-20, P-151, P-185). Nothing is cut: each entry is shown or
overflows. It reads few entries, however many there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import groupby, islice

from documents.writing.entry_lines import STALE, EntryBlock, block_of
from documents.writing.links import EXTRACTS, link_lines, most_room, summary_of
from documents.writing.overflow_groups import Groups, groups_of
from ledger.fold import Entry
from ledger.named_tuple import NamedTuple
from projections import commonmark
from projections.layout import (
    GROUP_OF_SECTION,
    GROUPS,
    MEMORY,
    OTHER,
    DocumentKey,
    DocumentSource,
    Lookup,
    RankKey,
    Weight,
    arrange,
    nowhere,
    rank_key,
    tag_of,
)
from projections.settings import RenderSettings

TITLE = f"# {commonmark.TITLE}\n"
LINKS_HEADING = "\n## Links\n\n"

_EVERY_INSTANT = "~"
"""Sorts after every written instant: before it, every entry is stale."""

_KEYS = {group: DocumentKey(MEMORY, group) for group in GROUPS}

_BEFORE_ALL_OTHERS = RankKey(1, "", "")
"""Ranks below every correction and critical entry, and above all others."""


class Selection(NamedTuple):
    """The entries that MEMORY.md shows, the highest rank first, and the number of entries of each group that it does not.

    `groups` are all groups, `summaries` the quotes in Links of those that overflow; if `folded`, one line of Links
    replaces all of them. `lookup` finds memories that are no longer current, to order those placed after them.
    """

    shown: tuple[Entry, ...]
    overflow: Mapping[str, int] = {}
    lookup: Lookup = nowhere
    groups: Groups = Groups()
    summaries: Mapping[str, str] = {}
    folded: bool = False


def select(source: DocumentSource, settings: RenderSettings) -> Selection:
    """Choose what MEMORY.md shows (P-17…P-20, P-151). Each entry counts as if marked stale, so time moves none."""
    if not settings.overflow:
        return Selection(tuple(source.entries(source.ranked())), lookup=source.entry)
    topics = source.topic_count()
    ranked, everything = _looked_at(source, settings, topics)
    if everything:
        return Selection(tuple(entry for _, entry in ranked), lookup=source.entry)
    groups = groups_of(source, settings)
    room, folded = _room_beside_links(groups, topics, settings)
    shown = _shown(source, groups, ranked, room, settings)
    left = dict(groups.counts)
    for weight, _ in shown:
        left[groups.of(weight.group, weight.tag)] -= 1
    overflow = {group: count for group, count in left.items() if count > 0}
    there = {entry.id for _, entry in shown}
    summaries = {} if folded else _summaries(source, overflow, groups, there)
    shown.sort(key=lambda weighed: weighed[0].rank, reverse=True)
    return Selection(tuple(entry for _, entry in shown), overflow, source.entry, groups, summaries, folded)


def lacking_room(
    source: DocumentSource, settings: RenderSettings, shown: Iterable[Entry], others: Iterable[Entry]
) -> list[Entry]:
    """Return those of `others` that end the shown entries (P-19): they have no room beside `shown` and are not large."""
    room, _ = _room_beside_links(groups_of(source, settings), source.topic_count(), settings)
    for entry in shown:
        room.take(_weight(source, entry))
    weighed = ((_weight(source, entry), entry) for entry in others)
    return [entry for weight, entry in weighed if not _is_large(weight, settings) and not room.has(weight)]


def group_of(entry: Entry, groups: Groups) -> str:
    """Return the group of an entry of MEMORY.md or of its overflow files."""
    return groups.of(*_groups_of(entry))


def _groups_of(entry: Entry) -> tuple[str, str]:
    """Return the group of an entry's section, and the tag that may give it another group."""
    group = GROUP_OF_SECTION.get(entry.memory.effective_section, OTHER)
    return group, tag_of(_KEYS[group], entry.memory.tags)


class _Room:
    """The lines and bytes left under the limits; a section's first entry pays for its heading (P-17)."""

    def __init__(self, settings: RenderSettings, links: tuple[int, int]) -> None:
        self.lines = settings.max_lines - 1
        self.bytes = settings.max_bytes - len(TITLE)
        self._opened: set[str] = set()
        lines, size = links
        if lines:
            self.lines -= lines + LINKS_HEADING.count("\n")
            self.bytes -= size + len(LINKS_HEADING)

    def take(self, weight: Weight) -> bool:
        """Take the room of an entry; return whether it was there."""
        if not self.has(weight):
            return False
        lines, size = self._needed(weight)
        self.lines -= lines
        self.bytes -= size
        self._opened.add(weight.section)
        return True

    def has(self, weight: Weight) -> bool:
        """Return whether there is room for an entry."""
        lines, size = self._needed(weight)
        return lines <= self.lines and size <= self.bytes

    def _needed(self, weight: Weight) -> tuple[int, int]:
        _, lines, size, section, _, _ = weight
        if section not in self._opened:
            lines += 3
            size += len(f"\n## {commonmark.escape_heading(section)}\n\n".encode())
        return lines, size


def _room_beside_links(groups: Groups, topics: int, settings: RenderSettings) -> tuple[_Room, bool]:
    """Return the room beside a line of links for every group, or beside one for all of them (P-153)."""
    needed = most_room(link_lines(groups.counts, {}, topics, folded=False))
    room = _Room(settings, needed)
    if room.lines * 2 >= settings.max_lines and room.bytes * 2 >= settings.max_bytes:
        return room, False
    return _Room(settings, _size(link_lines(groups.counts, {}, topics, folded=True))), True


def _size(lines: list[str]) -> tuple[int, int]:
    return len(lines), sum(len(line.encode()) for line in lines)


@lru_cache(maxsize=1024)
def _cost(block: EntryBlock) -> tuple[int, int]:
    """Return the lines and bytes that an entry counts for, whatever its neighbours and its age (P-17)."""
    text = block.text
    lines, size = max(text.count("\n"), 1), len(text.encode()) + (0 if not text else len(STALE))
    if block.loose:
        lines, size = lines + 2, size + 2
    if block.indented:
        lines, size = lines + 2, size + len(commonmark.GUARD)
    return lines, size


def _is_large(weight: Weight, settings: RenderSettings) -> bool:
    return weight.lines * 4 > settings.max_lines or weight.size * 4 > settings.max_bytes


_Weighed = tuple[Weight, Entry]


def _weighed(source: DocumentSource, ranks: Iterable[RankKey]) -> Iterator[_Weighed]:
    """Yield the entries that have these ranks, each with its weight."""
    return ((_weight(source, entry), entry) for entry in source.entries(ranks))


def _weight(source: DocumentSource, entry: Entry) -> Weight:
    """Return the weight of an entry; the source keeps it."""
    weight = source.weights.get(entry.id)
    if weight is None:
        section = entry.memory.effective_section
        weight = Weight(rank_key(entry), *_cost(block_of(entry, "")), section, *_groups_of(entry))
        source.weights[entry.id] = weight
    return weight


class _Passed:
    """Counts large entries that did not fit: at most `max_lines` of them are passed over (P-20)."""

    def __init__(self, settings: RenderSettings) -> None:
        self._settings = settings
        self._left = settings.max_lines

    def over(self, weight: Weight) -> bool:
        """Return whether to pass over an entry that does not fit (P-18)."""
        if not _is_large(weight, self._settings):
            return False
        self._left -= 1
        return self._left >= 0


def _looked_at(
    source: DocumentSource, settings: RenderSettings, topics: int
) -> tuple[Iterator[_Weighed], bool]:
    """Return the entries by rank with their weights, and whether all of them fit."""
    room = _Room(settings, _size(link_lines({}, {}, topics, folded=False)))
    ranked = _weighed(source, source.ranked())
    if sum(source.group_counts().values()) > settings.max_lines:
        return ranked, False  # each entry has at least one line
    begun: list[_Weighed] = []
    for weighed in ranked:
        begun.append(weighed)
        if not room.take(weighed[0]):
            break
    else:
        return iter(begun), True
    begun += ranked
    return iter(begun), _is_whole([entry for _, entry in begun], source.entry, topics, settings)


def _is_whole(entries: list[Entry], lookup: Lookup, topics: int, settings: RenderSettings) -> bool:
    """Return whether all fit as written, each marked stale; the count of P-17 is higher (P-185)."""
    room = _Room(settings, _size(link_lines({}, {}, topics, folded=False)))
    for heading, some in groupby(sorted(entries, key=_heading), _heading):
        lines, size = 0, 0
        if heading:
            lines, size = 2, len(f"\n## {commonmark.escape_heading(heading)}\n".encode())
        loose = True
        for entry in arrange(some, lookup):
            block = block_of(entry, _EVERY_INSTANT)
            if not block.text:
                continue
            between = int(loose or block.loose)
            lines += block.text.count("\n") + between + 2 * block.indented
            size += len(block.text.encode()) + between + len(commonmark.GUARD) * block.indented
            loose = block.loose
        room.lines -= lines
        room.bytes -= size
    return room.lines >= 0 and room.bytes >= 0


def _heading(entry: Entry) -> str:
    return entry.memory.heading


def _shown(
    source: DocumentSource, groups: Groups, ranked: Iterator[_Weighed], room: _Room, settings: RenderSettings
) -> list[_Weighed]:
    """Return the entries that fit, in the order of P-151, up to the first entry that ends them (P-18)."""
    shown: list[_Weighed] = []
    below = _BEFORE_ALL_OTHERS
    passed = _Passed(settings)
    lines, size = room.lines, room.bytes
    for weighed in ranked:
        weight = weighed[0]
        first = weight.rank > _BEFORE_ALL_OTHERS
        if not first and (room.lines * 2 <= lines or room.bytes * 2 <= size):
            break
        if room.take(weight):
            shown.append(weighed)
        elif not passed.over(weight):
            return shown
        if first:
            lines, size = room.lines, room.bytes
        else:
            below = weight.rank
    passed = _Passed(settings)
    for weighed in _by_groups(source, groups, below):
        if room.take(weighed[0]):
            shown.append(weighed)
        elif not passed.over(weighed[0]):
            break
    return shown


def _by_groups(source: DocumentSource, groups: Groups, below: RankKey) -> Iterator[_Weighed]:
    """Yield the entries below a rank, group by group: the group that began last comes first, its newest entry first."""
    lowest = (
        (rank, group) for group in groups.counts for rank in islice(source.lowest(group, groups.tags), 1)
    )
    for _, group in sorted((begun for begun in lowest if begun[0] < below), reverse=True):
        yield from _weighed(source, source.highest(group, groups.tags, below))


def _summaries(
    source: DocumentSource, names: Iterable[str], groups: Groups, shown: set[str]
) -> dict[str, str]:
    """Return the quotes of each group in Links: its entries with the lowest rank, which moved first."""
    hidden = {
        group: [
            *islice((rank for rank in source.lowest(group, groups.tags) if rank.id not in shown), EXTRACTS)
        ]
        for group in names
    }
    texts = source.texts([rank.id for ranks in hidden.values() for rank in ranks])
    return {group: summary_of(texts[rank.id] for rank in ranks) for group, ranks in hidden.items()}
