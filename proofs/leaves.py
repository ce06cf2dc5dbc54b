"""Makes leaves of a chain's lines, block after block.

Implements specs/proofs.md (T-1, T-33) for many lines.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from ledger.event import event_id
from ledger.named_tuple import NamedTuple
from proofs import heads, merkle


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
    for end, lines in heads.blocks(fd, start, stop):
        if lines:
            some = of_lines(lines, end, linked=before is not None)
            if before is not None:
                heads.linked([some.first], before)
                before = some.id
            yield some
