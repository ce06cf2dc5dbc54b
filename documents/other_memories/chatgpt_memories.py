"""Reads a list of ChatGPT's saved memories, copied from its settings into a text file.

Implements specs/import.md (I-37). The list has no ids and no dates.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from documents.other_memories import source_files
from documents.other_memories.foreign_records import (
    ForeignSource,
    LeftOut,
    origin_line,
    readable,
    text_and_body,
)
from documents.reading.blocks import is_blank, split_lines
from ledger.memory import Memory, Provenance

TOOL = "chatgpt"
USUAL = "a text file with the list of Manage memories, or conversations.json of ChatGPT's data export"


def read_chatgpt_memories(path: Path) -> ForeignSource:
    """Read a list: one memory for each paragraph, or for each line if no line is blank.

    Raises:
        NotFoundError, StorageError, FormatError: as `source_files`; nothing of it was read.
    """
    lines = split_lines(source_files.text_of(path, source_files.bytes_of(path, USUAL), USUAL))
    while lines and is_blank(lines[-1]):
        lines.pop()
    in_paragraphs = any(map(is_blank, lines))
    starts = [
        at
        for at, each in enumerate(lines)
        if not is_blank(each) and (not in_paragraphs or at == 0 or is_blank(lines[at - 1]))
    ]
    left_out = LeftOut()
    found: list[tuple[int | None, Memory]] = []
    for start, end in pairwise([*starts, len(lines)]):
        text, body = text_and_body(readable("".join(lines[start:end])))
        if text:
            origin = Provenance(tool=TOOL, file=origin_line(path.name))
            found.append((start + 1, Memory(text, body=body, source="auto", provenance=origin)))
        else:
            left_out.add("without a text that can be read; left out", f"line {start + 1}")
    return ForeignSource(path, TOOL, found, left_out)
