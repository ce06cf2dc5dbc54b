"""The copies of other members' chains: the one place that writes them, line by line, each verified before it is kept.

Implements specs/team.md (TM-5, TM-6). A copy grows at its end alone; bytes after its mark were never acknowledged
and are rewritten. What an erase of its own chain names is blanked in the same step.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ledger import durable, reader
from ledger.check import CheckedLine, LineChecker, Link
from ledger.errors import ChainError, FormatError, NoLedgerError, StorageError
from ledger.event import blanked, event_id, is_blanked, split_line
from ledger.mark import MarkFile, StateDirectory
from ledger.named_tuple import NamedTuple
from ledger.progress import Progress
from ledger.steps import reached
from ledger.tail import ChainTip
from ledger.verify import ChainReport, Expectation, verify_chain
from writers.counted import CHAINS, TEAM_FOLDER, copies_in, copy_of

LOCK_NAME = "copies.lock"


class Added(NamedTuple):
    """What became of lines that were offered: the seq after the newest that is kept, how many are new, and a fault or "".

    With `waits` the next one is blanked, and the erase that says why is not among them: offer both together.
    """

    next: int
    new: int = 0
    fault: str = ""
    waits: bool = False


class ForkError(ChainError):
    """Two events of one chain have the same seq: its writer signed two histories (TM-72)."""


class _Good(NamedTuple):
    """A line with its LF that passed, the state after it, and the events that it erases."""

    line: bytes
    link: Link
    erases: Sequence[str]


class Copies:
    """The copies beside one ledger's chain.

    Args:
        directory: where chain.jsonl lies.
        state: the folder of marks.
        team: the team id, which each chain's genesis must name.
    """

    def __init__(self, directory: Path, state: StateDirectory, team: str) -> None:
        self.folder = directory / TEAM_FOLDER / CHAINS
        self._directory = directory
        self._state = state
        self._team = team

    def path(self, chain: str) -> Path:
        """Return where the copy of the chain with this genesis id lies."""
        return copy_of(self._directory, chain)

    def chains(self) -> list[str]:
        """Return the genesis ids of all copies, sorted."""
        return [path.stem for path in copies_in(self._directory)]

    def next(self, chain: str) -> int:
        """Return the seq that follows the newest event of a copy, 0 if there is none."""
        mark = self._mark(chain).read()
        try:
            return mark.seq + 1 if mark and self.path(chain).stat().st_size >= mark.end else 0
        except FileNotFoundError:
            return 0

    def add(self, chain: str, first: int, data: bytes) -> Added:
        """Keep those of some lines that are new and verify, up to the first that does not.

        Args:
            chain: the genesis id of the chain that they are said to be of.
            first: the seq of the first of them.
            data: whole lines.

        Raises:
            ForkError: one of them is another event than the copy holds at that seq.
            StorageError: the disk refused.
        """
        with self._locked():
            tip = self._tip(chain)
            known = tip.link.seq + 1 if tip else 0
            if first > known:
                return Added(known)
            lines = data.split(b"\n")[:-1]  # half a line at the end is none
            self._check_known(chain, first, lines[: known - first])
            return self._append(chain, tip, lines[known - first :])

    def finish(self, chain: str) -> None:
        """Take up what a process that died had written of a chain: it was folded, so it must travel on."""
        mark = self._mark(chain).read()
        try:
            with self.path(chain).open("rb") as file:
                file.seek(mark.end if mark else 0)
                tail = file.read()
        except FileNotFoundError:
            return
        if tail:
            self.add(chain, mark.seq + 1 if mark else 0, tail)

    def _append(self, chain: str, tip: ChainTip | None, lines: Iterable[bytes]) -> Added:
        link = tip.link if tip else None
        checker = LineChecker(link, link.seq + 1 if link else 0)
        good, unexplained, most, fault = list[_Good](), set[str](), 0, ""
        for raw in lines:
            checked = checker.take(raw)
            fault = self._fault(chain, checker, checked)
            if checked is None or checker.link is None or fault:
                break
            erases = checked.head["targets"] if checked.head["kind"] == "erase" else ()
            good.append(_Good(raw + b"\n", checker.link, erases))
            if checked.state == "blank":
                unexplained.add(checked.id)
            unexplained.difference_update(erases)
            if not unexplained:
                most = len(good)
        self._keep(chain, tip.end if tip else 0, good[:most])
        newest = good[most - 1].link if most else link
        return Added(newest.seq + 1 if newest else 0, most, fault, bool(unexplained))

    def _keep(self, chain: str, start: int, good: Sequence[_Good]) -> None:
        """Write these lines at `start`, blank what they erase, and move the mark."""
        if not good:
            return
        data = b"".join(each.line for each in good)
        end = start + len(data)
        self._write(chain, start, data)
        if erased := {id_ for each in good for id_ in each.erases}:
            self._blank(chain, erased)
        self._mark(chain).write(ChainTip(good[-1].link, end - len(good[-1].line), end).mark)
        reached("copy.marked")

    def _fault(self, chain: str, checker: LineChecker, checked: CheckedLine | None) -> str:
        """Return why a line is not kept, or ""."""
        if checker.findings:
            return str(checker.findings[-1])
        if checked is None or checked.head["seq"]:
            return ""
        if checked.id != chain:
            return f"its genesis is {checked.id[:16]}…, not {chain[:16]}…"
        id_ = checked.head["ledger"]["id"]
        return "" if id_ == self._team else f"it belongs to the ledger {id_}, not to {self._team}"

    def _check_known(self, chain: str, first: int, offered: list[bytes]) -> None:
        """Compare lines that are known already with the copy; only the last of them can tell, since each names the one before."""
        if not offered:
            return
        seq = first + len(offered) - 1
        try:
            id_ = event_id(split_line(offered[-1]).head)
        except FormatError:
            return  # damage on the way; the copy stands
        if id_ != reader.id_at(self.path(chain), seq):
            raise ForkError(
                f"the chain {chain[:8]} has two events @{seq}: {id_[:12]} is another than is known here"
            )

    # --- checking ---

    def known(self) -> list[str]:
        """Return the genesis ids of all chains that have a copy or the mark of one, sorted."""
        marks = self._state.marks_below(f"{self._team}.")
        return sorted({*self.chains(), *marks})

    def has_mark(self, chain: str) -> bool:
        """Return whether the newest event of a copy is known beside it."""
        return self._mark(chain).read() is not None

    def verified(self, chain: str, progress: Progress | None = None) -> ChainReport:
        """Check a copy from its first line on, and against its mark (TM-6); what a sync is writing just now is waited for.

        Raises:
            StorageError: the copy cannot be read.
        """
        report = self._verified(chain, progress)
        if report.sound or not (self.folder.parent / LOCK_NAME).exists():
            return report
        with suppress(StorageError), self._locked():  # on a disk that is read-only nobody writes either
            report = self._verified(chain, progress)
        return report

    def _verified(self, chain: str, progress: Progress | None) -> ChainReport:
        expect = Expectation(chain, self._team, self._mark(chain).read())
        return verify_chain(self.path(chain), expect, progress=progress)

    # --- the file ---

    def _mark(self, chain: str) -> MarkFile:
        return self._state.mark_of(f"{self._team}.{chain}")

    def _tip(self, chain: str) -> ChainTip | None:
        """Return the newest acknowledged event of a copy; a copy that lost it, or has another one there, is forgotten (TM-6)."""
        mark = self._mark(chain).read()
        if mark is None:
            self._forget(chain)
            return None
        try:
            with reader.opened(self.path(chain)) as fd:
                head = split_line(reader.line_at(fd, mark.start, mark.end)).head
                if event_id(head) == mark.id:
                    return ChainTip.at_mark(mark, split_line(head + b"}").event)
        except (ChainError, FormatError, NoLedgerError):
            pass
        self._forget(chain)
        return None

    def _forget(self, chain: str) -> None:
        self.path(chain).unlink(missing_ok=True)
        self._mark(chain).remove()

    def _write(self, chain: str, at: int, data: bytes) -> None:
        path = self.path(chain)
        try:
            durable.private_folder(self.folder)
            is_new = not path.exists()
            fd = durable.open_file(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW)
            try:
                os.ftruncate(fd, at)
                os.lseek(fd, at, os.SEEK_SET)
                durable.write_all(fd, data)
                reached("copy.written")
                durable.sync_data(fd)
            finally:
                os.close(fd)
            if is_new:
                durable.sync_directory(self.folder)
        except OSError as error:
            raise durable.storage_error(error, "writing a copy of a member's chain", path) from error

    def _blank(self, chain: str, ids: set[str]) -> None:
        """Blank the payloads of these events of a copy."""
        path = self.path(chain)
        fd = durable.open_file(path, os.O_RDWR | os.O_NOFOLLOW)
        try:
            for line in reader.lines(fd):
                parts = split_line(line.raw)
                if parts.payload is None or is_blanked(parts.payload) or event_id(parts.head) not in ids:
                    continue
                blank = blanked(len(parts.payload))
                os.pwrite(fd, blank, line.end - 2 - len(blank))
            reached("copy.blanked")
            os.fsync(fd)
        except OSError as error:
            raise durable.storage_error(error, "blanking what a member erased", path) from error
        finally:
            os.close(fd)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        path = self.folder.parent / LOCK_NAME
        try:
            durable.private_folder(self.folder.parent)
            fd = durable.open_file(path, os.O_RDWR | os.O_CREAT)
        except OSError as error:
            raise durable.storage_error(error, "locking the copies of members' chains", path) from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX)
            yield
        finally:
            os.close(fd)
