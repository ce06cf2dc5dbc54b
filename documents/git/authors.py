"""Finds who wrote the lines of a document, as their commits say.

Implements specs/editing.md (D-23, D-63).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from documents.git.committed import Author, CommittedVersion, is_removed, versions
from documents.git.repository import NoAnswerError, Repository, text_of
from ledger.lazy_pattern import lazy_pattern

_HEADER = lazy_pattern(rb"([0-9a-f]{40,64}) [0-9]+ ([0-9]+)(?: [0-9]+)?")


@dataclass(frozen=True, slots=True)
class LineAuthors:
    """Who wrote the lines of a document.

    `authors` has the author of each committed line by git's number, from 1. `history` has the newest commits that
    touched the document, the newest first; `email` is the address of this user there, "" if unknown; `times` has the
    time of each line's commit, in seconds since 1970.
    """

    email: str
    history: Sequence[CommittedVersion]
    authors: Mapping[int, Author] = field(default_factory=dict)
    times: Mapping[int, int] = field(default_factory=dict)


def lines_of(git: Repository, path: str, data: bytes) -> LineAuthors | None:
    """Return who wrote the lines of a document with the bytes `data`; None if HEAD neither has nor removed the document.

    White space does not count: whoever only changed it did not write the line.

    Raises:
        NoAnswerError: there is a repository, and git does not answer.
    """
    if not git.is_committed(path):
        gone = is_removed(git, path)
        return LineAuthors(git.own_address, versions(git, path), {}, {}) if gone else None
    blamed = git.answer("blame", "-w", "--porcelain", "--contents", "-", "--", path, given=data)
    if blamed is None:
        raise NoAnswerError("git cannot name the author: see git blame; the log continues meanwhile")
    commits: dict[int, bytes] = {}
    for line in blamed.split(b"\n"):
        if (header := _HEADER.fullmatch(line)) and header[1].strip(b"0"):
            commits[int(header[2])] = header[1]
    history = versions(git, path)
    authors, times = _authors(git, history, set(commits.values()))
    return LineAuthors(
        git.own_address,
        history,
        {line: authors[commit] for line, commit in commits.items()},
        {line: times.get(commit, 0) for line, commit in commits.items()},
    )


def _authors(
    git: Repository, history: Sequence[CommittedVersion], commits: Collection[bytes]
) -> tuple[dict[bytes, Author], dict[bytes, int]]:
    """Return the authors and times of commits as recorded; a mailmap of the repository does not apply.

    `history` has commits that are already known.
    """
    known = {each.commit.encode(): each.author for each in history}
    times = {each.commit.encode(): each.at for each in history}
    if names := [text_of(commit) for commit in commits if commit not in known]:
        said = git.answer("log", "--no-walk=unsorted", "--format=%H%x00%an%x00%ae%x00%at", *names) or b""
        for commit, name, email, at in (
            each for line in said.splitlines() if len(each := line.split(b"\0")) == 4
        ):
            known[commit], times[commit] = Author(text_of(name), text_of(email)), int(at)
    for commit in _cut_off(git):
        known.pop(commit, None)
        times.pop(commit, None)
    return {commit: known.get(commit, Author("somebody", "")) for commit in commits}, times


def _cut_off(git: Repository) -> set[bytes]:
    """Return the commits at which a shallow clone ends: git attributes all older lines to them."""
    directory = git.directory
    if directory is None:
        return set()
    try:
        common = directory / (directory / "commondir").read_text().strip()  # of a linked work tree
    except OSError:
        common = directory
    try:
        return set((common / "shallow").read_bytes().split())
    except OSError:
        return set()
