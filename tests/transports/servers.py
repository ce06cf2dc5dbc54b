"""Real servers for tests of transports, each on a free port of this machine, with its files in a temporary folder."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

NOBODY = pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None
"""Who runs what root may not run; None where nobody runs the tests as root."""
_STARTS_WITHIN = 30.0


def has(package: str) -> bool:
    """Say whether a package with a server is installed."""
    return find_spec(package) is not None


def program(package: str, path: str) -> Path:
    """Return a program that a package brings; the test is skipped where the package is not installed."""
    found = find_spec(package)
    if found is None or found.origin is None:
        pytest.skip(f"{package} is not installed: it has no wheel for this system")
    return Path(found.origin).parent / path


def free_port() -> int:
    """Return a port on which nothing listens now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """A server as a process that may be killed, stopped and started again.

    Args:
        command: its program and arguments.
        log: what it prints.
        answers: says whether it answers.
        owner: the user who runs it, None for the one who runs the tests.
    """

    def __init__(
        self, command: Sequence[str | Path], log: Path, answers: Callable[[], bool], owner: int | None = None
    ) -> None:
        self._command, self._log, self._answers, self._owner = command, log, answers, owner
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it, and wait until it answers."""
        end = time.monotonic() + _STARTS_WITHIN
        while not self._runs or not self._answers():
            assert time.monotonic() < end, self._log.read_text()
            if not self._runs:
                with self._log.open("ab") as log:
                    self._process = subprocess.Popen(
                        self._command, stdout=log, stderr=log, user=self._owner, group=self._owner, cwd="/"
                    )
            time.sleep(0.05)

    @property
    def _runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def _pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        """End it without warning."""
        self.send(signal.SIGKILL)
        self.wait()

    def stop(self) -> None:
        """Let it, and what it started, stand still."""
        while not all(state.startswith("T") for state in self._signal_all(signal.SIGSTOP)):
            time.sleep(0.01)

    def go_on(self) -> None:
        """Let it go on."""
        self._signal_all(signal.SIGCONT)

    def _signal_all(self, number: signal.Signals) -> list[str]:
        """Send a signal to it and to its children; return their states, as `ps` names them."""
        listed = subprocess.run(["ps", "-eo", "pid=,ppid=,stat="], capture_output=True, text=True, check=True)
        rows = [line.split() for line in listed.stdout.splitlines()]
        found = [(int(pid), state) for pid, parent, state in rows if str(self._pid) in (pid, parent)]
        for pid, _ in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        return [state for _, state in found]

    def wait(self) -> None:
        """Wait for its end."""
        assert self._process is not None
        self._process.wait()

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Start it; stop it at last."""
        self.start()
        try:
            yield
        finally:
            self.go_on()
            self.send(signal.SIGINT)  # it does not wait for connections
            self.wait()


@contextlib.contextmanager
def scratch(owner: int | None = None) -> Iterator[Path]:
    """Give a folder that a user owns: pytest's are readable by nobody else."""
    folder = Path(tempfile.mkdtemp())
    try:
        if owner is not None:
            os.chown(folder, owner, owner)
        yield folder
    finally:
        shutil.rmtree(folder)
