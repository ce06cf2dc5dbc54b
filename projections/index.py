"""The SQLite index, memory.db: writers validate against it, and every question is answered from it.

Implements specs/projections.md (P-50…P-52, P-55, P-56). Derived, whatever happens to it: a missing, damaged or foreign
database is made anew from the chain. Its transactions are not synced. The cursor stands in the same
transaction as the rows that it covers, and is checked against the chain when the index is opened.
sqlite-utils makes the schema; the hot path uses plain connections.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ledger import durable, reader
from ledger.chain import ChainTip
from ledger.check import LineChecker, Link
from ledger.errors import ChainError, FormatError
from ledger.event import Event, event_id, split_line
from ledger.progress import Shown, unseen
from ledger.signature_worker import signature_workers
from ledger.steps import reached
from ledger.view import ViewUnavailableError
from projections import index_schema
from projections.index_faults import is_damage, logged, unavailable
from projections.index_fold import IndexFold
from projections.index_queries import IndexQuestions

INDEX_NAME = index_schema.INDEX_NAME
PATIENCE = 1.0
"""So many seconds a process waits for another that writes the index."""


class Index(IndexQuestions):
    """The index of the ledger in `directory`. Opens lazily; one object a process.

    Args:
        directory: where memory.db lies.
        trusted: the chain was verified a moment ago: signatures are not checked again; links and payloads are.
        until: a written time: of events whose clock is later nothing is taken in (P-93). "" takes all.
        shown: shows how far a long catching up is.
    """

    def __init__(
        self, directory: Path, *, trusted: bool = False, until: str = "", shown: Shown = unseen
    ) -> None:
        super().__init__()
        self.path = directory / INDEX_NAME
        self.patience = PATIENCE
        """So many seconds a process that writes it just now is waited for; to be set before it is opened."""
        self._trusted = trusted
        self.until = until
        self._shown = shown
        self._db: sqlite3.Connection | None = None
        self._inode: tuple[int, int] | None = None
        self._link: Link | None = None
        self._start = 0
        self._end = 0
        self._file = ""
        self._opened_by = 0

    # --- opening and closing ---

    def connection(self) -> sqlite3.Connection:
        """Return the open connection; makes the database where there is none.

        Raises:
            ViewUnavailableError: another process holds it for too long, or the disk refuses.
        """
        if self._db is not None and (self.still or self._still_there()):
            return self._db
        if self.still:
            raise ViewUnavailableError(
                f"{self.path} was closed while documents were drawn from it: try again"
            )
        self.close()
        with self._answering():
            self._open()
        if self._db is None:
            raise ViewUnavailableError(f"{self.path} cannot be opened")
        return self._db

    def _still_there(self) -> bool:
        try:
            status = os.stat(self.path)
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == self._inode and self._opened_by == os.getpid()

    def _open(self) -> None:
        if durable.leads_away(self.path):
            self._discard("a link, which is never written through (F-19), or no file")
        try:
            self._connect()
        except sqlite3.OperationalError as error:
            if not is_damage(error):
                raise
            self._discard(error)
            self._connect()
        except sqlite3.DatabaseError as error:
            self._discard(error)
            self._connect()

    def _connect(self) -> None:
        durable.own(self.path)
        db = sqlite3.connect(self.path, isolation_level=None, timeout=self.patience, check_same_thread=False)
        try:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = OFF")
            db.execute("PRAGMA secure_delete = ON")
            db.execute("PRAGMA wal_autocheckpoint = 4000")
            db.execute("PRAGMA cache_size = -16000")
            if not index_schema.is_current(db):
                self._make(db)
            self._db = db
            try:
                status = os.stat(self.path)
            except OSError as error:  # somebody deleted it in this moment
                raise ViewUnavailableError(
                    unavailable(sqlite3.OperationalError(error.strerror), self.path)
                ) from error
            self._inode, self._opened_by = (status.st_dev, status.st_ino), os.getpid()
            self._load_cursor()
        except BaseException:
            db.close()
            self._db = None
            raise

    @contextlib.contextmanager
    def _transaction(self, db: sqlite3.Connection) -> Iterator[None]:
        db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if db.in_transaction:  # a full disk ends it by itself
                db.execute("ROLLBACK")
            raise
        db.execute("COMMIT")

    def _make(self, db: sqlite3.Connection) -> None:
        if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise sqlite3.DatabaseError("another version's index")
        index_schema.create(db)

    def _discard(self, error: object) -> None:
        """Throw a database away that cannot be used; the chain has everything."""
        logged("rebuilding %s: %s", self.path, error)
        for suffix in durable.OF_A_DATABASE:
            with contextlib.suppress(FileNotFoundError, IsADirectoryError):
                os.unlink(f"{self.path}{suffix}")
            with contextlib.suppress(OSError):
                Path(f"{self.path}{suffix}").rmdir()
            reached("index.discarded")

    def throw_away(self, reason: str) -> None:
        """Delete the database; the next question makes it again from the chain."""
        self.close()
        self._discard(reason)

    @contextlib.contextmanager
    def _answering(self) -> Iterator[None]:
        """Turn what SQLite raises into the one error that a writer falls back on.

        A broken file is thrown away.
        """
        try:
            yield
        except sqlite3.Error as error:
            if is_damage(error):
                self.throw_away(str(error))
            raise ViewUnavailableError(unavailable(error, self.path)) from error

    def close(self) -> None:
        """Close the connection, if one is open."""
        if self._db is not None:
            if self._opened_by == os.getpid():
                self._db.close()
            self._db, self._link, self._start, self._end = None, None, 0, 0

    # --- holding still ---

    @contextlib.contextmanager
    def holding_still(self, seq: int) -> Iterator[None]:
        """Answer as of one event meanwhile, the one with this `seq` or a later one, whatever others write (P-58).

        Raises:
            ViewUnavailableError: the index cannot be used now, or does not reach so far: somebody makes it anew.
        """
        db = self.connection()
        with self._answering():
            db.execute("BEGIN")
            stands_at = self.seq()  # the first look is what the transaction keeps to
        self.still = True
        try:
            if stands_at < seq:
                raise ViewUnavailableError(f"{self.path} is made anew by another process: try again")
            yield
        finally:
            self.still = False
            if self._db is db:
                db.execute("ROLLBACK")

    # --- the cursor ---

    @property
    def link(self) -> Link | None:
        """The newest event that was taken in, with the key in force; None before the first."""
        return self._link

    def _load_cursor(self) -> None:
        query = 'SELECT seq, id, start, "end", ts, epoch, key, next_key, chain, file FROM cursor'
        row = self._db.execute(query).fetchone() if self._db else None
        if row is None:
            self._link, self._end, self._start, self._file = None, 0, 0, ""
            return
        seq, id_, self._start, self._end, ts, epoch, key, next_key, chain, self._file = row
        self._link = Link(seq, id_, ts, epoch, bytes.fromhex(key), next_key, chain)

    def _save_cursor(self, db: sqlite3.Connection, start: int, end: int, link: Link) -> None:
        key = (link.ts, link.epoch, link.key.hex(), link.next_key, link.chain)
        row = (1, link.seq, link.id, start, end, *key, self._file)
        db.execute("INSERT OR REPLACE INTO cursor VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def _cursor_stands(self, fd: int, file: str) -> bool:
        """Say whether this is the file that was read, and the event under the cursor still where it was."""
        if self._link is None:
            return True
        if self._file != file:  # its heads may be the same; its payloads need not be (C-18)
            return False
        raw = reader.line_at(fd, self._start, self._end)
        with contextlib.suppress(FormatError):
            return event_id(split_line(raw).head) == self._link.id
        return False

    # --- taking events in (the View port) ---

    def rebuild(self, chain: Path, tip: ChainTip | None = None) -> None:
        """Take the chain in from its beginning, in place of all rows; raises as `follow` does.

        One transaction: where the chain does not verify, the rows stay, and with them what can still be read.
        """
        self._follow(chain, tip, None, anew=True)

    def follow(self, chain: Path, tip: ChainTip | None = None, end: int | None = None) -> None:
        """Take in what `chain` holds up to `tip`, or the whole lines that end at or before the byte `end`, or (both None) all whole lines.

        Raises:
            ViewUnavailableError: the database cannot be used now.
            ChainError: the chain does not verify from here on; nothing after the fault is taken in.
        """
        self._follow(chain, tip, end)

    def _follow(self, chain: Path, tip: ChainTip | None, end: int | None, *, anew: bool = False) -> None:
        db = self.connection()
        with self._answering():
            try:
                self._catch_up(db, chain, tip, end, anew=anew)
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError) and not is_damage(error):
                    raise
                self.close()
                self._discard(error)
                self._catch_up(self.connection(), chain, tip, end)

    def _catch_up(
        self,
        db: sqlite3.Connection,
        chain: Path,
        tip: ChainTip | None,
        end: int | None,
        *,
        anew: bool = False,
    ) -> None:
        with reader.opened(chain) as fd:
            self._load_cursor()
            status = os.fstat(fd)
            size, file = status.st_size, _file_of(status)
            limit = tip.end if tip else size if end is None else min(end, size)
            stands = self._end <= limit and self._cursor_stands(fd, file)
            if stands and self._end == limit and not anew:
                return
            with self._transaction(db):
                self._load_cursor()  # another process may have been here meanwhile
                if anew or (not stands and not (self._end <= limit and self._cursor_stands(fd, file))):
                    self._clear(db)
                self._file = file
                self._take(db, chain, limit)
            reached("index.committed")

    def _clear(self, db: sqlite3.Connection) -> None:
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE ?"
        for (name,) in db.execute(tables, (f"{index_schema.FULL_TEXT}%",)).fetchall():
            db.execute(f"DELETE FROM {name}")
        db.execute(f"INSERT INTO {index_schema.FULL_TEXT} ({index_schema.FULL_TEXT}) VALUES ('delete-all')")
        self._link, self._start, self._end = None, 0, 0
        reached("index.cleared")

    def _take(self, db: sqlite3.Connection, chain: Path, limit: int) -> None:
        """Fold what follows the cursor into the open transaction."""
        fresh = self._link is None
        fold = IndexFold(db)
        checker = LineChecker(self._link, self._link.seq + 1 if self._link else 0)
        checker.signatures = not self._trusted
        newest: Event | None = None
        reached("index.begun")
        begin = self._end
        with self._shown("building the index") as progress:
            for newest in _events(chain, checker, begin, limit):
                if not self.until or newest.at <= self.until:
                    fold.apply(newest)
                progress(newest.offset - begin, limit - begin)
        if newest is None:
            return
        fold.flush()
        if fresh:
            fold.mark_all_changed(newest.seq)
        self._start, self._end = newest.offset, newest.offset + newest.size + 1
        self._link = checker.link
        if checker.link is not None:
            self._save_cursor(db, self._start, self._end, checker.link)
        reached("index.applied")

    def apply(self, events: Sequence[Event], link: Link) -> None:
        """Take in events that this process has just appended, if the index stands right before them.

        Never raises for what the database does: what is missing is caught up by the next `follow`.
        """
        if self._link is None or events[0].seq != self._link.seq + 1:
            return
        try:
            db = self.connection()
            if self._start == self._end == 0:  # it was made anew just now
                return
            with self._transaction(db):
                reached("index.begun")
                fold = IndexFold(db)
                for event in events:
                    fold.apply(event)
                fold.flush()
                newest = events[-1]
                start, end = newest.offset, newest.offset + newest.size + 1
                if db.execute("SELECT seq FROM cursor").fetchone() != (self._link.seq,):
                    raise sqlite3.OperationalError("the cursor moved")
                self._save_cursor(db, start, end, link)
                reached("index.applied")
            self._link, self._start, self._end = link, start, end
            reached("index.committed")
        except (sqlite3.Error, ViewUnavailableError) as error:
            logged("the index is behind: %s", error)
            self.close()

    # --- erasures (the View port) ---

    def doubt(self, ids: Iterable[str]) -> None:
        """Note that the payloads of these events, which were blank, stand again: the next writer blanks them (C-20).

        Raises:
            ViewUnavailableError: it is locked or cannot be written.
        """
        db = self.connection()
        with self._answering(), self._transaction(db):
            db.executemany("INSERT OR IGNORE INTO unfinished VALUES (?)", [(id_,) for id_ in ids])

    def erased(self, ids: Iterable[str]) -> None:
        """Note that the payloads of these events are blank now, and clear what pages and log still hold.

        They stay unfinished until that is done, so that after a crash the next writer does it. Where the index does not
        have the erase yet, the events are unfinished only once it has: their payload counts as there until then.
        """
        rows = [(id_,) for id_ in ids]
        try:
            db = self.connection()
            with self._transaction(db):
                db.executemany(
                    "UPDATE events SET payload = 2 WHERE id = ? AND id IN (SELECT id FROM unfinished)", rows
                )
                # FTS5 merges its segments into one, without what only removed rows said.
                db.execute(
                    f"INSERT INTO {index_schema.FULL_TEXT} ({index_schema.FULL_TEXT}) VALUES ('optimize')"
                )
            reached("index.blanked")
            db.execute("VACUUM")
            busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            reached("index.overwritten")
            if not busy:
                with self._transaction(db):
                    db.executemany("DELETE FROM unfinished WHERE id = ?", rows)
            reached("index.finished")
        except (OSError, sqlite3.Error, ViewUnavailableError) as error:
            logged("the index is behind: %s", error)
            self.close()


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


def _file_of(status: os.stat_result) -> str:
    """Return what tells a file from another that takes its name."""
    return f"{status.st_dev}:{status.st_ino}"
