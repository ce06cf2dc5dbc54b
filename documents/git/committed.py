"""What git's history has of documents: their versions, and what commits did to them.

Implements specs/editing.md (D-45, D-52).
"""

from __future__ import annotations

from collections.abc import Sequence

from documents.git.repository import Repository, text_of
from ledger.named_tuple import NamedTuple


class Author(NamedTuple):
    """Who wrote a commit, as the commit says: anybody can write any name there."""

    name: str
    email: str

    def __str__(self) -> str:
        return f"{self.name} <{self.email}>" if self.email else self.name


class CommittedVersion(NamedTuple):
    """A commit that touched a document: its name ("" if it is not one of HEAD's), who made it, and the document's bytes in it.

    `blob` is git's name for these bytes, "" if the commit has no such file. `merges` tells of one that joins histories;
    `at` is when it was written, in seconds since 1970, as the commit says.
    """

    commit: str
    author: Author
    data: bytes
    blob: str = ""
    merges: bool = False
    at: int = 0


MOST = 64
"""So many commits of a document are asked for its bytes."""


def is_version(git: Repository, path: str, name: str) -> bool:
    """Return whether one of the newest commits that touched a document, of HEAD or any ref, has the bytes of this name (D-45)."""
    if not name or git.directory is None:
        return False
    if any(each.blob == name for each in versions(git, path)):
        return True
    said = git.answer("log", "--all", "--full-history", f"-{MOST}", "--format=%H", "--", path) or b""
    found = (git.object(f"{text_of(commit)}:./{path}") for commit in said.split())
    return any(each is not None and each.name == name for each in found)


def versions(git: Repository, path: str, most: int = MOST) -> list[CommittedVersion]:
    """Return the newest `most` commits that touched the document, as of HEAD, the newest first; none where git is not."""
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
    """Return whether a version came into HEAD's history by a merge. Git is asked only if somebody needs to know."""
    straight = (git.answer("log", "--first-parent", "-1000", "--format=%H") or b"").split()
    return bool(version.commit) and version.commit.encode() not in straight


class CommitChange(NamedTuple):
    """What a commit did to the documents of a folder: the names of the bytes that it replaced and brought, by paths.

    `at` is when it was written, in seconds since 1970, as it says. One that joins histories is said to have done nothing.
    """

    commit: str
    at: int
    before: dict[str, str]
    after: dict[str, str]


def changes(git: Repository, below: Sequence[str], most: int, *, beside: bool = False) -> list[CommitChange]:
    """Return what the newest commits did to files of a folder, as of HEAD, the newest first; none where git is not.

    Args:
        git: what git knows of the folder.
        below: their paths, or those of folders that hold them.
        most: so many commits that touched them.
        beside: ask those of all refs that HEAD does not have.
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
    """Return what HEAD's commits did to the lines of files, the oldest first, as `git log -p` says; b"" if it does not.

    Before each stand a zero byte, its name, when it was written (s since 1970), and its parents.
    """
    if git.directory is None:
        return b""
    form = ("--reverse", "--date-order", "--full-history", "-m", "-p", "-U0", "--no-renames", "--relative")
    plain = ("--text", "--no-color", "--no-ext-diff", "--no-textconv", "--format=%x00%H %at %P")
    return git.answer("log", *form, *plain, "--", *below) or b""


def is_removed(git: Repository, path: str) -> bool:
    """Return whether a commit of HEAD's took a document away, and git was not told of it since."""
    if git.directory is None or git.tracks(path):
        return False
    newest = changes(git, [path], 1)
    return bool(newest) and path in newest[0].before and path not in newest[0].after
