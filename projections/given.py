"""Which files a ledger gave away: every export, backup and proof that one of its commands wrote.

Implements specs/erasure.md (Z-9). Kept in local.db as facts: path, what it is, and the digest of what was written.
"""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import orjson
from blake3 import blake3

from ledger.errors import StorageError
from projections.local import Local

EXPORT, BACKUP, PROOF = "export", "backup", "proof"
_GIVEN = "given "
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Given:
    """A file that was given away: `unchanged` where it stands with the very bytes that were written."""

    path: Path
    kind: str
    unchanged: bool


def note_given(local: Local, path: Path, kind: str) -> None:
    """Note that a file was written for somebody else; what cannot be noted is not."""
    with suppress(sqlite3.Error, StorageError, OSError):
        value = orjson.dumps({"kind": kind, "digest": _digest(path)}).decode()
        local.note(f"{_GIVEN}{path.absolute()}", value)


def given(local: Local) -> list[Given]:
    """Return the files that were given away and still stand, by path."""
    found = []
    for name, value in local.facts(_GIVEN):
        path = Path(name.removeprefix(_GIVEN))
        known = orjson.loads(value)
        if path.is_file():
            try:
                unchanged = _digest(path) == known["digest"]
            except OSError:
                unchanged = False
            found.append(Given(path, str(known["kind"]), unchanged))
    return found


def _digest(path: Path) -> str:
    digest = blake3()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
