"""One erasure at a time for each ledger, and none is finished for another process that is still at it.

Implements specs/erasure.md (Z-16). The lock is that of the ledger's folder, which needs no file of its own.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ledger.durable import storage_error
from ledger.errors import BusyError

_PATIENCE = 30.0
"""Seconds to wait for another erasure."""
_PAUSE = 0.02


@contextmanager
def alone(directory: Path, *, patience: float = _PATIENCE) -> Iterator[None]:
    """Hold the lock of a ledger's folder while something is erased.

    Raises:
        BusyError: another process, or thread, erases something for longer than we wait.
        StorageError: the folder cannot be opened or locked.
    """
    try:
        fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise storage_error(
            error, "locking the ledger's folder", directory, left="nothing was erased"
        ) from error
    try:
        deadline = time.monotonic() + patience
        while True:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= deadline:
                    why = f"another process erases something in {directory}; nothing was erased: try again"
                    raise BusyError(why) from None
                time.sleep(_PAUSE)
            except OSError as error:
                raise storage_error(
                    error, "locking the ledger's folder", directory, left="nothing was erased"
                ) from error
        yield
    finally:
        os.close(fd)
