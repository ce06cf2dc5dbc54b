"""Whether a document came with git: a checkout, a pull, a stash; then nobody typed what is missing from it.

Implements specs/editing.md (D-14). Asks git itself, which runs nothing of the repository for it.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

_PATIENCE = 5.0
_SHA1_DIGITS = 40


def is_committed(folder: Path, path: str, data: bytes) -> bool:
    """Say whether `data` is what git has in its index for the document at `path` in `folder`.

    False where git, or a repository, is not there.
    """
    command = [
        "git",
        "-c",
        "core.fsmonitor=false",
        "-C",
        str(folder),
        "ls-files",
        "--stage",
        "-z",
        "--",
        path,
    ]
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
            env=environment,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    known = {entry.split()[1].decode() for entry in done.stdout.split(b"\0") if entry.count(b" ") >= 2}
    return any(_blob(data, name) == name for name in known)


def _blob(data: bytes, like: str) -> str:
    """Return git's name of a file with these bytes, of the kind that `like` is."""
    digest = hashlib.sha1(usedforsecurity=False) if len(like) == _SHA1_DIGITS else hashlib.sha256()
    digest.update(b"blob %d\0" % len(data) + data)
    return digest.hexdigest()
