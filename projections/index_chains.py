"""The chains that an index folds: how far each was read, and taking in what follows.

Implements specs/team.md (TM-7) and specs/projections.md (P-52). Our own chain is the writer 0; the others are copies of
other members' chains, each of which may be taken in at any time, because the fold commutes (S-1).
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path

from ledger import reader
from ledger.check import LineChecker, Link
from ledger.errors import ChainError, FormatError
from ledger.event import Event, event_id, split_line
from ledger.named_tuple import NamedTuple
from ledger.progress import Progress
from ledger.signature_worker import signature_workers
from projections.index_fold import IndexFold

OWN = 0
"""The number of our own chain among the writers."""


class Cursor(NamedTuple):
    """How far a chain was read: its newest event, where that line begins and ends, and in which file."""

    link: Link | None = None
    start: int = 0
    end: int = 0
    file: str = ""

    def stands(self, fd: int, file: str) -> bool:
        """Say whether this is the file that was read, and the event under the cursor still where it was."""
        if self.link is None:
            return True
        if self.file != file:  # its heads may be the same; its payloads need not be (C-18)
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


class Bounds(NamedTuple):
    """What is taken in of a chain: up to which byte, with signatures checked or not, and of which events.

    `until` is the written time after which their clock must not be ("": any), `last` the seq of the last that counts
    (-1: all do; TM-14).
    """

    limit: int
    signatures: bool = True
    until: str = ""
    last: int = -1


def take(fold: IndexFold, cursor: Cursor, chain: Path, taking: Bounds, progress: Progress) -> Cursor:
    """Fold what follows the cursor in a chain file; return the cursor after it.

    Raises:
        ChainError: a line does not verify; what was folded is to be rolled back.
    """
    checker = LineChecker(cursor.link, cursor.link.seq + 1 if cursor.link else 0)
    checker.signatures = taking.signatures
    newest: Event | None = None
    for newest in _events(chain, checker, cursor.end, taking.limit):
        if (not taking.until or newest.at <= taking.until) and (taking.last < 0 or newest.seq <= taking.last):
            fold.apply(newest)
        progress(newest.offset - cursor.end, taking.limit - cursor.end)
    if newest is None:
        return cursor
    return Cursor(checker.link, newest.offset, newest.offset + newest.size + 1, cursor.file)


def _events(chain: Path, checker: LineChecker, begin: int, limit: int) -> Iterator[Event]:
    """Give the events from `begin` to `limit`; workers may check their signatures meanwhile.

    Raises:
        ChainError: one is not good, at the end of all where only its signature is not.
    """
    link = checker.link
    with signature_workers(limit - begin if checker.signatures else 0) as workers:
        checker.later = workers.add if workers.good else None
        try:
            yield from reader.events(chain, link, begin, stop=limit, checker=checker)
        except ChainError:
            if checker.later:  # the first fault, of which this one may follow
                deque(reader.events(chain, link, begin, stop=limit), maxlen=0)
            raise
    if checker.later and not workers.good:
        deque(reader.events(chain, link, begin, stop=limit), maxlen=0)


def good_end(cursor: Cursor, chain: Path, limit: int) -> int:
    """Return the byte after the last line of a chain file, up to `limit`, before the first that does not verify."""
    end = cursor.end
    with contextlib.suppress(ChainError):
        for event in reader.events(chain, cursor.link, cursor.end, stop=limit):
            end = event.offset + event.size + 1
    return end


def file_of(status: os.stat_result) -> str:
    """Return what tells a file from another that takes its name."""
    return f"{status.st_dev}:{status.st_ino}"


class ChainRun(NamedTuple):
    """Events of one chain that came together: whose, and where the last of them ends, in bytes."""

    writer: int
    end: int


def runs(db: sqlite3.Connection, newest: int) -> Sequence[ChainRun]:
    """Return in which order the events up to the number `newest` came."""
    query = (
        'SELECT writer, max(offset + size + 1) FROM (SELECT n, writer, "offset", size, '
        "n - row_number() OVER (PARTITION BY writer ORDER BY n) AS run FROM events WHERE n <= ?) "
        "GROUP BY writer, run ORDER BY min(n)"
    )
    return [ChainRun(*row) for row in db.execute(query, (newest,))]
