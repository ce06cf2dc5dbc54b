"""Verifies a chain: three verdicts out of pure checks that return findings.

Implements specs/verification.md (V-1…V-16). Streams: memory does not grow with the chain's length. Chunks of lines go to worker processes, each of
which starts from what it must assume (the line before, the key in force); the parent accepts a chunk only if the assumption
was what the chunk before really ended with, and checks it itself otherwise. So the findings are the same with any number of jobs.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ledger import durable, reader
from ledger.check import LineChecker, Link
from ledger.errors import FormatError, NoLedgerError
from ledger.event import event_id, is_blanked, split_line
from ledger.finding import Finding
from ledger.mark import Mark

CHUNK = 2 << 20
MAX_FINDINGS = 1000
_SMALL = 1 << 20

Progress = Callable[[int, int], None]
"""Called with (bytes checked, bytes in all)."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One of the three verdicts: `state` is "sound", "findings" or "not checked"; `sentence` says it in words."""

    state: str
    sentence: str
    findings: tuple[Finding, ...] = ()
    omitted: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the verdict as a JSON-ready object."""
        return {
            "state": self.state,
            "sentence": self.sentence,
            "findings": [finding.to_json() for finding in self.findings],
            "omitted": self.omitted,
        }


@dataclass(frozen=True, slots=True)
class ChainReport:
    """Verdicts 1 and 2, with what was read: `events` lines with a good head, the newest good link, `genesis`, erased payloads, bytes."""

    integrity: Verdict
    completeness: Verdict
    events: int
    link: Link | None
    erased: int
    size: int

    @property
    def sound(self) -> bool:
        """Whether neither verdict has findings."""
        return not (self.integrity.findings or self.completeness.findings)


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the chain is compared with: the pinned genesis id or the ledger id, and the mark that it must reach."""

    genesis: str | None = None
    ledger_id: str | None = None
    mark: Mark | None = None


@dataclass(slots=True)
class _Chunk:
    """What checking some lines gave: the state assumed and reached, findings, and what erasure needs to know."""

    before: Link | None
    after: Link | None
    lines: int
    lost: bool = False
    findings: list[Finding] = field(default_factory=list)
    omitted: int = 0
    blanks: list[tuple[bytes, int, int]] = field(default_factory=list)
    erases: list[bytes] = field(default_factory=list)
    events: int = 0
    at_mark: str | None = None
    ledger_id: str | None = None


def verify_chain(
    path: Path, expect: Expectation, *, jobs: int = 1, since: Mark | None = None, progress: Progress | None = None
) -> ChainReport:
    """Check the chain at `path` from its beginning (or from `since`, a mark) to its end.

    Args:
        path: the chain file, or a directory that holds one.
        expect: what it is compared with.
        jobs: worker processes; 1 checks in this process.
        since: check only what follows this mark.
        progress: told of the bytes done.

    Raises:
        NoLedgerError: there is no chain file, and no mark that says that there must be one.
    """
    try:
        with reader.opened(path) as fd:
            run = _Run(fd, path, expect, since)
            for chunk in _checked_chunks(fd, path, run, jobs):
                run.add(chunk)
                if progress:
                    progress(run.position, run.size)
            return run.report()
    except NoLedgerError:
        if expect.mark is None:
            raise
        message = f"the chain is gone; event @{expect.mark.seq} of it was acknowledged here"
        lost = Finding("rollback", "V-9", message, None, expect.mark.seq, expect.mark.id)
        return ChainReport(
            Verdict("not checked", "there is no chain file"),
            Verdict("findings", "Truncated: the whole chain is gone.", (lost,)),
            0,
            None,
            0,
            0,
        )


# --- chunks ----------------------------------------------------------------------------------------------------------


def _spans(fd: int, start: int, size: int, limit: int) -> Iterator[tuple[int, int]]:
    """Cut the file from `start` to `size` into spans of whole lines of about `limit` bytes."""
    at = start
    while at < size:
        end = min(at + limit, size)
        while end < size:
            block = os.pread(fd, 1 << 16, end)
            cut = block.find(b"\n")
            if cut >= 0:
                end += cut + 1
                break
            end += len(block)
            if not block:
                end = size
        yield at, min(end, size)
        at = end


def _checked_chunks(fd: int, path: Path, run: _Run, jobs: int) -> Iterator[_Chunk]:
    spans = _spans(fd, run.position, run.size, CHUNK)
    if jobs <= 1 or run.size - run.position < _SMALL:
        for start, end in spans:
            run.position = end
            yield _check_span(str(path), start, end, run.link, run.line, run.mark_seq)
            if run.lost:
                return
        return
    with ExitStack() as stack:
        pool = stack.enter_context(ProcessPoolExecutor(jobs, mp_context=_context()))
        yield from _parallel(pool, str(path), spans, run, jobs)


def _context() -> multiprocessing.context.BaseContext:
    """Fork where that is safe (Linux, one thread): a worker then needs no imports of its own."""
    safe = sys.platform == "linux" and threading.active_count() == 1
    return multiprocessing.get_context("fork" if safe else "spawn")


def _parallel(pool: ProcessPoolExecutor, path: str, spans: Iterator[tuple[int, int]], run: _Run, jobs: int) -> Iterator[_Chunk]:
    waiting: deque[tuple[int, int, Future[_Chunk] | None]] = deque()

    def submit() -> None:
        span = next(spans, None)
        if span is None:
            return
        start, end = span
        if start == run.begin:  # the first has a known beginning
            waiting.append((start, end, pool.submit(_check_span, path, start, end, run.link, run.line, run.mark_seq)))
        elif run.link is None:
            waiting.append((start, end, None))
        else:
            keys = (run.link.key, run.link.next_key, run.link.chain)
            waiting.append((start, end, pool.submit(_check_assuming, path, start, end, keys, run.mark_seq)))

    submit()
    while waiting:
        start, end, future = waiting.popleft()
        chunk = future.result() if future else None
        if chunk is None or start != run.begin and (chunk.before != run.link):
            chunk = _check_span(path, start, end, run.link, run.line, run.mark_seq)
        elif start != run.begin:
            chunk = _renumbered(chunk, run.line)
        run.position = end
        yield chunk
        if run.lost:
            for _, _, late in waiting:
                if late:
                    late.cancel()
            return
        while len(waiting) < 2 * jobs:
            before = len(waiting)
            submit()
            if len(waiting) == before:
                break


def _check_assuming(path: str, start: int, end: int, keys: tuple[bytes, str, str], mark_seq: int) -> _Chunk:
    """Check a span from what the line before it says; `before` tells what was assumed, lines count from 1."""
    with reader.opened(Path(path)) as fd:
        link = _link_before(fd, start, keys)
    chunk = _check_span(path, start, end, link, 0, mark_seq)
    return chunk


def _link_before(fd: int, start: int, keys: tuple[bytes, str, str]) -> Link | None:
    """Return the link that the line ending at `start` makes, read but not verified; None where it cannot be read."""
    size = min(start, (1 << 16) + 1)
    raw = os.pread(fd, size, start - size).removesuffix(b"\n")
    raw = raw[raw.rfind(b"\n") + 1 :]
    try:
        parts = split_line(raw)
        head = LineChecker(signatures=False).peek(parts)
    except FormatError:
        return None
    return Link(head["seq"], event_id(parts.head), head["ts"], head["epoch"], *keys)


def _renumbered(chunk: _Chunk, line: int) -> _Chunk:
    chunk.findings = [replace(f, line=f.line + line) if f.line else f for f in chunk.findings]
    chunk.blanks = [(id_, at + line, seq) for id_, at, seq in chunk.blanks]
    return chunk


def _check_span(path: str, start: int, end: int, link: Link | None, line: int, mark_seq: int) -> _Chunk:
    """Check the lines of one span in this process."""
    checker = LineChecker(link, line)
    chunk = _Chunk(link, None, 0)
    with reader.opened(Path(path)) as fd:
        for raw in reader.lines(fd, start, end):
            checked = checker.take(raw.raw)
            if not raw.ended:
                message = "the last line lacks its line feed: a write was cut off (the next append mends it)"
                checker.findings.append(Finding("missing-lf", "C-1", message, checker.line))
            if checker.lost:
                break
            if checked is None:
                continue
            chunk.events += 1
            seq = checked.head["seq"]
            if seq == mark_seq:
                chunk.at_mark = checked.id
            if seq == 0:
                chunk.ledger_id = checked.head["ledger"]["id"]
            if checked.state == "blank":
                chunk.blanks.append((bytes.fromhex(checked.id), checker.line, seq))
            elif checked.head["kind"] == "erase":
                pass
            if checked.head["kind"] == "erase":
                chunk.erases += [bytes.fromhex(target) for target in checked.head["targets"]]
    chunk.after, chunk.lost, chunk.lines = checker.link, checker.lost, checker.line - line
    chunk.omitted = max(0, len(checker.findings) - MAX_FINDINGS)
    chunk.findings = checker.findings[:MAX_FINDINGS]
    return chunk


# --- putting chunks together -----------------------------------------------------------------------------------------


class _Run:
    """What is known so far of one verification; chunks are added in the file's order."""

    def __init__(self, fd: int, path: Path, expect: Expectation, since: Mark | None) -> None:
        self.fd, self.path, self.expect, self.since = fd, path, expect, since
        self.size = os.fstat(fd).st_size
        self.position = 0
        self.line = 0
        self.link: Link | None = None
        self.lost = False
        self.mark_seq = expect.mark.seq if expect.mark else -1
        self.findings: list[Finding] = []
        self.omitted = 0
        self.events = 0
        self.erased = 0
        self.at_mark: str | None = None
        self.ledger_id: str | None = None
        self._blanks: dict[bytes, tuple[int, int]] = {}
        self._unblanked: set[bytes] = set()
        if since:
            self._start_at(since)
        self.begin = self.position

    def _start_at(self, mark: Mark) -> None:
        raw = reader.line_at(self.fd, mark.start, min(mark.end, self.size))
        try:
            parts = split_line(raw)
            if event_id(parts.head) != mark.id:
                raise FormatError("V-9", "another event stands there")
            head = LineChecker(signatures=False).peek(parts)
        except FormatError as error:
            message = f"the chain was rolled back: event @{mark.seq} was acknowledged here, but {error}"
            self.findings.append(Finding("rollback", "V-9", message, mark.seq + 1, mark.seq, mark.id))
            self.position, self.lost = self.size, True
            return
        self.position, self.line, self.at_mark = mark.end, mark.seq + 1, mark.id
        self.link = Link(mark.seq, mark.id, head["ts"], mark.epoch, bytes.fromhex(mark.key), mark.next_key, mark.genesis)

    def add(self, chunk: _Chunk) -> None:
        """Take in the next chunk."""
        self.line += chunk.lines
        self.lost = chunk.lost
        self.events += chunk.events
        self.at_mark = chunk.at_mark or self.at_mark
        self.ledger_id = chunk.ledger_id or self.ledger_id
        room = MAX_FINDINGS - len(self.findings)
        self.findings += chunk.findings[:room]
        self.omitted += chunk.omitted + max(0, len(chunk.findings) - room)
        self.link = chunk.after or self.link
        for id_, line, seq in chunk.blanks:
            self._blanks[id_] = (line, seq)
            self.erased += 1
        for target in chunk.erases:
            if self._blanks.pop(target, None) is None:
                self._unblanked.add(target)

    def report(self) -> ChainReport:
        """Return the verdicts once all chunks are in."""
        self._settle_erasures()
        if self.size == 0:
            self.findings.append(Finding("empty-chain", "C-2", "the chain file is empty: it was emptied, or its start is lost"))
        if self.lost and self.line:
            message = "without a good first event there is no key to check by; the lines after it were not checked"
            self.findings.append(Finding("no-key", "V-6", message))
        self._check_pin()
        if any(finding.code in _FLEETING for finding in self.findings):
            self._look_again()
        rollback = [finding for finding in self.findings if finding.code == "rollback"]
        found = tuple(finding for finding in self.findings if finding.code != "rollback")
        return ChainReport(
            self._integrity(found), self._completeness(rollback), self.events, self.link, self.erased, self.size
        )

    def _settle_erasures(self) -> None:
        """Judge blanked payloads without an erase, and erases whose payload stands (V-7)."""
        if self.since is None:
            for id_, (line, seq) in self._blanks.items():
                self.erased -= 1
                message = "the payload was blanked, but no erase event says so"
                self._add(Finding("payload-missing", "V-7", message, line, seq, id_.hex()))
        if not self._unblanked:
            return
        altered = {f.id: f for f in self.findings if f.code == "payload-altered"}
        for finding in _unfinished(self.fd, self.size, self._unblanked):
            if finding.id in altered:
                self.findings.remove(altered[finding.id])
            self._add(finding)
        self.findings.sort(key=lambda finding: finding.line or 0)

    def _add(self, finding: Finding) -> None:
        if len(self.findings) < MAX_FINDINGS:
            self.findings.append(finding)
        else:
            self.omitted += 1

    def _check_pin(self) -> None:
        link, expect = self.link, self.expect
        if link and expect.genesis and link.chain != expect.genesis:
            message = f"this is another chain: its genesis is {link.chain[:16]}…, the pinned one is {expect.genesis[:16]}…"
            self.findings.insert(0, Finding("foreign-chain", "V-8", message, 1, 0, link.chain))
        elif link and expect.ledger_id and self.since is None and self.ledger_id != expect.ledger_id:
            message = f"this is another ledger: its id is {self.ledger_id}, not {expect.ledger_id}"
            self.findings.insert(0, Finding("foreign-chain", "V-8", message, 1, 0, link.chain))

    def _look_again(self) -> None:
        """A payload that seems wrong may be one that is being blanked right now: judge it under a shared lock (C-21)."""
        with durable.shared_lock(self.path):
            kept = []
            for finding in self.findings:
                if finding.code in _FLEETING and finding.id and _is_blank_now(self.fd, finding.id, finding.line or 0):
                    self.erased += 1
                    continue
                kept.append(finding)
            self.findings = kept

    def _integrity(self, findings: tuple[Finding, ...]) -> Verdict:
        if self.lost and self.since:
            return Verdict("not checked", "Nothing after the mark could be checked.", findings, self.omitted)
        total = len(findings) + self.omitted
        if total:
            return Verdict("findings", f"{total} finding{'s' if total > 1 else ''}.", findings, self.omitted)
        what = f"{self.events} event{'s' if self.events != 1 else ''}"
        if self.since:
            return Verdict("sound", f"{what} since the mark @{self.since.seq}: sound. Earlier events were not checked again.")
        if self.expect.genesis or self.expect.ledger_id:
            erased = f", {self.erased} erased" if self.erased else ""
            return Verdict("sound", f"{what}{erased}: sound, and signed by the ledger's own key.")
        return Verdict("sound", f"{what}: self-consistent, signer unknown (no genesis id is pinned here for this chain).")

    def _completeness(self, rollback: list[Finding]) -> Verdict:
        mark = self.expect.mark
        if rollback:
            return Verdict("findings", "Truncated or rolled back.", tuple(rollback))
        if mark is None:
            return Verdict("not checked", "Truncation not checked: there is no high-water mark here.")
        if self.at_mark == mark.id:
            return Verdict("sound", f"Reaches the high-water mark @{mark.seq} of this machine.")
        newest = self.link.seq if self.link else -1
        if self.at_mark is None and newest < mark.seq:
            message = f"event @{mark.seq} ({mark.id[:12]}) was acknowledged here, but the chain ends at @{newest}"
        elif self.at_mark is None:
            message = f"event @{mark.seq} ({mark.id[:12]}) was acknowledged here and cannot be read any more"
        else:
            message = f"at @{mark.seq} stands {self.at_mark[:12]}, but {mark.id[:12]} was acknowledged here: the chain was rewritten"
        return Verdict("findings", "Truncated or rolled back.", (Finding("rollback", "V-9", message, None, mark.seq, mark.id),))


_FLEETING = frozenset({"payload-altered", "payload-missing", "erase-incomplete"})


def _unfinished(fd: int, size: int, targets: set[bytes]) -> Iterator[Finding]:
    """Find which of `targets` still show a payload: each is an erasure that was not finished."""
    for number, line in enumerate(reader.lines(fd, 0, size), 1):
        try:
            parts = split_line(line.raw)
        except FormatError:
            continue
        id_ = event_id(parts.head)
        if bytes.fromhex(id_) in targets and parts.payload is not None and not is_blanked(parts.payload):
            message = "an erase names this event, but its payload still stands (the next append finishes it)"
            yield Finding("erase-incomplete", "V-7", message, number, number - 1, id_)


def _is_blank_now(fd: int, id_: str, number: int) -> bool:
    """Say whether the event on line `number` is blank now and an erase names it, read under the lock."""
    blank = False
    for at, line in enumerate(reader.lines(fd), 1):
        if at == number:
            try:
                parts = split_line(line.raw)
            except FormatError:
                return False
            if event_id(parts.head) != id_ or parts.payload is None or not is_blanked(parts.payload):
                return False
            blank = True
        elif blank and b'"kind":"erase"' in line.raw and id_.encode() in line.raw:
            return True
    return False
