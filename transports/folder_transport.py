"""A transport that is a folder: on a network share, or one that a sync service copies between machines.

Implements specs/team.md (TM-72, TM-74, TM-79). A file is written beside its place, synced, and linked there, so that a reader sees all of
it or nothing and one of two senders wins:

```
<folder>/<team id>/chains/<genesis>/<first, 10 digits>.jsonl
<folder>/<team id>/notes/<kind>/<name>
```
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from transports.places import (
    check_chain,
    check_kind,
    check_note,
    check_team,
    checked_segments,
    first_of,
    is_chain,
    is_note,
    line_count,
    reached,
    repeated,
    segment_name,
)
from transports.protocol import MOST_BYTES, MOST_LINES, MOST_NOTE_BYTES, Segment, TakenError, UnreachableError

_NO_HARD_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})
_NO_FILE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})


class FolderTransport:
    """The segments and notes of one team in a folder.

    Args:
        directory: the folder, which other teams may share.
        team: the team id.
        create: make the folder if it does not exist. Without it, a share that is not mounted is found to be missing.
    """

    remark = ""

    def __init__(self, directory: Path, team: str, *, create: bool = False) -> None:
        check_team(team)
        self._directory = directory.expanduser().absolute()
        self.address = f"folder:{self._directory}"
        self._team = self._directory / team
        self._create = create

    def heads(self) -> dict[str, int]:
        """Read all segments and count their lines."""
        with self._reachable():
            chains = self._team / "chains"
            found = {name: reached(self._spans(chains / name)) for name in _names(chains) if is_chain(name)}
        return {chain: head for chain, head in found.items() if head}

    def since(self, chain: str, seq: int) -> Iterator[Segment]:
        """Read the segments one by one, from the first that can hold line `seq`."""
        check_chain(chain)
        place = self._team / "chains" / chain
        with self._reachable():
            firsts = [first for first in _firsts(place) if first > seq - MOST_LINES]
        return self._read(place, firsts, seq)

    def put(self, chain: str, segments: Sequence[Segment]) -> None:
        """Put each segment in its place, the oldest first; return when all are durable."""
        wanted = checked_segments(chain, segments)
        with self._reachable():
            place = self._made(self._team / "chains" / chain)
            for first, data in wanted:
                _put(place / segment_name(first), data, of=(chain, first))
            _sync_directory(place)

    def blank(self, chain: str, segment: Segment) -> str:
        """Replace a segment; copies that a sync service made of it are named, since nothing here may remove them."""
        [(first, data)] = checked_segments(chain, [segment])
        with self._reachable():
            place = self._made(self._team / "chains" / chain)
            for left in _left_behind(place, first):
                left.unlink(missing_ok=True)
            _replace(place / segment_name(first), data)
            copies = [name for name in _names(place) if f"{first:010d}" in name and first_of(name) is None]
        if (self._directory / ".stversions").exists():
            copies.append(str(self._directory / ".stversions"))
        return f"Copies in {place} may still hold the text: {', '.join(copies)}." if copies else ""

    def compact(self, chain: str, segment: Segment) -> None:
        """Replace the file with the first line, then remove the others."""
        [whole] = checked_segments(chain, [segment])
        place = self._team / "chains" / chain
        with self._reachable():
            firsts = [first for first in _firsts(place) if whole.first <= first < whole.end]
            pieces = repeated(whole, self._read(place, firsts, whole.first))
            if len(pieces) > 1:
                _replace(place / segment_name(whole.first), whole.data)
                for first in pieces[1:]:
                    (place / segment_name(first)).unlink(missing_ok=True)
                _sync_directory(place)

    def put_note(self, kind: str, name: str, data: bytes) -> None:
        """Put a note in its place as a segment is put."""
        check_note(kind, name, data)
        with self._reachable():
            place = self._made(self._team / "notes" / kind)
            _put(place / name, data, of=(f"{kind}/{name}", 0))
            _sync_directory(place)

    def notes(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Read the notes of a kind one by one."""
        check_kind(kind)
        place = self._team / "notes" / kind
        with self._reachable():
            names = [name for name in _names(place) if is_note(name)]
        return self._read_notes(place, names)

    def wait(self, seconds: float) -> bool:
        """Wait: nothing tells of a change."""
        time.sleep(seconds)
        return False

    def close(self) -> None:
        """Nothing is open between two calls."""

    def _read(self, place: Path, firsts: list[int], seq: int) -> Iterator[Segment]:
        for first in firsts:
            with self._reachable():
                data = _read_file(place / segment_name(first), MOST_BYTES)
            if data and line_count(data) and (segment := Segment(first, data)).end > seq:
                yield segment

    def _read_notes(self, place: Path, names: list[str]) -> Iterator[tuple[str, bytes]]:
        for name in names:
            with self._reachable():
                data = _read_file(place / name, MOST_NOTE_BYTES)
            if data:
                yield name, data

    def _spans(self, place: Path) -> Iterator[tuple[int, int]]:
        for first in reversed(
            _firsts(place)
        ):  # what a machine joins meanwhile stands in front of what it removes
            data = _read_file(place / segment_name(first), MOST_BYTES)
            yield first, first + (line_count(data) if data else 0)

    def _made(self, place: Path) -> Path:
        """Make the folders that are missing down to `place`, each durable, and return it."""
        for folder in reversed([place, *place.parents]):
            if not folder.is_dir():
                folder.mkdir(exist_ok=True)
                _sync_directory(folder.parent)
        return place

    @contextlib.contextmanager
    def _reachable(self) -> Iterator[None]:
        """Refuse a folder that does not exist, and raise what the system refuses as an UnreachableError."""
        try:
            if not self._directory.is_dir():
                if not self._create:
                    raise UnreachableError(
                        f"The folder {self._directory} does not exist: mount the share, or create the folder."
                    )
                self._made(self._directory)
            yield
        except OSError as error:
            where = f" ({error.filename})" if error.filename else ""
            raise UnreachableError(
                f"The folder {self._directory} cannot be used: {error.strerror or error}{where};"
                " check that it is mounted, has room and may be written."
            ) from error


def _names(folder: Path) -> list[str]:
    """Return the names in a folder, in order; none if it does not exist."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _firsts(place: Path) -> list[int]:
    return [first for name in _names(place) if (first := first_of(name)) is not None]


def _read_file(path: Path, most: int) -> bytes | None:
    """Return a regular file's bytes, none of them if it has more than `most`; None if there is no such file."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno in _NO_FILE:
            return None
        raise
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        return None
    with os.fdopen(fd, "rb") as file:
        data = file.read(most + 1)
    return data if len(data) <= most else b""


def _put(path: Path, data: bytes, *, of: tuple[str, int]) -> None:
    """Make the file `path` durable, or find the same bytes there; `of` names its place in a TakenError."""
    standing = _read_file(path, MOST_NOTE_BYTES)
    if standing is None:
        with _written_beside(path, data) as made:
            try:
                _link(made, path)
                return
            except FileExistsError:
                standing = _read_file(path, MOST_NOTE_BYTES) or b""
    if standing != data:
        raise TakenError(*of, standing)


def _link(made: Path, path: Path) -> None:
    """Give the file `made` the name `path` as well, but never replace another."""
    try:
        path.hardlink_to(made)
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        # FAT and the like: of two senders in the same instant the later wins, and the other finds it at the next sync.
        if os.path.lexists(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from None
        made.rename(path)


@contextlib.contextmanager
def _written_beside(path: Path, data: bytes) -> Iterator[Path]:
    """Yield a durable file with these bytes beside `path`; remove its name in the end."""
    made = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    fd = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(fd)
        yield made
    finally:
        made.unlink(missing_ok=True)


def _replace(path: Path, data: bytes) -> None:
    """Make a file with these bytes durable in place of another."""
    with _written_beside(path, data) as made:
        made.replace(path)
    _sync_directory(path.parent)


def _left_behind(place: Path, seq: int) -> Iterator[Path]:
    """Yield what senders who died left of segments that may hold a line."""
    for path in place.glob(".*.tmp"):
        first = first_of(path.name[1:].partition(".jsonl")[0] + ".jsonl")
        if first is not None and first <= seq < first + MOST_LINES:
            yield path


def _sync_directory(path: Path) -> None:
    """Make the names in a directory durable."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
