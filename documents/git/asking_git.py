"""Asks git of the repository that holds a folder of documents: whether it tracks one, what it is in the middle of.

Implements specs/editing.md (D-26). Asks git itself, which runs nothing of the repository for it; what is asked at every
rendering is read from files.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Collection
from pathlib import Path

_PATIENCE = 10.0
_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisect",
}
_ELSEWHERE = frozenset(
    {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"}
)
"""Variables that send git to another repository than the one that holds the folder."""


class NoAnswerError(Exception):
    """Git is not there, did not answer in time, or refuses this repository."""


def is_tracked(folder: Path, path: str) -> bool:
    """Say whether git tracks the document at `path` in `folder`; True where a repository is and git does not say."""
    try:
        return tracks(folder, path)
    except NoAnswerError:
        return True


def tracks(folder: Path, path: str) -> bool:
    """Say whether git tracks the document at `path` in `folder`.

    Raises:
        NoAnswerError: there is a repository, and git does not say.
    """
    if git_directory(folder) is None:
        return False
    code, _ = asked(folder, "ls-files", "--error-unmatch", "--", path)
    if code not in (0, 1):
        raise NoAnswerError("git refuses this repository: git status says why; the log goes on meanwhile")
    return code == 0


def is_committed(folder: Path, path: str) -> bool:
    """Say whether git tracks a document and HEAD has it.

    Raises:
        NoAnswerError: there is a repository, and git does not say.
    """
    return tracks(folder, path) and git(folder, "cat-file", "-e", f"HEAD:./{path}") is not None


def own_address(folder: Path) -> str:
    """Return the address of this user as git has it there, "" if unknown."""
    return said_by(git(folder, "config", "--get", "user.email") or b"").strip()


def under_way(folder: Path) -> str:
    """Return what git is in the middle of in the work tree that holds `folder` ("a merge"), "" where in nothing."""
    directory = git_directory(folder)
    if directory is None:
        return ""
    return next((what for name, what in _UNDER_WAY.items() if (directory / name).exists()), "")


def git_directory(folder: Path) -> Path | None:
    """Return the directory in which git keeps the state of a work tree, None outside of any."""
    for parent in (folder, *folder.parents):
        if not os.path.lexists(f"{parent}{os.sep}.git"):
            continue
        entry = parent / ".git"
        try:
            if entry.is_dir():
                return entry
            if entry.is_file():  # a worktree or a submodule
                named = entry.read_text("utf-8", "replace").removeprefix("gitdir:").strip()
                return parent / named
        except OSError:
            return None
    return None


def bytes_named(folder: Path, names: Collection[str]) -> dict[str, bytes]:
    """Return the bytes that git has under these names."""
    answer = git(folder, "cat-file", "--batch", given="".join(f"{name}\n" for name in names).encode()) or b""
    found: dict[str, bytes] = {}
    at = 0
    for name in names:
        end = answer.find(b"\n", at)
        told = answer[at:end].split(b" ")
        at = end + 1
        if len(told) == 3 and told[1] == b"blob":
            found[name] = answer[at : at + int(told[2])]
            at += int(told[2]) + 1
    return found


def said_by(answer: bytes) -> str:
    """Return an answer of git's as text."""
    return answer.decode("utf-8", "replace")


def git(folder: Path, *arguments: str, given: bytes = b"") -> bytes | None:
    """Return what git answers, None where it refuses, is not there or takes too long."""
    try:
        code, answer = asked(folder, *arguments, given=given)
    except NoAnswerError:
        return None
    return answer if code == 0 else None


def asked(folder: Path, *arguments: str, given: bytes = b"") -> tuple[int, bytes]:
    """Return git's exit code and what it answers.

    Raises:
        NoAnswerError: it is not there, or takes too long.
    """
    command = ["git", "-c", "core.fsmonitor=false", "-C", str(folder), *arguments]
    environment = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=_PATIENCE, check=False, env=environment, input=given
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise NoAnswerError(f"git does not answer ({error}); the log goes on meanwhile") from None
    return done.returncode, done.stdout
