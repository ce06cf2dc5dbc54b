"""The Links of MEMORY.md: one line for each overflow file that says how much it holds, and one for the topics.

Implements specs/projections.md (P-21, P-153).
"""

from __future__ import annotations

from collections.abc import Mapping

from projections.layout import MEMORY, TITLE_OF_GROUP, DocumentKey, path_of


def link_lines(overflow: Mapping[str, int], topic_count: int, *, folded: bool) -> list[str]:
    """Return the lines of Links.

    Args:
        overflow: how many entries each group has that MEMORY.md does not show, in the order of the lines.
        topic_count: how many topic files there are.
        folded: one line stands for all overflow files.
    """
    if folded and overflow:
        total = sum(overflow.values())
        files = "1 file" if len(overflow) == 1 else f"{len(overflow)} files"
        lines = [f"- [More](memory/) — {total} more {_entries(total)} in {files}\n"]
    else:
        lines = [_line(group, count) for group, count in overflow.items()]
    if topic_count:
        files = (
            "1 topic file, read when its"
            if topic_count == 1
            else f"{topic_count} topic files, read when their"
        )
        lines.append(f"- [Topics](memories/) — {files} whenToUse matches\n")
    return lines


def _line(group: str, count: int) -> str:
    path = path_of(DocumentKey(MEMORY, group), 0)
    return f"- [{TITLE_OF_GROUP[group]}]({path}) — {count} more {_entries(count)}\n"


def _entries(count: int) -> str:
    return "entry" if count == 1 else "entries"
