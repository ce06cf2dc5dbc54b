"""Runs one git command for a limited time, without a person's hooks and where nobody is asked anything.

Implements specs/team.md (TM-73, TM-75).
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path
from typing import NamedTuple

from transports.protocol import UnreachableError

PATIENCE = 60.0
"""Seconds that one command may take."""
_OLDEST = (2, 39)
_NEEDED = (
    "git {}: a team that meets in a git repository needs git 2.39 or newer; install it, or use a folder."
)
_SETTINGS = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.fsync": "none",  # nothing in the cache must survive a loss of power
    "core.logAllRefUpdates": "false",  # what an erase replaced would stay
    "gc.bigPackThreshold": "0",  # the same
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.ext.allow": "never",
}
_KEPT = ("GIT_ASKPASS", "GIT_CONFIG_", "GIT_EXEC_PATH", "GIT_HTTP_", "GIT_PROXY_", "GIT_SSH", "GIT_SSL_")
"""Beginnings of those of git's variables that say how to reach a host. The others lead to another repository, or trace."""
_DROPPED = ("GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT")


class Ran(NamedTuple):
    """What a git command returned."""

    code: int
    out: bytes
    err: str


def started(*arguments: str, folder: Path) -> subprocess.Popen[bytes]:
    """Start git with these arguments in a folder, in a session of its own, with pipes at its streams.

    Raises:
        UnreachableError: it is not installed.
    """
    settings = [word for name, value in _SETTINGS.items() for word in ("-c", f"{name}={value}")]
    try:
        return subprocess.Popen(
            ["git", *settings, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=_environment(),
            start_new_session=True,  # ssh finds no terminal to ask at, and all that git starts can be ended
        )
    except FileNotFoundError as error:
        missing = (
            _NEEDED.format("is not installed") if error.filename == "git" else f"{folder} is gone: try again."
        )
        raise UnreachableError(missing) from None


def run_git(*arguments: str, given: bytes = b"", folder: Path, patience: float = PATIENCE) -> Ran:
    """Run git with these arguments.

    Args:
        arguments: all of them.
        given: its standard input.
        folder: where it runs.
        patience: seconds after which it is ended with all that it started.

    Raises:
        UnreachableError: it took too long, or is not installed.
    """
    process = started(*arguments, folder=folder)
    with process:
        try:
            out, err = process.communicate(given, patience)
        except BaseException as error:
            os.killpg(process.pid, signal.SIGKILL)
            if isinstance(error, subprocess.TimeoutExpired):
                raise UnreachableError(
                    f"git did not finish within {patience:g} seconds: check the network and try again."
                ) from None
            raise
    return Ran(process.returncode, out, err.decode("utf-8", "replace"))


def check_version(folder: Path) -> None:
    """Refuse a git that is missing or too old; run it in `folder`."""
    said = run_git("version", folder=folder).out.decode("utf-8", "replace").strip()
    found = re.search(r"(\d+)\.(\d+)", said)
    if not found or (int(found[1]), int(found[2])) < _OLDEST:
        raise UnreachableError(_NEEDED.format(f"is too old ({said})"))


def _environment() -> dict[str, str]:
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or (name.startswith(_KEPT) and name not in _DROPPED)
    }
    return own | {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh",
        "SSH_ASKPASS_REQUIRE": "never",
        "LC_ALL": "C",
    }
