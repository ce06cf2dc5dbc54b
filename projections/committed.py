"""Whether git has a document in its hands: then a checkout, a pull or a stash may bring earlier bytes of it back.

Implements specs/editing.md (D-14). Asks git itself, which runs nothing of the repository for it.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

_PATIENCE = 5.0


def is_tracked(folder: Path, path: str) -> bool:
    """Say whether git tracks the document at `path` in `folder`; False where git, or a repository, is not there."""
    command = [
        "git",
        "-c",
        "core.fsmonitor=false",
        "-C",
        str(folder),
        "ls-files",
        "--error-unmatch",
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
    return done.returncode == 0
