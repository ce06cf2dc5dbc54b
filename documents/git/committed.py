"""What git's history has of documents: their versions, and what commits did to them.

Implements specs/editing.md (D-38, D-45, D-52).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from documents.git.asking_git import bytes_named, git, git_directory, is_tracked, said_by
from documents.git.checked_out import object_name


class Author(NamedTuple):
    """Who wrote a commit, as the commit says: anybody can write any name there."""

    name: str
    email: str

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>" if self.email else self.name


class Version(NamedTuple):
    """A commit that touched a document: who made it, and the document's bytes in it.

    `merges` tells of one that joins histories; `aside` of one that came in by such a one; `at` is when it was written,
    in seconds since 1970, as the commit says.
    """

    author: Author
    data: bytes
    merges: bool = False
    aside: bool = False
    at: int = 0


def is_version(folder: Path, path: str, data: bytes, most: int = 64) -> bool:
    """Say whether one of the newest commits that touched a document, of HEAD or any ref, has these bytes (D-45)."""
    name = object_name(folder, path, data) if git_directory(folder) is not None else ""
    if not name:
        return False
    said = git(folder, "log", "--all", "--full-history", f"-{most}", "--format=%H", "--", path) or b""
    wanted = b"".join(commit + b":./" + os.fsencode(path) + b"\n" for commit in said.split())
    answer = said_by(git(folder, "cat-file", "--batch-check", given=wanted) or b"")
    return any(line.startswith(f"{name} blob") for line in answer.splitlines())


def versions(folder: Path, path: str, most: int = 16, *, beside: bool = False) -> list[Version]:
    """Return the newest commits that touched the document, as of HEAD, the newest first; none where git is not.

    With `beside` those of all refs that HEAD does not have.
    """
    if git_directory(folder) is None:
        return []
    form = "--format=%H%x00%an%x00%ae%x00%P%x00%at"
    of = ("--all", "--not", "HEAD") if beside else ()
    said = git(folder, "log", "--full-history", f"-{most}", form, *of, "--", path) or b""
    straight = (git(folder, "log", "--first-parent", "-1000", "--format=%H") or b"").split()
    commits = [line.split(b"\0") for line in said.splitlines() if line.count(b"\0") == 4]
    had = bytes_named(folder, [f"{said_by(commit)}:./{path}" for commit, *_ in commits])
    return [
        Version(
            Author(said_by(name), said_by(email)),
            had.get(f"{said_by(commit)}:./{path}", b""),
            b" " in parents.strip(),
            commit not in straight,
            int(at),
        )
        for commit, name, email, parents, at in commits
    ]


class Change(NamedTuple):
    """What a commit did to the documents of a folder: the names of the bytes that it replaced and brought, by paths.

    `at` is when it was written, in seconds since 1970, as it says. One that joins histories is said to have done nothing.
    """

    commit: str
    at: int
    before: dict[str, str]
    after: dict[str, str]


def changes(folder: Path, below: Sequence[str], most: int, *, beside: bool = False) -> list[Change]:
    """Return what the newest commits did to files of a folder, as of HEAD, the newest first; none where git is not.

    Args:
        folder: where the files lie.
        below: their paths, or those of folders that hold them.
        most: so many commits that touched them.
        beside: ask those of all refs that HEAD does not have.
    """
    if git_directory(folder) is None:
        return []
    of = ("--all", "--not", "HEAD") if beside else ()
    form = ("--topo-order", "--full-history", "--raw", "--no-renames", "--no-abbrev", "--relative")
    said = git(folder, "log", *form, f"-{most}", "--format=%x00%H %at", *of, "--", *below) or b""
    found = []
    for each in said.split(b"\0")[1:]:
        head, *lines = each.splitlines()
        commit, at = head.split()
        change = Change(said_by(commit), int(at), {}, {})
        for told, path in (line.split(b"\t", 1) for line in lines if line.startswith(b":")):
            _, _, old, new, _ = said_by(told).split()
            for names, name in ((change.before, old), (change.after, new)):
                if name.strip("0"):
                    names[said_by(path)] = name
        found.append(change)
    return found


def log_of(folder: Path, below: Sequence[str]) -> bytes:
    """Return what HEAD's commits did to the lines of files, the oldest first, as `git log -p` says; b"" where it does not.

    Before each stand a zero byte, its name, when it was written (s since 1970), and its parents.
    """
    if git_directory(folder) is None:
        return b""
    form = ("--reverse", "--date-order", "--full-history", "-m", "-p", "-U0", "--no-renames", "--relative")
    plain = ("--text", "--no-color", "--no-ext-diff", "--no-textconv", "--format=%x00%H %at %P")
    return git(folder, "log", *form, *plain, "--", *below) or b""


def is_removed(folder: Path, path: str) -> bool:
    """Say whether a commit of HEAD's took a document away, and git was not told of it since."""
    if git_directory(folder) is None or is_tracked(folder, path):
        return False
    newest = changes(folder, [path], 1)
    return bool(newest) and path in newest[0].before and path not in newest[0].after


def files_at(folder: Path, commit: str, below: Sequence[str]) -> dict[str, str]:
    """Return the names of the bytes of the files of a folder in a commit, by their paths."""
    said = git(folder, "ls-tree", "-r", commit, "--", *below) or b""
    told = [line.split(b"\t", 1) for line in said.splitlines() if b"\t" in line]
    return {said_by(path): said_by(what).split()[2] for what, path in told}
