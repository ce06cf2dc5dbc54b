"""The two forms of an entry in a document of sections, bullet and block of prose, and when both say the same lines.

Implements specs/editing.md (D-60, D-61). Pure. A person who writes `1.` for `-`, or a third level below a bullet, has
changed its form and nothing else.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import SequenceMatcher

from ledger.lazy_pattern import lazy_pattern
from ledger.memory import IMPORTANCES, Memory

SAME_LINE = 0.8
"""From this likeness on (0 to 1, `difflib`) a line is the line that it was, changed."""

_MARKERS = lazy_pattern(r"[ \t]*(?:(?:[-*+>]|\d{1,9}[.)]|#{1,6})[ \t]+|\[[?xX ]\][ \t]+)*\\?")
_LOOKED_AT = 300


_EMPHASIS = lazy_pattern(r"(\*\*|__|[*_`])(?=\S)(.+?)(?<=\S)\1")


def unmarked(text: str) -> str:
    """Return a text without the signs of emphasis and code around its words."""
    if "*" not in text and "_" not in text and "`" not in text:
        return text
    return _EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", text))


def is_block(memory: Memory) -> bool:
    """Say whether a memory is a block of prose, and not a bullet."""
    return memory.type == "note" and bool(memory.body)


def lines_said(memory: Memory) -> list[str]:
    """Return the lines that a reader sees, without case and what marks them as items, quotes or headings."""
    source = memory.body if is_block(memory) else "\n".join([memory.text, *memory.details, memory.body])
    bare = (_MARKERS.sub("", line, count=1).strip().casefold() for line in source.splitlines())
    return [line for line in bare if line]


def words_said(memory: Memory) -> str:
    """Return these lines as one text to be compared."""
    return "\n".join(lines_said(memory))[:_LOOKED_AT]


def has_line(lines: Sequence[str], known: Collection[str], text: str) -> bool:
    """Say whether a text is one of those that are known, or one of these lines, changed."""
    if text in known:
        return True
    matcher = SequenceMatcher(None, b=text[:_LOOKED_AT], autojunk=False)
    for line in lines:
        matcher.set_seq1(line[:_LOOKED_AT])
        if (
            matcher.real_quick_ratio() >= SAME_LINE
            and matcher.quick_ratio() >= SAME_LINE
            and matcher.ratio() >= SAME_LINE
        ):
            return True
    return False


def type_of(old: Memory, new: Memory) -> str:
    """Return the type of an entry that was read anew: its own, unless it went from one form to the other (D-60)."""
    if is_block(new):
        return "note"
    return new.type if old.type == "note" and (old.body or new.body) else old.type


def united(memories: Sequence[Memory]) -> Memory:
    """Return the first of several that one block says now, with the tags of all and the highest importance."""
    first, *others = memories
    return first._replace(
        tags=tuple(dict.fromkeys(tag for each in memories for tag in each.tags)),
        importance=max((each.importance for each in (first, *others)), key=IMPORTANCES.index),
    )
