"""What git knows of a document: whether it has it in its hands, what it is in the middle of, who wrote which line.

Implements specs/editing.md (D-14, D-23, D-26, D-45, D-77, D-78). Asks git itself, which runs nothing of the repository for it;
what is asked at every rendering is read from files.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Collection, Iterator, Mapping, Sequence
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
_ELSEWHERE = frozenset(
    {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"}
)
"""Variables that send git to another repository than the one that holds the folder."""
_STAGE = re.compile(r"^[0-7]{6} ([0-9a-f]{40,64}) 0\t", re.MULTILINE)
_MTIME = re.compile(r"^ *mtime: ([0-9]+):([0-9]+)$", re.MULTILINE)
_MOVED = re.compile(r"@\{([0-9]+)\}")
_HEADER = re.compile(rb"([0-9a-f]{40,64}) [0-9]+ ([0-9]+)(?: [0-9]+)?")


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


class NoAnswerError(Exception):
    """Git is not there, did not answer in time, or refuses this repository."""


@dataclass(frozen=True, slots=True)
class Lines:
    """Who wrote the lines of a document.

    `authors` are those of its lines as git counts them, from 1; lines that no commit has are missing. `history`
    are the newest commits that touched it, the newest first; `email` is the address of this user there, "" if
    unknown; `times` are when lines were written, in seconds since 1970, as their commits say.
    """

    email: str
    history: Sequence[Version]
    authors: Mapping[int, Author] = field(default_factory=dict)
    times: Mapping[int, int] = field(default_factory=dict)


def is_tracked(folder: Path, path: str) -> bool:
    """Say whether git tracks the document at `path` in `folder`; True where a repository is and git does not say."""
    try:
        return _tracks(folder, path)
    except NoAnswerError:
        return True


def _tracks(folder: Path, path: str) -> bool:
    if _git_directory(folder) is None:
        return False
    code, _ = _asked(folder, "ls-files", "--error-unmatch", "--", path)
    if code not in (0, 1):
        raise NoAnswerError("git refuses this repository: git status says why; the log goes on meanwhile")
    return code == 0


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
    changed = entry.changed or _written_at(folder)
    return _may_be_after(changed, since) or bool(_object(folder, path, data))


def put_since(folder: Path, path: str, since: int) -> Iterator[bytes]:
    """Give the bytes that git may have put where a document is after an instant (ns since 1970), the likelier first.

    These are its index's, if it wrote the document since, and HEAD's, if HEAD moved since (D-77).
    """
    entry = _indexed(folder, path) if _may_be_after(_written_at(folder), since) else None
    if entry is None:
        return
    if entry.changed and _may_be_after(entry.changed, since):
        yield from bytes_named(folder, [entry.name]).values()
    moved = _MOVED.search(_said(_git(folder, "log", "-g", "-1", "--date=unix", "--format=%gd") or b""))
    if moved and _may_be_after(int(moved[1]) * 10**9, since):
        yield from bytes_named(folder, [f"HEAD:./{path}"]).values()


def _may_be_after(changed: int, since: int) -> bool:
    """Say whether a time that may be in whole seconds may be after another."""
    return changed + (0 if changed % 10**9 else 10**9 - 1) > since


def _written_at(folder: Path) -> int:
    """Return when git wrote its index last, in ns since 1970: what it has no time of may be from then (D-78)."""
    directory = _git_directory(folder)
    try:
        return (directory / "index").stat().st_mtime_ns if directory is not None else 0
    except OSError:
        return 0


def is_version(folder: Path, path: str, data: bytes, most: int = 64) -> bool:
    """Say whether one of the newest commits that touched a document, of HEAD or any ref, has these bytes (D-45)."""
    name = _object(folder, path, data) if _git_directory(folder) is not None else ""
    if not name:
        return False
    said = _git(folder, "log", "--all", "--full-history", f"-{most}", "--format=%H", "--", path) or b""
    wanted = b"".join(commit + b":./" + os.fsencode(path) + b"\n" for commit in said.split())
    answer = _said(_git(folder, "cat-file", "--batch-check", given=wanted) or b"")
    return any(line.startswith(f"{name} blob") for line in answer.splitlines())


def versions(folder: Path, path: str, most: int = 16, *, beside: bool = False) -> list[Version]:
    """Return the newest commits that touched the document, as of HEAD, the newest first; none where git is not.

    With `beside` those of all refs that HEAD does not have.
    """
    if _git_directory(folder) is None:
        return []
    form = "--format=%H%x00%an%x00%ae%x00%P%x00%at"
    of = ("--all", "--not", "HEAD") if beside else ()
    said = _git(folder, "log", "--full-history", f"-{most}", form, *of, "--", path) or b""
    straight = (_git(folder, "log", "--first-parent", "-1000", "--format=%H") or b"").split()
    commits = [line.split(b"\0") for line in said.splitlines() if line.count(b"\0") == 4]
    had = bytes_named(folder, [f"{_said(commit)}:./{path}" for commit, *_ in commits])
    return [
        Version(
            Author(_said(name), _said(email)),
            had.get(f"{_said(commit)}:./{path}", b""),
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
    if _git_directory(folder) is None:
        return []
    of = ("--all", "--not", "HEAD") if beside else ()
    form = ("--topo-order", "--full-history", "--raw", "--no-renames", "--no-abbrev", "--relative")
    said = _git(folder, "log", *form, f"-{most}", "--format=%x00%H %at", *of, "--", *below) or b""
    found = []
    for each in said.split(b"\0")[1:]:
        head, *lines = each.splitlines()
        commit, at = head.split()
        change = Change(_said(commit), int(at), {}, {})
        for told, path in (line.split(b"\t", 1) for line in lines if line.startswith(b":")):
            _, _, old, new, _ = _said(told).split()
            for names, name in ((change.before, old), (change.after, new)):
                if name.strip("0"):
                    names[_said(path)] = name
        found.append(change)
    return found


def log_of(folder: Path, below: Sequence[str]) -> bytes:
    """Return what HEAD's commits did to the lines of files, the oldest first, as `git log -p` says; b"" where it does not.

    Before each stand a zero byte, its name, when it was written (s since 1970), and its parents.
    """
    if _git_directory(folder) is None:
        return b""
    form = ("--reverse", "--date-order", "--full-history", "-m", "-p", "-U0", "--no-renames", "--relative")
    plain = ("--text", "--no-color", "--no-ext-diff", "--no-textconv", "--format=%x00%H %at %P")
    return _git(folder, "log", *form, *plain, "--", *below) or b""


def is_removed(folder: Path, path: str) -> bool:
    """Say whether a commit of HEAD's took a document away, and git was not told of it since."""
    if _git_directory(folder) is None or is_tracked(folder, path):
        return False
    newest = changes(folder, [path], 1)
    return bool(newest) and path in newest[0].before and path not in newest[0].after


def files_at(folder: Path, commit: str, below: Sequence[str]) -> dict[str, str]:
    """Return the names of the bytes of the files of a folder in a commit, by their paths."""
    said = _git(folder, "ls-tree", "-r", commit, "--", *below) or b""
    told = [line.split(b"\t", 1) for line in said.splitlines() if b"\t" in line]
    return {_said(path): _said(what).split()[2] for what, path in told}


def bytes_named(folder: Path, names: Collection[str]) -> dict[str, bytes]:
    """Return the bytes that git has under these names."""
    answer = _git(folder, "cat-file", "--batch", given="".join(f"{name}\n" for name in names).encode()) or b""
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


class _Indexed(NamedTuple):
    """What git's index has of a file: the name of its bytes, when the file was changed (ns since 1970)."""

    name: str
    changed: int


def _indexed(folder: Path, path: str) -> _Indexed | None:
    if _git_directory(folder) is None:
        return None
    said = _said(_git(folder, "ls-files", "--stage", "--debug", "--", path) or b"")
    name, time = _STAGE.search(said), _MTIME.search(said)
    return _Indexed(name[1], int(time[1]) * 10**9 + int(time[2])) if name and time else None


def _object(folder: Path, path: str, data: bytes) -> str:
    """Return the name under which git has these bytes, "" where it does not have them."""
    name = _said(_git(folder, "hash-object", "--stdin", "--path", path, given=data) or b"").strip()
    return name if name and _git(folder, "cat-file", "-e", name) is not None else ""


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


def is_committed(folder: Path, path: str) -> bool:
    """Say whether git tracks a document and HEAD has it.

    Raises:
        NoAnswerError: there is a repository, and git does not say.
    """
    return _tracks(folder, path) and _git(folder, "cat-file", "-e", f"HEAD:./{path}") is not None


def own_address(folder: Path) -> str:
    """Return the address of this user as git has it there, "" if unknown."""
    return _said(_git(folder, "config", "--get", "user.email") or b"").strip()


def lines_of(folder: Path, path: str, data: bytes) -> Lines | None:
    """Return who wrote the lines of a document that holds `data`; None where HEAD has none, and took none away.

    White space does not count: an editor that changes it has not written the line. What was squashed into the work tree
    is of whoever committed it, until somebody commits it here.

    Raises:
        NoAnswerError: there is a repository, and git does not say.
    """
    tip = _squashed(folder)
    squashed = _git(folder, "cat-file", "blob", f"{tip}:./{path}") if tip else None
    committed = is_committed(folder, path)
    if not committed and squashed is None:
        gone = is_removed(folder, path)
        return Lines(own_address(folder), versions(folder, path, 64), {}, {}) if gone else None
    blamed = b""
    if committed:
        said = _git(folder, "blame", "-w", "--porcelain", "--contents", "-", "--", path, given=data)
        if said is None:
            raise NoAnswerError(
                "git does not say who wrote it: git blame says why; the log goes on meanwhile"
            )
        blamed = said
    commits: dict[int, bytes] = {}
    for line in blamed.split(b"\n"):
        if (header := _HEADER.fullmatch(line)) and header[1].strip(b"0"):
            commits[int(header[2])] = header[1]
    history = versions(folder, path, 64)
    if squashed is not None:
        by_text = _by_text(_git(folder, "blame", "-w", "--porcelain", tip, "--", path) or b"")
        for number, line in enumerate(data.split(b"\n"), 1):
            if number not in commits and (text := line.strip()) in by_text:
                commits[number] = by_text[text]
        authors, times = _authors(folder, {tip.encode()})
        history = [Version(authors[tip.encode()], squashed, at=times.get(tip.encode(), 0)), *history]
    authors, times = _authors(folder, set(commits.values()))
    by_line = {line: authors[commit] for line, commit in commits.items()}
    return Lines(
        own_address(folder),
        history,
        by_line,
        {line: times.get(commit, 0) for line, commit in commits.items()},
    )


def _squashed(folder: Path) -> str:
    """Return the newest commit of those that were squashed into the work tree and are not committed yet, "" for none."""
    directory = _git_directory(folder)
    try:
        said = (directory / "SQUASH_MSG").read_bytes() if directory is not None else b""
    except OSError:
        return ""
    found = re.search(rb"^commit ([0-9a-f]{40,64})$", said, re.MULTILINE)
    return _said(found[1]) if found else ""


def _by_text(blamed: bytes) -> dict[bytes, bytes]:
    """Return the commits of lines by what they say, of what git blame says."""
    found: dict[bytes, bytes] = {}
    commit = b""
    for line in blamed.split(b"\n"):
        if header := _HEADER.fullmatch(line):
            commit = header[1]
        elif line.startswith(b"\t") and line.strip():
            found[line.strip()] = commit
    return found


def _authors(folder: Path, commits: Collection[bytes]) -> tuple[dict[bytes, Author], dict[bytes, int]]:
    """Return who made commits, and when, as they say: a mailmap of the repository renames nobody."""
    if not commits:
        return {}, {}
    names = [_said(commit) for commit in commits]
    said = _git(folder, "log", "--no-walk=unsorted", "--format=%H%x00%an%x00%ae%x00%at", *names) or b""
    cut = _cut_off(folder)
    found = [each for line in said.splitlines() if len(each := line.split(b"\0")) == 4 and each[0] not in cut]
    known = {each[0]: Author(_said(each[1]), _said(each[2])) for each in found}
    times = {each[0]: int(each[3]) for each in found}
    return {commit: known.get(commit, Author("somebody", "")) for commit in commits}, times


def _cut_off(folder: Path) -> set[bytes]:
    """Return the commits at which a shallow clone ends: whatever is older is said to be theirs."""
    where = _said(_git(folder, "rev-parse", "--git-path", "shallow") or b"").strip()
    try:
        return set((folder / where).read_bytes().split()) if where else set()
    except OSError:
        return set()


def _said(answer: bytes) -> str:
    return answer.decode("utf-8", "replace")


def _git(folder: Path, *arguments: str, given: bytes = b"") -> bytes | None:
    """Return what git answers, None where it refuses, is not there or takes too long."""
    try:
        code, answer = _asked(folder, *arguments, given=given)
    except NoAnswerError:
        return None
    return answer if code == 0 else None


def _asked(folder: Path, *arguments: str, given: bytes = b"") -> tuple[int, bytes]:
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
