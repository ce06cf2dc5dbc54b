"""Runs memledger for the tests of the command line: in this process, as another one, or at a terminal."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from cli import main

ROOT = Path(__file__).resolve().parents[2]
_PATIENCE = 60

Environment = Mapping[str, str | None]
"""Variables to set; None takes one away."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a run came to: its exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document on stdout."""
        return orjson.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        """The JSON lines on stdout."""
        return [orjson.loads(line) for line in self.out.splitlines()]

    def ok(self) -> Result:
        """Return the result, if it is one of success."""
        assert self.code == 0, f"exit code {self.code}: {self.err or self.out}"
        return self


def run(
    *arguments: object,
    input: str | bytes = "",  # noqa: A002 - the name that subprocess.run has for it
    cwd: Path | None = None,
    env: Environment | None = None,
) -> Result:
    """Run memledger in this process; neither input nor output is a terminal."""
    stdin, stdout, stderr = _stream(_bytes(input)), _stream(), _stream()
    with (
        _environment(env or {}),
        contextlib.chdir(cwd or Path()),
        _standard_input(stdin),
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
    ):
        code = main.run([str(argument) for argument in arguments])
    return Result(code, _written(stdout), _written(stderr))


def run_process(
    *arguments: object,
    input: str | bytes = "",  # noqa: A002 - the name that subprocess.run has for it
    cwd: Path | None = None,
    env: Environment | None = None,
) -> Result:
    """Run memledger as a process of its own, with pipes for input and output."""
    done = subprocess.run(
        command(*arguments),
        input=_bytes(input),
        capture_output=True,
        cwd=cwd,
        env=process_environment(env),
        timeout=_PATIENCE,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


def run_at_terminal(
    *arguments: object,
    answers: Sequence[str] = (),
    cwd: Path | None = None,
    env: Environment | None = None,
    columns: int = 100,
) -> Result:
    """Run memledger as a person does: input and output are a terminal.

    Each of `answers` is typed, with Return, once something that ends like a prompt (`: `, `] ` or `? `) was
    printed. `out` is all that the terminal showed, with colours.
    """
    import fcntl
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = process_environment({"TERM": "xterm-256color", **(env or {})})
    process = subprocess.Popen(
        command(*arguments),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=cwd,
        env=environment,
        start_new_session=True,
    )
    os.close(theirs)
    try:
        shown = _converse(ours, list(answers))
        return Result(process.wait(_PATIENCE), shown.replace("\r\n", "\n"), "")
    finally:
        os.close(ours)
        if process.poll() is None:
            process.kill()
            process.wait()


def command(*arguments: object) -> list[str]:
    """Return the command line that runs memledger from the checkout."""
    return [sys.executable, "-m", "cli", *map(str, arguments)]


def process_environment(changes: Environment | None = None) -> dict[str, str]:
    """Return the environment of a process that runs memledger from the checkout."""
    changed = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "error", **(changes or {})}
    return {name: value for name, value in changed.items() if value is not None}


def plain(text: str) -> str:
    """Return what a terminal showed, without colours."""
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)


def add(text: str, *options: object, **how: Any) -> str:
    """Add a memory to the ledger of the test's home and return its id."""
    id_: str = run("add", text, "--json", *options, **how).ok().json["id"]
    return id_


def _converse(terminal: int, answers: list[str]) -> str:
    shown = b""
    answered = 0
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 0.5)[0]:
            continue
        try:
            block = os.read(terminal, 65536)
        except OSError:  # Linux: the other end is closed
            break
        if not block:
            break
        shown += block
        if answers and re.search(rb"[:\]?] ?$", shown[answered:]):
            os.write(terminal, answers.pop(0).encode() + b"\n")
            answered = len(shown)
    return shown.decode()


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _stream(data: bytes = b"") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", write_through=True)


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


@contextlib.contextmanager
def _standard_input(stream: io.TextIOWrapper) -> Iterator[None]:
    before, sys.stdin = sys.stdin, stream
    try:
        yield
    finally:
        sys.stdin = before


@contextlib.contextmanager
def _environment(changes: Environment) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in changes}
    _set(changes)
    try:
        yield
    finally:
        _set(before)


def _set(values: Environment) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
