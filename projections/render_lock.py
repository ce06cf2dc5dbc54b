"""One rendering at a time for each ledger: `render.lock`, which names the folder being written.

Implements specs/projections.md (P-82, P-83) and specs/capture.md (K-194). A process waits for another holder only for a
bounded time: the log has everything, so documents may be written later, and no command hangs.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from ledger import exchange
from ledger.durable import is_no_file, open_file, storage_error
from ledger.errors import BusyError
from ledger.lazy_pattern import lazy_pattern
from ledger.steps import reached

LOCK_NAME = "render.lock"
PATIENCE = 5.0
"""Seconds to wait for another rendering before the documents are left to a later command."""
LEFT = "the log has everything, and the next write, or muniment adopt, writes them"
"""The state after a document could not be written."""
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.0005, 0.01
_LEFTOVER = lazy_pattern(r"\..+\.md(\.edited-[0-9]+)?\.[0-9]+-[0-9]+\.tmp")  # see `ledger.durable.beside`
_LONGEST_PATH = 1 << 16


class RenderLock:
    """The lock of one ledger's renderings, at `path`. After one failed wait it no longer waits, until the lock was free once.

    `is_rendering` returns whether a folder, the path of a document in it and a digest belong to a rendering of ours.
    """

    def __init__(self, path: Path, is_rendering: Callable[[Path, str, str], bool] = lambda *_: False) -> None:
        self._path = path
        self._is_rendering = is_rendering
        self._waited = False

    @contextlib.contextmanager
    def held(self, folder: Path, unless: Callable[[], bool] | None = None) -> Iterator[bool]:
        """Hold it while the documents in `folder` are written; first clean up after a rendering that died or failed.

        Yields False, and holds nothing, if another holder kept it until `unless` returned true: nothing is left to do.

        Raises:
            BusyError: another process or thread holds it longer than we wait.
            StorageError: it cannot be opened or locked.
        """
        try:
            if is_no_file(self._path):  # nobody needs it; the error below names a folder with files
                with contextlib.suppress(OSError):
                    self._path.rmdir() if self._path.is_dir() else self._path.unlink()
            fd = open_file(self._path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW)
        except OSError as error:
            raise storage_error(error, "locking the documents", self._path, left=LEFT) from error
        try:
            if not self._lock(fd, unless):
                yield False
                return
            swept = False
            with contextlib.suppress(OSError):  # full disk: only leftovers of a crash right now stay unknown
                if died := os.pread(fd, _LONGEST_PATH, 0):
                    self._sweep_leftovers(Path(os.fsdecode(died)))
                    os.ftruncate(fd, 0)
                swept = True
                os.pwrite(fd, os.fsencode(folder), 0)
            yield True
            if swept:
                with contextlib.suppress(OSError):
                    os.ftruncate(fd, 0)
        finally:
            os.close(fd)

    @contextlib.contextmanager
    def without_renderings(self) -> Iterator[str | None]:
        """Keep renderings out while documents are read; nothing is written, and several readers may hold it at once.

        Yields the folder of a rendering that died and is not cleaned up yet, "" without one. Yields None, and keeps
        nobody out, if another process writes documents longer than we wait.
        """
        try:
            fd = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:  # none was ever made, or nobody can take the lock
            yield ""
            return
        try:
            died: str | None = None
            with contextlib.suppress(BusyError):
                self._lock(fd, kind=fcntl.LOCK_SH)
                died = os.fsdecode(os.pread(fd, _LONGEST_PATH, 0))
            yield died
        finally:
            os.close(fd)

    def _lock(self, fd: int, unless: Callable[[], bool] | None = None, *, kind: int = fcntl.LOCK_EX) -> bool:
        deadline = time.monotonic() + (0.0 if self._waited else PATIENCE)
        pause = _SHORTEST_PAUSE
        while True:
            try:
                fcntl.flock(fd, kind | fcntl.LOCK_NB)
            except BlockingIOError:
                pass
            except OSError as error:
                raise storage_error(error, "locking the documents", self._path, left=LEFT) from error
            else:
                self._waited = False
                return True
            if time.monotonic() >= deadline:
                self._waited = True
                raise BusyError(f"another process is writing documents and still holds {self._path}; {LEFT}")
            time.sleep(pause)
            if unless is not None and unless():
                return False
            pause = min(pause * 1.2, _LONGEST_PAUSE)

    def _sweep_leftovers(self, folder: Path) -> None:
        """Remove the temporary files of a dead rendering, and recover the files that it had moved out (P-82).

        Raises:
            OSError: the disk refused; the remaining files stay there.
        """
        home = os.path.realpath(folder)
        for pattern in (".*.md.*", "memory/**/.*.md.*", "memories/**/.*.md.*"):
            for left in list(folder.glob(pattern)):
                out = exchange.OUT.fullmatch(left.name)
                if not (out or _LEFTOVER.fullmatch(left.name)):
                    continue
                if not f"{os.path.realpath(left.parent)}{os.sep}".startswith(home + os.sep):
                    continue
                if out:
                    path = left.with_name(out[1])
                    exchange.recover(left, path, partial(self._is_ours, folder, path))
                else:
                    left.unlink(missing_ok=True)
                reached("file.swept")

    def _is_ours(self, folder: Path, path: Path, data: bytes) -> bool:
        from projections.shown_blocks import digest  # needed here alone

        return self._is_rendering(folder, path.relative_to(folder).as_posix(), digest(data))
