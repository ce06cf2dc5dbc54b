"""Reads git's history of documents: their versions, and the changes of commits.

Implements specs/editing.md (D-45, D-52).
"""

from __future__ import annotations

from collections.abc import Sequence

from documents.git.repository import Repository, text_of
from ledger.named_tuple import NamedTuple


class Author(NamedTuple):
    """The author that a commit names: anybody can write any name there."""

    name: str
    email: str

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>" if self.email else self.name


class CommittedVersion(NamedTuple):
    """A commit that touched a document: its name ("" if HEAD does not have it), its author, and the document's bytes in it.

    `blob` is git's name for these bytes, "" if the commit has no such file. `merges` is true for a merge; `at` is the
    time in the commit, in seconds since 1970.
    """

    commit: str
    author: Author
    data: bytes
    blob: str = ""
    merges: bool = False
    at: int = 0


MOST = 64
"""How many commits are searched for a document's bytes."""


def is_version(git: Repository, path: str, name: str) -> bool:
    """Return whether one of the newest commits of a document, in HEAD or any ref, has the bytes with this name (D-45)."""
    if not name or git.directory is None:
        return False
    if any(each.blob == name for each in versions(git, path)):
        return True
    said = git.answer("log", "--all", "--full-history", f"-{MOST}", "--format=%H", "--", path) or b""
    found = (git.object(f"{text_of(commit)}:./{path}") for commit in said.split())
    return any(each is not None and each.name == name for each in found)


def versions(git: Repository, path: str, most: int = MOST) -> list[CommittedVersion]:
    """Return the newest `most` commits of HEAD that touched the document, the newest first; none without git."""
    if git.directory is None:
        return []
    form = "--format=%H%x00%an%x00%ae%x00%P%x00%at"
    said = git.answer("log", "--full-history", f"-{MOST}", form, "--", path) or b""
    found = []
    for line in said.splitlines()[:most]:
        if line.count(b"\0") != 4:
            continue
        commit, name, email, parents, at = line.split(b"\0")
        author = Author(text_of(name), text_of(email))
        had = git.file(f"{text_of(commit)}:./{path}")
        data, blob = (had.data, had.name) if had is not None else (b"", "")
        merges = b" " in parents.strip()
        found.append(CommittedVersion(text_of(commit), author, data, blob, merges, int(at)))
    return found


def is_aside(git: Repository, version: CommittedVersion) -> bool:
    """Return whether a version came into HEAD's history by a merge."""
    straight = (git.answer("log", "--first-parent", "-1000", "--format=%H") or b"").split()
    return bool(version.commit) and version.commit.encode() not in straight


class CommitChange(NamedTuple):
    """The changes of a commit to the documents of a folder: git's names of the old and the new bytes, by path.

    `at` is the time in the commit, in seconds since 1970. A merge has no changes.
    """

    commit: str
    at: int
    before: dict[str, str]
    after: dict[str, str]


def changes(git: Repository, below: Sequence[str], most: int, *, beside: bool = False) -> list[CommitChange]:
    """Return the changes of the newest commits of HEAD to files of a folder, the newest first; none without git.

    Args:
        git: the repository of the folder.
        below: the paths of the files, or of folders with them.
        most: the number of commits.
        beside: read the commits of all refs that HEAD does not have, instead.
    """
    if git.directory is None:
        return []
    of = ("--all", "--not", "HEAD") if beside else ()
    form = ("--topo-order", "--full-history", "--raw", "--no-renames", "--no-abbrev", "--relative")
    said = git.answer("log", *form, f"-{most}", "--format=%x00%H %at", *of, "--", *below) or b""
    found = []
    for each in said.split(b"\0")[1:]:
        head, *lines = each.splitlines()
        commit, at = head.split()
        change = CommitChange(text_of(commit), int(at), {}, {})
        for told, path in (line.split(b"\t", 1) for line in lines if line.startswith(b":")):
            _, _, old, new, _ = text_of(told).split()
            for names, name in ((change.before, old), (change.after, new)):
                if name.strip("0"):
                    names[text_of(path)] = name
        found.append(change)
    return found


def log_of(git: Repository, below: Sequence[str]) -> bytes:
    """Return the output of `git log -p` for files in HEAD, the oldest commit first; b"" if git does not answer.

    Each commit begins with a zero byte, its name, its time (s since 1970), and its parents.
    """
    if git.directory is None:
        return b""
    form = ("--reverse", "--date-order", "--full-history", "-m", "-p", "-U0", "--no-renames", "--relative")
    plain = ("--text", "--no-color", "--no-ext-diff", "--no-textconv", "--format=%x00%H %at %P")
    return git.answer("log", *form, *plain, "--", *below) or b""


def is_removed(git: Repository, path: str) -> bool:
    """Return whether a commit of HEAD removed a document, and nobody added it to git's index since."""
    if git.directory is None or git.tracks(path):
        return False
    newest = changes(git, [path], 1)
    return bool(newest) and path in newest[0].before and path not in newest[0].after
