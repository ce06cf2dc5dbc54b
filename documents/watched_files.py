"""Watches files that steer agents: reports changes since a person accepted them, and the commits.

Implements specs/doors.md (G-100…G-102). The state directory has one small file for each: its digest, and the commit with
these bytes. Its text is not stored.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import orjson
from blake3 import blake3

from documents.git.repository import NoAnswerError, Repository, text_of
from ledger.durable import private_folder, read_file, replace_file
from ledger.errors import NotFoundError, StorageError, UsageError
from ledger.location import git_root
from ledger.named_tuple import NamedTuple
from ledger.path_names import name_of, path_of

FOLDER = "watched"
"""The folder in the state directory."""
MOST_COMMITS = 20
"""How many commits of one file are named at most, the newest."""


class WatchedFile(NamedTuple):
    """An accepted file: `digest` is the BLAKE3 of its bytes, "" if it did not exist, `at` the instant, as written.

    `root` is the top of its work tree, or ""; `commit` is HEAD's commit if that had these bytes.
    """

    path: Path
    root: str
    digest: str
    commit: str
    at: str


class Commit(NamedTuple):
    """A commit that changed a file: the first digits of its id, and its author's name as the author wrote it."""

    id: str
    author: str


class FileFinding(NamedTuple):
    """The state of a watched file: same, changed, gone, new or unreadable.

    `commits` changed it since, the newest first; `uncommitted` is true if HEAD does not have its current bytes.
    """

    file: WatchedFile
    state: str
    commits: tuple[Commit, ...] = ()
    uncommitted: bool = False


def accept(state: Path, path: Path, at: str) -> WatchedFile:
    """Remember the current state of a file, or that there is none.

    Args:
        state: the state directory.
        path: the file.
        at: the instant, as written.

    Raises:
        UsageError: it cannot be read, or is not a regular file.
        StorageError: the note cannot be written.
    """
    path = placed(path)
    try:
        data = _contents(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be watched: {error.strerror}; name files") from None
    root = git_root(path.parent)
    commit = ""
    if data is not None and root is not None:
        with Repository(path.parent) as repository:
            if _at_head(repository, path.name) == data:
                commit = text_of(repository.answer("rev-parse", "HEAD") or b"").strip()
    made = WatchedFile(path, name_of(root) if root else "", _digest(data), commit, at)
    try:
        private_folder(state / FOLDER)
        said = made._asdict() | {"path": name_of(path)}
        replace_file(_place(state, path), orjson.dumps(said, option=orjson.OPT_INDENT_2) + b"\n", 0o600)
    except OSError as error:
        raise StorageError(f"{path} is not watched: {error.strerror} ({error.filename})") from None
    return made


def drop(state: Path, path: Path) -> None:
    """Forget a file.

    Raises:
        NotFoundError: it is not watched.
    """
    try:
        _place(state, placed(path)).unlink()
    except FileNotFoundError:
        raise NotFoundError(f"{path} is not watched: run muniment watch to list those that are") from None


def watched(state: Path) -> list[WatchedFile]:
    """Return all watched files, by path.

    Raises:
        UsageError: the note of one cannot be read.
    """
    found = []
    for place in sorted((state / FOLDER).glob("*.json")):
        try:
            said = orjson.loads(read_file(place))
            texts = [said[name] for name in WatchedFile._fields]
            if not all(isinstance(text, str) for text in texts):
                raise ValueError("a member is not a text")
            found.append(WatchedFile(path_of(texts[0]), *texts[1:]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UsageError(f"{place} is damaged ({error}): remove it, and watch its file again") from None
    return sorted(found)


def concerning(state: Path, folder: Path) -> Iterator[WatchedFile]:
    """Return the watched files that steer an agent in `folder`, in its work trees or outside any; raises as `watched`."""
    here = os.path.realpath(folder)
    return (file for file in watched(state) if not file.root or Path(here).is_relative_to(path_of(file.root)))


def found(file: WatchedFile) -> FileFinding:
    """Compare a file with its accepted state; ask git only if it changed."""
    try:
        data = _contents(file.path)
    except OSError:
        return FileFinding(file, "unreadable")
    if _digest(data) == file.digest:
        return FileFinding(file, "same")
    state = "gone" if data is None else "changed" if file.digest else "new"
    if not file.root or not file.path.parent.is_dir():
        return FileFinding(file, state)
    with Repository(file.path.parent) as repository:
        return FileFinding(
            file, state, _commits_since(repository, file), _at_head(repository, file.path.name) != data
        )


def placed(path: Path) -> Path:
    """Return the path that identifies a file: its folder with links resolved, and its own name, even if that is a link."""
    return Path(os.path.realpath(path.parent)) / path.name


def _commits_since(repository: Repository, file: WatchedFile) -> tuple[Commit, ...]:
    """Return the commits that changed a file since it was accepted; only the newest one if git cannot tell."""
    base = ("--literal-pathspecs", "log", "--format=%h%x00%an")
    for which in ((f"{file.commit}..HEAD", f"-{MOST_COMMITS}"),) if file.commit else ():
        try:
            code, said = repository.ask(*base, *which, "--", file.path.name)
        except NoAnswerError:
            return ()
        if code == 0:
            return _read(said)
    return _read(repository.answer(*base, "-1", "--", file.path.name) or b"")


def _read(said: bytes) -> tuple[Commit, ...]:
    return tuple(Commit(*text_of(line).split("\0", 1)) for line in said.splitlines() if b"\0" in line)


def _at_head(repository: Repository, name: str) -> bytes | None:
    """Return a file's bytes in HEAD, or None; changes of line ends by a checkout are not undone."""
    found = repository.file(f"HEAD:./{name}")
    return found.data if found is not None else None


def _contents(path: Path) -> bytes | None:
    try:
        return read_file(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _digest(data: bytes | None) -> str:
    return "" if data is None else blake3(data).hexdigest()


def _place(state: Path, path: Path) -> Path:
    return state / FOLDER / f"{blake3(os.fsencode(path)).hexdigest()[:32]}.json"
