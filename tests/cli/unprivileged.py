"""Runs a command without the power over file modes that root has, so that modes can be tested as root too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import forking
from tests.cli.driver import Result, environment

_PROGRAM = "tests.cli.bound_by_modes"


def run_unprivileged(
    *args: object,
    cwd: Path | None = None,
    input: bytes = b"",  # noqa: A002 - as in `run`
) -> Result:
    """Run a command as a process that file modes bind; the arguments are those of `run`."""
    program = ["-m", _PROGRAM, "cli", *args]
    done = forking.run_python(program, input=input, cwd=cwd, env=environment())
    return Result(done.returncode, done.stdout, done.stderr)


def needs_modes(folder: Path) -> None:
    """Skip a test where file modes bind nobody here; a file system is asked once."""
    device = folder.stat().st_dev
    if device not in _asked:
        _asked[device] = _unbound(folder)
    if _asked[device]:
        pytest.skip(_asked[device])


_asked: dict[int, str] = {}


def _unbound(folder: Path) -> str:
    """Return why file modes bind nobody in this folder, or nothing where they do."""
    probe = folder / "probe"
    probe.touch(0o000)
    done = forking.run_python(["-m", _PROGRAM, "open", probe], env=environment())
    probe.unlink()
    if done.returncode == 0:
        return "file modes bind nobody here"
    if "PermissionError" not in done.stderr.splitlines()[-1]:
        return f"file modes cannot be tested here: {done.stderr}"
    return ""
