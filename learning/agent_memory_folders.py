"""Where Claude Code keeps its own memory of a folder's project.

Implements specs/doors.md (G-66). Looks at names alone.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ledger.lazy_pattern import lazy_pattern
from ledger.location import git_common_directory, git_root

_SLUG = lazy_pattern(r"[^A-Za-z0-9]")


def claude_memory(start: Path) -> Path | None:
    """Return the folder of Claude Code's memory of the project that `start` lies in, None where there is none.

    A repository's worktrees share that of its main one.
    """
    named = os.environ.get("CLAUDE_CONFIG_DIR")
    projects = (Path(named).expanduser() if named else Path.home() / ".claude") / "projects"
    found = (projects / _SLUG.sub("-", str(root)) / "memory" for root in _roots(start))
    return next((folder for folder in found if folder.is_dir()), None)


def _roots(start: Path) -> Iterator[Path]:
    start = Path(os.path.realpath(start))
    top = git_root(start)
    common = git_common_directory(top) if top is not None else None
    if common is not None and common.name == ".git":
        yield common.parent
    if top is not None:
        yield top
    yield start
