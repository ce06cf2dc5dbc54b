"""What git knows of a document: whether it has it in its hands, what it is in the middle of, who wrote which line.

Implements specs/editing.md (D-14, D-23, D-26). Asks git itself, which runs nothing of the repository for it; what is asked
at every rendering is read from files.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

_PATIENCE = 10.0
_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisect",
}
_STAGE = re.compile(r"^[0-7]{6} ([0-9a-f]{40,64}) 0\t", re.MULTILINE)
_MTIME = re.compile(r"^ *mtime: ([0-9]+):([0-9]+)$", re.MULTILINE)
_HEADER = re.compile(rb"([0-9a-f]{40,64}) [0-9]+ ([0-9]+)(?: [0-9]+)?")


class Author(NamedTuple):
    """Who wrote a commit, as the commit says: anybody can write any name there."""

    name: str
    email: str

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>"


@dataclass(frozen=True, slots=True)
class Lines:
    """Who wrote the lines of a document (from 1): authors with the times (s) of their commits.

    Lines that no commit has are missing. `last` is the author of the newest commit that touched the document;
    `committed` its bytes as of HEAD, `before` those that this commit changed; `email` the address of this user
    there, "" if unknown.
    """

    last: Author
    committed: bytes
    before: bytes
    email: str
    by_line: Mapping[int, tuple[int, Author]] = field(default_factory=dict)

    def latest(self, lines: Iterable[int]) -> Author | None:
        """Return who wrote last on any of these lines; None where one of them is in no commit yet."""
        found = [self.by_line.get(line) for line in lines]
        commits = [each for each in found if each is not None]
        return max(commits)[1] if commits and len(commits) == len(found) else None


def is_tracked(folder: Path, path: str) -> bool:
    """Say whether git tracks the document at `path` in `folder`; False where git, or a repository, is not there."""
    try:
        return _git(folder, "ls-files", "--error-unmatch", "--", path) is not None
    except subprocess.SubprocessError:
        return False


def may_have_restored(folder: Path, path: str, data: bytes, changed: int) -> bool:
    """Say whether git may have put an earlier version of a document where it is now (D-14).

    It can only bring bytes that it has; of those in its index it knows when it wrote them.

    Args:
        folder: where the document lies.
        path: its path in it.
        data: its bytes.
        changed: its time of change, in ns since 1970.
    """
    entry = _indexed(folder, path)
    name = _object(folder, path, data) if entry else ""
    return entry is not None and bool(name) and (name != entry.name or _same_time(entry.changed, changed))


def has_touched(folder: Path, path: str, data: bytes, since: int) -> bool:
    """Say whether git may have written a document after an instant (ns since 1970), or knows its bytes (D-2)."""
    entry = _indexed(folder, path)
    if entry is None:
        return False
    return entry.changed + (0 if entry.changed % 10**9 else 10**9 - 1) > since or bool(
        _object(folder, path, data)
    )


def versions(folder: Path, path: str, most: int = 16) -> list[bytes]:
    """Return the bytes of the document in the newest commits that touched it, as of HEAD, the newest first."""
    try:
        commits = (_git(folder, "log", f"-{most}", "--format=%H", "--", path) or b"").split()
        wanted = b"".join(commit + b":./" + os.fsencode(path) + b"\n" for commit in commits)
        answer = _git(folder, "cat-file", "--batch", given=wanted) or b""
    except subprocess.SubprocessError:
        return []
    found: list[bytes] = []
    at = 0
    while (end := answer.find(b"\n", at)) >= 0:
        said = answer[at:end].split(b" ")
        at = end + 1
        if len(said) == 3 and said[1] == b"blob":
            found.append(answer[at : at + int(said[2])])
            at += int(said[2]) + 1
    return found


class _Indexed(NamedTuple):
    """What git's index has of a file: the name of its bytes, when the file was changed (ns since 1970)."""

    name: str
    changed: int


def _indexed(folder: Path, path: str) -> _Indexed | None:
    try:
        said = (_git(folder, "ls-files", "--stage", "--debug", "--", path) or b"").decode("utf-8", "replace")
    except subprocess.SubprocessError:
        return None
    name, time = _STAGE.search(said), _MTIME.search(said)
    return _Indexed(name[1], int(time[1]) * 10**9 + int(time[2])) if name and time else None


def _object(folder: Path, path: str, data: bytes) -> str:
    """Return the name under which git has these bytes, "" where it does not have them."""
    try:
        name = (_git(folder, "hash-object", "--stdin", "--path", path, given=data) or b"").decode().strip()
        return name if name and _git(folder, "cat-file", "-e", name) is not None else ""
    except subprocess.SubprocessError:
        return ""


def _same_time(one: int, other: int) -> bool:
    """Compare two times, of which the first may be in whole seconds."""
    return one == (other if one % 10**9 else other - other % 10**9)


def under_way(folder: Path) -> str:
    """Return what git is in the middle of in the work tree that holds `folder` ("a merge"), "" where in nothing."""
    directory = _git_directory(folder)
    if directory is None:
        return ""
    return next((what for name, what in _UNDER_WAY.items() if (directory / name).exists()), "")


def _git_directory(folder: Path) -> Path | None:
    """Return the directory in which git keeps the state of a work tree, None outside of any."""
    for parent in (folder, *folder.parents):
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


def lines_of(folder: Path, path: str, data: bytes) -> Lines | None:
    """Return who wrote the lines of a document that holds `data`; None where git has no commit of it.

    Raises:
        subprocess.SubprocessError: git did not answer in time.
    """
    committed = _git(folder, "cat-file", "blob", f"HEAD:./{path}")
    if committed is None:
        return None
    said = _git(folder, "log", "-1", "--format=%H%x00%an%x00%ae", "--", path) or b""
    commit, name, email = (*said.decode("utf-8", "replace").strip().split("\0"), "", "", "")[:3]
    before = _git(folder, "cat-file", "blob", f"{commit}^:./{path}") or b""
    own = (_git(folder, "config", "--get", "user.email") or b"").decode("utf-8", "replace").strip()
    blamed = _git(folder, "blame", "--porcelain", "--contents", "-", "--", path, given=data) or b""
    return Lines(Author(name, email), committed, before, own, _by_line(blamed))


def _by_line(porcelain: bytes) -> dict[int, tuple[int, Author]]:
    """Read what `git blame --porcelain` says; a line that is in no commit has an id of zeros."""
    authors: dict[bytes, tuple[int, Author]] = {}
    by_line: dict[int, tuple[int, Author]] = {}
    commit, number, said = b"", 0, dict[bytes, str]()
    for line in porcelain.split(b"\n"):
        if line.startswith(b"\t"):
            if said:
                author = Author(said.get(b"author", ""), said.get(b"author-mail", "").strip("<>"))
                authors[commit] = (int(said.get(b"committer-time", "0")), author)
            if commit.strip(b"0"):
                by_line[number] = authors[commit]
            said = {}
        elif header := _HEADER.fullmatch(line):
            commit, number = header[1], int(header[2])
        else:
            name, _, value = line.partition(b" ")
            said[name] = value.decode("utf-8", "replace")
    return by_line


def _git(folder: Path, *arguments: str, given: bytes = b"") -> bytes | None:
    """Return what git answers, None where it refuses or is not there."""
    command = ["git", "-c", "core.fsmonitor=false", "-C", str(folder), *arguments]
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=_PATIENCE, check=False, env=environment, input=given
        )
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
