"""Reads a daily note: a markdown document that is named for its day.

Implements specs/import.md (I-18). The blocks are read as those of a MEMORY.md-like document; what differs is
that every memory belongs to the day.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from documents.proposal import Proposal
from documents.reading.blocks import Block
from documents.reading.memory_file import DocumentContext, is_day, read_memory_file
from ledger.lazy_pattern import lazy_pattern

_NAME = lazy_pattern(r"(\d{4}-\d{2}-\d{2})(?:-.+)?\.mdc?", re.IGNORECASE)


def day_of(name: str) -> str:
    """Return the day that a file's name begins with (`2026-01-02.md`, `2026-01-02-slug.md`), or "" (I-18)."""
    match = _NAME.fullmatch(name)
    return match[1] if match and is_day(match[1]) else ""


def read_daily_note(
    blocks: Sequence[Block], file: str, day: str, unescape: Callable[[str], str] = str
) -> tuple[Proposal, ...]:
    """Return the creates of a daily note, in its order; each has tier daily and the day as its date.

    Args:
        blocks: the whole document.
        file: its relative name.
        day: `2026-01-02`; a first-level heading that says only this is not a memory.
        unescape: as in `DocumentContext`.
    """
    return read_memory_file(blocks, DocumentContext(file, title=day, day=day, unescape=unescape))
