"""The groups of overflow files: one for each section, and one for each tag of many entries.

Implements specs/projections.md (P-150). Pure: a function of the counts of each tag in each section.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ledger.named_tuple import NamedTuple
from projections.layout import GROUPS, TITLE_OF_GROUP, DocumentSource
from projections.settings import RenderSettings

MEMBERS = 5
"""A tag with fewer entries has no file: they stay with their section."""

_LINES_A_TAG = 10
"""One tag may have a file for every this many lines of MEMORY.md, so that Links stays short."""


class Groups(NamedTuple):
    """The tags with files of their own, and the number of entries of each group, sections first."""

    tags: frozenset[str] = frozenset()
    counts: Mapping[str, int] = {}

    def of(self, section: str, tag: str) -> str:
        """Return the group of an entry: its tag if that has a file, else the group `section`."""
        return tag if tag in self.tags else section


def groups_of(source: DocumentSource, settings: RenderSettings) -> Groups:
    """Return the groups of the current memories; tags compare by their number of doublings, so that few change places."""
    pairs = source.tag_counts()
    sizes: Counter[str] = Counter()
    for (_, tag), count in pairs.items():
        sizes[tag] += count
    large = [tag for tag, size in sizes.items() if size >= MEMBERS]
    large.sort(key=lambda tag: (-sizes[tag].bit_length(), tag))
    tags = frozenset(large[: settings.max_lines // _LINES_A_TAG])
    counts = Counter(source.group_counts())
    for (section, tag), count in pairs.items():
        if tag in tags:
            counts[section] -= count
    named = {group: counts[group] for group in GROUPS} | {tag: sizes[tag] for tag in sorted(tags)}
    return Groups(tags, {group: count for group, count in named.items() if count})


def title_of(group: str) -> str:
    """Return how Links names a group: a section's heading, or the tag."""
    return TITLE_OF_GROUP.get(group, group)
