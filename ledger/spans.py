"""Checks a chain span by span, on several cores where asked: what verify adds up.

Implements specs/verification.md (V-10, V-11). A worker checks a span from what it must assume: that the line
before is as it reads, and that the keys which the parent knows are still in force. The parent takes the
result only if that is what the span before really ended with, and checks the span itself otherwise. So any
number of jobs finds the same.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Generator, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from ledger import reader, workers
from ledger.check import LineChecker, Link
from ledger.errors import FormatError, NoLedgerError
from ledger.event import MAX_LINE_BYTES, event_id, split_line
from ledger.finding import Finding

SPAN = 256 << 10
FIRST_SPAN = 64 << 10
MAX_FINDINGS = 1000
"""At most so many findings are listed; the others are counted (V-11)."""


@dataclass(frozen=True, slots=True)
class Watched:
    """The event that a chain must reach: its seq and id."""

    seq: int
    id: str


@dataclass(slots=True)
class CheckedSpan:
    """What checking some whole lines gave.

    `before` and `after` are the states assumed and reached, `end` the offset where the last line ends.
    `blank` and `erased` are ids of 32 bytes, one after the other: of the events whose payload is blank, and
    of those that an erase names; `altered` those of payloads that are not what was signed. `present` counts the
    payloads that are, `gone` those that were cut off. `watched` is what stands at the watched seq: id and offset
    of the line.
    `disowned` are the `since` of each rotate that has one, and its seq.
    """

    before: Link | None
    after: Link | None
    end: int
    lines: int = 0
    events: int = 0
    lost: bool = False
    findings: list[Finding] = field(default_factory=list)
    omitted: int = 0
    blank: bytearray = field(default_factory=bytearray)
    erased: bytearray = field(default_factory=bytearray)
    altered: bytearray = field(default_factory=bytearray)
    present: int = 0
    gone: int = 0
    watched: tuple[str, int] | None = None
    ledger_id: str | None = None
    disowned: list[tuple[int, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Task:
    """What to check: the lines of an open chain from `start` to `stop`; `link` is the state before them."""

    path: Path
    fd: int
    start: int
    stop: int
    link: Link | None
    line: int
    watched: Watched | None


def check_spans(task: Task, jobs: int = 1) -> Generator[CheckedSpan]:
    """Check every line, in order; stop where a bad genesis leaves no key to check by (V-6).

    Raises:
        StorageError: the disk cannot read the chain.
    """
    spans = _cut(task.fd, task.start, task.stop)
    progress = _Progress(task)
    first = 1 if jobs > 1 else None  # of many jobs' spans, the first tells the keys that the others assume
    for start, stop in islice(spans, first):
        yield progress.add(progress.check(start, stop))
        if progress.lost:
            return
    if first and task.stop - progress.end > SPAN:
        yield from _parallel(progress, spans, jobs)
        return
    for start, stop in spans:
        yield progress.add(progress.check(start, stop))


def _cut(fd: int, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Cut the bytes from `start` to `stop` into spans of whole lines, about SPAN bytes each."""
    at, limit = start, FIRST_SPAN
    while at < stop:
        end = reader.end_of_line(fd, min(at + limit, stop), stop)
        yield at, end
        at, limit = end, SPAN


class _Progress:
    """The state after the spans taken so far, from which the next one is judged."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.link = task.link
        self.line = task.line
        self.end = task.start
        self.lost = False

    def check(self, start: int, stop: int) -> CheckedSpan:
        """Check a span in this process, from what is known."""
        task = self.task
        return check_span(task.fd, start, stop, self.link, line=self.line, watched=task.watched)

    def add(self, span: CheckedSpan) -> CheckedSpan:
        self.link, self.end, self.lost = span.after, span.end, span.lost
        self.line += span.lines
        return span


def check_span(
    fd: int, start: int, stop: int, link: Link | None, *, line: int = 0, watched: Watched | None = None
) -> CheckedSpan:
    """Check the lines from `start` to `stop`; the first follows `link` and has the number `line` + 1."""
    checker = LineChecker(link, line, payloads=False)
    span = CheckedSpan(link, None, stop)
    for raw in reader.lines(fd, start, stop):
        checked = checker.take(raw.raw)
        if checker.findings:
            _count_payload(span, checker.findings[-1])
            _list(span, checker.findings)
            if checker.lost:
                break
        if checked is None:
            continue
        span.events += 1
        head = checked.head
        if watched and head["seq"] == watched.seq and (not span.watched or span.watched[0] != watched.id):
            span.watched = checked.id, raw.offset  # the first that is the watched one, else the last
        state = checked.state
        if state == "ok":
            span.present += 1
        elif state == "blank":
            span.blank += bytes.fromhex(checked.id)
        kind = head["kind"]
        if kind == "erase":
            span.erased += bytes.fromhex("".join(head["targets"]))
        elif kind == "genesis":
            span.ledger_id = head["ledger"]["id"]
        elif kind == "rotate" and head.get("since", head["seq"]) < head["seq"]:
            span.disowned.append((head["since"], head["seq"]))
    span.after, span.lost, span.lines = checker.link, checker.lost, checker.line - line
    return span


def _count_payload(span: CheckedSpan, finding: Finding) -> None:
    """Count a payload that has a finding (V-50)."""
    if finding.code == "payload-altered":
        span.altered += bytes.fromhex(finding.id or "")
    elif finding.code == "payload-missing":
        span.gone += 1
    elif finding.code == "payload-schema":
        span.present += 1


def _list(span: CheckedSpan, findings: list[Finding]) -> None:
    room = MAX_FINDINGS - len(span.findings)
    span.findings += findings[:room]
    span.omitted += max(0, len(findings) - room)
    findings.clear()


# --- on several cores ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Piece:
    """A worker's part: the lines from `start` to `stop` of the file at `path` if it still is `inode`.

    `keys` are the key in force, the commitment to the next one, and the genesis id, as the parent knows
    them now.
    """

    path: Path
    inode: tuple[int, int]
    start: int
    stop: int
    keys: tuple[bytes, str, str]
    watched: Watched | None


def _parallel(progress: _Progress, spans: Iterator[tuple[int, int]], jobs: int) -> Generator[CheckedSpan]:
    task = progress.task
    inode = _inode(task.fd)
    pool = _pool(jobs)
    waiting: deque[tuple[int, int, Future[CheckedSpan | None] | None]] = deque()

    def submit() -> None:
        link = progress.link
        for start, stop in islice(spans, 2 * jobs - len(waiting)):
            future = None
            if link:
                keys = (link.key, link.next_key, link.chain)
                future = _submitted(pool, _Piece(task.path, inode, start, stop, keys, task.watched))
            waiting.append((start, stop, future))

    try:
        submit()
        while waiting:
            start, stop, future = waiting.popleft()
            span = _result(future)
            if span is None or span.before != progress.link:
                span = progress.check(start, stop)
            else:
                span.findings = [f._replace(line=(f.line or 0) + progress.line) for f in span.findings]
            yield progress.add(span)
            submit()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _submitted(pool: Executor, piece: _Piece) -> Future[CheckedSpan | None] | None:
    try:
        return pool.submit(_check_piece, piece)
    except BrokenExecutor:
        return None


def _result(future: Future[CheckedSpan | None] | None) -> CheckedSpan | None:
    try:
        return future.result() if future else None
    except BrokenExecutor:  # a worker was killed; the parent does its part
        return None


def _check_piece(piece: _Piece) -> CheckedSpan | None:
    """Check lines from what the line before them says, counted from 1; None where nothing can be assumed."""
    try:
        with reader.opened(piece.path) as fd:
            link = _link_before(fd, piece.start, piece.keys) if _inode(fd) == piece.inode else None
            return check_span(fd, piece.start, piece.stop, link, watched=piece.watched) if link else None
    except NoLedgerError:  # moved away meanwhile; the parent has it open
        return None


def _link_before(fd: int, start: int, keys: tuple[bytes, str, str]) -> Link | None:
    """Return the state that the line ending at `start` makes if it is good; None where it cannot be read."""
    size = min(start, MAX_LINE_BYTES + 2)
    raw = reader.read_at(fd, size, start - size).removesuffix(b"\n")
    try:
        parts = split_line(raw[raw.rfind(b"\n") + 1 :])
        head = LineChecker(signatures=False).peek(parts)
    except FormatError:
        return None
    return Link(head["seq"], event_id(parts.head), head["ts"], head["epoch"], *keys)


def _inode(fd: int) -> tuple[int, int]:
    status = os.fstat(fd)
    return status.st_dev, status.st_ino


def _pool(jobs: int) -> Executor:
    """Return workers: forked processes where forking is safe, else threads (libsodium lets others run)."""
    return workers.processes(jobs) or _threads(jobs)


def _threads(jobs: int) -> Executor:
    return ThreadPoolExecutor(jobs, "verify")
