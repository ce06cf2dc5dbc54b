"""The chains that an index folds: how far it has read each, and folding the events after that.

Implements specs/team.md (TM-7) and specs/projections.md (P-52). Our own chain is the writer 0; the others are copies of
other members' chains. They may be folded in any order, because the fold commutes (S-1).
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from ledger import reader
from ledger.check import LineChecker, Link
from ledger.errors import ChainError, FormatError
from ledger.event import Event, event_id, split_line
from ledger.named_tuple import NamedTuple
from ledger.progress import Progress
from ledger.steps import reached
from projections.index_fold import IndexFold
from writers.counted import Other

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from ledger.signature_worker import Later

OWN = 0
"""The number of our own chain among the writers."""


class Cursor(NamedTuple):
    """How far a chain was read: its newest event, where that line begins and ends, and in which file."""

    link: Link | None = None
    start: int = 0
    end: int = 0
    file: str = ""

    def stands(self, fd: int, file: str) -> bool:
        """Return whether this is the same file, with the event under the cursor still in its place."""
        if self.link is None:
            return True
        if self.file != file:  # its heads may be the same and its payloads not (C-18)
            return False
        raw = reader.line_at(fd, self.start, self.end)
        with contextlib.suppress(FormatError):
            return event_id(split_line(raw).head) == self.link.id
        return False


def load(db: sqlite3.Connection, writer: int = OWN) -> Cursor:
    """Return how far a writer's chain was read."""
    query = 'SELECT seq, id, start, "end", ts, epoch, key, next_key, chain, file FROM cursor WHERE writer = ?'
    row = db.execute(query, (writer,)).fetchone()
    if row is None:
        return Cursor()
    seq, id_, start, end, ts, epoch, key, next_key, chain, file = row
    return Cursor(Link(seq, id_, ts, epoch, bytes.fromhex(key), next_key, chain), start, end, file)


def save(db: sqlite3.Connection, cursor: Cursor, writer: int = OWN) -> None:
    """Note how far a writer's chain was read."""
    link = cursor.link
    if link is None:
        return
    key = (link.ts, link.epoch, link.key.hex(), link.next_key, link.chain)
    row = (writer, link.seq, link.id, cursor.start, cursor.end, *key, cursor.file)
    db.execute("INSERT OR REPLACE INTO cursor VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)


def taken(db: sqlite3.Connection) -> int:
    """Return how many bytes of all chains were read."""
    (found,) = db.execute('SELECT total("end") FROM cursor').fetchone()
    return int(found)


class Checks(NamedTuple):
    """Whether signatures are checked, and the worker that checks them in place of this process."""

    signatures: bool = True
    later: Later | None = None


class Intake:
    """Takes chains into an index whose transaction is open; `flush` must be called before the commit.

    Args:
        db: the index.
        checks: how signatures are checked; everything else is checked here.
        progress: gets the bytes done, chain by chain.
        until: a written time; an event with a later clock does not count. "" takes all.
        others_until: the same for the chains of other writers.
    """

    def __init__(
        self, db: sqlite3.Connection, checks: Checks, progress: Progress, until: str, others_until: str
    ) -> None:
        self._db, self._checks, self._progress = db, checks, progress
        self._until, self._others_until = until, others_until
        self._fold = IndexFold(db)

    def take(self, writer: int, chain: Path, limit: int, last: int = -1) -> Cursor:
        """Fold the events after the cursor in a writer's chain, up to the byte `limit`; return the new cursor.

        Events after the seq `last` are checked and do not count (-1: all count; TM-14).

        Raises:
            ChainError: a line does not verify; the caller rolls back and drops this object.
        """
        reached("index.begun")
        self._fold.writer = writer
        before = load(self._db, writer)._replace(file=file_of(chain.stat()))
        checker = LineChecker(before.link, before.link.seq + 1 if before.link else 0)
        checker.signatures, checker.later = self._checks
        until = self._others_until if writer else self._until
        newest: Event | None = None
        for newest in reader.events(chain, before.link, before.end, stop=limit, checker=checker):
            if (not until or newest.at <= until) and (last < 0 or newest.seq <= last):
                self._fold.apply(newest)
            self._progress(newest.offset - before.end, limit - before.end)
        after = before
        if newest is not None:
            end = newest.offset + newest.size + 1
            after = Cursor(checker.link, newest.offset, end, before.file)
        save(self._db, after, writer)
        return after

    def flush(self, *, fresh: bool = False) -> None:
        """Write the collected counts; after a rebuild (`fresh`) mark every document as changed."""
        if fresh:
            self._fold.mark_all_changed()
        else:
            self._fold.flush()


def good_end(db: sqlite3.Connection, other: Other) -> int:
    """Return the byte after the last line of a copy before its first line that does not verify."""
    cursor = load(db, other.number)
    end = cursor.end
    with contextlib.suppress(ChainError):
        for event in reader.events(other.path, cursor.link, end, stop=other.size):
            end = event.offset + event.size + 1
    return end


def file_of(status: os.stat_result) -> str:
    """Return the identity of a file: another file of the same name has another one."""
    return f"{status.st_dev}:{status.st_ino}"


class ChainRun(NamedTuple):
    """Consecutive events of one chain: its writer, and the byte at which the last of them ends."""

    writer: int
    end: int


def runs(db: sqlite3.Connection, newest: int) -> Sequence[ChainRun]:
    """Return the order in which the events up to the number `newest` were folded."""
    query = (
        'SELECT writer, max(offset + size + 1) FROM (SELECT n, writer, "offset", size, '
        "n - row_number() OVER (PARTITION BY writer ORDER BY n) AS run FROM events WHERE n <= ?) "
        "GROUP BY writer, run ORDER BY min(n)"
    )
    return [ChainRun(*row) for row in db.execute(query, (newest,))]
