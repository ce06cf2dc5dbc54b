"""A host: a program in which agents run, with the files that connect it to muniment.

Implements specs/doors.md (G-20…G-22). A host lists its files for a scope, and how our part of each is
inserted and removed, bytes to bytes. It reads no file and writes none: `installing` does, for all of them.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ledger.errors import RecordError
from ledger.extras import how_to_install
from ledger.lazy_pattern import lazy_pattern
from ledger.location import git_root

NAME = "muniment"
"""The program's name, which what is ours is known by."""


class UnreadableError(RecordError):
    """A file of a host's is not what it must be: its message says line and reason, without the file's name."""


@dataclass(frozen=True, slots=True)
class InstallPlace:
    """Where something is to be installed.

    `scope` is one of the host's; `user` the person's home folder; `root` the project's root (the present folder where
    there is none); `environ` the environment, for the variables by which hosts move their folders; `program` the path
    of muniment, or only its name where it is not on PATH; `folder` the folder that `--plugin` names.
    """

    scope: str
    user: Path
    root: Path
    environ: Mapping[str, str]
    program: str = NAME
    has_mcp: bool = False
    folder: Path | None = None

    @property
    def has_tools(self) -> bool:
        """Whether the MCP server can start: a project's file is also for those who have no muniment (G-85)."""
        return self.has_mcp and self.scope == "user"

    def program_in(self, path: Path) -> str:
        """Return the program as a file names it: by its name where others may get the file, else by its path (G-22)."""
        return NAME if self.scope != "user" or _is_shared(path) else self.program

    def folder_of(self, variable: str, default: str) -> Path:
        """Return the folder that a variable names, else `default` in the person's home folder."""
        named = self.environ.get(variable)
        return Path(named).expanduser().absolute() if named else self.user / default


def _is_shared(path: Path) -> bool:
    """Return whether a file is in a git work tree, where others may get it, or this person on another machine."""
    return git_root(Path(os.path.realpath(path)).parent) is not None  # of links in a ring, too


_PROGRAM_LINE = lazy_pattern(rb"(?m)^const MUNIMENT = .*$")


@dataclass(frozen=True, slots=True)
class HostFile:
    """One file that connects a host.

    `put` takes the file's bytes (None if it does not exist) and returns them with our part added (None to write no file).
    Applying it twice changes nothing more. `take` returns it without our part; None if nothing is left, so the file is deleted. Both raise
    `UnreadableError`. `within` is the outermost folder that goes with the file where it is left empty.
    `by_command` says that a command identifies our entries. Removing them takes nothing that a person wrote, so only the
    original is copied. `unnamed` returns a file without the program that ours names: what is left is equal if nobody
    edited it.
    """

    path: Path
    put: Callable[[bytes | None], bytes | None]
    take: Callable[[bytes], bytes | None]
    within: Path | None = None
    by_command: bool = False
    unnamed: Callable[[bytes], bytes] = bytes


@dataclass(frozen=True, slots=True)
class Host:
    """A program that agents live in.

    `scopes` are those that it has, the one to take by itself first; `gives` what it gets (G-84). `parts` gives its files;
    `advice` gives the next steps after an install, `left` what the person must remove after an uninstall.
    """

    name: str
    title: str
    scopes: tuple[str, ...]
    gives: tuple[str, ...]
    parts: Callable[[InstallPlace], Sequence[HostFile]]
    advice: Callable[[InstallPlace], Sequence[str]]
    left: tuple[str, ...] = ()


def whole_file(path: Path, text: str, within: Path | None = None) -> HostFile:
    """Return the part that is a file all of ours: written as it is, and taken out whole.

    One that does not so much as name muniment is somebody else's, and stays. A script of ours names its program in one line.
    """
    return HostFile(
        path,
        lambda _: text.encode(),
        lambda data: None if NAME.encode() in data else data,
        within,
        unnamed=lambda data: _PROGRAM_LINE.sub(b"", data),
    )


def script(path: Path, program: str) -> str:
    """Return a file of ours as it is shipped, but that its line `const MUNIMENT` names this program (G-22)."""
    line = f"const MUNIMENT = {json.dumps(program)};".encode()
    return _PROGRAM_LINE.sub(lambda _: line, path.read_bytes()).decode()


def joined(*parts: HostFile) -> HostFile:
    """Return several parts of one file as one: each adds to, and removes from, what those before it left."""

    def put(before: bytes | None) -> bytes | None:
        for part in parts:
            before = part.put(before)
        return before

    def take(data: bytes | None) -> bytes | None:
        for part in parts:
            data = None if data is None else part.take(data)
        return data

    return replace(parts[0], put=put, take=take)


def decoded(data: bytes) -> str:
    """Return a settings file's text.

    Raises:
        UnreadableError: it is not UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UnreadableError(f"line {line}: is not UTF-8") from None


# --- the command ----------------------------------------------------------------------------------------------

_BETWEEN = frozenset({";", "&", "&&", "|", "||"})


def guarded(*arguments: str, program: str = NAME) -> str:
    """Return the shell command that runs muniment where it is there, and ends with code 0 in any case (G-22).

    So a release that does not know the arguments yet, whose code 2 would stop the agent, does no harm either. `program` is
    a path, or the name that is looked for on PATH.
    """
    is_there = f"command -v {shlex.quote(program)} >/dev/null 2>&1"
    return f"{is_there} && {shlex.join([program, *arguments])}; exit 0"


def runs_muniment(command: object, arguments: object, what: str) -> bool:
    """Return whether a command of a settings file runs `muniment WHAT …` and nothing else, and so is ours.

    Args:
        command: the program, or without arguments what a shell is given.
        arguments: the program's arguments, where they stand by themselves.
        what: the command of muniment's.
    """
    given = arguments or []
    if not isinstance(command, str) or not isinstance(given, list):
        return False
    if not all(isinstance(each, str) for each in given):
        return False
    text = shlex.join([command, *given]) if given else command
    words = shlex.shlex(text, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    runs: list[list[str]] = [[]]
    try:
        for word in words:
            if word in _BETWEEN:
                runs.append([])
            else:
                runs[-1].append(word)
    except ValueError:  # a quote that is not closed
        return False
    left = [run for run in runs if run and not _is_around(run)]
    left = [run[1:] if run[0] == "exec" else run for run in left]
    return len(left) == 1 and Path(left[0][0] if left[0] else "").name == NAME and left[0][1:2] == [what]


def _is_around(run: list[str]) -> bool:
    """Return whether a command is what `guarded` puts around muniment's own."""
    return run == ["exit", "0"] or (run[:2] == ["command", "-v"] and Path("".join(run[2:3])).name == NAME)


# --- the next steps after an install ---------------------------------------------------------------------------

NEW_SESSIONS = "sessions that are already running are not connected: hooks are read when a session starts"


def tools_advice(place: InstallPlace) -> list[str]:
    """Return how to get the tools, where only the extra is missing."""
    if place.has_mcp or place.scope != "user":
        return []
    return [f"to give it the tools as well, run {how_to_install('mcp')}, and then this command again"]


def hooks_for_git(file: str) -> str:
    """Return what to do with a project's file of hooks."""
    return f"for git: commit {file}; where muniment is not installed its hooks do nothing"
