"""Verifies a chain: the verdicts *integrity* and *completeness*, out of pure checks that return findings.

Implements specs/verification.md (V-1, V-6…V-11, V-13…V-16). Streams: memory does not grow with the chain's length. Each
line is checked by ledger/check.py, erasures are settled by ledger/payload_states.py; here stands what concerns the chain
as a whole: its end, the pin, the mark, and the sentences.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ledger import reader
from ledger.check import LineChecker, Link, decoded
from ledger.errors import FormatError, NoLedgerError
from ledger.event import event_id, split_line
from ledger.finding import MAX_FINDINGS, Finding
from ledger.mark import Mark
from ledger.payload_states import Payloads, PayloadStates
from ledger.progress import Progress
from ledger.reader import RawLine
from ledger.signature_worker import signature_workers
from ledger.tail import ChainTip

STRETCH = 256 << 10
"""After about so many bytes it is told how far the check came."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One verdict: `state` is "sound", "findings" or "not checked", `sentence` says why.

    `omitted` findings beyond the 1,000 listed ones were only counted.
    """

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
    """The verdicts on integrity and completeness, and what was read.

    `events` counts the lines with a good head, `payloads` what was signed with them by state (V-50), `size` the
    bytes; `link` is the newest good event. `disowned` are the events that a rotate says a stolen key
    signed: the first seq, and the rotate's, which is the first that is no longer (V-20). `is_stranger` says
    that nothing shows whose chain it is (V-8).
    """

    integrity: Verdict
    completeness: Verdict
    events: int
    link: Link | None
    payloads: PayloadStates
    size: int
    disowned: tuple[tuple[int, int], ...] = ()
    is_stranger: bool = False

    @property
    def erased(self) -> int:
        """How many payloads are rightly blank."""
        return self.payloads.erased

    @property
    def sound(self) -> bool:
        """Whether neither verdict has findings."""
        return not (self.integrity.findings or self.completeness.findings)


@dataclass(frozen=True, slots=True)
class Expectation:
    """What the chain is compared with: the pinned genesis id or the ledger id, and the mark it must reach."""

    genesis: str | None = None
    ledger_id: str | None = None
    mark: Mark | None = None


def verify_chain(
    path: Path,
    expect: Expectation,
    *,
    since: Mark | None = None,
    progress: Progress | None = None,
) -> ChainReport:
    """Check the chain at `path` from its beginning (or from `since`, a mark) to its end.

    Args:
        path: the chain file.
        expect: what it is compared with.
        since: check only what follows this mark.
        progress: told of the bytes done.

    Raises:
        NoLedgerError: there is no chain file, and no mark of one.
        StorageError: the chain cannot be read.
    """
    try:
        with reader.opened(path) as fd:
            run = _Run(fd, expect, since)
            with signature_workers(os.fstat(fd).st_size - (since.end if since else 0)) as workers:
                beside = workers.good
                run.check(progress, workers.add if beside else None)
            if beside and not workers.good:
                run = _Run(fd, expect, since)
                run.check(progress)
            return run.report()
    except NoLedgerError:
        if expect.mark is None:
            raise
        message = f"the chain is gone; event @{expect.mark.seq} of it was acknowledged here"
        lost = _of_mark("rollback", expect.mark, message)
        gone = Verdict("findings", "Truncated: the whole chain is gone.", (lost,))
        return ChainReport(
            Verdict("not checked", "There is no chain file."), gone, 0, None, PayloadStates(), 0
        )


def _of_mark(code: str, mark: Mark, message: str) -> Finding:
    return Finding(code, "V-9", message, None, mark.seq, mark.id)


def _missing_lf(line: int) -> Finding:
    message = "the last line lacks its line feed: a write was cut off (the next append repairs it)"
    return Finding("missing-lf", "C-1", message, line)


class _Run:
    """One verification: the state of the chain while its lines are read in order."""

    def __init__(self, fd: int, expect: Expectation, since: Mark | None) -> None:
        self._fd, self._expect, self._since = fd, expect, since
        self._size = os.fstat(fd).st_size  # what is appended from now on is not looked at
        self._start = self._stop = 0
        self._checker = LineChecker()
        self._findings: list[Finding] = []
        self._omitted = 0
        self._events = 0
        self._watched: tuple[str, int] | None = None
        self._ledger_id: str | None = None
        self._payloads = Payloads()
        self._rollback: Finding | None = None
        self._disowned: list[tuple[int, int]] = []
        self._unfinished = 0
        if since:
            self._start_at(since)

    def _start_at(self, mark: Mark) -> None:
        """Begin after the marked event, which must stand where it was acknowledged (V-13)."""
        if self._size < mark.end - 1:  # of that line nothing but its LF may be missing
            cut = f"the file has {self._size} bytes and ends before byte {mark.end}, where that event does"
            message = f"event @{mark.seq} ({mark.id[:12]}) was acknowledged here, but {cut}"
            self._rollback = _of_mark("rollback", mark, message)
            return
        raw = reader.line_at(self._fd, mark.start, min(mark.end, self._size))
        try:
            parts = split_line(raw)
            if event_id(parts.head) != mark.id:
                raise FormatError("V-9", "another event is in its place")
            link = ChainTip.at_mark(mark, parts.event).link
        except FormatError as error:
            message = f"event @{mark.seq} ({mark.id[:12]}) was acknowledged here, but {error}"
            self._rollback = _of_mark("rollback", mark, message)
            return
        self._start = min(mark.end, self._size)
        if self._size < mark.end:
            self._find(_missing_lf(mark.seq + 1))
        self._watched = mark.id, mark.start
        self._checker = LineChecker(link, mark.seq + 1)

    @property
    def _link(self) -> Link | None:
        return self._checker.link

    # --- checking ---

    def check(
        self, progress: Progress | None, later: Callable[[bytes, bytes, bytes], None] | None = None
    ) -> None:
        """Check all lines, and then the bytes after the last LF; stop if there is no key left to check by (V-6).

        With `later` signatures are given to it and not checked here.
        """
        self._checker.later = later
        if self._rollback:
            return
        self._stop = reader.end_of_lines(self._fd, self._start, self._size)
        told = self._start
        for line in reader.lines(self._fd, self._start, self._stop):
            self._take(line)
            if self._checker.lost:
                break
            if progress and (line.end - told >= STRETCH or line.end == self._stop):
                told = line.end
                progress(told, self._size)
        if self._size > self._stop and not self._checker.lost:
            self._check_unended()
        if self._size == 0:
            message = "the chain file is empty: it was emptied, or its start is lost"
            self._find(Finding("empty-chain", "C-2", message))
        if self._checker.lost:
            message = (
                "without a good first event there is no key to check by: the lines after it were not checked"
            )
            self._find(Finding("no-key", "V-6", message))

    def _take(self, line: RawLine) -> None:
        """Check one line, and remember what the verdicts need of it."""
        checker = self._checker
        checked = checker.take(line.raw)
        code = checker.findings[-1].code if checker.findings else ""
        for finding in checker.findings:
            self._find(finding)
        checker.findings.clear()
        if checked is None:
            return
        self._events += 1
        head, mark = checked.head, self._expect.mark
        if mark and head["seq"] == mark.seq and (not self._watched or self._watched[0] != mark.id):
            self._watched = checked.id, line.offset  # the first that is the marked one, else the last
        if head["kind"] == "genesis":
            self._ledger_id = head["ledger"]["id"]
        elif head["kind"] == "rotate" and head.get("since", head["seq"]) < head["seq"]:
            self._disowned.append((head["since"], head["seq"]))
        self._payloads.add(checker.line, line, checked, code)

    def _find(self, finding: Finding) -> None:
        if len(self._findings) < MAX_FINDINGS:
            self._findings.append(finding)
        else:
            self._omitted += 1

    def _check_unended(self) -> None:
        """Check the bytes after the last LF, unless a writer was just at them (V-10, V-14)."""
        with reader.shared_lock(self._fd):
            size = os.fstat(self._fd).st_size
            if size <= self._stop or reader.end_of_lines(self._fd, self._stop, size) > self._stop:
                return  # set aside, or completed: not of the chain that we began to read
            mark = self._expect.mark
            if mark is not None and mark.end <= self._stop:
                self._unfinished = size - self._stop
                return  # nobody was told that it is stored (C-11)
            for line in reader.lines(self._fd, self._stop, size):
                self._take(line)
        self._stop = size
        self._find(_missing_lf(self._checker.line))

    # --- what concerns the chain as a whole ---

    def report(self) -> ChainReport:
        """Return the verdicts once everything is checked."""
        findings, omitted = self._payloads.settle(
            self._fd, self._start, self._stop, self._checker, self._findings
        )
        if foreign := self._foreign():
            findings.insert(0, foreign)
        self._omitted += omitted + len(findings[MAX_FINDINGS:])
        integrity = self._integrity(tuple(findings[:MAX_FINDINGS]))
        if self._unfinished:
            cut = f"A write did not finish: {_counted(self._unfinished, 'byte')} of it at the end"
            said = f"{integrity.sentence} {cut}; the next write removes or completes them."
            integrity = replace(integrity, sentence=said)
        completeness = self._completeness()
        return ChainReport(
            integrity,
            completeness,
            self._events,
            self._link,
            self._payloads.states,
            self._size,
            tuple(self._disowned),
            is_stranger=not (self._since or self._expect.genesis),
        )

    def _foreign(self) -> Finding | None:
        """Compare with the pinned genesis id, and with the ledger id that was asked for (V-8)."""
        link, expect = self._link, self._expect
        if link is None:
            return None
        if expect.genesis and link.chain != expect.genesis:
            other = f"its genesis is {link.chain[:16]}…, not {expect.genesis[:16]}…"
            return Finding("foreign-chain", "V-8", f"this is another chain: {other}", 1, 0, link.chain)
        if expect.ledger_id and expect.ledger_id != (found := self._ledger_id or self._first_ledger_id()):
            other = f"its id is {found or 'unreadable'}, not {expect.ledger_id}"
            return Finding("foreign-chain", "V-8", f"this is another ledger: {other}", 1, 0, link.chain)
        return None

    def _first_ledger_id(self) -> str:
        """Return what the first line says where it was not checked; the mark's genesis id proves it (V-13)."""
        line = next(reader.lines(self._fd, 0, self._start), None)
        try:
            parts = split_line(line.raw if line else b"")
            genuine = self._link is not None and event_id(parts.head) == self._link.chain
            return str(decoded(parts.event)["ledger"]["id"]) if genuine else ""
        except FormatError:
            return ""

    def _integrity(self, findings: tuple[Finding, ...]) -> Verdict:
        if self._rollback:
            return Verdict("not checked", "Nothing after the mark could be checked.")
        total = len(findings) + self._omitted
        if total:
            sentence = f"{_counted(total, 'finding')}."
            if self._omitted:
                sentence = f"{total} findings, of which the first {len(findings)} are listed."
            return Verdict("findings", sentence, findings, self._omitted)
        what = _counted(self._events, "event")
        if erased := self._payloads.states.erased:
            what += f", {erased} erased"
        if self._since:
            earlier = "earlier events were not checked again"
            since = f"{what} since the mark @{self._since.seq}: sound{self._by_stolen_keys()}; {earlier}."
            return Verdict("sound", since)
        if self._expect.genesis:
            own = f"sound, and signed by the ledger's own key{self._by_stolen_keys()}"
            return Verdict("sound", f"{what}: {own}.")
        named = "with the ledger id asked for, " if self._expect.ledger_id else ""
        unknown = "signer unknown (no genesis id is pinned here for this chain)"
        return Verdict("sound", f"{what}: self-consistent, {named}{unknown}{self._by_stolen_keys()}.")

    def _by_stolen_keys(self) -> str:
        """Return the events that a rotate disowns (V-20)."""
        some = [f"@{since} to @{rotate - 1}" for since, rotate in self._disowned]
        return f"; {', '.join(some)} by a compromised key (muniment log --compromised)" if some else ""

    def _completeness(self) -> Verdict:
        mark = self._expect.mark
        finding = self._rollback or (self._compared(mark) if mark else None)
        if finding:
            return Verdict("findings", f"{finding.message[0].upper()}{finding.message[1:]}.", (finding,))
        if mark is None:
            return Verdict("not checked", "Truncation not checked: there is no high-water mark here.")
        return Verdict("sound", f"Reaches the high-water mark @{mark.seq} of this machine.")

    def _compared(self, mark: Mark) -> Finding | None:
        """Compare with the mark: the same event, at the same place (V-9)."""
        said = f"event @{mark.seq} ({mark.id[:12]}) was acknowledged here"
        if self._watched is None:
            newest = self._link.seq if self._link else -1
            short = f"but the chain ends at @{newest}" if self._link else "but no event can be read"
            what = short if newest < mark.seq else "and can no longer be read"
            return _of_mark("rollback", mark, f"{said}, {what}")
        id_, offset = self._watched
        if id_ != mark.id:
            other = f"but {id_[:12]} is in its place: the chain was rewritten"
            return _of_mark("rollback", mark, f"{said}, {other}")
        if offset != mark.start:
            moved = f"at byte {mark.start}, but is at {offset}: bytes were inserted or removed before it"
            return _of_mark("moved", mark, f"{said} {moved}")
        return None


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}"
