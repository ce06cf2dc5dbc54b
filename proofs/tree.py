"""The tree cache: the hashes of a chain's tree in dense order, 32 bytes each, in a file beside the index.

Implements specs/proofs.md (T-30…T-35). Derived: it can be deleted, damaged or forged at any time, and what is made of
it is checked before it counts. Layout of `tree.cache`:

    0    "muniment tree 1" and a zero; size, start and end (8 bytes each, big-endian); id (32 bytes)
    72   SHA-256 of the 72 bytes before
    128  the hashes in dense order (T-4)

`size` leaves are there, the last of them the event `id`, whose line stands at [start, end) of the chain. The
hashes are written before the header that counts them.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import struct
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

from ledger.errors import ChainError, StorageError
from ledger.event import Built
from ledger.progress import Progress
from proofs import heads, leaves, merkle
from proofs.heads import EventPlace
from proofs.merkle import HASH_BYTES

TREE_NAME = "tree.cache"
NEAR = 1 << 20
"""At most so many bytes of the chain an append reads to catch a cache up that lies behind."""

_MAGIC = b"muniment tree 1\0"
_HEADER = struct.Struct(">16sQQQ32s")
_BEGIN = 128
_NO_EVENT = EventPlace(-1, "00" * 32, 0, 0)


class TreeCache:
    """The cache of the ledger in `directory`; without one, or where none can be written, one for this process alone.

    With `reading` the file is used where it is current, and never written.
    """

    def __init__(self, directory: Path | None, *, reading: bool = False) -> None:
        self.path = (directory or Path()) / TREE_NAME
        self._name = str(self.path)
        self._shared = directory is not None
        self._reading = reading
        self._fd = -1
        self._inode: tuple[int, int] | None = None
        """Of the file in its place; None for one that only this process has."""
        self._found = 0
        """How many bytes it had when it was last found in its place."""
        self._owner = 0
        self._header = b""
        self._frontier: list[bytes] = []
        self._tip = _NO_EVENT

    def close(self) -> None:
        """Close the file, if it is open."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd, self._header = -1, b""

    @property
    def tip(self) -> EventPlace:
        """The newest event that the cache holds; its seq is -1 where it holds none."""
        return self._tip

    def read(self, places: Sequence[int]) -> list[bytes]:
        """Return the hashes at these places of the dense order.

        Raises:
            StorageError: the file has no such place, or cannot be read.
        """
        found = [self._pread(HASH_BYTES, _BEGIN + HASH_BYTES * place) for place in places]
        if any(len(each) != HASH_BYTES for each in found):
            raise StorageError(f"{self.path} is cut off: delete it, it is made again")
        return found

    def root(self, size: int) -> bytes:
        """Return the root of the first `size` leaves, as far as the cache is right."""
        return merkle.tree_root(size, self.read)

    # --- following the chain ---

    def follow(
        self, fd: int, tip: EventPlace, *, anew: bool = False, progress: Progress | None = None
    ) -> None:
        """Take in what the chain `fd` holds up to `tip`; with `anew`, from its beginning.

        Raises:
            ChainError: the chain does not reach `tip`.
            StorageError: no file can be written.
        """
        with self._held():
            self._load()
            gone = self._tip.seq > tip.seq or (self._tip.seq >= 0 and not heads.stands(fd, self._tip))
            if self._reading and self._inode and (anew or gone or self._tip.seq < tip.seq):
                os.close(self._fd)  # what it lacks is made beside it
                self._fd, self._inode = self._scratch(), None
                anew = True
            if anew or gone:
                self._begin_anew()
            self._take(fd, tip, progress)

    def appended(self, fd: int, built: Sequence[Built], end: int) -> None:
        """Take in events that were just appended to the chain `fd` and whose lines end at the byte `end`.

        The caller holds the chain's lock. A cache that lies far behind is left for who needs it, and so is one
        that another process holds. Never raises for what the disk does.
        """
        try:  # plain statements: each append waits for this
            self._ensure_open(make=False)
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            try:
                self._append(fd, [line.raw for line in built], built[-1].id, end)
            finally:
                fcntl.flock(self._fd, fcntl.LOCK_UN)
        except (OSError, StorageError, ChainError):
            pass

    def _append(self, fd: int, lines: Sequence[bytes], id_: str, end: int) -> None:
        self._load()
        start = end - sum(map(len, lines)) - len(lines)
        if self._tip.end != start:
            if not 0 <= start - self._tip.end <= NEAR or (
                self._tip.seq >= 0 and not heads.stands(fd, self._tip)
            ):
                return
            self._take(fd, self._tip._replace(end=start), None, whole=False)
        self._store(merkle.leaf_hashes(heads.cut(lines)), id_, end - len(lines[-1]) - 1, end)

    def _take(self, fd: int, tip: EventPlace, progress: Progress | None, *, whole: bool = True) -> None:
        with contextlib.closing(leaves.read(fd, self._tip.end, tip.end)) as some:
            for new in some:
                self._store(new.hashes, new.id, new.start, new.end)
                if progress:
                    progress(new.end, tip.end)
        if whole and (self._tip.seq, self._tip.id) != (tip.seq, tip.id):
            self._begin_anew()
            raise ChainError("the chain was changed while it was read: try again")

    def _store(self, hashes: Sequence[bytes], id_: str, start: int, end: int) -> None:
        """Append the leaves with these hashes to the cache's; of the last one id and line are given."""
        size = self._tip.seq + 1
        self._pwrite(b"".join(merkle.dense(hashes, self._frontier, size)), _end_of(size))
        self._put(EventPlace(size + len(hashes) - 1, id_, start, end))

    def _put(self, tip: EventPlace) -> None:
        body = _HEADER.pack(_MAGIC, tip.seq + 1, tip.start, tip.end, bytes.fromhex(tip.id))
        header = body + sha256(body).digest()
        self._pwrite(header, 0)
        self._header, self._tip = header, tip

    # --- the file ---

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        """Open the file where it is not, and hold its lock until the block ends."""
        self._ensure_open(make=True)
        locked = False
        try:
            # a file system may have no locks: the header's checksum and the proofs are the guard
            with contextlib.suppress(OSError):
                fcntl.flock(self._fd, fcntl.LOCK_EX)
                locked = True
            yield
        except OSError as error:
            raise StorageError(f"the tree cache cannot be written: {error.strerror} ({self.path})") from error
        finally:
            if locked:
                fcntl.flock(self._fd, fcntl.LOCK_UN)

    def _ensure_open(self, *, make: bool) -> None:
        if self._fd >= 0 and self._owner == os.getpid():  # a lock that a fork inherits is its parent's
            if self._inode is None:
                return
            with contextlib.suppress(OSError):
                status = os.stat(self._name)  # noqa: PTH116 - each append pays for it
                if (status.st_dev, status.st_ino) == self._inode:
                    self._found = status.st_size
                    return
        self.close()
        self._owner = os.getpid()
        try:
            if not self._shared:
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            flags = os.O_RDONLY if self._reading else os.O_RDWR | os.O_CREAT
            # never through a link: what it leads to would be written over
            self._fd = os.open(self.path, flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
            status = os.fstat(self._fd)
            if not stat.S_ISREG(status.st_mode):
                self.close()
                raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), self._name)
            self._inode = (status.st_dev, status.st_ino)
        except OSError:
            if not make:
                raise
            self._fd, self._inode = self._scratch(), None

    def _scratch(self) -> int:
        import tempfile  # an append never needs it

        fd, name = tempfile.mkstemp(prefix="muniment-tree-")
        Path(name).unlink()
        return fd

    def _load(self) -> None:
        """Bring what we know of the file up to it, after another process may have written to it."""
        header = self._pread(_HEADER.size + HASH_BYTES, 0)
        if header == self._header and header and self._found >= _end_of(self._tip.seq + 1):
            return
        there = os.fstat(self._fd).st_size
        self._header, self._tip, self._frontier = header, _NO_EVENT, []
        body, digest = header[: _HEADER.size], header[_HEADER.size :]
        if len(digest) != HASH_BYTES or sha256(body).digest() != digest:
            return
        magic, size, start, end, id_ = _HEADER.unpack(body)
        if magic != _MAGIC or there < _end_of(size):
            return
        with contextlib.suppress(StorageError):
            self._frontier = self.read(merkle.frontier_places(size))
            self._tip = EventPlace(size - 1, id_.hex(), start, end)

    def _begin_anew(self) -> None:
        os.ftruncate(self._fd, 0)
        self._header, self._tip, self._frontier = b"", _NO_EVENT, []

    def _pread(self, size: int, at: int) -> bytes:
        try:
            return os.pread(self._fd, size, at)
        except OSError as error:
            raise StorageError(f"cannot read {self.path}: {error.strerror}") from error

    def _pwrite(self, data: bytes, at: int) -> None:
        while data:
            done = os.pwrite(self._fd, data, at)
            data, at = data[done:], at + done


def _end_of(size: int) -> int:
    """Return where the hashes of a tree of `size` leaves end in the file."""
    return _BEGIN + HASH_BYTES * merkle.stored_count(size)
