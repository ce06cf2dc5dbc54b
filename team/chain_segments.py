"""Cuts a chain file into the segments that travel, and joins what came.

Implements specs/team.md (TM-70, TM-79).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from ledger import reader
from ledger.check import judged
from ledger.errors import FormatError
from transports.protocol import MOST_BYTES, MOST_LINES, Segment
from writers.seal import is_sealed

AT_ONCE = 64
"""So many segments are put with one call."""


def segments(chain: Path, first: int, end: int) -> Iterator[Segment]:
    """Yield the lines from the seq `first` up to the one before `end`, cut into segments."""
    with reader.opened(chain) as fd:
        yield from cut(first, (line.raw + b"\n" for line in islice(reader.lines(fd), first, end)))


def cut(first: int, lines: Iterable[bytes]) -> Iterator[Segment]:
    """Yield lines, each with its LF, in segments as long as one may be in one window (TM-70, TM-79)."""
    held: list[bytes] = []
    size = 0
    for seq, line in enumerate(lines, first):
        if held and (seq % MOST_LINES == 0 or size + len(line) > MOST_BYTES):
            yield Segment(first, b"".join(held))
            first, size, held = seq, 0, []
        held.append(line)
        size += len(line)
    if held:
        yield Segment(first, b"".join(held))


def gathered(segments: Iterable[Segment]) -> Iterator[Segment]:
    """Join adjacent segments until they are as long as one may be.

    Lines that are stored together wait for the disk once.
    """
    held: list[Segment] = []
    end = size = 0
    for segment in segments:
        if held and (segment.first != end or end - held[0].first >= MOST_LINES or size >= MOST_BYTES):
            yield Segment(held[0].first, b"".join(each.data for each in held))
            held, size = [], 0
        held.append(segment)
        end, size = segment.end, size + len(segment.data)
    if held:
        yield Segment(held[0].first, b"".join(each.data for each in held))


def joined(before: Segment, segment: Segment) -> Segment:
    """Return the lines of two segments if the second continues or overlaps the first; else the second."""
    if not before.first <= segment.first <= before.end:
        return segment
    new = segment.data.split(b"\n")[before.end - segment.first :]
    return Segment(before.first, before.data + b"\n".join(new))


def may_erase(segment: Segment) -> bool:
    """Return whether an erase may stand among these lines."""
    return b'"kind":"erase"' in segment.data


def is_unopened(segment: Segment, seq: int) -> bool:
    """Return whether the line with this seq among these is one that stayed sealed."""
    if not segment.first <= seq < segment.end:
        return False
    return is_sealed(segment.data.split(b"\n")[seq - segment.first])


def rest_of(segment: Segment, seq: int) -> bytes:
    """Return the lines from this seq on, none where one of them stayed sealed: who has them whole puts them again."""
    rest = segment.data.split(b"\n", seq - segment.first)[-1]
    return b"" if any(is_sealed(line) for line in rest.split(b"\n")[:-1]) else rest


def ids_of(data: bytes) -> list[str | None]:
    """Return the ids of the events in whole lines, None for a line that is not an event; half a line at the end is left out."""
    return [_id_of(line) for line in data.split(b"\n")[:-1]]


def other_event(theirs: Sequence[str | None], ours: Sequence[str | None]) -> int | None:
    """Return at which place an event stands there that is not ours; None if all that differs is damage."""
    pairs = enumerate(zip(theirs, ours, strict=False))
    return next((at for at, (one, own) in pairs if one is not None and one != own), None)


def _id_of(line: bytes) -> str | None:
    try:
        return judged(line).id
    except FormatError:
        return None
