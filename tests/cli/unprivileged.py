"""Runs a command without the power over file modes that root has, so that modes can be tested as root too."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.driver import Result, command_line, environment

_DROP_FROM_BOUNDING_SET = 24
_OVERRIDE, _READ_SEARCH = 1, 2


def run_unprivileged(
    *args: object,
    cwd: Path | None = None,
    input: bytes = b"",  # noqa: A002 - as in `run`
) -> Result:
    """Run a command as a process that file modes bind; the arguments are those of `run`."""
    done = subprocess.run(
        command_line(*args),
        input=input,
        capture_output=True,
        cwd=cwd,
        env=environment(),
        timeout=120,
        check=False,
        preexec_fn=_bound_by_modes if os.geteuid() == 0 else None,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


def _bound_by_modes() -> None:
    system = ctypes.CDLL(None, use_errno=True)
    for power in (_OVERRIDE, _READ_SEARCH):
        if system.prctl(_DROP_FROM_BOUNDING_SET, power, 0, 0, 0):
            raise OSError(ctypes.get_errno(), "a power cannot be given up")


def needs_modes(folder: Path) -> None:
    """Skip a test where file modes bind nobody here."""
    probe = folder / "probe"
    probe.touch(0o000)
    code = f"open({str(probe)!r})"
    try:
        done = subprocess.run(
            [command_line()[0], "-c", code],
            capture_output=True,
            check=False,
            preexec_fn=_bound_by_modes if os.geteuid() == 0 else None,
        )
    except (OSError, subprocess.SubprocessError, AttributeError) as error:
        pytest.skip(f"file modes cannot be tested here: {error}")
    finally:
        probe.unlink()
    if done.returncode == 0:
        pytest.skip("file modes bind nobody here")
