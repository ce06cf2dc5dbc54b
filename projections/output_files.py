"""The files that a ledger gave away or is writing now: every export, backup and proof of its commands.

Implements specs/erasure.md (Z-9). Facts in local.db hold path, kind and the digest of the written bytes. A backup,
which is never changed, and a file that somebody changed have no digest.
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
    """A file that was given away: `unchanged` if it still has the bytes that were written."""

    path: Path
    kind: str
    unchanged: bool


@contextmanager
def giving(local: Local, path: Path, kind: str) -> Iterator[None]:
    """Note before and after that a file is written for somebody else; a failed note is skipped.

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
    """Note that a file was written for somebody else; a failed note is skipped."""
    with suppress(sqlite3.Error, StorageError, OSError):
        value = {"kind": kind, "digest": "" if kind == BACKUP else _digest(path)}
        local.note(f"{_GIVEN}{name_of(path.absolute())}", orjson.dumps(value).decode())


def given(local: Local) -> list[GivenFile]:
    """Return the files that were given away and still exist, by path."""
    found = []
    for name, value in local.facts(_GIVEN):
        path = path_of(name.removeprefix(_GIVEN))
        try:
            known = orjson.loads(value)
            kind, digest = str(known["kind"]), known["digest"]
        except (ValueError, TypeError, KeyError):
            kind, digest = EXPORT, ""  # unreadable: the file is named if it holds an erased text
        if path.is_file():
            try:
                unchanged = bool(digest) and _digest(path) == digest
            except OSError:
                unchanged = False
            found.append(GivenFile(path, kind, unchanged))
    return found


def forget_changed(local: Local) -> None:
    """Forget the digests of changed or removed files: their texts could be guessed from these."""
    known = {each.path: each for each in given(local)}
    for name, _ in local.facts(_GIVEN):
        each = known.get(path_of(name.removeprefix(_GIVEN)))
        if each is None:
            local.note(name, "")
        elif not each.unchanged:
            local.note(name, orjson.dumps({"kind": each.kind, "digest": ""}).decode())


def sweep(local: Local) -> list[Path]:
    """Remove unfinished files of dead processes; return those that other processes are writing now."""
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
