"""Files of one thing each, kept until it is dealt with: what the outbox and the waiting windows share.

Implements specs/capture.md (K-73, K-119). A file is named for its bytes, so that the same twice is one file, and synced
before it counts as kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson

from ledger.durable import open_file, private_folder, write_new

OUTBOX, WINDOWS = "outbox", "windows"
"""The folders of all outboxes and of all waiting windows in the state directory."""
MOST_BYTES = 1 << 20
"""So many bytes of a file are read."""


def path_of(folder: Path, data: bytes) -> Path:
    """Return where these bytes are kept."""
    return folder / f"{hashlib.sha256(data).hexdigest()[:32]}.json"


def put(folder: Path, data: bytes) -> Path:
    """Keep bytes durably, for their owner alone. Raises OSError where the disk refuses."""
    path = path_of(folder, data)
    private_folder(folder)
    with contextlib.suppress(FileExistsError):
        write_new(path, data)
    return path


def oldest_first(folder: Path) -> Iterator[Path]:
    """Give what lies there under the name of one that is kept; none where the folder cannot be read."""
    found = []
    try:
        for path in folder.glob("*.json"):
            with contextlib.suppress(FileNotFoundError):  # another process dealt with it
                found.append((path.lstat().st_mtime_ns, path))
    except OSError:
        return
    yield from (path for _, path in sorted(found))


def read(path: Path) -> Any:
    """Return the JSON value of a file; whatever else stands there in its place is not opened, or not believed.

    Raises:
        FileNotFoundError: it is gone.
        OSError: it cannot be read.
        ValueError: it is too long, or no JSON.
    """
    descriptor = open_file(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        status = os.fstat(descriptor)
        if status.st_size > MOST_BYTES:
            raise ValueError(f"it has more than {MOST_BYTES} bytes")
        return orjson.loads(os.read(descriptor, MOST_BYTES))
    finally:
        os.close(descriptor)


def why(error: Exception) -> str:
    """Return what an error of `read` says."""
    return (error.strerror if isinstance(error, OSError) else "") or str(error)


def done(path: Path) -> None:
    """Take away what was dealt with; where that cannot be done it is dealt with again, which is the same as once."""
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)
