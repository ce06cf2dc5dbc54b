"""Wraps lines for people at the width of their terminal, between words.

Implements specs/cli.md (X-324).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TextIO
from unicodedata import combining, east_asian_width

import click

from ledger.actor import is_terminal
from ledger.lazy_pattern import lazy_pattern

NARROWEST, WIDEST = 40, 200

_STYLE = lazy_pattern(r"\x1b\[[0-9;]*m")
_WORDS = lazy_pattern(r"( *)([^ ]+)")
_COLUMN = lazy_pattern(r" {2,}(?=[^ ])")


def width_of(stream: TextIO | None) -> int:
    """Return how many columns a terminal has, from 40 to 200; 0 without a terminal, or if it is unknown."""
    if not is_terminal(stream):
        return 0
    try:
        columns = int(os.environ.get("COLUMNS", "")) if stream else 0
    except ValueError:
        try:
            columns = os.get_terminal_size(stream.fileno()).columns if stream else 0
        except (OSError, ValueError):
            columns = 0
    return min(max(columns, NARROWEST), WIDEST) if columns else 0


def help_width() -> int:
    """Return the width of a page of help; 80 columns if stdout is not a terminal."""
    return width_of(sys.stdout) or 80


class HelpPage(click.HelpFormatter):
    """A page of help, on which the names of options leave half of a narrow page to what they mean."""

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2) -> None:
        """Write names and what they mean."""
        super().write_dl(rows, min(col_max, self.width // 2), col_spacing)


def wrapped(line: str, width: int) -> str:
    """Return one line as lines of at most `width` columns; a word that is longer has its own.

    What follows is indented to the last column of a table that begins in the first half, else to the line itself.
    """
    if not width or _columns(line) <= width:
        return line
    bare = _STYLE.sub("", line)
    begins = [match.end() for match in _COLUMN.finditer(bare) if match.end() <= width // 2]
    margin = " " * (begins[-1] if begins else len(bare) - len(bare.lstrip(" ")))
    lines, current, used = [], "", 0
    for space, word in _WORDS.findall(line):
        size = _columns(word)
        if current.strip() and used + len(space) + size > width:
            lines.append(current)
            current, used = margin + word, len(margin) + size
        else:
            current, used = current + space + word, used + len(space) + size
    return "\n".join([*lines, current])


def _columns(text: str) -> int:
    plain = _STYLE.sub("", text)
    if plain.isascii():
        return len(plain)
    return sum(0 if combining(sign) else 1 + (east_asian_width(sign) in "WF") for sign in plain)
