"""A private bare repository in the cache: its refs, objects and commits.

Implements specs/team.md (TM-75). Processes take turns. The repository holds nothing
that the remote lacks: if it is damaged, it is created again.
"""

from __future__ import annotations

import contextlib
import fcntl
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from transports.git_command import Ran, check_version, run_git
from transports.git_objects import GitObject, ObjectReader
from transports.protocol import UnreachableError

_ENTRY = re.compile(rb"([0-7]+) ([^\0]+)\0(.{20})", re.DOTALL)


class GitTip(NamedTuple):
    """The commit that a ref names, and the first line of its message."""

    commit: str
    subject: str


class CacheRepository:
    """The repository and the lock beside it; processes take turns.

    Args:
        cache: a folder of its own; it is made if it does not exist.
        patience: seconds that one command, or the turn of another process, may take.
    """

    def __init__(self, cache: Path, patience: float) -> None:
        self._cache = cache.absolute()
        self._place = self._cache / "repository.git"
        self._patience = patience
        self._checked = False
        self._reader = ObjectReader(self._place, self._cache)

    @contextlib.contextmanager
    def turn(self) -> Iterator[bool]:
        """Keep other processes out of the cache; make the repository if it does not exist, and say whether that was so."""
        try:
            self._cache.mkdir(mode=0o700, parents=True, exist_ok=True)
            with (self._cache / "lock").open("ab") as lock:
                self._wait_for(lock.fileno())
                yield self._prepare()
        except OSError as error:
            raise UnreachableError(
                f"The folder {self._cache} cannot be used: {error.strerror or error};"
                " check that it may be written and that the disk has room."
            ) from error

    def run(self, *arguments: str, given: bytes = b"") -> Ran:
        """Run a git command in the repository.

        Raises:
            UnreachableError: it took too long, and was ended with all that it had started.
        """
        return run_git(
            f"--git-dir={self._place}", *arguments, given=given, folder=self._cache, patience=self._patience
        )

    def is_sound(self) -> bool:
        """Return whether each ref can be read, with its commit."""
        ran = self.run("for-each-ref", "--format=%(objecttype)")
        return ran.code == 0 and not ran.err

    def renew(self) -> None:
        """Replace the repository by an empty one."""
        self._reader.close()
        shutil.rmtree(self._place, ignore_errors=True)
        self._prepare()

    def tips(self, *prefixes: str) -> dict[str, GitTip]:
        """Return the refs below the prefixes."""
        said = self.run("for-each-ref", "--format=%(refname) %(objectname) %(contents:subject)", *prefixes)
        lines = (line.split(" ", 2) for line in said.out.decode("utf-8", "replace").splitlines())
        return {line[0]: GitTip(line[1], line[2]) for line in lines if len(line) == 3}

    def objects(self, names: Sequence[str], most: int) -> Iterator[GitObject | None]:
        """Read objects one after the other; see `transports.git_objects.ObjectReader.objects`."""
        return self._reader.objects(names, most)

    def close(self) -> None:
        """End the process that reads objects."""
        self._reader.close()

    def tree(self, found: GitObject | None) -> dict[str, str]:
        """Return the names in a tree, with their objects; empty if it is missing or not a tree."""
        if found is None or found.type != "tree":
            return {}
        return {
            name.decode("utf-8", "replace"): object_.hex() for _, name, object_ in _ENTRY.findall(found.data)
        }

    def commit(self, message: str, files: dict[str, bytes], *, parent: str = "", tree: str = "") -> str:
        """Make a commit of what `parent` or `tree` holds and these files; return its name.

        Its author and date are fixed, so that the same content makes the same commit everywhere.
        """
        stream = [b"commit refs/made\nmark :1\ncommitter muniment <muniment@localhost> 0 +0000\n"]
        stream.append(b"data %d\n%s\n" % (len(message.encode()), message.encode()))
        stream += [f"from {parent}\n".encode()] * bool(parent) + [f'M 040000 {tree} ""\n'.encode()] * bool(
            tree
        )
        for path, data in files.items():
            stream.append(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data))
        ran = self.run(
            "fast-import",
            "--quiet",
            "--force",
            "--date-format=raw",
            given=b"".join([*stream, b"get-mark :1\n"]),
        )
        if ran.code:
            raise UnreachableError(f"git cannot write into {self._place}: remove this folder and try again.")
        return ran.out.decode().strip()

    def left_behind(self, commits: Iterable[str], tips: Iterable[str]) -> bool:
        """Return whether a commit is here that none of the tips descends from: the remote replaced it."""
        given = "\n".join([*commits, *(f"^{tip}" for tip in tips), ""])
        ran = self.run("rev-list", "--ignore-missing", "--max-count=1", "--stdin", given=given.encode())
        return bool(ran.code or ran.out)

    def collect(self) -> bool:
        """Remove all objects that no ref leads to, at once; return whether it was done."""
        self._reader.close()  # it holds what is removed
        self.run("update-ref", "-d", "refs/made")
        for left in self._place.glob("objects/pack/*.keep"):  # of a git that was killed
            left.unlink(missing_ok=True)
        return self.run("gc", "--quiet", "--prune=now").code == 0

    def tidy(self) -> None:
        """Pack the objects if they are many."""
        self.run("-c", "gc.auto=6700", "-c", "gc.autoDetach=false", "gc", "--auto", "--quiet")

    # --- taking turns ---

    def _wait_for(self, lock: int) -> None:
        end = time.monotonic() + self._patience
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > end:
                    raise UnreachableError(
                        f"Another process has used {self._cache} for {self._patience:g} seconds: end it, or try again later."
                    ) from None
                time.sleep(0.02)
            else:
                return

    def _prepare(self) -> bool:
        """Make the repository in one step, or remove the locks that a git left that was killed; say which was done."""
        if not self._checked:
            check_version(self._cache)
            self._checked = True
        if self._place.is_dir():
            for left in [*self._place.glob("*.lock"), *self._place.glob("refs/**/*.lock")]:
                left.unlink(missing_ok=True)
            return False
        made = self._cache / "made.git"
        shutil.rmtree(made, ignore_errors=True)
        ran = run_git(
            *("init", "--bare", "--quiet", "--template=", "--object-format=sha1", str(made)),
            folder=self._cache,
        )
        if ran.code:
            raise UnreachableError(
                f"git cannot make a repository in {self._cache}: check that it may be written."
            )
        made.rename(self._place)
        return True
