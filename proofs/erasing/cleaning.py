"""Takes a text out of one file, in the way that is right for what the file is; what is left is for the caller to see.

Implements specs/erasure.md (Z-10…Z-14). Each works on the bytes of one file, in place or in one rename, and may be cut
short at any moment: done again it comes to the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from ledger.durable import replace_file, sync_directory
from ledger.errors import FormatError
from ledger.event import blanked, event_id, is_blanked, split_line
from projections import copy_places
from projections.vectors.vector_store import VectorStore
from proofs import proof as proofs
from proofs.erasing.residue import WHOLE, Residue

_PAYLOAD = b',"payload":'


class Gone(NamedTuple):
    """What is erased: how its texts show themselves, and the ids of its events."""

    residue: Residue
    ids: Collection[str]


def clean(way: str, path: Path, gone: Gone) -> None:
    """Take out of the file at `path` what holds all of a line that is erased.

    Args:
        way: how, one of those of `projections.copy_places`.
        path: the file.
        gone: what is erased.

    Raises:
        OSError, ValueError: it could not be done, or not wholly.
    """
    _WAYS[way](path, gone)


def names(way: str, path: Path, ids: Collection[str]) -> bool:
    """Return whether a file has an erased event or a row of one, even if others say the same (Z-5), or may remember it."""
    if way == copy_places.EXPORT:
        data = path.read_bytes()
        return any(id_.encode() in data for id_ in ids)
    if way == copy_places.PROOF:
        proof = proofs.parse(path.read_bytes())
        return proof.payload is not None and event_id(proof.event.head) in ids
    if way == copy_places.BOOKKEEPING:
        return True
    if way == copy_places.VECTORS:
        return VectorStore(path.parent).holds(ids)
    return way == copy_places.EVENTS and any(_is_of(raw, ids) for raw in path.read_bytes().splitlines())


def _is_of(raw: bytes, ids: Collection[str]) -> bool:
    try:
        parts = split_line(raw)
    except FormatError:
        return False
    return parts.payload is not None and not is_blanked(parts.payload) and event_id(parts.head) in ids


def said_in(path: Path, residue: Residue) -> str:
    """Return what a file of event lines says: of a line that is an event its payload counts, of another one all of it."""
    found = ""
    for raw in path.read_bytes().splitlines():
        try:
            held = residue.look(split_line(raw).payload or b"")
        except FormatError:
            held = residue.look(raw, cut=True)
        if held == WHOLE:
            return held
        found = found or held
    return found


def _events(path: Path, gone: Gone) -> None:
    """Blank the payloads of event lines, and what a line that is cut off or broken says (Z-10)."""
    mode = path.stat().st_mode & 0o777
    path.chmod(mode | 0o600)
    try:
        fd = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        try:
            at = 0
            for line in path.read_bytes().splitlines(keepends=True):
                raw = line.rstrip(b"\n")
                start, data = _blank_of(raw, gone)
                if data:
                    os.pwrite(fd, data, at + start)
                at += len(line)
            os.fsync(fd)
        finally:
            os.close(fd)
    finally:
        path.chmod(mode)


def _blank_of(raw: bytes, gone: Gone) -> tuple[int, bytes]:
    """Return from which byte on a line is overwritten, and by what; b"" if it is not."""
    try:
        parts = split_line(raw)
    except FormatError:
        if not gone.residue.look(raw, cut=True):
            return 0, b""
        start = max(raw.find(_PAYLOAD), 0)
        return start, b" " * (len(raw) - start)
    if parts.payload is None or not (_is_of(raw, gone.ids) or gone.residue.look(parts.payload) == WHOLE):
        return 0, b""
    blank = blanked(len(parts.payload))
    return len(raw) - 1 - len(blank), blank


def _texts(path: Path, gone: Gone) -> None:
    """Empty every string of a JSON file that contains it; the rest of the file stays (Z-8)."""
    replace_file(path, orjson.dumps(_without(orjson.loads(path.read_bytes()), gone.residue)), 0o600)


def _without(value: Any, residue: Residue) -> Any:
    if isinstance(value, str):
        return "" if residue.look(value.encode("utf-8", "surrogatepass")) else value
    if isinstance(value, list):
        return [_without(each, residue) for each in value]
    if isinstance(value, dict):
        return {name: _without(each, residue) for name, each in value.items()}
    return value


def _whole(path: Path, _: Gone) -> None:
    """Delete the file: half of a waiting item is useless (Z-8)."""
    path.read_bytes()  # what cannot be read may hold something else: it stays, and is named
    path.unlink()
    sync_directory(path.parent)


def _lines(path: Path, gone: Gone) -> None:
    """Take the lines out that say it; where it spans lines, every line of the file (Z-8)."""
    lines = path.read_bytes().splitlines(keepends=True)
    kept = b"".join(line for line in lines if gone.residue.look(line) != WHOLE)
    replace_file(path, b"" if gone.residue.look(kept) == WHOLE else kept, path.stat().st_mode & 0o777)


def _export(path: Path, gone: Gone) -> None:
    """Take the rows of erased memories out of an export that is as it was written (Z-14)."""
    data = path.read_bytes()
    kept = b"".join(line for line in data.splitlines(keepends=True) if not _goes(orjson.loads(line), gone))
    replace_file(path, kept, path.stat().st_mode & 0o777)


def _proof(path: Path, _: Gone) -> None:
    """Leave the text out of a proof: it still shows that the event was there (Z-14)."""
    proof = replace(proofs.parse(path.read_bytes()), payload=None)
    replace_file(path, proof.encode(), path.stat().st_mode & 0o777)


def _vectors(path: Path, gone: Gone) -> None:
    """Take the vectors of erased memories out (Z-34)."""
    VectorStore(path.parent).remove(gone.ids)


def _goes(row: Mapping[str, Any], gone: Gone) -> bool:
    return row["id"] in gone.ids or gone.residue.look(orjson.dumps(dict(row))) == WHOLE


_WAYS: Mapping[str, Callable[[Path, Gone], None]] = MappingProxyType(
    {
        copy_places.EVENTS: _events,
        copy_places.TEXTS: _texts,
        copy_places.WHOLE: _whole,
        copy_places.BOOKKEEPING: _whole,
        copy_places.LINES: _lines,
        copy_places.EXPORT: _export,
        copy_places.PROOF: _proof,
        copy_places.VECTORS: _vectors,
    }
)
