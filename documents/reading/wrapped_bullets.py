"""Reads a bullet whose lines an editor wrapped as the bullet on one line that it is.

Implements specs/editing.md (D-72). Pure. CommonMark decides: both must read the same but for where lines end.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from documents.reading.blocks import Block, is_blank, split_blocks, split_lines
from ledger.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_ITEM = lazy_pattern(r"[ \t]*[-*+][ \t]+")
_LONGEST = 16_384
"""A longer bullet is none that a record holds on its lines (I-9)."""


def unwrapped(source: str) -> Block | None:
    """Return the simple bullet that a list item is with its paragraphs on one line each; None where it is none.

    A hard line break is no wrapping, and neither is anything else that reads otherwise on one line.
    """
    lines = split_lines(source)
    head = next((at for at, line in enumerate(lines) if is_blank(line)), len(lines))
    if head < 2 or len(source) > _LONGEST or not _ITEM.match(lines[0]):
        return None
    joined: list[str] = []
    for line in lines[:head]:
        bare = line.rstrip("\r\n")
        if joined and not _ITEM.match(bare):
            joined[-1] = joined[-1].rstrip(" \t") + " " + bare.strip(" \t")
        else:
            joined.append(bare)
    if len(joined) == head:
        return None
    flat = "".join([*(f"{line}\n" for line in joined), *lines[head:]])
    blocks = split_blocks(flat.encode())
    if len(blocks) != 1 or not blocks[0].simple or _read(flat) != _read(source):
        return None
    return blocks[0]


def _read(source: str) -> str:
    """Return what a reader of a text sees, lines and spaces aside."""
    return " ".join(_parser().render(source).split())


@functools.cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # as in `blocks`: commands that read no document must not pay for it

    return MarkdownIt("commonmark").enable("table")
