"""Reads the heads of a chain file as leaves of the tree, by themselves or checked link by link.

Implements specs/proofs.md (T-1, T-33). Reads through a descriptor; a line ends where an LF does, and a head where the
quote after its signature stands (specs/event.md, E-11).
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from typing import Protocol

from ledger import reader
from ledger.errors import ChainError, FormatError, NotFoundError
from ledger.event import event_id, split_line
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

_SIG = b',"sig":"'
_AFTER = len(_SIG) + 86 + 1
"""From where `,"sig":"` begins to the end of the head."""
_PREV = b',"prev":'
_ROTATE = b',"kind":"rotate",'
_SEQ = lazy_pattern(rb'"seq":(0|[1-9][0-9]{0,15}),')


class EventPlace(NamedTuple):
    """An event by its place: its seq, its id, and where its line begins and ends (after the LF)."""

    seq: int
    id: str
    start: int
    end: int


class LineFinder(Protocol):
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
        lines = block.split(b"\n")
        lines[0] = rest + lines[0]
        rest = lines.pop()
        yield at - len(rest), lines


def cut(lines: Sequence[bytes]) -> list[bytes]:
    """Return the heads of lines as they stand; of bytes that are no event, anything."""
    sig, after = _SIG, _AFTER
    return [raw[: raw.find(sig) + after] for raw in lines]


def framed(lines: Sequence[bytes]) -> list[bytes]:
    """Return the heads of lines that have the shape of an event, of a blank one nothing.

    Raises:
        FormatError: one has another shape.
    """
    return [split_line(raw).head if raw else b"" for raw in lines]


def linked(heads: Sequence[bytes], before: str) -> str:
    """Check that each head names the one before it, the first one `before`, and return the id of the last.

    With the last id known to be right, every head is then the one that was signed. The name `prev` stands
    in no other place of a head, and no string of a head holds a quote (E-17, E-18).

    Raises:
        ChainError: one does not.
    """
    for head in heads:
        link = b',"prev":"%s",' % before.encode() if before else b',"prev":null,'
        if not head.startswith(link, head.find(_PREV)):
            raise ChainError("the chain changed, or is not linked: run muniment verify")
        before = event_id(head)
    return before


def line_of(fd: int, tip: EventPlace) -> bytes:
    """Return the line that stands where that of `tip` did, without its LF."""
    return reader.line_at(fd, tip.start, tip.end)


def stands(fd: int, tip: EventPlace) -> bool:
    """Say whether the line of `tip` stands in the file where it was."""
    raw = reader.read_at(fd, max(0, tip.end - tip.start), tip.start)
    try:
        return raw.endswith(b"\n") and event_id(split_line(raw[:-1]).head) == tip.id
    except FormatError:
        return False


class ScannedLines:
    """Lines of a chain file that was read once from beginning to end.

    Kept are those of `wanted` (None: all of them), those that bring keys, and the last one.
    """

    def __init__(self, fd: int, stop: int, wanted: Container[int] | None = None) -> None:
        self._kept: dict[int, bytes] = {}
        self._keys: list[int] = []
        seq, end, last = -1, 0, b""
        for at, lines in blocks(fd, 0, stop):
            end = at
            for raw in lines:
                seq += 1
                if seq == 0 or _ROTATE in raw:
                    self._keys.append(seq)
                    self._kept[seq] = raw
                elif wanted is None or seq in wanted:
                    self._kept[seq] = raw
            last = lines[-1] if lines else last
        self._kept[seq] = last
        self._newest = seq, end

    def line(self, seq: int) -> bytes:
        """Return the line with this number; see `LineFinder`."""
        if seq not in self._kept:
            raise NotFoundError(f"the chain has no event @{seq}")
        return self._kept[seq]

    def tip(self) -> EventPlace:
        """Return the last line as a tip; raises FormatError where it is no event."""
        seq, end = self._newest
        raw = self.line(seq)
        return EventPlace(seq, event_id(split_line(raw).head), end - len(raw) - 1, end)

    def key_events(self) -> Sequence[int]:
        """Return the seqs of the genesis and of lines that say they are rotates."""
        return self._keys


def seq_of(head: bytes) -> int:
    """Return the seq that a head says it has; -1 where it says none."""
    found = _SEQ.search(head)
    return int(found[1]) if found else -1
