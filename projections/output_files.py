"""Which files a ledger gave away, or is making just now: every export, backup and proof that one of its commands writes.

Implements specs/erasure.md (Z-9). Kept in local.db as facts: path, what it is, and the digest of what was written;
of a backup, which is never changed, and of a file that somebody changed, none.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import orjson
from blake3 import blake3

from ledger import durable
from ledger.errors import StorageError
from ledger.path_names import name_of, path_of
from projections.local import COMING, Local

EXPORT, BACKUP, PROOF = "export", "backup", "proof"
_GIVEN = "given "
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class GivenFile:
    """A file that was given away: `unchanged` where it stands with the very bytes that were written."""

    path: Path
    kind: str
    unchanged: bool


@contextmanager
def giving(local: Local, path: Path, kind: str) -> Iterator[None]:
    """Note that a file is being made for somebody else, and that it was; what cannot be noted is not.

    A process that dies meanwhile leaves bytes beside `path`; `sweep` finds them.
    """
    name = f"{COMING}{name_of(path.absolute())}"
    noted = suppress(sqlite3.Error, StorageError, OSError)
    with noted:
        sweep(local)
        local.note(name, kind)
    try:
        yield
        note_given(local, path, kind)
    finally:
        with noted:
            local.note(name, "")


def note_given(local: Local, path: Path, kind: str) -> None:
    """Note that a file was written for somebody else; what cannot be noted is not."""
    with suppress(sqlite3.Error, StorageError, OSError):
        value = {"kind": kind, "digest": "" if kind == BACKUP else _digest(path)}
        local.note(f"{_GIVEN}{name_of(path.absolute())}", orjson.dumps(value).decode())


def given(local: Local) -> list[GivenFile]:
    """Return the files that were given away and still stand, by path."""
    found = []
    for name, value in local.facts(_GIVEN):
        path = path_of(name.removeprefix(_GIVEN))
        try:
            known = orjson.loads(value)
            kind, digest = str(known["kind"]), known["digest"]
        except (ValueError, TypeError, KeyError):
            kind, digest = EXPORT, ""  # what nobody can read: it is named if it holds anything
        if path.is_file():
            try:
                unchanged = bool(digest) and _digest(path) == digest
            except OSError:
                unchanged = False
            found.append(GivenFile(path, kind, unchanged))
    return found


def forget_changed(local: Local) -> None:
    """Forget the digests of files that do not stand any more as they were written: what they said could be guessed."""
    known = {each.path: each for each in given(local)}
    for name, _ in local.facts(_GIVEN):
        each = known.get(path_of(name.removeprefix(_GIVEN)))
        if each is None:
            local.note(name, "")
        elif not each.unchanged:
            local.note(name, orjson.dumps({"kind": each.kind, "digest": ""}).decode())


def sweep(local: Local) -> list[Path]:
    """Remove what processes left that died while they made a file; return what others are making just now."""
    alive = []
    for name, _ in local.facts(COMING):
        path = path_of(name.removeprefix(COMING))
        making = durable.swept(path.parent, path.name)
        alive += making
        if not making:
            local.note(name, "")
    return alive


def _digest(path: Path) -> str:
    digest = blake3()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
