"""Replaces a file that others may save at any moment: the old content is checked, and put back if it is new.

Implements specs/projections.md (P-82). A look before a rename leaves a gap in which a save is lost. So the two files change
places in one step, and the look is at what came out: nobody's file is gone before it was read. What came out has a name of
its own meanwhile (`OUT`): where a death or an error keeps us from looking, `recover` does it later.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path

from ledger.durable import beside, put_new, read_file, replace_file, temporary, write_all
from ledger.lazy_pattern import lazy_pattern
from ledger.steps import reached

_HERE = -100
"""AT_FDCWD: paths are relative to the present folder."""
_EXCHANGE, _SWAP = 2, 2
"""RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS."""
_UNSUPPORTED = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP})
OUT = lazy_pattern(r"\.(.+)\.[0-9]+-[0-9]+\.out")
"""The name of a whole file that is on its way to or from the place of the one that it names."""


def put(path: Path, data: bytes, there: bytes | None, mode: int = 0o644) -> os.stat_result | None:
    """Replace the file `path` by `data` if it holds `there` (None: if there is no file); unsynced.

    Returns:
        The status of the new file; None if the place holds something else, which stays, or is back.

    Raises:
        OSError: the disk refused. What came out may lie beside: see `recover`.
    """
    with temporary(path, mode) as (fd, made):
        write_all(fd, data)
        status = os.fstat(fd)
        reached("file.written")
        if there is None:
            try:
                put_new(made, path)
            except FileExistsError:
                return None
            return status
        out = _out_of(path)
        made.rename(out)
    try:
        _exchange(out, path)
    except FileNotFoundError:
        out.unlink()
        return None
    reached("file.exchanged")
    came = _read(out)
    if came == there:
        out.unlink()
        return status
    _put_back(out, path, came, data)
    return None


def _put_back(out: Path, path: Path, theirs: bytes | None, ours: bytes) -> None:
    """Put back what somebody had saved, `theirs`, until what comes out is what we had put there: else they saved once more."""
    placed: bytes | None = ours
    while True:
        try:
            _exchange(out, path)
        except FileNotFoundError:
            _put_anew(out, path)
            return
        came = _read(out)
        if came == placed:
            out.unlink()
            return
        placed, theirs = theirs, came


def _put_anew(out: Path, path: Path) -> None:
    """Put back a file that was moved away, unless somebody saved a new one meanwhile."""
    with contextlib.suppress(FileExistsError):
        put_new(out, path)
    with contextlib.suppress(FileNotFoundError):
        out.unlink()


def recover(out: Path, path: Path, is_ours: Callable[[bytes], bool]) -> None:
    """Do what was left to do with what came `out` of the place `path`: ours goes, and what somebody saved goes back.

    Where they saved once more since, it stays beside under a name that no rendering takes (P-87).

    Raises:
        OSError: the disk refused; the file is still there.
    """
    theirs = _read(out)
    if theirs is not None and is_ours(theirs):
        out.unlink()
    elif not os.path.lexists(path):
        _put_anew(out, path)
    elif (stands := _read(path)) is not None and is_ours(stands):
        _put_back(out, path, theirs, stands)
    else:
        out.rename(kept_beside(path))


def kept_beside(path: Path) -> Path:
    """Return a name beside `path` for a person's copy of it (P-87), which nothing has yet."""
    number = 1
    while os.path.lexists(aside := path.with_name(f"{path.name}.edited-{number}")):
        number += 1
    return aside


def take(path: Path, there: bytes) -> bool:
    """Remove the file `path` if it holds `there`; else it stays, or is back. Say whether it was removed.

    Raises:
        OSError: the disk refused.
    """
    out = _out_of(path)
    try:
        path.rename(out)
    except FileNotFoundError:
        return False
    if _read(out) == there:
        out.unlink()
        return True
    _put_anew(out, path)
    return False


def _out_of(path: Path) -> Path:
    """Return a name beside `path`, which nothing has, for what comes out of its place (see `OUT`)."""
    while os.path.lexists(out := beside(path).with_suffix(".out")):
        pass
    return out


def _read(path: Path) -> bytes | None:
    """Return what a file holds, None if it cannot be read or is none."""
    try:
        return read_file(path)
    except OSError:
        return None


def _exchange(out: Path, path: Path) -> None:
    """Exchange two files in one step; or, if the system cannot, keep the old file before a rename."""
    if exchanged(os.fsencode(out), os.fsencode(path)):
        return
    kept = _out_of(path)
    try:
        os.link(path, kept)
    except FileNotFoundError:
        raise
    except OSError:  # no hard links either: a copy
        replace_file(kept, read_file(path), sync=False)
    out.replace(path)
    kept.rename(out)


def exchanged(made: bytes, path: bytes) -> bool:
    """Exchange two files; return whether the system and the file system can.

    Raises:
        OSError: they can, but it failed.
    """
    system = ctypes.CDLL(None, use_errno=True)
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
