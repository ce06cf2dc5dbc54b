"""Decides from git's index and objects whether git wrote a document, and with which bytes.

Implements specs/editing.md (D-2, D-14, D-77).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from documents.git.repository import Blob, NoAnswerError, Repository, text_of
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

_STAGE = lazy_pattern(r"^[0-7]{6} ([0-9a-f]{40,64}) 0\t", re.MULTILINE)
_MTIME = lazy_pattern(r"^ *mtime: ([0-9]+):([0-9]+)$", re.MULTILINE)
_TIME = lazy_pattern(rb"^[0-9a-f]+ [0-9a-f]+ [^\n\t]*> ([0-9]+) [+-][0-9]{4}(?:\t|$)", re.MULTILINE)
_MOVED = lazy_pattern(r"@\{([0-9]+)\}")


def may_have_restored(git: Repository, path: str, data: bytes, changed: int) -> bool:
    """Return whether git may have restored an earlier version of a document (D-14).

    Git can only bring bytes that it has; for those in its index it knows when it wrote them.

    Args:
        git: the repository of its folder.
        path: its path in the folder.
        data: its bytes.
        changed: its time of change, in ns since 1970.
    """
    entry = _indexed(git, path)
    name = object_name(git, path, data) if entry else ""
    return entry is not None and bool(name) and (name != entry.name or _same_time(entry.changed, changed))


def has_touched(git: Repository, path: str, data: bytes, since: int) -> bool:
    """Return whether git may have written a document after an instant (ns since 1970), or has its bytes (D-2)."""
    entry = _indexed(git, path)
    if entry is None:
        return False
    changed = entry.changed or _written_at(git)
    return _may_be_after(changed, since) or bool(object_name(git, path, data))


def put_since(git: Repository, path: str, since: int) -> Iterator[Blob]:
    """Yield the versions of a document that git may have written after an instant (ns since 1970), the likelier first.

    These are the index's version if git wrote the document since, and HEAD's if HEAD moved since (D-77).
    """
    entry = _indexed(git, path) if _may_be_after(_written_at(git), since) else None
    if entry is None:
        return
    wrote = bool(entry.changed) and _may_be_after(entry.changed, since)
    if wrote and (found := git.file(entry.name)) is not None:
        yield found
    if _may_be_after(_moved_at(git) * 10**9, since) and (found := git.file(f"HEAD:./{path}")) is not None:
        yield found


def _moved_at(git: Repository) -> int:
    """Return when HEAD moved last, in seconds since 1970, from its reflog; 0 if it has none.

    The reflog has a line for each move, the newest last: `OLD NEW NAME <EMAIL> TIME ZONE`, a tab, and why.
    """
    if git.directory is None:
        return 0
    try:
        told = _TIME.findall((git.directory / "logs" / "HEAD").read_bytes())
    except OSError:  # git keeps it in another form, or keeps none
        said = text_of(git.answer("log", "-g", "-1", "--date=unix", "--format=%gd") or b"")
        return int(moved[1]) if (moved := _MOVED.search(said)) else 0
    return int(told[-1]) if told else 0


def _may_be_after(changed: int, since: int) -> bool:
    """Return whether a time may be after another; the first may be in whole seconds."""
    return changed + (0 if changed % 10**9 else 10**9 - 1) > since


def _written_at(git: Repository) -> int:
    """Return when git wrote its index last, in ns since 1970: files without a time there may be from then (D-2)."""
    directory = git.directory
    try:
        return (directory / "index").stat().st_mtime_ns if directory is not None else 0
    except OSError:
        return 0


class _Indexed(NamedTuple):
    """A file in git's index: the name of its bytes, and its time of change (ns since 1970)."""

    name: str
    changed: int


def _indexed(git: Repository, path: str) -> _Indexed | None:
    try:
        said = git.index_entry(path)
    except NoAnswerError:
        return None
    name, time = _STAGE.search(said), _MTIME.search(said)
    return _Indexed(name[1], int(time[1]) * 10**9 + int(time[2])) if name and time else None


def object_name(git: Repository, path: str, data: bytes) -> str:
    """Return the name under which git has these bytes, "" if it does not have them."""
    name = text_of(git.answer("hash-object", "--stdin", "--path", path, given=data) or b"").strip()
    return name if name and git.object(name) is not None else ""


def _same_time(one: int, other: int) -> bool:
    """Compare two times; the first may be in whole seconds."""
    return one == (other if one % 10**9 else other - other % 10**9)
