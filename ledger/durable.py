"""Durable storage: the few system calls that make bytes survive, and their errors in words.

Implements specs/chain.md (C-5, C-16). Files are made complete beside their place, synced, put there in one
step, and the directory synced: a reader sees the old bytes or the new, never a part.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ledger.errors import PlatformError, StorageError

try:
    import fcntl
except ImportError as error:  # pragma: no cover - Windows
    raise PlatformError("muniment needs Linux or macOS; on Windows run it inside WSL") from error

_REASONS = {
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file may not grow any further (file size limit)",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "permission denied",
    errno.EPERM: "not permitted",
    errno.ELOOP: "it is a symbolic link, and nothing is written through one",
}
OF_A_DATABASE = ("", "-wal", "-shm", "-journal")
"""What the names of the files of a SQLite database end in beside its own."""
_NO_HARD_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})
_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
_BLOCK = 1 << 20
_ONE_READ = 1 << 30
"""So many bytes every system gives in one read, where a file has them."""
_MADE = r"\.{}\.([0-9]+)-[0-9]+\.tmp"
"""What files are named that are not complete yet; see `beside`."""
_serial = itertools.count()


def storage_error(
    error: OSError, what: str, path: Path, *, left: str = "nothing was acknowledged"
) -> StorageError:
    """Return the error that says why `what` failed at `path`; `left` says in what state things are now."""
    reason = _REASONS.get(error.errno or 0, error.strerror or str(error))
    return StorageError(f"{what} failed: {reason} ({path}); {left}")


def open_file(path: Path | str, flags: int = os.O_RDONLY) -> int:
    """Open a regular file and return its descriptor; never waits for a pipe or device (F-22).

    Raises:
        OSError: it cannot be opened; EINVAL if it is not a regular file.
    """
    fd = os.open(path, flags | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
    kind = stat.S_IFMT(os.fstat(fd).st_mode)
    if kind != stat.S_IFREG:
        os.close(fd)
        raise OSError(errno.EINVAL, f"it is {_KINDS.get(kind, 'a device')}, not a regular file", str(path))
    return fd


def read_file(path: Path | str) -> bytes:
    """Return what a regular file holds; raises as `open_file` does."""
    fd = open_file(path)
    try:
        size = os.fstat(fd).st_size
        data = os.read(fd, size + 1)
        if len(data) > size or size > _ONE_READ:  # it grew, or one read does not bring all
            data += b"".join(blocks(fd, len(data)))
        return data
    finally:
        os.close(fd)


def sync_data(fd: int) -> None:
    """Make the data of `fd` durable: fdatasync, or on macOS F_FULLFSYNC (fsync stops short there)."""
    if sys.platform == "darwin":  # pragma: no cover - the other platform
        fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
    else:
        os.fdatasync(fd)


def sync_directory(path: Path) -> None:
    """Make the names in the directory `path` durable."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def write_new(
    path: Path,
    data: bytes | Iterable[bytes],
    mode: int = 0o600,
    *,
    step: Callable[[str], None] = lambda _: None,
) -> None:
    """Make the file `path`, which must not exist yet, durably, complete or not at all.

    Args:
        path: where the file is to stand.
        data: its bytes, or blocks of them.
        mode: its permissions.
        step: told "written", "synced" and "renamed" as these are done.

    Raises:
        FileExistsError: the path exists; it is not touched.
        OSError: the disk refused; nothing is left behind.
    """
    with temporary(path, mode) as (fd, made):
        write_all(fd, data)
        step("written")
        os.fsync(fd)
        step("synced")
        put_new(made, path)
        step("renamed")
    sync_directory(path.parent)


def replace_file(path: Path, data: bytes, mode: int = 0o644, *, sync: bool = True) -> None:
    """Put `data` in the place of `path` in one rename; on failure the old file stands and nothing is left.

    Args:
        path: the file.
        data: its new bytes.
        mode: of the new file.
        sync: whether it and its name are durable on return.
    """
    with temporary(path, mode) as (fd, made):
        write_all(fd, data)
        if sync:
            os.fsync(fd)
        made.replace(path)
    if sync:
        sync_directory(path.parent)


def keep_file(path: Path, data: bytes, what: str, *, left: str = "nothing was acknowledged") -> None:
    """Put `data` in the place of a file that only its owner may read, or make it and its folder.

    Args:
        path: the file.
        data: its new bytes.
        what: is done with it, for the error.
        left: in what state things are after the error.

    Raises:
        StorageError: the disk refuses; the old file stands.
    """
    try:
        private_folder(path.parent)
        replace_file(path, data, 0o600)
    except OSError as error:
        raise storage_error(error, what, path, left=left) from error


def beside(path: Path) -> Path:
    """Return a name beside `path` for bytes that are not complete yet; no other thread or process uses it.

    An existing one was left by a process that died. It may be a second name of a file that is in its
    place, so it is removed and never opened.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}-{next(_serial)}.tmp")
    with contextlib.suppress(FileNotFoundError):
        temporary.unlink()
    return temporary


def swept(folder: Path, name: str = "") -> list[Path]:
    """Remove what processes that died left in a folder beside the file `name`, or beside any; return what others make now."""
    made, alive = _MADE.format(re.escape(name) if name else ".+"), []
    for path in list(folder.glob(".*.tmp")):
        if not (match := re.fullmatch(made, path.name)):
            continue
        if is_another(int(match[1])):
            alive.append(path)
        elif path.is_dir() and not path.is_symlink():
            import shutil  # every process loads this module, and few find such a folder

            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    return alive


def is_another(process: int) -> bool:
    """Return whether another process with this id is running."""
    if process == os.getpid():
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


@contextlib.contextmanager
def temporary(path: Path, mode: int) -> Iterator[tuple[int, Path]]:
    """Yield a new file beside `path`, open for writing, and its name; remove that name at the end."""
    made = beside(path)
    fd = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        yield fd, made
    finally:
        os.close(fd)
        with contextlib.suppress(OSError):
            made.unlink()


def put_new(made: Path, path: Path) -> None:
    """Give the file `made` the name `path` as well: like a rename, but it never replaces a file."""
    try:
        os.link(made, path)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        made.rename(path)  # FAT and the like: nothing better is there


def write_all(fd: int, data: bytes | Iterable[bytes]) -> None:
    """Write all of `data` to `fd`, in as many calls as it takes."""
    for block in (data,) if isinstance(data, bytes) else data:
        view = memoryview(block)
        while view:
            view = view[os.write(fd, view) :]


def blocks(fd: int, offset: int = 0, stop: int | None = None) -> Iterator[bytes]:
    """Yield the bytes of `fd` from `offset` up to `stop` (default: the end) in blocks."""
    while block := os.pread(fd, _BLOCK if stop is None else min(_BLOCK, stop - offset), offset):
        yield block
        offset += len(block)


def leads_away(database: Path) -> bool:
    """Return whether a file of a SQLite database is a link, which would be written through (F-19), or not a file (F-22)."""
    return any(not _is_file(f"{database}{ending}", follow=False) for ending in OF_A_DATABASE)


def is_no_file(path: Path) -> bool:
    """Return whether the path is a pipe, folder or device: SQLite would wait for it (F-22)."""
    return not _is_file(path, follow=True)


def _is_file(path: Path | str, *, follow: bool) -> bool:
    try:
        return stat.S_ISREG(os.stat(path, follow_symlinks=follow).st_mode)
    except OSError:
        return True  # it does not exist, or opening it reports why


def own(path: Path) -> None:
    """Create the file `path`, if it is missing, for its owner alone; the next open reports a failure."""
    with contextlib.suppress(OSError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


def folder_within(path: Path) -> None:
    """Create the folder `path`, which belongs to a ledger, for its owner alone (F-19).

    Raises:
        OSError: ELOOP if it is a symbolic link: the files would be written somewhere else.
    """
    if path.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    private_folder(path)


def private_folder(path: Path) -> None:
    """Make the folder `path` and those above it that are missing, each for its owner alone."""
    missing = [folder for folder in (path, *path.parents) if not folder.is_dir()]
    for folder in reversed(missing):
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
    if not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(path))
