"""The Links of MEMORY.md: one line for each overflow file, with the number of its entries and the first of them.

Implements specs/projections.md (P-21, P-153, P-154). A line quotes the entries that moved to the file
first, so that one more entry changes only the number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from documents.writing.overflow_groups import title_of
from ledger.lazy_pattern import lazy_pattern
from projections.layout import MEMORY, DocumentKey, path_of

EXTRACTS = 2
"""How many entries of a file are quoted."""
_EXTRACT = 48
_SUMMARY = len(": ") + EXTRACTS * (_EXTRACT + len("“…”".encode())) + (EXTRACTS - 1) * len(", ")
_MARKUP = str.maketrans(dict.fromkeys("`*[]<>|\\“”", " "))


def link_lines(
    overflow: Mapping[str, int], summaries: Mapping[str, str], topic_count: int, *, folded: bool
) -> list[str]:
    """Return the lines of Links.

    Args:
        overflow: how many entries each group has that MEMORY.md does not show, in the order of the lines.
        summaries: the quotes of each group, as `summary_of` returns them.
        topic_count: how many topic files there are.
        folded: one line replaces all overflow files.
    """
    if folded and overflow:
        total = sum(overflow.values())
        files = "1 file" if len(overflow) == 1 else f"{len(overflow)} files"
        lines = [f"- [More](memory/) — {total} more {_entries(total)} in {files}\n"]
    else:
        lines = [_line(group, count, summaries.get(group, "")) for group, count in overflow.items()]
    if topic_count:
        files = (
            "1 topic file, read when its"
            if topic_count == 1
            else f"{topic_count} topic files, read when their"
        )
        lines.append(f"- [Topics](memories/) — {files} whenToUse matches\n")
    return lines


def most_room(lines: Iterable[str]) -> tuple[int, int]:
    """Return the most lines and bytes that these lines need with their summaries."""
    sizes = [len(line.encode()) + _SUMMARY for line in lines]
    return len(sizes), sum(sizes)


def summary_of(texts: Iterable[str]) -> str:
    """Return the quotes of a file in Links as one line: the beginnings of these texts, without markup."""
    return ", ".join(filter(None, map(quoted, texts)))


def quoted(text: str) -> str:
    """Return the beginning of a text as Links quotes it, or "" if it cannot be quoted."""
    said = _extract(text)
    return f"“{said}”" if said else ""


def quotes_in(memory_file: str) -> dict[str, list[str]]:
    """Return the quotes of each overflow file in the Links of a MEMORY.md, by the file's path."""
    return {match[1]: _QUOTE.findall(match[2]) for match in _LINE.finditer(memory_file)}


@lru_cache(maxsize=256)
def _extract(text: str) -> str:
    """Return the first words of a text, at most `_EXTRACT` bytes and a mark for what was left out."""
    plain = text.translate(_MARKUP)
    if not plain.isprintable():
        plain = "".join(letter if letter.isprintable() else " " for letter in plain)
    plain = " ".join(plain.split())
    data = plain.encode()
    if len(data) <= _EXTRACT:
        return plain
    cut = data[: _EXTRACT + 1].decode(errors="ignore")
    whole, space, _ = cut.rpartition(" ")
    return f"{whole if space else data[:_EXTRACT].decode(errors='ignore')}…"


_LINE = lazy_pattern(r"^- \[[^\[\]\n]*\]\((memory/[^()\s]+\.md)\) — (.*)$", re.MULTILINE)
_QUOTE = lazy_pattern("“[^“”]*”")


def _line(group: str, count: int, summary: str) -> str:
    path = path_of(DocumentKey(MEMORY, group), 0)
    said = f": {summary}" if summary else ""
    return f"- [{title_of(group)}]({path}) — {count} more {_entries(count)}{said}\n"


def _entries(count: int) -> str:
    return "entry" if count == 1 else "entries"
