"""What follows the newest known event of a chain file, judged and never changed.

Implements specs/chain.md (C-9…C-12). `marked_tip` tells whether the file still holds the event that the mark
names, `read_tail` reads the lines after the newest known one; `ledger.chain` acts on it. Reads through the lock
holder's descriptor.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from ledger import reader
from ledger.canonical import unb64
from ledger.chain_identity import foreign, rolled_back
from ledger.check import CheckedLine, LineChecker, Link, decoded
from ledger.errors import ChainError, ForeignChainError, FormatError
from ledger.event import SIGNED_PREFIX, event_id, split_line
from ledger.mark import Mark
from ledger.named_tuple import NamedTuple
from ledger.schema import MEMORY_KINDS
from ledger.signing import verify_signature


class ChainTip(NamedTuple):
    """The newest known event: its link, and where its line begins and ends (after the LF) in bytes."""

    link: Link
    start: int
    end: int

    @classmethod
    def at_mark(cls, mark: Mark, event: bytes) -> ChainTip:
        """Return the marked event as a tip; its time is only in its EVENT. Raises as `decoded`."""
        ts, key = decoded(event)["ts"], bytes.fromhex(mark.key)
        link = Link(mark.seq, mark.id, ts, mark.epoch, key, mark.next_key, mark.genesis)
        return cls(link, mark.start, mark.end)

    @property
    def mark(self) -> Mark:
        """The mark of this event."""
        link = self.link
        key = link.key.hex()
        return Mark(link.seq, link.id, link.epoch, link.chain, key, link.next_key, self.start, self.end)


class ChainFile(NamedTuple):
    """An open chain file: descriptor, path for messages, size, and the pinned genesis id, if there is one."""

    fd: int
    path: Path
    size: int
    genesis: str | None


class Tail(NamedTuple):
    """The state of a file's end: the newest good event, and what must be repaired after it.

    With `unended` that event's LF is missing; at `torn` bytes begin that were never acknowledged (None:
    nowhere).
    """

    tip: ChainTip
    unended: bool = False
    torn: int | None = None


def stands(file: ChainFile, tip: ChainTip) -> bool:
    """Return whether the file still holds the line of `tip`, whole, where it was."""
    line = os.pread(file.fd, tip.end - tip.start, tip.start)
    if len(line) != tip.end - tip.start or not line.endswith(b"\n"):
        return False
    with contextlib.suppress(FormatError):
        return event_id(split_line(line[:-1]).head) == tip.link.id
    return False


def marked_tip(file: ChainFile, mark: Mark) -> ChainTip:
    """Return the marked event as a tip; of its line nothing but the LF may be missing.

    Raises:
        ForeignChainError: the mark, or the file, is of another chain than ours.
        RollbackError: the file ends before that event, or another event is in its place (C-9).
        ChainError: its line is damaged (C-12).
    """
    if file.genesis not in (None, mark.genesis):
        raise ForeignChainError(
            f"{file.path}: the mark kept here is another chain's ({mark.genesis[:16]}…); see muniment doctor"
        )
    line = os.pread(file.fd, mark.end - mark.start, mark.start) if file.size > mark.start else b""
    lost = mark.end - 1 - file.size
    if lost > 0:
        _refuse_foreign(file, mark.genesis)
        raise rolled_back(file.path, mark, f"the file has {file.size} bytes and ends before it does")
    try:
        parts = split_line(line[: mark.end - 1 - mark.start])
        if lost < 0 and line[-1:] != b"\n":
            raise FormatError("C-1", "no line feed ends it")
        if event_id(parts.head) != mark.id:
            raise FormatError("E-11", "its bytes were changed")
        return ChainTip.at_mark(mark, parts.event)
    except FormatError as error:
        _refuse_foreign(file, mark.genesis)
        if mark.start and os.pread(file.fd, 1, mark.start - 1) != b"\n":
            raise rolled_back(file.path, mark, "other lines are in its place") from None
        if _is_another_event(file, mark):
            raise rolled_back(file.path, mark, "another event is in its place") from None
        raise ChainError(
            f"{file.path} line {mark.seq + 1} (seq {mark.seq}), which was acknowledged, is damaged: {error}; "
            "nothing was written; see muniment verify, then muniment recover"
        ) from None


def _is_another_event(file: ChainFile, mark: Mark) -> bool:
    """Return whether another good line of this ledger is at the mark: damage cannot cause that."""
    line = next(reader.lines(file.fd, mark.start), None)
    with contextlib.suppress(FormatError):
        parts = split_line(line.raw if line else b"")
        signature = unb64(parts.sig, 64)
        return (
            signature is not None
            and event_id(parts.head) != mark.id
            and verify_signature(bytes.fromhex(mark.key), SIGNED_PREFIX + parts.event, signature)
        )
    return False


def _refuse_foreign(file: ChainFile, genesis: str) -> None:
    """Raise if the file's first event is not the genesis with this id."""
    first = next(reader.lines(file.fd), None)
    with contextlib.suppress(FormatError):
        found = event_id(split_line(first.raw).head) if first else genesis
        if found != genesis:
            raise foreign(file.path, genesis, found)


def read_tail(file: ChainFile, known: ChainTip | None, mark: Mark | None) -> Tail:
    """Check every line after `known` as a verifier would, and say how the file ends.

    Raises:
        ForeignChainError: the chain is not the pinned one.
        ChainError: a line that may have been acknowledged is bad (C-11, C-12), or nothing is there.
    """
    if known is not None and known.end >= file.size:
        return Tail(known, unended=known.end > file.size)
    tip, half = known, None
    checker = LineChecker(known.link if known else None, known.link.seq + 1 if known else 0)
    for line in reader.lines(file.fd, known.end if known else 0):
        checked = checker.take(line.raw)
        if tip is None and checked is not None and file.genesis is not None:
            _refuse_foreign(file, file.genesis)
        last = not line.ended or line.end >= file.size
        link = checker.link
        if checked is None or link is None or (last and _half_there(checked, line, mark)):
            if tip is not None and (line.offset >= mark.end if mark else last):
                tip = half.before if half else tip
                return Tail(tip, torn=tip.end)
            raise _damage(file, checker, tip)
        half = half_body(half, checked, tip)
        tip = ChainTip(link, line.offset, line.end + (not line.ended))
    if tip is None:
        raise ChainError(f"{file.path} is empty: restore a backup (muniment restore)")
    if half and (mark is None or half.before.end >= mark.end):
        return Tail(half.before, torn=half.before.end)
    return Tail(tip, unended=tip.end > file.size)


class HalfBody(NamedTuple):
    """A long body of which not all parts were read yet (M-9): its first part, the newest, how many there are.

    `before` is the event before it. Parts are one write, so a file that ends inside a body was cut inside a
    write.
    """

    first: str
    n: int
    of: int
    before: ChainTip


def half_body(half: HalfBody | None, checked: CheckedLine, before: ChainTip | None) -> HalfBody | None:
    """Return the body that is still incomplete after the event `checked`, which follows `before`."""
    part = checked.payload.get("part") if checked.payload and checked.head["kind"] in MEMORY_KINDS else None
    if part is None or part["n"] == part["of"] or before is None:
        return None
    if part["n"] == 1:
        return HalfBody(checked.id, 1, part["of"], before)
    goes_on = half is not None and (part["first"], part["n"]) == (half.first, half.n + 1)
    return half._replace(n=part["n"]) if half and goes_on else None


def _half_there(checked: CheckedLine, line: reader.RawLine, mark: Mark | None) -> bool:
    """Return whether a last line whose head is good is a write that was cut inside its payload.

    A payload can be cut just after a brace of its own, and the line then ends as a line does.
    """
    return checked.state == "bad" and (not line.ended or (mark is not None and line.offset >= mark.end))


def _damage(file: ChainFile, checker: LineChecker, tip: ChainTip | None) -> ChainError:
    """Return the error for a bad line that may have been acknowledged."""
    finding = checker.findings[-1]
    seq = tip.link.seq + 1 if tip else 0
    remedy = "see muniment verify, then muniment recover" if tip else "run muniment restore BACKUP"
    return ChainError(
        f"{file.path} line {checker.line} (seq {seq}) is damaged: {finding.message} "
        f"[{finding.code}, {finding.rule}]; nothing was written; {remedy}"
    )
