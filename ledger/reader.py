"""Reads a chain file's lines and events as a stream, with flat memory whatever the file's length.

Implements specs/chain.md (C-1) and specs/verification.md (V-14) for reading. Opens the file read-only; takes a lock
only to look again.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ledger.check import LineChecker, Link, judged
from ledger.durable import open_file, storage_error
from ledger.errors import ChainError, FormatError, NoLedgerError, StorageError
from ledger.event import MAX_LINE_BYTES, Event, event_id, split_line
from ledger.named_tuple import NamedTuple

BLOCK = 1 << 20
_LEFT = "put the chain itself there (muniment restore restores a backup), then run muniment verify"


class RawLine(NamedTuple):
    """One line of the file.

    `offset` is where it begins and `end` where the next one does, in bytes; `raw` are its bytes without LF,
    of which nothing is missing up to the longest allowed length plus one; `ended` tells whether an LF ended
    it.
    """

    offset: int
    raw: bytes
    end: int
    ended: bool


@contextmanager
def opened(path: Path) -> Iterator[int]:
    """Open a chain for reading and give the descriptor.

    Raises:
        NoLedgerError: there is no such file.
        StorageError: it cannot be opened.
    """
    try:
        fd = open_file(path, os.O_RDONLY | os.O_NOFOLLOW)
    except (FileNotFoundError, NotADirectoryError):
        raise NoLedgerError(
            f"there is no chain at {path}: check the path, or run muniment init to create a ledger"
        ) from None
    except OSError as error:
        left = _LEFT if error.errno in {errno.EINVAL, errno.ELOOP} else "see muniment doctor"
        raise storage_error(error, "opening the chain", path, left=left) from error
    try:
        yield fd
    finally:
        os.close(fd)


def read_at(fd: int, size: int, offset: int) -> bytes:
    """Return up to `size` bytes of `fd` from `offset` on; fewer only at the end of the file.

    Raises:
        StorageError: the disk cannot read them.
    """
    try:
        return os.pread(fd, size, offset)
    except OSError as error:
        raise StorageError(f"cannot read the chain at byte {offset}: {error.strerror}") from error


def lines(fd: int, offset: int = 0, stop: int | None = None) -> Iterator[RawLine]:
    """Yield the lines of `fd` from the byte `offset`, where one begins, up to `stop` or the file's end.

    Raises:
        StorageError: the disk cannot read them.
    """
    pending = b""
    at = offset
    position = offset
    skipped = 0
    while stop is None or position < stop:
        block = read_at(fd, BLOCK if stop is None else min(BLOCK, stop - position), position)
        if not block:
            break
        position += len(block)
        *whole, pending = (pending + block).split(b"\n")
        for raw in whole:
            end = at + len(raw) + skipped + 1
            yield RawLine(at, raw, end, True)
            at, skipped = end, 0
        if len(pending) > MAX_LINE_BYTES + 1:  # an over-long line: its rest is counted, not kept
            skipped += len(pending) - (MAX_LINE_BYTES + 1)
            pending = pending[: MAX_LINE_BYTES + 1]
    if pending:
        yield RawLine(at, pending, at + len(pending) + skipped, False)


def numbered(path: Path, seq: int) -> RawLine | None:
    """Return the line with this seq of a chain file, None if there is none; raises as `opened` and `lines` do."""
    with opened(path) as fd:
        return next((line for number, line in enumerate(lines(fd)) if number == seq), None)


def id_at(path: Path, seq: int) -> str:
    """Return the id of the event with this seq in a chain file, "" if there is none."""
    line = numbered(path, seq)
    return event_id(split_line(line.raw).head) if line else ""


def end_of_lines(fd: int, start: int, size: int) -> int:
    """Return where the last line that an LF ends before the byte `size` ends; `start` where none does.

    Raises:
        StorageError: the disk cannot read it.
    """
    at = size
    while at > start:
        begin = max(start, at - MAX_LINE_BYTES - 1)
        found = read_at(fd, at - begin, begin).rfind(b"\n")
        if found >= 0:
            return begin + found + 1
        at = begin
    return start


@contextmanager
def shared_lock(fd: int, patience: float = 5.0) -> Iterator[bool]:
    """Hold a shared lock on the open chain, so that no writer is active (V-14).

    Yields whether the lock is held: a reader continues without it after `patience` seconds, or if the file
    system knows no locks.
    """
    deadline = time.monotonic() + patience
    held = False
    while not held:
        try:
            fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
            held = True
        except OSError as error:
            if not isinstance(error, BlockingIOError) or time.monotonic() >= deadline:
                break
            time.sleep(0.005)
    try:
        yield held
    finally:
        if held:
            fcntl.flock(fd, fcntl.LOCK_UN)


def events(
    path: Path,
    link: Link | None = None,
    offset: int = 0,
    *,
    stop: int | None = None,
    signatures: bool = True,
    checker: LineChecker | None = None,
) -> Iterator[Event]:
    """Yield the checked events of a chain that follow `link`; stop before a last line without LF.

    Args:
        path: the chain file.
        link: the state that the first event is checked against; None at the beginning of the file.
        offset: where the line after it begins, in bytes.
        stop: where to stop, in bytes; by default the end of the file.
        signatures: False only for bytes whose newest id was verified just now.
        checker: used in place of one made from `link` and `signatures`, where its state is wanted afterwards.

    Raises:
        ChainError: a line's head does not pass; the message names line, seq and reason.
    """
    checker = checker or LineChecker(link, link.seq + 1 if link else 0, signatures=signatures)
    chain = link.chain if link else ""
    with opened(path) as fd:
        for line in lines(fd, offset, stop):
            if not line.ended:
                return
            checked = checker.take(line.raw)
            if checked is None:
                raise ChainError(f"{path.name}: {checker.findings[-1]}; run muniment verify")
            if not chain:
                chain = checked.id
            yield checked.event(chain, line.offset, len(line.raw))


def events_where(path: Path, may_be: Callable[[bytes], bool]) -> Iterator[Event]:
    """Yield the events at the given lines of a chain that was just verified.

    Args:
        path: the chain file.
        may_be: asked of some lines together, and then of each: only where it says so a line is parsed.

    Raises:
        ChainError: such a line is not an event.
    """
    with opened(path) as fd:
        at, pending = 0, b""
        while block := read_at(fd, BLOCK, at):
            at += len(block)
            whole, ended, pending = (pending + block).rpartition(b"\n")
            for raw in whole.split(b"\n") if ended and may_be(whole) else ():
                if may_be(raw):
                    try:
                        yield judged(raw).event("", 0, len(raw))
                    except FormatError as error:
                        raise ChainError(f"{path.name}: {error}; run muniment verify") from error


def line_at(fd: int, start: int, end: int) -> bytes:
    """Return the bytes from `start` to `end` without the LF that ends them.

    Raises:
        StorageError: the disk cannot read them.
    """
    return read_at(fd, max(0, end - start), start).removesuffix(b"\n")
