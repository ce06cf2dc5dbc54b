"""The chain file: the only module that writes `chain.jsonl`.

Implements specs/chain.md (C-5…C-16, C-19, C-25). Order of the system calls of one append:

    mutex; open; flock; fstat against stat; pread the mark and what others appended; [validate, build, sign];
    write (one); fdatasync (one); -> acknowledged; pwrite the mark; close (which unlocks)

The cost of an append does not depend on the chain's length.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from blake3 import blake3

from ledger import durable, tail
from ledger.chain_identity import gone
from ledger.check import Link
from ledger.durable import storage_error
from ledger.errors import (
    BusyError,
    ChainError,
    FormatError,
    LedgerExistsError,
    NoLedgerError,
    StorageError,
)
from ledger.event import Built, Event, blanked, event_id, event_value, is_blanked, split_line
from ledger.instant import system_clock, written
from ledger.location import CHAIN_NAME
from ledger.mark import MarkFile
from ledger.steps import reached
from ledger.tail import ChainFile, ChainTip

__all__ = ["CHAIN_NAME", "Chain", "ChainTip", "Held"]

PATIENCE = 30.0
"""How many seconds a chain is waited for that another process or thread holds."""
WORD_AFTER = 1.0
"""After how many seconds of waiting `Chain.on_wait` is told."""

_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.0005, 0.005


class Chain:
    """The chain in `directory`, with its high-water mark.

    One object a process and ledger; threads may share it. `genesis` is the pinned genesis id; a chain with
    another one is refused (C-15). `on_wait` is told once, with the chain's path, when another process holds it
    for longer than a moment.
    """

    def __init__(self, directory: Path, mark: MarkFile, genesis: str | None = None) -> None:
        self.path = directory / CHAIN_NAME
        self.mark = mark
        self.genesis = genesis
        self.on_wait: Callable[[Path], None] | None = None
        self._mutex = threading.RLock()
        self._known: ChainTip | None = None
        self._held: Held | None = None
        _after_fork.add(self)

    @staticmethod
    def place(directory: Path, data: Iterable[bytes]) -> None:
        """Make a chain of bytes that were checked, complete or not at all (C-16).

        Raises:
            LedgerExistsError: there is a chain already.
            StorageError: the directory cannot be written.
        """
        path = directory / CHAIN_NAME
        try:
            durable.write_new(path, data, 0o600, step=lambda done: reached(f"genesis.{done}"))
        except FileExistsError:
            raise LedgerExistsError(f"there is a ledger already: {path}; it was not changed") from None
        except OSError as error:
            raise storage_error(error, "making the chain", path) from error

    @contextlib.contextmanager
    def locked(self, timeout: float | None = None, *, read: bool = True) -> Iterator[Held]:
        """Hold the chain for writing: everything that others appended is read and checked first.

        Args:
            timeout: seconds to wait for another process or thread; None is PATIENCE.
            read: False holds the lock and judges nothing; only recovery does that.

        Raises:
            NoLedgerError: there is no chain here.
            RollbackError, ForeignChainError, ChainError: it cannot be continued as it is.
            BusyError: the time-out passed.
            StorageError: it cannot be opened, locked or brought in order.
            RuntimeError: this thread holds it already.
        """
        timeout = PATIENCE if timeout is None else max(timeout, 0)
        deadline = time.monotonic() + timeout
        mutex = self._mutex  # a forked child gets another one, see `close_after_fork`
        if not mutex.acquire(timeout=timeout):
            raise self._busy()
        try:
            if self._held is not None:
                raise RuntimeError("this thread holds the chain already; waiting for it would never end")
            held = self._held = Held(self, self._open_locked(deadline))
            try:
                reached("append.locked")
                if read:
                    held.read_news()
                reached("append.read")
                yield held
            finally:
                held.close()
        finally:
            mutex.release()

    def _open_locked(self, deadline: float) -> int:
        while True:
            try:
                fd = durable.open_file(self.path, os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW)
            except FileNotFoundError:
                raise self._missing() from None
            except OSError as error:
                raise storage_error(error, "opening the chain for writing", self.path) from error
            try:
                self._flock(fd, deadline)
                here, there = os.fstat(fd), os.stat(self.path)
            except FileNotFoundError:
                os.close(fd)
                continue
            except OSError as error:
                os.close(fd)
                raise storage_error(error, "locking the chain", self.path) from error
            except BaseException:
                os.close(fd)
                raise
            if (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino):
                return fd
            os.close(fd)  # replaced by a rename while we waited

    def _missing(self) -> ChainError | NoLedgerError:
        mark = self.mark.read()
        if mark is None and self.genesis is None:
            return NoLedgerError(
                f"there is no chain at {self.path}: check the path, or run muniment init to create a ledger"
            )
        return gone(self.path, mark)

    def _flock(self, fd: int, deadline: float) -> None:
        word_at = time.monotonic() + WORD_AFTER
        pause = _SHORTEST_PAUSE
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            except BlockingIOError:
                now = time.monotonic()
            if now >= deadline:
                raise self._busy()
            if self.on_wait is not None and now >= word_at:
                self.on_wait(self.path)
                word_at = deadline
            time.sleep(pause)
            pause = min(pause * 1.2, _LONGEST_PAUSE)

    def _busy(self) -> BusyError:
        return BusyError(f"another process or thread still holds {self.path}; nothing was written, try again")

    def close_after_fork(self) -> None:
        """Let go of an inherited lock without unlocking it: it is the parent's (C-13)."""
        self._mutex = threading.RLock()
        if self._held is not None:
            self._held.abandon()


_after_fork: weakref.WeakSet[Chain] = weakref.WeakSet()


def _close_inherited() -> None:
    for chain in list(_after_fork):
        chain.close_after_fork()


os.register_at_fork(after_in_child=_close_inherited)


class Held:
    """The chain while its lock is held, by this process and no child of it. Made by `Chain.locked` only."""

    def __init__(self, chain: Chain, fd: int) -> None:
        self._chain = chain
        self._fd = fd
        self._file = os.fstat(fd)
        self._owner = os.getpid()

    @property
    def fd(self) -> int:
        """The locked descriptor. Anyone who reads through it gives the position with each call.

        Raises:
            ChainError: this is a forked child of the process that holds the lock.
        """
        if self._owner != os.getpid() or self._fd < 0:
            raise ChainError(
                "the chain's lock is not held by this process: open the ledger again in this process"
            )
        return self._fd

    @property
    def tip(self) -> ChainTip:
        """The newest event, once `read_news` or `adopt` has run."""
        tip = self._chain._known
        if tip is None:
            raise ChainError("the chain was not read")
        return tip

    def close(self) -> None:
        """Let go of the lock; a forked child that leaves the block lets go of nothing."""
        if self._owner == os.getpid():
            self._chain._held = None
            os.close(self._fd)
            self._fd = -1

    def abandon(self) -> None:
        """Close what was inherited by fork: the lock stays with the parent, and dies with it."""
        self._chain._held = None
        with contextlib.suppress(OSError):
            # Another thread may have been closing it just then, and a third one may have got its number.
            if os.path.samestat(os.fstat(self._fd), self._file):
                os.close(self._fd)
        self._fd = -1

    # --- reading what is there ---

    def read_news(self) -> None:
        """Bring `tip` up to the file: mark first, then what others appended, then the tail (C-9…C-12)."""
        chain = self._chain
        file = ChainFile(self.fd, chain.path, os.fstat(self.fd).st_size, chain.genesis)
        known, mark = chain._known, chain.mark.read()
        if known and not tail.stands(file, known):
            known = None
        if mark and (known is None or (mark.seq >= known.link.seq and mark.id != known.link.id)):
            marked = tail.marked_tip(file, mark)
            known = known or marked
        found = tail.read_tail(file, known, mark)
        if found.unended:
            self.complete_line(found.tip)
        if found.torn is not None:
            self.set_aside(found.torn)
        chain._known = found.tip
        if mark is None or mark.seq < found.tip.link.seq:
            self._acknowledge_news()

    def _acknowledge_news(self) -> None:
        """Move the mark to events whose writer died before it did so; only now are they surely on disk."""
        try:
            durable.sync_data(self.fd)
        except OSError as error:
            raise storage_error(error, "syncing what another process appended", self._chain.path) from error
        self.move_mark()

    def complete_line(self, tip: ChainTip) -> None:
        """Write the LF that the file's last line, the valid event `tip`, lacks."""
        self._write(b"\n", tip.end - 1)

    def set_aside(self, offset: int) -> tuple[Path, str]:
        """Move everything from `offset` on to a new `chain.jsonl.torn-<utc>`; return it and its BLAKE3.

        Raises:
            StorageError: it could not be kept; the chain is then not cut.
        """
        kept = self.keep(offset)
        try:
            os.ftruncate(self.fd, offset)
            durable.sync_data(self.fd)
        except OSError as error:
            raise storage_error(error, "cutting a torn tail", self._chain.path) from error
        reached("torn.cut")
        return kept

    def keep(self, offset: int) -> tuple[Path, str]:
        """Copy everything from `offset` on to a new `chain.jsonl.torn-<utc>`; return it and its BLAKE3 (hex).

        Raises:
            StorageError: it could not be kept.
        """
        path = self._chain.path
        stamp = written(system_clock()).replace(":", "").replace("-", "")
        torn = path.with_name(f"{path.name}.torn-{stamp}")
        digest = blake3()
        try:
            durable.write_new(torn, _hashed(digest, durable.blocks(self.fd, offset)), 0o600)
        except OSError as error:
            raise storage_error(error, "setting a torn tail aside", torn) from error
        reached("torn.copied")
        return torn, digest.hexdigest()

    # --- what only recovery does ---

    def adopt(self, tip: ChainTip) -> None:
        """Take `tip`, which the caller has checked, as the newest event of the file as it is now."""
        self._chain._known = tip

    def replace(self, data: Iterable[bytes]) -> None:
        """Put a checked chain in the file's place in one rename and hold that one from here on.

        The new file is locked before it gets its name, so that nobody else can write to it first. The old
        bytes are the caller's to keep.

        Raises:
            StorageError: the disk refused; the old file stands.
        """
        path = self._chain.path
        temporary = durable.beside(path)
        try:
            fd = os.open(temporary, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(fd, fcntl.LOCK_EX)
                durable.write_all(fd, data)
                os.fsync(fd)
                temporary.replace(path)
            except BaseException:
                os.close(fd)
                with contextlib.suppress(OSError):
                    temporary.unlink()
                raise
            old, self._fd, self._file = self.fd, fd, os.fstat(fd)
            os.close(old)
            durable.sync_directory(path.parent)
        except OSError as error:
            raise storage_error(error, "replacing the chain", path) from error

    # --- writing ---

    def append(self, built: Sequence[Built], links: Sequence[Link]) -> list[Event]:
        """Append events that were built on `tip`: one write, one sync; return them as acknowledged events.

        Args:
            built: the new lines, in order.
            links: the state after each of them.

        Raises:
            StorageError: nothing was acknowledged and the file is as it was.
        """
        offset = self.tip.end
        self._write(b"".join([line.raw + b"\n" for line in built]), offset)
        appended = []
        chain = links[-1].chain
        for line in built:
            size = len(line.raw)
            appended.append(
                event_value(line.event, line.id, line.payload, chain=chain, offset=offset, size=size)
            )
            offset += size + 1
        newest = built[-1]
        start = offset - len(newest.raw) - 1
        self._chain._known = ChainTip(links[-1], start, offset)
        # The events are durable whatever becomes of the mark. The next append finds it behind, and fails if
        # it still cannot be moved.
        with contextlib.suppress(StorageError):
            self.move_mark()
        reached("append.marked")
        return appended

    def _write(self, data: bytes, at: int) -> None:
        """Write `data` durably at `at`, the end of the file; or leave the file as it was (C-7, C-8)."""
        fd = self.fd
        try:
            _write_once(fd, data)
            reached("append.written")
            try:
                durable.sync_data(fd)
            except OSError:
                # The pages may count as clean now: only writing them again makes another sync mean anything.
                os.ftruncate(fd, at)
                _write_once(fd, data)
                durable.sync_data(fd)
            reached("append.synced")
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(fd, at)
                durable.sync_data(fd)
            raise storage_error(error, "appending", self._chain.path) from error

    def move_mark(self) -> None:
        """Move the mark to the tip, which is durable.

        Raises:
            StorageError: the state directory cannot be written.
        """
        self._chain.mark.write(self.tip.mark)

    def settle_mark(self) -> None:
        """Make the tip the only event that was ever marked, durably (recovery only).

        Raises:
            StorageError: the state directory cannot be written.
        """
        self._chain.mark.replace(self.tip.mark)

    def erase(self, targets: Sequence[tuple[str, int, int]]) -> int:
        """Blank the payloads of events, given as (id, offset, line's size); return how many were not blank.

        The erase event that names them stands already (C-19).

        Raises:
            ChainError: another event is at an offset; nothing of it was touched.
            StorageError: the disk refused.
        """
        count = 0
        path = self._chain.path
        try:
            for leftover in path.parent.glob(f".{path.name}*.tmp"):  # a copy whose maker died
                leftover.unlink(missing_ok=True)
            fd = durable.open_file(
                path, os.O_RDWR | os.O_NOFOLLOW
            )  # pwrite on an O_APPEND descriptor would append
            try:
                if not os.path.sameopenfile(fd, self.fd):
                    raise ChainError(f"{path} was replaced while it was locked; nothing was blanked")
                for id_, offset, size in targets:
                    count += _blank(fd, id_, offset, size)
                reached("erase.blanked")
                os.fsync(fd)
                reached("erase.synced")
            finally:
                os.close(fd)
        except OSError as error:
            left = "the erase event is stored, and the next write tries again"
            raise storage_error(error, "blanking an erased payload", path, left=left) from error
        return count


def _write_once(fd: int, data: bytes) -> None:
    if os.write(fd, data) != len(data):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _blank(fd: int, id_: str, offset: int, size: int) -> int:
    """Blank one payload; return 1, or 0 if it is blank already or there is none."""
    line = os.pread(fd, size + 1, offset)
    try:
        parts = split_line(line[:size])
        if line[size:] != b"\n":
            raise FormatError("C-1", "the line does not end where it did")
    except FormatError as error:
        # a half blanked payload keeps its frame, so this is damage of another kind
        raise ChainError(f"cannot erase {id_[:12]} at byte {offset}: {error}; see muniment verify") from None
    if event_id(parts.head) != id_:
        raise ChainError(f"cannot erase {id_[:12]}: another event is at byte {offset}; see muniment verify")
    if parts.payload is None or is_blanked(parts.payload):
        return 0
    blank = blanked(len(parts.payload))
    if os.pwrite(fd, blank, offset + size - 1 - len(blank)) != len(blank):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return 1


def _hashed(digest: blake3, blocks: Iterable[bytes]) -> Iterator[bytes]:
    for block in blocks:
        digest.update(block)
        yield block
