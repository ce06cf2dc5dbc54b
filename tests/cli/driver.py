"""Drives the command line for tests: in this process for the many small cases, as a real process for others.

`run` and `run_process` take the arguments after `memledger` and return exit code, stdout and stderr. In this
process stdin is no terminal, unless the test says so.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cli import main

ROOT = Path(__file__).resolve().parents[2]


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
        args: what follows `memledger`; each is made a text.
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
        os.environ.clear()
        os.environ.update(variables)


def run_process(
    *args: object,
    input: str | bytes | None = None,  # noqa: A002 - as in subprocess.run
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Result:
    """Run a command as a process of its own; the arguments are those of `run`."""
    data = input.encode() if isinstance(input, str) else input
    done = subprocess.run(
        [sys.executable, "-m", "cli", *map(str, args)],
        input=data if data is not None else b"",
        capture_output=True,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(env or {})},
        timeout=120,
        check=False,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())
