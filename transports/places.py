"""How segments and notes are named, the same in every transport, and which lines a set of segments covers.

Implements specs/team.md (TM-70, TM-74, TM-75). Names of any other form are ignored when a transport is read, and refused when it is
written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from transports.protocol import MOST_BYTES, MOST_LINES, MOST_NOTE_BYTES, Segment

_TEAM = re.compile(r"[0-9a-f]{32}")
_CHAIN = re.compile(r"[0-9a-f]{64}")
_SEGMENT = re.compile(r"([0-9]{10})\.jsonl")
_KIND = re.compile(r"[a-z][a-z0-9-]{0,31}")
_NOTE = re.compile(r"(?!.*\.sync-conflict-)(?!.*\.tmp$)[a-z0-9-][a-z0-9.-]{0,79}")
_HIGHEST = 10**10 - MOST_LINES

Spans = list[tuple[int, int]]
"""Pieces of a chain: the seq of the first line of each, and the seq after its last."""


def segment_name(first: int) -> str:
    """Return the file name of the segment whose first line has this seq."""
    return f"{first:010d}.jsonl"


def first_of(name: str) -> int | None:
    """Return the seq in a segment's file name; None if it is not such a name."""
    found = _SEGMENT.fullmatch(name)
    return int(found[1]) if found else None


def is_chain(name: str) -> bool:
    """Return whether a name is that of a chain, the id of its genesis."""
    return _CHAIN.fullmatch(name) is not None


def is_note(name: str) -> bool:
    """Return whether a note may have this name: what sync services leave beside a file may not."""
    return _NOTE.fullmatch(name) is not None


def line_count(data: bytes) -> int:
    """Return how many lines a segment with these bytes has, or 0 if it is not a segment (TM-70)."""
    lines = data.count(b"\n")
    return lines if lines <= MOST_LINES and len(data) <= MOST_BYTES and data.endswith(b"\n") else 0


def check_team(team: str) -> None:
    """Refuse an invalid team id."""
    if not _TEAM.fullmatch(team):
        raise ValueError(f"a team id has 32 hex digits: {team!r}")


def check_chain(chain: str) -> None:
    """Refuse an invalid genesis id."""
    if not is_chain(chain):
        raise ValueError(f"the id of a genesis has 64 hex digits: {chain!r}")


def checked_segments(chain: str, segments: Sequence[Segment]) -> list[Segment]:
    """Return the segments ordered by `first`; refuse those that TM-70 does not allow."""
    check_chain(chain)
    for first, data in segments:
        if not 0 <= first <= _HIGHEST or not line_count(data):
            raise ValueError(
                f"a segment is 1 to {MOST_LINES} whole lines of at most {MOST_BYTES} bytes: {first}, {len(data)} bytes"
            )
    return sorted(segments, key=lambda each: each.first)


def check_kind(kind: str) -> None:
    """Refuse an invalid kind of notes."""
    if not _KIND.fullmatch(kind):
        raise ValueError(f"the kind of a note is a slug: {kind!r}")


def check_note(kind: str, name: str, data: bytes) -> None:
    """Refuse a note that `Transport.put_note` does not allow."""
    check_kind(kind)
    if not is_note(name):
        raise ValueError(f"a note's name has 1 to 80 of the characters a–z, 0–9, `.` and `-`: {name!r}")
    if not 0 < len(data) <= MOST_NOTE_BYTES:
        raise ValueError(f"a note has 1 to {MOST_NOTE_BYTES} bytes: {len(data)}")


def repeated(whole: Segment, standing: Iterable[Segment]) -> list[int]:
    """Return the `first` of each segment whose bytes are those of its lines in a longer one; none without the first line's."""
    lines = whole.data.split(b"\n")
    found = [
        first
        for first, data in standing
        if whole.first <= first < whole.end
        and b"\n".join([*lines[first - whole.first :][: data.count(b"\n")], b""]) == data
    ]
    return found if whole.first in found else []


def merged(spans: Iterable[tuple[int, int]]) -> Spans:
    """Return the spans in order, those that touch or overlap as one."""
    runs: Spans = []
    for first, end in sorted(spans):
        if runs and first <= runs[-1][1]:
            runs[-1] = runs[-1][0], max(runs[-1][1], end)
        else:
            runs.append((first, end))
    return runs


def reached(spans: Iterable[tuple[int, int]]) -> int:
    """Return how many lines the spans cover without a gap from line 0."""
    runs = merged(spans)
    return runs[0][1] if runs and runs[0][0] == 0 else 0
