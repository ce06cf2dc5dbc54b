"""The SQLite index, memory.db: writers validate against it, and every question is answered from it.

Implements specs/projections.md (P-50…P-52, P-55, P-56). Always derived: a missing, damaged or foreign
database is rebuilt from the chain. Its transactions are not synced. The cursor is in the same
transaction as the rows that it covers, and is checked against the chain when the index is opened.
sqlite-utils makes the schema; the hot path uses plain connections.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from ledger import durable, reader
from ledger.chain import ChainTip
from ledger.check import Link
from ledger.errors import ChainError
from ledger.event import Event
from ledger.progress import ShowProgress, unseen
from ledger.steps import reached
from ledger.view import ViewUnavailableError
from projections import index_chains, index_schema
from projections.index_chains import OWN, ChainRun, Checks, Cursor, Intake
from projections.index_faults import is_damage, logged, unavailable
from projections.index_fold import IndexFold
from projections.index_queries import IndexQuestions
from projections.transactions import transaction
from writers.counted import Other, Writers, writers_of

INDEX_NAME = index_schema.INDEX_NAME
PATIENCE = 1.0
"""Seconds that a process waits for another that writes the index."""


class Index(IndexQuestions):
    """The index of the ledger in `directory`. Opens lazily; one object a process.

    Args:
        directory: where memory.db lies.
        trusted: the chain was verified a moment ago: links and payloads are checked, signatures are not.
        until: a written time; events with a later clock are left out (P-93). "" takes all.
        others_until: the same for the chains of other writers.
        shown: shows the progress of a long update.
    """

    def __init__(
        self,
        directory: Path,
        *,
        trusted: bool = False,
        until: str = "",
        others_until: str = "",
        shown: ShowProgress = unseen,
    ) -> None:
        super().__init__()
        self.path = directory / INDEX_NAME
        self.patience = PATIENCE
        """Seconds to wait for a process that writes it; set this before it is opened."""
        self._trusted = trusted
        self.until = until
        self._others_until = others_until
        self._shown = shown
        self._db: sqlite3.Connection | None = None
        self._inode: tuple[int, int] | None = None
        self._own = Cursor()

    # --- opening and closing ---

    def connection(self) -> sqlite3.Connection:
        """Return the open connection; creates the database if it is missing.

        Raises:
            ViewUnavailableError: another process holds it for too long, or the disk refuses.
        """
        if self._db is not None and (self.still or self._still_there()):
            return self._db
        if self.still:
            raise ViewUnavailableError(
                f"{self.path} was closed while documents were being written from it: try again"
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
        return (status.st_dev, status.st_ino) == self._inode

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
                if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    raise sqlite3.DatabaseError("another version's index")
                index_schema.create(db)
            self._db = db
            try:
                status = os.stat(self.path)
            except OSError as error:  # somebody deleted it in this moment
                raise ViewUnavailableError(
                    unavailable(sqlite3.OperationalError(error.strerror), self.path)
                ) from error
            self._inode = (status.st_dev, status.st_ino)
            self._own = index_chains.load(db)
        except BaseException:
            db.close()
            self._db = None
            raise

    def _discard(self, error: object) -> None:
        """Delete an unusable database; the chain has everything."""
        logged("rebuilding %s: %s", self.path, error)
        for suffix in durable.OF_A_DATABASE:
            with contextlib.suppress(FileNotFoundError, IsADirectoryError):
                os.unlink(f"{self.path}{suffix}")
            with contextlib.suppress(OSError):
                Path(f"{self.path}{suffix}").rmdir()
            reached("index.discarded")

    def throw_away(self, reason: str) -> None:
        """Delete the database; the next question rebuilds it from the chain."""
        self.close()
        self._discard(reason)

    @contextlib.contextmanager
    def _answering(self) -> Iterator[None]:
        """Turn SQLite's errors into the one error that a writer handles; delete a broken file."""
        try:
            yield
        except sqlite3.Error as error:
            if is_damage(error):
                self.throw_away(str(error))
            raise ViewUnavailableError(unavailable(error, self.path)) from error

    def close(self) -> None:
        """Close the connection, if one is open."""
        if self._db is not None:
            self._db.close()
            self._db, self._own = None, Cursor()

    # --- holding still ---

    @contextlib.contextmanager
    def holding_still(self, seq: int) -> Iterator[None]:
        """Answer as of one event inside: the one with this `seq` or a later one, even while others write (P-58).

        Raises:
            ViewUnavailableError: the index cannot be used now, or another process rebuilds it.
        """
        db = self.connection()
        with self._answering():
            db.execute("BEGIN")
            stands_at = self.newest()  # the first query fixes what the transaction sees
        self.still = True
        try:
            if stands_at < seq:
                raise ViewUnavailableError(f"{self.path} is being rebuilt by another process: try again")
            yield
        finally:
            self.still = False
            if self._db is db:
                db.execute("ROLLBACK")

    @property
    def link(self) -> Link | None:
        """The newest folded event of our own chain, with the key in force; None before the first."""
        return self._own.link

    # --- taking events in (the View port) ---

    def rebuild(self, chain: Path) -> None:
        """Replace all rows by those of the whole chain; raises as `follow` does.

        One transaction: if the chain does not verify, the old rows stay and can still be read.
        """
        self._follow(chain, None, None, anew=True)

    def follow(self, chain: Path, tip: ChainTip | None = None, end: int | None = None) -> None:
        """Fold the events of `chain` up to `tip`, or the lines that end at or before the byte `end`, or (both None) all whole lines.

        Raises:
            ViewUnavailableError: the database cannot be used now.
            ChainError: the chain does not verify from here on; nothing after the fault is folded.
        """
        self._follow(chain, tip, end)

    def retake(self, chain: Path, runs: Sequence[ChainRun], writers: Writers) -> None:
        """Fold the missing events of another index in its order; raises as `follow` does.

        Args:
            chain: our own chain.
            runs: the order of its events and of other writers' events.
            writers: the writers whose events count, with their numbers in that index.
        """
        db = self.connection()
        with self._answering(), transaction(db):
            self._number(db, writers)
            untils = {other.number: other.until for other in writers.others}
            paths = {OWN: chain, **{other.number: other.path for other in writers.others}}
            with self._intake(db, sum(run.end for run in runs)) as intake:
                for run in runs:
                    intake.take(run.writer, paths[run.writer], run.end, untils.get(run.writer, -1))
            intake.flush(fresh=True)
            self._own = index_chains.load(db)
        reached("index.committed")

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
            self._own = index_chains.load(db)
            status = os.fstat(fd)
            size, file = status.st_size, index_chains.file_of(status)
            limit = tip.end if tip else size if end is None else min(end, size)
            writers = writers_of(chain.parent)
            stands = self._own.end <= limit and self._own.stands(fd, file)
            if stands and self._own.end == limit and not anew and not self._news(db, writers):
                return
            take_in = partial(self._take_in, db, chain, fd, limit, writers)
            try:
                take_in(anew=anew, at_once=True)
            except ChainError:
                take_in(anew=anew, at_once=False)
            reached("index.committed")

    def _take_in(
        self,
        db: sqlite3.Connection,
        chain: Path,
        fd: int,
        limit: int,
        writers: Writers,
        *,
        anew: bool,
        at_once: bool,
    ) -> None:
        """Fold all new events in one transaction: `at_once`, or each other chain only up to its first fault (TM-6).

        Raises:
            ChainError: a line does not verify; if not `at_once`, only a line of our own chain.
        """
        with transaction(db):
            self._own = index_chains.load(db)  # another process may have been here meanwhile
            stands = self._own.end <= limit and self._own.stands(fd, index_chains.file_of(os.fstat(fd)))
            if anew or not stands or not self._are_known(db, writers):
                self._clear(db)
            fresh = self._own.link is None
            others = self._number(db, writers)
            lag = limit + sum(other.size for other in others) - index_chains.taken(db)
            with self._intake(db, lag if at_once else 0) as intake:
                own = intake.take(OWN, chain, limit)
                for other in others:
                    end = other.size if at_once else index_chains.good_end(db, other)
                    intake.take(other.number, other.path, end, other.until)
            intake.flush(fresh=fresh)
            self._own = own
            reached("index.applied")

    @contextlib.contextmanager
    def _intake(self, db: sqlite3.Connection, size: int) -> Iterator[Intake]:
        """Fold about `size` bytes of chains into the open transaction.

        Raises:
            ChainError: at the end, if a signature is invalid.
        """
        from ledger.signature_worker import checked_beside

        checking = checked_beside(0 if self._trusted else size)
        with self._shown("building the index") as progress, checking as later:
            checks = Checks(not self._trusted, later)
            yield Intake(db, checks, progress, self.until, self._others_until)

    def _clear(self, db: sqlite3.Connection) -> None:
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE ?"
        for (name,) in db.execute(tables, (f"{index_schema.FULL_TEXT}%",)).fetchall():
            db.execute(f"DELETE FROM {name}")
        db.execute(f"INSERT INTO {index_schema.FULL_TEXT} ({index_schema.FULL_TEXT}) VALUES ('delete-all')")
        self._own = Cursor()
        reached("index.cleared")

    def apply(self, events: Sequence[Event], link: Link) -> None:
        """Fold events that this process has just appended, if the index ends right before them.

        It never raises for a fault of the database: the next `follow` folds missing events.
        """
        own = self._own
        if own.link is None or events[0].seq != own.link.seq + 1:
            return
        try:
            db = self.connection()
            if self._own.link is None:  # it was just rebuilt
                return
            with transaction(db):
                reached("index.begun")
                fold = IndexFold(db)
                for event in events:
                    fold.apply(event)
                fold.flush()
                newest = events[-1]
                if index_chains.load(db).link != own.link:
                    raise sqlite3.OperationalError("the cursor moved")
                cursor = Cursor(link, newest.offset, newest.offset + newest.size + 1, own.file)
                index_chains.save(db, cursor)
                reached("index.applied")
            self._own = cursor
            reached("index.committed")
        except (sqlite3.Error, ViewUnavailableError) as error:
            logged("the index is behind: %s", error)
            self.close()

    # --- the chains of other writers (specs/team.md TM-7) ---

    def _news(self, db: sqlite3.Connection, writers: Writers) -> bool:
        """Return whether other writers' copies hold events that are not folded, or the writers changed."""
        if not self._are_known(db, writers):
            return True
        ends = dict(db.execute('SELECT chain, "end" FROM cursor WHERE writer > 0'))
        return any(ends.get(each.id, 0) < each.size for each in writers.others)

    def _are_known(self, db: sqlite3.Connection, writers: Writers) -> bool:
        """Return whether all folded writers count as before, and their copies still hold the folded events."""
        there = {other.id: other for other in writers.others}
        known = db.execute("SELECT number, id, until, waits FROM writers").fetchall()
        if writers.waits != next((waits for number, _, _, waits in known if number == OWN), -1):
            return False
        return all(
            id_ in there
            and (until, waits) == (there[id_].until, there[id_].waits)
            and self._still_holds(db, number, there[id_])
            for number, id_, until, waits in known
            if number != OWN
        )

    @staticmethod
    def _still_holds(db: sqlite3.Connection, number: int, other: Other) -> bool:
        cursor = index_chains.load(db, number)
        with reader.opened(other.path) as fd:
            return cursor.end <= other.size and cursor.stands(fd, index_chains.file_of(os.fstat(fd)))

    def _number(self, db: sqlite3.Connection, writers: Writers) -> list[Other]:
        """Return the others with their numbers in rows; a new writer gets the next number."""
        if writers.waits >= 0:
            db.execute("INSERT OR REPLACE INTO writers VALUES (?, '', '', -1, ?)", (OWN, writers.waits))
        for other in writers.others:
            db.execute(
                "INSERT INTO writers VALUES (nullif(?, 0), ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET name = excluded.name",
                (other.number, other.id, other.name, other.until, other.waits),
            )
        numbers = dict(db.execute("SELECT id, number FROM writers"))
        return [other._replace(number=numbers[other.id]) for other in writers.others]

    # --- erasures (the View port) ---

    def doubt(self, ids: Iterable[str]) -> None:
        """Note that somebody restored the blanked payloads of these events: the next writer blanks them (C-20).

        Raises:
            ViewUnavailableError: it is locked or cannot be written.
        """
        db = self.connection()
        with self._answering(), transaction(db):
            db.executemany("INSERT OR IGNORE INTO unfinished VALUES (?)", [(id_,) for id_ in ids])

    def erased(self, ids: Iterable[str]) -> None:
        """Note that the payloads of these events are blank now, and clear the rest from pages and log.

        They stay unfinished until that is done, so that the next writer finishes it after a crash. An event becomes
        unfinished when the index folds its erase: until then its payload counts as present.
        """
        rows = [(id_,) for id_ in ids]
        try:
            db = self.connection()
            with transaction(db):
                db.executemany(
                    "UPDATE events SET payload = 2 WHERE id = ? AND id IN (SELECT id FROM unfinished)", rows
                )
                # FTS5 merges its segments into one, without the words of removed rows.
                db.execute(
                    f"INSERT INTO {index_schema.FULL_TEXT} ({index_schema.FULL_TEXT}) VALUES ('optimize')"
                )
            reached("index.blanked")
            db.execute("VACUUM")
            busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            reached("index.overwritten")
            if not busy:
                with transaction(db):
                    db.executemany("DELETE FROM unfinished WHERE id = ?", rows)
            reached("index.finished")
        except (OSError, sqlite3.Error, ViewUnavailableError) as error:
            logged("the index is behind: %s", error)
            self.close()
