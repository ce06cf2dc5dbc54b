"""Which overflow files there may be beside MEMORY.md: one for each section, and one for each tag that many entries bear.

Implements specs/projections.md (P-150). Pure: a function of how many entries of each section bear which tag.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from ledger.named_tuple import NamedTuple
from projections.layout import GROUPS, TITLE_OF_GROUP, DocumentSource
from projections.settings import RenderSettings

MEMBERS = 5
"""With fewer entries a tag has no file of its own: they stay with their section."""

_LINES_A_TAG = 10
"""For so many lines of MEMORY.md one tag may have a file, so that Links stays short."""


class Groups(NamedTuple):
    """The tags that have files of their own, and how many entries each group holds, sections first."""

    tags: frozenset[str] = frozenset()
    counts: Mapping[str, int] = {}

    def of(self, section: str, tag: str) -> str:
        """Return the group of an entry of the section's group `section` that bears `tag`, or ""."""
        return tag if tag in self.tags else section


def groups_of(source: DocumentSource, settings: RenderSettings) -> Groups:
    """Return the groups of the current memories: a tag's size counts by its doublings, so that few change places."""
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
