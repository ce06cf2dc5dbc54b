"""Puts a host's door into its files, and takes it out: what would change, the diff, the backup, the writing.

Implements specs/doors.md (G-20, G-21). Everything is planned before anything is written, so that what is refused
leaves all files as they are.
"""

from __future__ import annotations

import contextlib
import difflib
import itertools
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.install.host import Host, HostFile, InstallPlace, UnreadableError
from ledger.durable import open_file, storage_error, temporary, write_all
from ledger.errors import RecordError, StateError, UsageError

BACKUP = ".muniment-backup"
"""The suffix of a file's previous copy; further copies add a number."""

_MOST = 16 << 20
_MODE = 0o644


@dataclass(frozen=True, slots=True)
class FileChange:
    """What becomes of one file: its bytes before and after, None if there is none."""

    path: Path
    before: bytes | None
    after: bytes | None
    spent: bool = False
    """Whether the backup beside it says now what the file itself says, and goes."""
    kept: bool = True
    """Whether a copy of the previous file is made, if there is none."""
    loses: bool = False
    """Whether a person's words may go with it, so that a copy of these very bytes is made, whatever is kept already."""
    within: Path | None = None
    """The outermost folder that goes with a removed file where it is left empty."""

    @property
    def did(self) -> str:
        """What is done: written, removed, or nothing (unchanged)."""
        if self.before == self.after:
            return "unchanged"
        return "removed" if self.after is None else "written"

    def diff(self) -> Iterator[str]:
        """Yield the lines of a unified diff; a carriage return before a line's end is shown as ^M."""
        old, new = (
            (data or b"").decode("utf-8", "backslashreplace").replace("\r\n", "^M\n").split("\n")
            for data in (self.before, self.after)
        )
        was, becomes = ("/dev/null" if data is None else str(self.path) for data in (self.before, self.after))
        yield from difflib.unified_diff(old, new, was, becomes, lineterm="")


def installing(host: Host, place: InstallPlace) -> list[FileChange]:
    """Return what `install` changes, the unchanged files too.

    Raises:
        UsageError: the host has no such scope.
        RecordError: a file is not what it must be; names it, with its line.
    """
    changes = []
    for part in _parts(host, place):
        before = _read(part.path)
        with _named(part.path):
            after = part.put(before)
            loses = after is not None and part.take(after) != before and _has_words(part, before, after)
        changes.append(FileChange(part.path, before, after, loses=loses))
    return changes


def uninstalling(host: Host, place: InstallPlace) -> list[FileChange]:
    """Return what `uninstall` changes: what `install` put in, goes, and nothing else.

    Where a file is just as `install` left it, it becomes what it was before, byte for byte, by the backup. A copy of
    what it was until now is made only where a person's words may go with it.

    Raises:
        UsageError, RecordError: as by `installing`.
    """
    return [_taking(part, _read(part.path)) for part in _parts(host, place)]


def _taking(part: HostFile, before: bytes | None) -> FileChange:
    if before is None:
        return FileChange(part.path, None, None)
    kept = _read(backup_of(part.path))
    with _named(part.path):
        after = part.take(before)
        if kept is not None and _installs_as(part, kept, before):
            after = kept
        loses = _has_words(part, before, part.put(after))
    is_spent = kept is not None and kept == after
    return FileChange(part.path, before, after, is_spent, kept=False, loses=loses, within=part.within)


def _has_words(part: HostFile, before: bytes | None, ours: bytes | None) -> bool:
    """Return whether a file may have a person's words: it is not what we put there, whichever program that names."""
    return not part.by_command and part.unnamed(before or b"") != part.unnamed(ours or b"")


def _installs_as(part: HostFile, kept: bytes, now: bytes) -> bool:
    try:
        return part.take(kept) == kept and part.put(kept) == now
    except UnreadableError:
        return False


def apply(change: FileChange) -> Path | None:
    """Write one change: a copy of the previous file if there is none, then the file in one rename that keeps its mode.

    A link is written through. Returns the copy that has the words that may go with it, None if none go.

    Raises:
        StateError: the file changed since it was read.
        StorageError: the disk refused; the file is as it was.
    """
    copy = None
    if change.before != change.after:
        target = Path(os.path.realpath(change.path))
        try:
            if _read(change.path) != change.before:
                raise StateError(f"{change.path} was changed meanwhile, and left as it is: run it again")
            if change.kept or change.loses:
                copy = _keep(change, target)
            if change.after is None:
                target.unlink()  # a link to it was there before: install makes none (G-27)
                _tidy(change)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                _replace(target, change.after, target)
        except OSError as error:
            raise storage_error(error, "writing", change.path, left="the file is as it was") from error
    if change.spent:
        with contextlib.suppress(OSError):
            backup_of(change.path).unlink()
    return copy if change.loses else None


def backup_of(path: Path, number: int = 1) -> Path:
    """Return the path of the copy of a file's previous bytes; only those after the first have a number."""
    return path.with_name(path.name + BACKUP + (f"-{number}" if number > 1 else ""))


def _keep(change: FileChange, target: Path) -> Path | None:
    """Keep the previous bytes with the file's mode, if none are kept yet; always if words may be lost."""
    if change.before is None:
        return None
    for backup in (backup_of(change.path, number) for number in itertools.count(1)):
        if not os.path.lexists(backup):
            _replace(backup, change.before, target)
            return backup
        if not change.loses or _read(backup) == change.before:
            return backup
    return None


def _replace(path: Path, data: bytes, like: Path) -> None:
    """Put `data` in the place of `path` in one rename, durably, with the mode of the file `like`, if there is one."""
    mode = stat.S_IMODE(like.stat().st_mode) if like.exists() else None
    with temporary(path, _MODE if mode is None else 0o600) as (fd, made):
        write_all(fd, data)
        if mode is not None:
            os.fchmod(fd, mode)
        os.fsync(fd)
        made.replace(path)


def _tidy(change: FileChange) -> None:
    """Remove the folders that a removed file leaves empty, the outermost that may go the last."""
    folder = change.path.parent
    while change.within is not None and folder.is_relative_to(change.within):
        try:
            folder.rmdir()
        except OSError:
            return
        folder = folder.parent


def _parts(host: Host, place: InstallPlace) -> Sequence[HostFile]:
    if place.scope not in host.scopes:
        raise UsageError(f"{host.title} has no scope {place.scope!r}: use {' or '.join(host.scopes)}")
    return host.parts(place)


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    """Name the file in what is said of it."""
    try:
        yield
    except UnreadableError as error:
        raise RecordError(f"{path}, {error}; the file is left as it is") from None


def _read(path: Path) -> bytes | None:
    """Return a file's bytes; None if there is none. A pipe or device is refused, and never waited for."""
    try:
        with os.fdopen(open_file(path), "rb") as stream:
            data = stream.read(_MOST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror}; it is left as it is") from error
    if len(data) > _MOST:
        raise RecordError(f"{path} is larger than {_MOST >> 20} MiB; it is left as it is")
    return data
