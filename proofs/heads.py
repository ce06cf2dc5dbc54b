"""Reads the heads of a chain file as leaves of the tree, by themselves or checked link by link.

Implements specs/proofs.md (T-1, T-33). Reads through a descriptor; a line ends where an LF does, and a head where the
quote after its signature stands (specs/event.md, E-11).
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import NamedTuple, Protocol

from ledger import reader
from ledger.errors import ChainError, FormatError, NotFoundError
from ledger.event import event_id, split_line

Progress = Callable[[int, int], None]
"""Called with (bytes done, bytes in all)."""

_SIG = b',"sig":"'
_AFTER = len(_SIG) + 86 + 1
"""From where `,"sig":"` begins to the end of the head."""
_ROTATE = b',"kind":"rotate",'
_SEQ = re.compile(rb'"seq":(0|[1-9][0-9]{0,15}),')


class Tip(NamedTuple):
    """An event by its place: its seq, its id, and where its line begins and ends (after the LF)."""

    seq: int
    id: str
    start: int
    end: int


class Lines(Protocol):
    """What finds the lines of a chain by their seq; nothing that it gives is believed."""

    def line(self, seq: int) -> bytes:
        """Return the line with this number, without its LF; raises NotFoundError where there is none."""

    def key_events(self) -> Sequence[int]:
        """Return the seqs of the genesis and of every rotate."""


def head_of(raw: bytes) -> bytes:
    """Return a line's head as it stands; of bytes that are no event, anything."""
    return raw[: raw.find(_SIG) + _AFTER]


def blocks(fd: int, start: int, stop: int) -> Iterator[tuple[int, list[bytes]]]:
    """Give the lines from the byte `start` to `stop`, where one ends, in lists, each with where it ends."""
    at, rest = start, b""
    while at < stop:
        block = reader.read_at(fd, min(reader.BLOCK, stop - at), at)
        if not block:
            return
        at += len(block)
        *lines, rest = (rest + block).split(b"\n")
        yield at - len(rest), lines


def leaves(lines: Sequence[bytes]) -> list[bytes]:
    """Return the hashes of the leaves that lines are."""
    find, after = _SIG, _AFTER
    return [sha256(b"\0" + raw[: raw.find(find) + after]).digest() for raw in lines]


def linked(lines: Sequence[bytes], before: str) -> str:
    """Check that each line names the one before it, the first one `before`, and return the id of the last.

    With the last id known to be right, every head is then the one that was signed. The name `prev` stands
    in no other place of a head, and no string of a head holds a quote (E-17, E-18).

    Raises:
        ChainError: one does not.
    """
    for raw in lines:
        link = b',"prev":"%s",' % before.encode() if before else b',"prev":null,'
        head = split_line(raw).head if raw else b""
        if link not in head:
            raise ChainError("the chain changed, or is not linked: run memledger verify")
        before = event_id(head)
    return before


def line_of(fd: int, tip: Tip) -> bytes:
    """Return the line that stands where that of `tip` did, without its LF."""
    return reader.line_at(fd, tip.start, tip.end)


def stands(fd: int, tip: Tip) -> bool:
    """Say whether the line of `tip` stands in the file where it was."""
    raw = reader.read_at(fd, max(0, tip.end - tip.start), tip.start)
    try:
        return raw.endswith(b"\n") and event_id(split_line(raw[:-1]).head) == tip.id
    except FormatError:
        return False


class ScannedLines:
    """The lines of a chain file that was read once from beginning to end: 8 bytes of memory a line."""

    def __init__(self, fd: int, stop: int) -> None:
        self._fd = fd
        self._ends = array("Q", [0])
        self._rotates: list[int] = []
        at = 0
        for _, lines in blocks(fd, 0, stop):
            for raw in lines:
                if _ROTATE in raw:
                    self._rotates.append(len(self._ends) - 1)
                at += len(raw) + 1
                self._ends.append(at)

    def __len__(self) -> int:
        return len(self._ends) - 1

    def line(self, seq: int) -> bytes:
        """Return the line with this number; see `Lines`."""
        if not 0 <= seq < len(self):
            raise NotFoundError(f"the chain has no event @{seq}")
        return reader.line_at(self._fd, self._ends[seq], self._ends[seq + 1])

    def tip(self) -> Tip:
        """Return the last line as a tip; raises FormatError where it is no event."""
        seq = len(self) - 1
        id_ = event_id(split_line(self.line(seq)).head)
        return Tip(seq, id_, self._ends[seq], self._ends[seq + 1])

    def key_events(self) -> Sequence[int]:
        """Return the seqs of the genesis and of lines that say they are rotates."""
        return [0, *self._rotates]


def seq_of(head: bytes) -> int:
    """Return the seq that a head says it has; -1 where it says none."""
    found = _SEQ.search(head)
    return int(found[1]) if found else -1
