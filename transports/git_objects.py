"""Reads objects of a repository through one git process that answers as long as it is asked.

Implements specs/team.md (TM-75): a start of git takes longer than all objects of a sync.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from transports.git_command import started
from transports.protocol import UnreachableError

_ASKED_AT_ONCE = 256
"""So many answers of a line each fit into a pipe."""
_INFO = re.compile(rb"([0-9a-f]{40}) ([a-z]+) ([0-9]+)\n")


class GitObject(NamedTuple):
    """An object's name, its type, and its bytes: none if it has more than were asked for."""

    name: str
    type: str
    data: bytes


class ObjectReader:
    """The objects of one repository.

    Args:
        repository: its folder.
        folder: where git runs.
    """

    def __init__(self, repository: Path, folder: Path) -> None:
        self._repository = repository
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def objects(self, names: Sequence[str], most: int) -> Iterator[GitObject | None]:
        """Read objects one after the other.

        Args:
            names: in the form that `git rev-parse` takes, without spaces.
            most: bytes of an object that are read.

        Yields:
            What each name stands for, in their order; None if it stands for nothing.
        """
        for at in range(0, len(names), _ASKED_AT_ONCE):
            for found in self._about(names[at : at + _ASKED_AT_ONCE]):
                if found is not None and found[1] <= most:
                    yield found[0]._replace(data=self._contents(found[0].name))
                else:
                    yield found and found[0]

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            with self._process as process:
                process.kill()
            self._process = None

    def __del__(self) -> None:
        """End the process of a transport that nobody closed."""
        self.close()

    def _about(self, names: Sequence[str]) -> list[tuple[GitObject, int] | None]:
        """Return what each name stands for, without its bytes, and how many it has."""
        found: list[tuple[GitObject, int] | None] = []
        self._ask("".join(f"info {name}\n" for name in names))
        for _ in names:
            said = _INFO.fullmatch(line := self._line())
            if not said and not line:
                raise self._lost()
            found.append((GitObject(said[1].decode(), said[2].decode(), b""), int(said[3])) if said else None)
        return found

    def _contents(self, name: str) -> bytes:
        self._ask(f"contents {name}\n")
        said = _INFO.fullmatch(self._line())
        data = self._out.read(int(said[3]) + 1) if said else b""
        if not said or len(data) != int(said[3]) + 1:
            raise self._lost()
        return data[:-1]

    # --- the process ---

    def _ask(self, text: str) -> None:
        if self._process is None:
            self._process = started(
                f"--git-dir={self._repository}", "cat-file", "--batch-command", folder=self._folder
            )
        pipe = self._process.stdin
        assert pipe is not None
        try:
            pipe.write(text.encode())
            pipe.flush()
        except OSError:
            raise self._lost() from None

    @property
    def _out(self) -> IO[bytes]:
        assert self._process is not None
        assert self._process.stdout is not None
        return self._process.stdout

    def _line(self) -> bytes:
        return bytes(self._out.readline())

    def _lost(self) -> UnreachableError:
        self.close()
        return UnreachableError(f"git cannot read {self._repository}: try again.")
