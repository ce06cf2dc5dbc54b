"""Asks git about a folder of documents: each question once, and objects through one process.

Implements specs/editing.md (D-26, D-93). It runs git such that git runs no program of the repository. Facts that
every rendering needs are read from files.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Collection, Iterator
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Self

from ledger.named_tuple import NamedTuple

if TYPE_CHECKING:
    import subprocess

_PATIENCE = 10.0
"""Seconds that git may take for one answer."""
_UNDER_WAY = {
    "MERGE_HEAD": "a merge",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisect",
    "SQUASH_MSG": "a squashed merge",
}
_WRITTEN = ("index", "HEAD", "logs/HEAD", "FETCH_HEAD")
"""Files in git's directory that change when its answers may change."""
_ELSEWHERE = frozenset(
    {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_NAMESPACE"}
)
"""Variables that make git use another repository than the folder's."""


class NoAnswerError(Exception):
    """Git is not installed, did not answer in time, or refuses this repository."""


class Blob(NamedTuple):
    """An object of git's: its name, its type (`blob`, `tree`, `commit`), and its bytes."""

    name: str
    type: str
    data: bytes


class Repository:
    """The repository of a folder of documents; without a repository it has no answers.

    It remembers every answer until it is closed, or git writes its index, moves HEAD or fetches. Use it for one command,
    as a context manager, which ends git's process. Threads may share it.

    Args:
        folder: the folder of the documents.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._answers: dict[tuple[tuple[str, ...], bytes], tuple[int, bytes]] = {}
        self._objects: dict[str, Blob | None] = {}
        self._reading: subprocess.Popen[bytes] | None = None
        self._asked_of: tuple[tuple[int, int], ...] = ()
        self._turn = threading.RLock()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End git's process and forget every answer; later questions are asked again."""
        with self._turn:
            self._answers.clear()
            self._objects.clear()
            self.__dict__.pop("directory", None)
            self._stop()

    # --- the work tree ---

    @cached_property
    def directory(self) -> Path | None:
        """The directory in which git keeps the state of the work tree, None outside of any."""
        for parent in (self.folder, *self.folder.parents):
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

    @property
    def under_way(self) -> str:
        """The operation that git has not finished in the work tree ("a merge"), or ""."""
        directory = self.directory
        if directory is None:
            return ""
        return next((what for name, what in _UNDER_WAY.items() if (directory / name).exists()), "")

    @property
    def own_address(self) -> str:
        """This user's address in git's settings, "" if unknown."""
        return text_of(self.answer("config", "--get", "user.email") or b"").strip()

    def index_entry(self, path: str) -> str:
        """Return the entry of the document at `path` in git's index, or "".

        Raises:
            NoAnswerError: there is a repository, and git does not say.
        """
        if self.directory is None:
            return ""
        code, said = self.ask("ls-files", "--stage", "--debug", "--", path)
        if code:
            raise NoAnswerError("git refuses this repository: see git status; the log continues meanwhile")
        return text_of(said)

    def tracks(self, path: str) -> bool:
        """Return whether git tracks the document at `path`; True if there is a repository and git does not answer."""
        try:
            return bool(self.index_entry(path))
        except NoAnswerError:
            return True

    def is_committed(self, path: str) -> bool:
        """Return whether git tracks a document and HEAD has it.

        Raises:
            NoAnswerError: there is a repository, and git does not say.
        """
        return bool(self.index_entry(path)) and self.object(f"HEAD:./{path}") is not None

    # --- objects ---

    def object(self, name: str) -> Blob | None:
        """Return the object with a name like `HEAD:./MEMORY.md`, None if there is none or git does not answer."""
        with self._turn:
            if self.directory is None:
                return None
            self._forget_if_git_wrote()
            if name not in self._objects:
                try:
                    self._objects[name] = self._read(name)
                except (OSError, ValueError):
                    self._stop()
                    return None
            return self._objects[name]

    def file(self, name: str) -> Blob | None:
        """Return the object with a name if it is a file, else None."""
        found = self.object(name)
        return found if found is not None and found.type == "blob" else None

    def files(self, commit: str, below: Collection[str]) -> dict[str, str]:
        """Return git's names for the bytes of the folder's files in a commit, by path.

        Args:
            commit: its name.
            below: paths of files, or of folders, which are searched.
        """
        found: dict[str, str] = {}
        for path in below:
            there = self.object(f"{commit}:./{path}")
            if there is not None and there.type == "blob":
                found[path] = there.name
            elif there is not None:
                found.update(self._below(there, path))
        return found

    def _below(self, tree: Blob, path: str) -> Iterator[tuple[str, str]]:
        """Yield the files of a tree; each entry is `MODE NAME`, a zero byte, and the bytes of the object's name."""
        size, at = len(tree.name) // 2, 0
        while at < len(tree.data):
            end = tree.data.index(b"\0", at)
            mode, _, name = tree.data[at:end].partition(b" ")
            at = end + 1 + size
            object_name, place = tree.data[end + 1 : at].hex(), f"{path}/{text_of(name)}"
            if mode == b"40000":
                inner = self.object(object_name)
                yield from self._below(inner, place) if inner is not None else ()
            elif mode.startswith(b"100"):
                yield place, object_name

    def _read(self, name: str) -> Blob | None:
        """Ask the process that reads objects for one."""
        if "\n" in name:
            return None
        if self._reading is None:
            import subprocess  # where nothing asks git, a write does not load it

            self._reading = subprocess.Popen(
                self._command("cat-file", "--batch"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        given, got = _pipes(self._reading)
        late = threading.Timer(_PATIENCE, self._reading.kill)
        late.start()
        try:
            given.write(os.fsencode(name) + b"\n")
            given.flush()
            said = text_of(got.readline()).rsplit(" ", 2)
            if len(said) != 3 or not said[2].strip().isdecimal():
                if not said[0]:
                    raise ValueError("git cat-file ended")
                return None  # missing, or ambiguous
            size = int(said[2])
            data = got.read(size + 1)
            if len(data) != size + 1:
                raise ValueError("git cat-file ended")
        finally:
            late.cancel()
        return Blob(said[0], said[1], data[:-1])

    def _stop(self) -> None:
        reading, self._reading = self._reading, None
        if reading is None:
            return
        import subprocess  # where nothing asks git, a write does not load it

        for pipe in _pipes(reading):
            with contextlib.suppress(OSError):
                pipe.close()
        try:
            reading.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            reading.kill()
            reading.wait()

    # --- asking ---

    def answer(self, *arguments: str, given: bytes = b"") -> bytes | None:
        """Return git's answer, None if it refuses, is not installed or takes too long."""
        try:
            code, said = self.ask(*arguments, given=given)
        except NoAnswerError:
            return None
        return said if code == 0 else None

    def ask(self, *arguments: str, given: bytes = b"") -> tuple[int, bytes]:
        """Return git's exit code and output; the same question gets the same answer.

        Raises:
            NoAnswerError: git is not installed or takes too long.
        """
        with self._turn:
            self._forget_if_git_wrote()
            return self._asked(arguments, given)

    def _asked(self, arguments: tuple[str, ...], given: bytes) -> tuple[int, bytes]:
        key = (arguments, given)
        if key not in self._answers:
            import subprocess  # where nothing asks git, a write does not load it

            try:
                done = subprocess.run(
                    self._command(*arguments),
                    capture_output=True,
                    timeout=_PATIENCE,
                    check=False,
                    env=_environment(),
                    input=given,
                )
            except (OSError, subprocess.SubprocessError) as error:
                raise NoAnswerError(f"git does not answer ({error}); the log continues meanwhile") from None
            self._answers[key] = done.returncode, done.stdout
        return self._answers[key]

    def _forget_if_git_wrote(self) -> None:
        """Forget every answer if git wrote its index, moved HEAD or fetched since it was asked (D-93)."""
        directory = self.directory
        now = tuple(_changed(directory / name) for name in _WRITTEN) if directory is not None else ()
        if now != self._asked_of:
            self._answers.clear()
            self._objects.clear()
            self._asked_of = now

    def _command(self, *arguments: str) -> list[str]:
        off = ("-c", "core.fsmonitor=false", "-c", "log.showSignature=false")
        return ["git", *off, "-C", str(self.folder), *arguments]


def text_of(answer: bytes) -> str:
    """Return an answer of git's as text."""
    return answer.decode("utf-8", "replace")


def _changed(path: Path) -> tuple[int, int]:
    """Return a file's time of change (ns since 1970) and inode, which change when it is written; zeros if it is missing."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_ino


def _environment() -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if name not in _ELSEWHERE}
    return own | {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout
