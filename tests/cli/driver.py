"""Drives the command line for tests: in this process for the many small cases, as a real process for others.

`run`, `run_process` and `run_at_terminal` take what follows `muniment` and return exit code, stdout and
stderr. In this process stdin is no terminal, unless the test says so.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import select
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import muniment
from cli import main
from cli.app import App
from muniment import Memory
from tests import forking

ROOT = forking.ROOT
_PATIENCE = 120


@dataclass(frozen=True, slots=True)
class Result:
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout."""
        return json.loads(self.out)

    @property
    def json_lines(self) -> list[Any]:
        """The JSON lines on stdout."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def id(self) -> str:
        """The id that begins stdout."""
        return self.out.split()[0]

    def ok(self) -> Result:
        """Return this result of a command that must have gone well."""
        assert self.code == 0, f"exit {self.code}: {self.err}"
        return self


def user_ledger(*texts: str) -> Path:
    """Found a user's ledger, learn these texts in it as `add` does, and return its directory."""
    with muniment.init() as memory:
        for text in texts:
            memory.store(Memory(text), by=App().by())
        return memory.workspace.place.directory


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def run(
    *args: object,
    input: str | bytes | None = None,  # noqa: A002 - as in subprocess.run
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    terminal: bool = False,
) -> Result:
    """Run a command in this process.

    Args:
        args: what follows `muniment`; each is made a text.
        input: what stdin gives.
        cwd: the folder that it runs in.
        env: variables that are set on top of the test's own.
        terminal: say that stdin and stderr are a terminal; `input` is then what a person types.
    """
    data = input.encode() if isinstance(input, str) else input or b""
    kind = _Terminal if terminal else io.TextIOWrapper
    out, err = io.BytesIO(), io.BytesIO()
    stdout = io.TextIOWrapper(out, "utf-8", newline="")
    stderr = kind(err, "utf-8", newline="")
    before = sys.stdin, sys.stdout, sys.stderr
    with _place(cwd, env or {}):
        sys.stdin, sys.stdout, sys.stderr = kind(io.BytesIO(data), "utf-8"), stdout, stderr
        try:
            code = main.run([str(arg) for arg in args])
        finally:
            stdout.flush()
            stderr.flush()
            sys.stdin, sys.stdout, sys.stderr = before
    return Result(code, out.getvalue().decode(), err.getvalue().decode())


@contextlib.contextmanager
def _place(cwd: str | Path | None, env: Mapping[str, str]) -> Iterator[None]:
    variables = dict(os.environ)
    try:
        os.environ.update(env)
        with contextlib.chdir(cwd or Path.cwd()):
            yield
    finally:
        if dict(os.environ) != variables:
            os.environ.clear()
            os.environ.update(variables)


def run_process(
    *args: object,
    input: str | bytes | None = None,  # noqa: A002 - as in subprocess.run
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Result:
    """Run a command as a process of its own; the arguments are those of `run`."""
    done = forking.run_python(
        command_line(*args)[1:], input=input or b"", cwd=cwd, env=environment(env), timeout=_PATIENCE
    )
    return Result(done.returncode, done.stdout, done.stderr)


def command_line(*args: object) -> list[str]:
    """Return the command line that runs muniment from the checkout."""
    return [sys.executable, "-m", "cli", *map(str, args)]


def environment(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a process that runs muniment from the checkout."""
    return {**os.environ, "PYTHONPATH": str(ROOT), **(env or {})}


def run_at_terminal(
    *args: object,
    answers: Sequence[str] = (),
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    columns: int = 0,
    enter: str = "\n",
) -> Result:
    """Run a command as a process of its own whose stdin, stdout and stderr are one real terminal.

    Args:
        args: what follows `muniment`.
        answers: what a person types: one of them, with Return, after each text that ends like a prompt.
        cwd: the folder that it runs in.
        env: variables that are set on top of the test's own.
        columns: the width of the terminal; one that does not know it (0) wraps no line.
        enter: what is typed behind each answer; "" where single keys are asked for.

    Returns:
        `out` is all that the terminal showed, with colours.
    """
    import fcntl
    import pty
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    modes = termios.tcgetattr(theirs)
    process = forking.Forked(
        command_line(*args)[1:],
        (theirs, theirs, theirs),
        cwd=cwd,
        env=environment({"TERM": "xterm-256color", **(env or {})}),
        terminal=True,
    )
    try:
        shown = _converse(ours, process, [f"{answer}{enter}" for answer in answers])
        code = process.wait(_PATIENCE)
        assert termios.tcgetattr(theirs) == modes, "the terminal's modes are not what they were"
        return Result(code, shown.replace("\r\n", "\n"), "")
    finally:
        os.close(ours)
        os.close(theirs)
        process.kill()
        process.close()


def _converse(terminal: int, process: forking.Forked, answers: list[str]) -> str:
    """Read what a terminal shows until its process ends, and type the answers."""
    shown = b""
    answered = 0
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        ended = process.poll() is not None  # before the look: what it showed last is there then
        if select.select([terminal], [], [], 0 if ended else 0.01)[0]:
            shown += os.read(terminal, 65536)
        elif ended:
            break
        elif answers and re.search(rb"[:\]?] ?$", shown[answered:]) and _is_asleep(process.pid):
            os.write(terminal, answers.pop(0).encode())
            answered = len(shown)
    return shown.decode()


def _is_asleep(pid: int) -> bool:
    """Return whether a process waits, where /proc says so: a Ctrl-C between a question and the wait for its answer is lost."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] == b"S"
    except FileNotFoundError:
        return not Path("/proc/self").exists()


def uncolored(text: str) -> str:
    """Return what a terminal showed, without colours."""
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)
