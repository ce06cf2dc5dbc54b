"""Receipts: what others gave for a checkpoint, as files under `anchors/` and as `anchor` events.

Implements specs/anchors.md (W-2…W-4). A receipt is only found and bounded here; what it shows, proofs/evidence.py says.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ledger.durable import folder_within, replace_file, storage_error, write_new
from ledger.errors import FormatError, StorageError
from ledger.lazy_pattern import lazy_pattern
from proofs.checkpoint import Checkpoint

FOLDER = "anchors"
MAX_BYTES = 1 << 20
METHODS = MappingProxyType({"witness": ".checkpoint", "ots": ".ots", "rfc3161": ".tsr", "evm": ".evm.json"})
"""The anchors, each with what its files end in."""

_NUMBERED = lazy_pattern(r"-[1-9][0-9]{0,3}")


def digest(text: bytes) -> bytes:
    """Return what is anchored of a checkpoint: SHA-256 over its text (W-2)."""
    return hashlib.sha256(text).digest()


def anchor_payload(made: Checkpoint, method: str, name: str, where: str) -> dict[str, Any]:
    """Return what the `anchor` event says of a receipt `name` of a checkpoint, given at `where` (W-3), without its salt."""
    return {
        "method": method,
        "size": made.size,
        "root": base64.b64encode(made.root).decode(),
        "digest": digest(made.text()).hex(),
        "file": f"{FOLDER}/{name}",
        "where": where,
    }


@dataclass(frozen=True, slots=True)
class ReceiptFile:
    """A receipt's file: the anchor, the file's name, and its bytes; `fault` says why these could not be read."""

    method: str
    name: str
    data: bytes
    fault: str = ""


def path_of(checkpoint: Path, method: str, number: int = 1) -> Path:
    """Return where a receipt of the checkpoint at `checkpoint` lies."""
    return checkpoint.with_name(f"{checkpoint.stem}{f'-{number}' if number > 1 else ''}{METHODS[method]}")


def read(path: Path) -> bytes | None:
    """Return the bytes of a file under `anchors/`, None if there is none.

    Raises:
        FormatError: it is larger than a receipt, or no file.
        StorageError: the disk refused.
    """
    try:
        if path.is_symlink() or (path.exists() and not path.is_file()):
            raise FormatError("W-4", f"{path} is not a file", code="receipt-file")
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(f"cannot read {path}: {error.strerror}") from error
    if len(data) > MAX_BYTES:
        raise FormatError("W-4", f"{path} has more than {MAX_BYTES} bytes", code="receipt-file")
    return data


def beside(checkpoint: Path) -> Iterator[ReceiptFile]:
    """Yield the receipts of the checkpoint that is stored at `checkpoint`, that file first: cosignatures stand in it."""
    shared = checkpoint.stem
    for method, ending in METHODS.items():
        for path in sorted(checkpoint.parent.glob(f"{shared}*{ending}")):
            middle = path.name.removeprefix(shared).removesuffix(ending)
            if not middle or (method != "witness" and _NUMBERED.fullmatch(middle)):
                try:
                    yield ReceiptFile(method, path.name, read(path) or b"")
                except (FormatError, StorageError) as error:
                    yield ReceiptFile(method, path.name, b"", str(error))


def put(checkpoint: Path, method: str, data: bytes) -> Path:
    """Store one more receipt beside a checkpoint and return where.

    Raises:
        StorageError: the disk refused.
    """
    number = 1
    while True:
        path = path_of(checkpoint, method, number)
        try:
            folder_within(path.parent)
            write_new(path, data, 0o600)
            return path
        except FileExistsError:
            number += 1
        except OSError as error:
            raise storage_error(error, "storing", path, left="it is not stored") from error


def replace(path: Path, data: bytes) -> None:
    """Put `data` in the place of a file under `anchors/`, or make it. Raises StorageError."""
    try:
        folder_within(path.parent)
        replace_file(path, data, 0o600)
    except OSError as error:
        raise storage_error(error, "storing", path, left="it is not stored") from error
