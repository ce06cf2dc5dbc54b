"""Runs the terminal session that a document shows, and gives what really comes out.

A session is a fenced block of the language `console` whose lines that begin with `$ ` are typed by a person
at a terminal; what follows each is its output. Ids and times differ from run to run: `run` types the ids of
this run where the document types its own, and `same` compares what is left.
"""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_BEGINNING = re.compile(r"`(muniment init\b[^`]*)`")
ID = re.compile(r"\b[0-9a-f]{8,64}\b")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?)?")
_SHELL = 'muniment() {{ "{python}" -m cli "$@"; }}; {command}'


def session_of(document: str) -> str:
    """Return the first session of a document, without its fences.

    Raises:
        ValueError: it shows none.
    """
    return _first(_BLOCK, document, "the document shows no terminal session").group(1)


def with_session(document: str, session: str) -> str:
    """Return the document with another session in place of its first; raises as `session_of` does."""
    found = _first(_BLOCK, document, "the document shows no terminal session")
    return document[: found.start(1)] + session + document[found.end(1) :]


def beginning_of(document: str) -> str:
    """Return the command that a document tells a person to begin with.

    Raises:
        ValueError: it tells none.
    """
    return _first(_BEGINNING, document, "the document does not say which muniment init comes first").group(1)


def _first(pattern: re.Pattern[str], document: str, lacking: str) -> re.Match[str]:
    found = pattern.search(document)
    if found is None:
        raise ValueError(lacking)
    return found


def run(session: str, beginning: str) -> str:
    """Type a session's commands after `beginning`, and return it with real output.

    It is typed in an empty home, in a git work tree: that is where somebody stands who has just cloned us.
    """
    ids: dict[str, str] = {}
    lines: list[str] = []
    with tempfile.TemporaryDirectory() as base:
        home = Path(os.path.realpath(base))
        subprocess.run(["git", "init", "-q", str(home / "clone")], check=True, capture_output=True)
        _typed(beginning, home)
        for command, shown in _steps(session):
            typed = ID.sub(lambda found: _known(found.group(), ids), command)
            output = _typed(typed, home)
            ids.update(zip(ID.findall(shown), ID.findall(output), strict=False))
            lines += [f"$ {typed}\n", output]
    return "".join(lines)


def same(one: str, other: str) -> bool:
    """Return whether two sessions differ in nothing but ids and times; equal ids must stay equal."""
    return _plain(one) == _plain(other)


def _plain(session: str) -> str:
    numbers: dict[str, str] = {}
    for id_ in ID.findall(session):
        numbers.setdefault(id_[:8], f"<id {len(numbers)}>")
    return _TIME.sub("<time>", ID.sub(lambda found: numbers[found.group()[:8]], session))


def _steps(session: str) -> list[tuple[str, str]]:
    """Return each command with the output that the document shows for it."""
    steps: list[tuple[str, str]] = []
    for line in session.splitlines(keepends=True):
        if line.startswith("$ "):
            steps.append((line[2:].rstrip("\n"), ""))
        else:
            command, shown = steps[-1]
            steps[-1] = (command, shown + line)
    return steps


def _known(typed: str, ids: dict[str, str]) -> str:
    """Return the id of this run for one that the document has, as long as it is typed there."""
    return next((new[: len(typed)] for old, new in ids.items() if old.startswith(typed)), typed)


def _typed(command: str, home: Path) -> str:
    """Return what a terminal shows when a command is typed at it."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG", "LC_ALL", "TMPDIR")}
    environment = {
        **kept,
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "MUNIMENT_BY": "ada",
        "NO_COLOR": "1",
        "TZ": "UTC",
    }
    screen, terminal = pty.openpty()
    try:
        with subprocess.Popen(
            ["bash", "-c", _SHELL.format(python=sys.executable, command=command)],
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            env=environment,
            cwd=home / "clone",
        ):
            os.close(terminal)
            shown = b"".join(iter(lambda: _read(screen), b""))
    finally:
        os.close(screen)
    return shown.decode().replace("\r\n", "\n").replace(str(home), "~")


def _read(screen: int) -> bytes:
    """Return what a terminal shows next; nothing once the last program has left it."""
    try:
        return os.read(screen, 4096)
    except OSError:
        return b""
