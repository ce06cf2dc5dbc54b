"""Learns from transcripts: reads each from its last position, and notes the new position after learning.

Implements specs/capture.md (K-74, K-76…K-78). After a crash in between, some turns are read again, and the
ledger recognises them.
"""

from __future__ import annotations

import hashlib
import math
import os
import sqlite3
import stat
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from documents.proposal import Proposal
from learning.intake import Taken, Taking
from learning.listening import Detector, Listener
from learning.transcripts.records import Call
from learning.transcripts.transcript_reader import TranscriptReading, read
from learning.turn import Turn
from ledger.errors import LedgerError
from ledger.progress import Progress, untold
from projections.local import Local
from projections.local_erasure import FORGOTTEN
from projections.transcript_positions import Position, Positions

HEAD = 4096
"""A file is recognised by so many first bytes, or by all bytes of a shorter one."""
_TAIL = 256
_EARLIER = 1 << 18
"""So many bytes before the new part are read again, because the detector needs them as context."""
_OFTEN = 500
"""After so many turns the position is noted even if nothing was learned."""


@dataclass(slots=True)
class Heard:
    """The result of reading one transcript.

    `turns` counts the new ones; `broken` has the offsets of the first of `broken_count` broken lines; `torn` means that
    the last line is not complete yet; `kind` is the format, or "". `stream` means that it cannot be read again;
    `stopped` is the reason why reading stopped before turns that could not be kept, or "". `failed` counts the turns
    that were skipped because of an unexpected error.
    """

    name: str
    kind: str = ""
    turns: int = 0
    broken: list[int] = field(default_factory=list)
    broken_count: int = 0
    torn: bool = False
    nothing_new: bool = False
    stream: bool = False
    stopped: str = ""
    failed: int = 0


def name_of(path: Path) -> str:
    """Return the name of a conversation whose transcript gives it none."""
    return f"{path.stem[:80]}-{_digest(os.fsencode(path.absolute()))[:8]}"


def turns_of(path: Path) -> Iterator[Turn]:
    """Yield the turns of a transcript from its beginning.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as stream:
        for turn, _ in read(stream, name=name_of(path)):
            yield turn


def in_order(paths: Iterable[Path]) -> list[Path]:
    """Return files, each once, in the order of their last change, so that later words count last (K-223).

    Streams and unreadable files come last.
    """

    def changed(path: Path) -> float:
        try:
            status = path.stat()
        except OSError:
            return math.inf
        return status.st_mtime if stat.S_ISREG(status.st_mode) else math.inf

    return sorted(dict.fromkeys(paths), key=changed)


class Conversations:
    """Reads transcripts and learns from their new parts.

    Args:
        taking: decides on the proposals and writes them.
        detector: makes the proposals.
        local: stores the positions.
        dry: note no position; `taking` must be dry too.
        anew: read every file from its first byte.
        on_taken: is called with each proposal's outcome and the turn that led to it.
        on_turn: is called with each turn of a stream.
        on_fault: is called with an unexpected error; the turn that caused it is skipped (K-283).
        progress: is called with the number of turns of a file so far.
        still_to_hear: returns the part of a turn that nobody has heard yet, None if a hook heard all of it (doors.md G-7).
    """

    def __init__(
        self,
        taking: Taking,
        detector: Detector,
        local: Local,
        *,
        dry: bool = False,
        anew: bool = False,
        on_taken: Callable[[Taken, Turn], None] | None = None,
        on_turn: Callable[[Turn], None] | None = None,
        on_fault: Callable[[Exception], None] | None = None,
        progress: Progress = untold,
        still_to_hear: Callable[[Turn], Turn | None] = lambda turn: turn,
    ) -> None:
        self._taking = taking
        self._detector = detector
        self._listener = Listener(taking, detector)
        self._positions = Positions(local)
        self._dry = dry
        self._anew = anew
        self._on_taken = on_taken
        self._on_turn = on_turn
        self._on_fault = on_fault
        self._progress = progress
        self._still_to_hear = still_to_hear
        self._here: dict[tuple[int, int], Position] = {}
        self._last: Turn | None = None
        self._streams: set[tuple[int, int]] = set()
        self._calls: dict[tuple[int, int], dict[str, Call]] = {}

    @property
    def trouble(self) -> str:
        """Why positions could not be noted, or ""."""
        return self._positions.trouble

    def file(self, path: Path) -> Heard:
        """Learn from the new part of a file; read anything but a regular file once, as a stream.

        Raises:
            OSError: it cannot be read.
        """
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) and (status.st_dev, status.st_ino) in self._streams:
            return Heard(str(path), nothing_new=True, stream=True)
        with path.open("rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                self._streams.add((status.st_dev, status.st_ino))
                return self.stream(stream, path.name)
            where = str(path.absolute())
            start, state = self._start(stream, status, where)
            heard = Heard(str(path))
            if start and start == status.st_size:
                heard.nothing_new = True
                return heard
            name = name_of(path)
            here = status.st_dev, status.st_ino
            if start and here not in self._here:
                self._calls[here] = self._hear_again(stream, start, name, state)
            stream.seek(start)
            reading = read(stream, start=start, name=name, state=state, calls=self._calls.get(here, {}))
            self._calls[here] = reading.calls
            self._learn(reading, heard, lambda: self._note(stream, status, where, reading))
            return heard

    def stream(self, stream: Iterable[bytes], name: str) -> Heard:
        """Learn from a stream; its position is not noted."""
        heard = Heard(name, stream=True)
        self._learn(read(stream, name=name), heard, lambda: None)
        return heard

    # --- turns ---

    def _settled(self, heard: Heard) -> bool:
        """Learn from everything that the detector still holds back (K-118); return whether nothing is left."""
        if not self._pending:
            return True
        flush: Callable[[], list[Proposal]] = self._detector.flush  # type: ignore[attr-defined]
        for taken in self._taking.take(flush()):
            if self._on_taken is not None and self._last is not None:
                self._on_taken(taken, self._last)
            if taken.outcome == "unwritten":
                heard.stopped = taken.why
        return heard.stream or not heard.stopped

    @property
    def _pending(self) -> bool:
        return bool(getattr(self._detector, "pending", False))

    def _learn(self, reading: TranscriptReading, heard: Heard, note: Callable[[], None]) -> None:
        """Hear every new turn, and note the position after each one that taught something.

        If a proposal can be kept nowhere, stop reading the file: the next run reads it from there (K-155).
        """
        for turn, _ in reading:
            heard.turns += 1
            self._last = turn
            self._progress(heard.turns, 0)
            if heard.stream and self._on_turn is not None:
                self._on_turn(turn)
            taken = self._hear(turn, heard)
            if self._on_taken is not None:
                for each in taken:
                    self._on_taken(each, turn)
            heard.stopped = next((each.why for each in taken if each.outcome == "unwritten"), heard.stopped)
            if heard.stopped and not heard.stream:
                break
            if not self._pending and (taken or heard.turns % _OFTEN == 0):
                note()
        if not (heard.stopped and not heard.stream) and self._settled(heard):
            note()
        heard.kind, heard.torn = reading.kind, reading.torn
        heard.broken, heard.broken_count = reading.broken, reading.broken_count

    def _hear(self, turn: Turn, heard: Heard) -> list[Taken]:
        """Hear one turn; an error in our own code loses only that turn (K-283)."""
        try:
            said = self._still_to_hear(turn)
            return self._listener.hear(said) if said is not None else []
        except (LedgerError, sqlite3.Error, OSError):
            raise  # the ledger or the machine failed: the turn is read again
        except Exception as error:  # noqa: BLE001 - any other error is our own, and would come again at each run
            heard.failed += 1
            if self._on_fault is not None:
                self._on_fault(error)
            return []

    def _hear_again(self, stream: BinaryIO, start: int, name: str, state: str) -> dict[str, Call]:
        """Show the detector the text before the new part (K-77); return the calls there that wait for a result."""
        begin = max(0, start - _EARLIER)
        data = os.pread(stream.fileno(), start - begin, begin)
        if begin:
            cut = data.find(b"\n") + 1
            begin, data = (begin + cut, data[cut:]) if cut else (start, b"")
        recall: Callable[[Turn], object] = getattr(self._detector, "recall", self._detector.analyze)
        reading = read([data], start=begin, name=name, state=state if begin else "")
        for turn, _ in reading:
            recall(turn)
        return reading.calls

    # --- positions ---

    def _start(self, stream: BinaryIO, status: os.stat_result, where: str) -> tuple[int, str]:
        """Return the offset to begin at, and the state of the reading there."""
        here = self._here.get((status.st_dev, status.st_ino))
        known = [here] if here else []
        if not self._anew:
            known += self._positions.of(status.st_dev, status.st_ino, where)
        for position in known:
            if _goes_on(stream, status.st_size, position):
                return position.offset, position.state
        return 0, ""

    def _note(self, stream: BinaryIO, status: os.stat_result, where: str, reading: TranscriptReading) -> None:
        number, offset = stream.fileno(), reading.offset
        head = os.pread(number, HEAD, 0)
        tail = os.pread(number, min(_TAIL, offset), max(0, offset - _TAIL))
        position = Position(
            status.st_dev,
            status.st_ino,
            where,
            _digest(head),
            len(head),
            _digest(tail),
            offset,
            reading.state,
        )
        self._here[status.st_dev, status.st_ino] = position
        if not self._dry:
            self._positions.save(position)


def _goes_on(stream: BinaryIO, size: int, position: Position) -> bool:
    """Return whether a file still begins with the bytes that were read before."""
    if not 0 < position.offset <= size:
        return False
    number = stream.fileno()
    head = os.pread(number, position.head_size, 0)
    tail = os.pread(number, min(_TAIL, position.offset), max(0, position.offset - _TAIL))
    known = (position.head, _digest(head)), (position.tail, _digest(tail))
    return all(was in (FORGOTTEN, now) for was, now in known)


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()
