"""The part of a chain that a report shows: from some time on, or the signed heads of its events alone.

Implements specs/report.md (H-5, H-6).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from ledger import reader
from ledger.check import LineChecker, Link
from ledger.errors import FormatError, NotFoundError
from ledger.event import split_line
from ledger.mark import Mark


class ChainPart(NamedTuple):
    """Lines of a chain as a report has them; `before` is what they follow, None from the beginning on."""

    data: bytes
    start: int = 0
    before: Link | None = None

    def mark(self, mark: Mark | None) -> dict[str, Any] | None:
        """Return what the page compares the chain with: the mark, where it lies in these bytes; None if it is before them."""
        if mark is None or (self.before and mark.seq <= self.before.seq):
            return None
        return {
            "seq": mark.seq,
            "id": mark.id,
            "start": mark.start - self.start,
            "end": mark.end - self.start,
        }

    def known(self) -> dict[str, Any] | None:
        """Return the event before the first one, with the keys in force after it."""
        link = self.before
        if link is None:
            return None
        keys = {"key": link.key.hex(), "next": link.next_key}
        return {
            "seq": link.seq,
            "id": link.id,
            "ts": link.ts,
            "epoch": link.epoch,
            **keys,
            "genesis": link.chain,
        }


def part_since(chain: Path, since: str) -> ChainPart:
    """Return the lines of a chain up to the last LF: all of them, or those from the written instant `since` on.

    Raises:
        NotFoundError: there is none from then on.
        NoLedgerError, StorageError: there is no chain, or it cannot be read.
        ChainError: with `since`, a line before does not pass.
    """
    start, before = _cut(chain, since) if since else (0, None)
    with reader.opened(chain) as fd:
        end = reader.end_of_lines(fd, 0, os.fstat(fd).st_size)
        return ChainPart(reader.read_at(fd, end - start, start), start, before)


def _cut(chain: Path, since: str) -> tuple[int, Link | None]:
    checker = LineChecker(signatures=False)
    before: Link | None = None
    for event in reader.events(chain, checker=checker):
        if event.ts >= since:
            return event.offset, before
        before = checker.link
    raise NotFoundError("nothing was written since then: muniment log -n 1 shows the newest event")


def heads_alone(part: ChainPart, mark: Mark | None) -> tuple[bytes, dict[str, Any] | None]:
    """Return the lines without their payloads, and the mark where it lies in them."""
    lines = [line + b"\n" for line in part.data.split(b"\n")[:-1]]
    heads = list(_heads(lines))
    place = part.mark(mark)
    if place:
        old = accumulate(map(len, lines), initial=0)
        new = dict(zip(old, accumulate(map(len, heads), initial=0), strict=True))
        place |= {"start": new.get(place["start"], -1), "end": new.get(place["end"], -1)}
    return b"".join(heads), place


def _heads(lines: list[bytes]) -> Iterator[bytes]:
    """Yield each line up to its signature; a line that is not an event is only marked as a line."""
    for line in lines:
        try:
            yield split_line(line[:-1]).head + b"}\n"
        except FormatError:
            yield b"{}\n"
