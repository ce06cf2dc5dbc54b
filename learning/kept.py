"""Files of one thing each, kept until it is dealt with: what the outbox and the waiting windows share.

Implements specs/capture.md (K-73, K-119). A file is named for its bytes, so that the same twice is one file, and synced
before it counts as kept.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from pathlib import Path

from ledger.durable import private_folder, write_new

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
    """Give the files that are kept; none where the folder cannot be read."""
    try:
        found = sorted((path.stat().st_mtime_ns, path) for path in folder.glob("*.json"))
    except OSError:
        return
    yield from (path for _, path in found)
