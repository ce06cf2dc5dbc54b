"""Puts a file in the place of one that others may save at any moment: what comes out is looked at, and goes back if it is new.

Implements specs/projections.md (P-82). A look before a rename leaves a gap in which a save is lost. So the two files change
places in one step, and the look is at what came out: nobody's file is gone before it was read.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import sys
from functools import cache
from pathlib import Path

from ledger.durable import beside, put_new, read_file, temporary, write_all
from ledger.steps import reached

_HERE = -100
"""AT_FDCWD: paths are relative to the present folder."""
_EXCHANGE, _SWAP = 2, 2
"""RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS."""
_UNSUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})


def put(path: Path, data: bytes, there: bytes | None, mode: int = 0o644) -> os.stat_result | None:
    """Put `data` in the place of the file `path` if that holds `there` (None: if nothing stands there); unsynced.

    Returns:
        The status of the new file; None where the place holds something else, which stays, or is back.

    Raises:
        OSError: the disk refused.
    """
    with temporary(path, mode) as (fd, made):
        write_all(fd, data)
        status = os.fstat(fd)
        reached("file.written")
        try:
            if there is None:
                put_new(made, path)
                return status
            _exchange(made, path)
        except (FileNotFoundError, FileExistsError):
            return None
        out = _read(made)
        if out == there:
            return status
        _put_back(made, path, out, data)
        return None


def _put_back(made: Path, path: Path, out: bytes | None, ours: bytes) -> None:
    """Put back what somebody had saved, `out`, until what comes out is what we had put there: else they saved once more."""
    placed: bytes | None = ours
    while True:
        try:
            _exchange(made, path)
        except FileNotFoundError:
            with contextlib.suppress(FileExistsError):
                put_new(made, path)
            return
        came = _read(made)
        if came == placed:
            return
        placed, out = out, came


def take(path: Path, there: bytes) -> bool:
    """Remove the file `path` if it holds `there`; else it stays, or is back. Say whether it was removed.

    Raises:
        OSError: the disk refused.
    """
    out = beside(path)
    try:
        path.rename(out)
    except FileNotFoundError:
        return False
    if _read(out) == there:
        out.unlink()
        return True
    with contextlib.suppress(FileExistsError):  # saved anew meanwhile: that one counts
        put_new(out, path)
    with contextlib.suppress(FileNotFoundError):
        out.unlink()
    return False


def _read(path: Path) -> bytes | None:
    """Return what a file holds, None where it cannot be read or is none."""
    try:
        return read_file(path)
    except OSError:
        return None


def _exchange(made: Path, path: Path) -> None:
    """Let two files change places in one step; or, where the system cannot, keep what stood there before a rename."""
    if _exchanged(os.fsencode(made), os.fsencode(path)):
        return
    kept = beside(path)
    try:
        os.link(path, kept)
    except FileNotFoundError:
        raise
    except OSError:  # no hard links either: a copy
        kept.write_bytes(read_file(path))
    made.replace(path)
    kept.rename(made)


@cache
def _system() -> ctypes.CDLL:
    """Return the C library of this process."""
    return ctypes.CDLL(None, use_errno=True)


def _exchanged(made: bytes, path: bytes) -> bool:
    """Exchange two files; say whether the system and the file system can.

    Raises:
        OSError: they can, and did not.
    """
    system = _system()
    try:
        if sys.platform == "darwin":  # pragma: no cover - the other platform
            failed = system.renamex_np(made, path, _SWAP)
        else:
            failed = system.renameat2(_HERE, made, _HERE, path, _EXCHANGE)
    except AttributeError:  # an older C library
        return False
    if not failed:
        return True
    number = ctypes.get_errno()
    if number in _UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), os.fsdecode(path))
