"""The promises of every transport: segments of chains and notes, put once, never overwritten, returned on request.

Implements specs/team.md (TM-70, TM-72). A caller believes none of it: it verifies each line, and puts again what is missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

MOST_LINES = 256
MOST_BYTES = 524_288
MOST_NOTE_BYTES = 1 << 20


class Segment(NamedTuple):
    """Whole lines of one chain: the seq of the first, and the bytes of 1 to 256 of them, each with its LF (TM-70)."""

    first: int
    data: bytes

    @property
    def end(self) -> int:
        """The seq after that of its last line."""
        return self.first + self.data.count(b"\n")


class TakenError(Exception):
    """Other bytes stand at a place, and were not overwritten (TM-72).

    These may be the same lines cut another way, if another holder put them there: only a caller who compares lines knows.

    Attributes:
        chain: the genesis of the chain, or the kind and name of a note, `roster/4f2a`.
        first: the seq of the segment's first line, 0 for a note.
        data: the bytes there; empty if it is larger than a segment or a note may be.
    """

    def __init__(self, chain: str, first: int, data: bytes) -> None:
        super().__init__(f"other bytes are at line {first} of {chain}; nothing was overwritten")
        self.chain, self.first, self.data = chain, first, data


class UnreachableError(Exception):
    """The transport does not answer, or refuses; the message says what failed and what to do, and holds no credentials."""


class Transport(Protocol):
    """One place that holds segments and notes of one team; use it from one thread, and close it."""

    @property
    def address(self) -> str:
        """The address as people see it, without credentials; `opened` takes it as well."""

    @property
    def remark(self) -> str:
        """One sentence about what is unusual in how it keeps things, or ""."""

    def heads(self) -> dict[str, int]:
        """Return for each chain there, by its genesis (64 hex digits), how many lines it has without a gap from line 0.

        Asks each time. The other methods may answer from what the last call saw, and ask by themselves before the first one.
        """

    def since(self, chain: str, seq: int) -> Iterator[Segment]:
        """Give, ordered by `first`, each segment that holds line `seq` or a later one.

        Segments may overlap, and lines may be missing between two of them.
        """

    def put(self, chain: str, segments: Sequence[Segment]) -> None:
        """Put segments in their places; the same bytes may stand there already.

        Raises:
            TakenError: other bytes stand at one of the places; some of the segments before it may have been put.
        """

    def blank(self, chain: str, segment: Segment) -> str:
        """Put a segment with blanked payloads in place of the one with the same `first`.

        Returns:
            One sentence about where the old bytes may still be, or "".
        """

    def compact(self, chain: str, segment: Segment) -> None:
        """Put one segment in place of those with the same lines, byte for byte, and begin with its own first line.

        It is stored before anything is removed. If many short segments cost next to nothing, nothing is done. Nothing may put
        lines with a text that `blank` removed meanwhile: the caller prevents that.
        """

    def put_note(self, kind: str, name: str, data: bytes) -> None:
        """Put a note in its place; the same bytes may stand there already.

        Args:
            kind: a slug, such as `roster` or `join`.
            name: 1 to 80 of the characters a–z, 0–9, `.` and `-`; it neither begins with a dot nor ends in `.tmp`.
            data: 1 byte to 1 MiB.

        Raises:
            TakenError: other bytes stand there.
        """

    def notes(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Return the names and the bytes of all notes of a kind, ordered by name."""

    def wait(self, seconds: float) -> bool:
        """Wait until something may be new, at most so many seconds; raise nothing if it cannot be reached.

        Where a transport tells of changes, the first call begins to listen and returns at once: something may have come before.

        Returns:
            Whether something may be new; False if the time is up.
        """

    def close(self) -> None:
        """Release what it uses."""
