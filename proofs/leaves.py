"""Makes leaves of a chain's lines, stretch after stretch: alone where it is short, on all cores where that pays.

Implements specs/proofs.md (T-1, T-33) for many lines. A worker hashes a stretch from its own bytes alone; the parent
puts the stretches together, and does itself what a worker did not bring. So any number of workers makes the same.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING

from ledger import reader, workers
from ledger.errors import LedgerError
from ledger.event import event_id
from ledger.named_tuple import NamedTuple
from proofs import heads, merkle

if TYPE_CHECKING:
    from concurrent.futures import Executor

PAYS = 32 << 20
"""From so many bytes of the chain on workers save more than it takes to start them."""
STRETCH = 4 << 20
"""About so many bytes a worker hashes at once."""


class Leaves(NamedTuple):
    """The leaves that some whole lines are.

    `hashes` are theirs, `first` is the head of the first line; `id` is the id of the last one, whose line begins at
    the byte `start` and ends at `end` (after the LF).
    """

    hashes: Sequence[bytes]
    first: bytes
    id: str
    start: int
    end: int


class _Piece(NamedTuple):
    """Some whole lines of the chain `fd`, and whether their links are looked at."""

    fd: int
    start: int
    stop: int
    linked: bool


def of_lines(lines: Sequence[bytes], end: int, *, linked: bool = False) -> Leaves:
    """Return the leaves of lines (without LF; one at least) that end at the byte `end` of the chain.

    With `linked` each line but the first must name the one before it.

    Raises:
        ChainError: one does not.
        FormatError: with `linked`, a line is no event.
    """
    some = heads.framed(lines) if linked else heads.cut(lines)
    id_ = heads.linked(some[1:], event_id(some[0])) if linked else event_id(some[-1])
    return Leaves(merkle.leaf_hashes(some), some[0], id_, end - len(lines[-1]) - 1, end)


def read(fd: int, start: int, stop: int, *, before: str | None = None) -> Generator[Leaves]:
    """Give the leaves of the lines from the byte `start` of a chain to `stop`, in the order of the file.

    Args:
        fd: the chain, open for reading as long as this runs.
        start: where a line begins.
        stop: where a line ends.
        before: the id of the event before them, "" where there is none: each line must name the one before it.
            With None none is looked at.

    Raises:
        ChainError: a line names another one.
        FormatError: with `before`, a line is no event.
        StorageError: the disk cannot read the chain.
    """
    whole = _Piece(fd, start, stop, before is not None)
    jobs = workers.cores() if stop - start >= PAYS else 1
    pool = workers.processes(jobs) if jobs > 1 else None
    some = _alone(whole) if pool is None else _together(whole, pool, jobs)
    with closing(some):
        for each in some:
            if before is not None:
                heads.linked([each.first], before)
                before = each.id
            yield each


def _alone(piece: _Piece) -> Generator[Leaves]:
    for end, lines in heads.blocks(piece.fd, piece.start, piece.stop):
        if lines:
            yield of_lines(lines, end, linked=piece.linked)


def _together(whole: _Piece, pool: Executor, jobs: int) -> Generator[Leaves]:
    # Opened once more: what holds the chain's lock is closed in a forked child, and its number another file's.
    fd = os.open(f"/proc/self/fd/{whole.fd}", os.O_RDONLY | os.O_CLOEXEC)
    try:
        pieces = _cut(whole._replace(fd=fd))
        with closing(workers.in_order(pool, 2 * jobs, _of_piece, pieces)) as made:
            for piece, found in made:
                yield from _alone(piece) if found is None else found
    finally:
        os.close(fd)


def _cut(whole: _Piece) -> Iterator[_Piece]:
    at = whole.start
    while at < whole.stop:
        end = reader.end_of_line(whole.fd, min(at + STRETCH, whole.stop), whole.stop)
        yield whole._replace(start=at, stop=end)
        at = end


def _of_piece(piece: _Piece) -> list[Leaves] | None:
    """Return the leaves of a piece; None where something is wrong with it, which the parent shall say."""
    try:
        found = list(_alone(piece))
    except LedgerError:
        return None
    return found if found and found[-1].end == piece.stop else None
