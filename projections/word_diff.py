"""Compares two versions of a text, word by word.

Implements specs/projections.md (P-98). Pure; how a change is marked for people is the command line's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher
from itertools import groupby, takewhile
from typing import NamedTuple

from ledger.lazy_pattern import lazy_pattern

SAME, WENT, CAME = "same", "went", "came"

_WORD = lazy_pattern(r"\w+|\s+|[^\w\s]")
MOST_PAIRS = 4_000_000


class Stretch(NamedTuple):
    """A stretch of text that is in both (`same`), in the old one alone (`went`), or in the new one alone (`came`)."""

    kind: str
    text: str


def word_changes(old: str, new: str) -> list[Stretch]:
    """Return kept, removed and added stretches in order; a removed one comes before its added neighbour."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    head = _alike(zip(before, after, strict=False))
    rest = min(len(before), len(after)) - head
    tail = _alike(zip(before[::-1][:rest], after[::-1][:rest], strict=True))
    pieces = [Stretch(SAME, "".join(before[:head]))]
    pieces += _middle(before[head : len(before) - tail], after[head : len(after) - tail])
    pieces.append(Stretch(SAME, "".join(before[len(before) - tail :])))
    return list(_joined(_without_gaps(pieces)))


def changed_lines(changes: Iterable[Stretch]) -> Iterator[list[Stretch]]:
    """Yield the changed lines, without their ends; a text of one line is yielded as it is."""
    line: list[Stretch] = []
    for kind, text in [*changes, Stretch(SAME, "\n")]:
        first, *others = text.split("\n")
        line.append(Stretch(kind, first))
        for other in others:
            if any(stretch.kind != SAME and stretch.text for stretch in line):
                yield [stretch for stretch in line if stretch.text]
            line = [Stretch(kind, other)]


def _alike(pairs: Iterable[tuple[str, str]]) -> int:
    """Return the number of equal pairs at the beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _middle(before: list[str], after: list[str]) -> Iterator[Stretch]:
    if len(before) * len(after) > MOST_PAIRS:
        yield from (Stretch(WENT, "".join(before)), Stretch(CAME, "".join(after)))
        return
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for what, i, j, k, m in matcher.get_opcodes():
        if what == "equal":
            yield Stretch(SAME, "".join(before[i:j]))
        else:
            yield from (Stretch(WENT, "".join(before[i:j])), Stretch(CAME, "".join(after[k:m])))


def _without_gaps(pieces: list[Stretch]) -> Iterator[Stretch]:
    """Make spaces between two changes part of the change: six marks for one phrase are hard to read."""
    last = len(pieces) - 1
    for at, piece in enumerate(pieces):
        if piece.kind == SAME and 0 < at < last and piece.text.isspace() and "\n" not in piece.text:
            yield from (Stretch(WENT, piece.text), Stretch(CAME, piece.text))
        else:
            yield piece


def _joined(pieces: Iterable[Stretch]) -> Iterator[Stretch]:
    """Join neighbours: at most one removed and one added stretch between two kept ones."""
    for kept, group in groupby((piece for piece in pieces if piece.text), lambda piece: piece.kind == SAME):
        some = list(group)
        for kind in (SAME,) if kept else (WENT, CAME):
            if text := "".join(piece.text for piece in some if piece.kind == kind):
                yield Stretch(kind, text)
