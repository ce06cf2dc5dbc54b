"""Runs Python programs for tests, each in a process of its own that is forked from one warm process.

A start costs what the program does, and not the import of what it uses. The process is real in all that a test can see: its number,
streams, signals, exit code, locks and files. What Python reads only when it starts (its own variables, the locale, what it imports) a
forked process does not read: a program that is given such a variable is started, and a test of start-up starts its program itself.
"""

from __future__ import annotations

import atexit
import contextlib
import fcntl
import json
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from tests.warming import warm

ROOT = Path(__file__).resolve().parents[1]
_READ_BY_PYTHON = ("PYTHON", "LC_", "LANG", "LD_")
_BLOCK, _MOST_FILES = 1 << 16, 1024


class Forked:
    """A process that runs what would follow `python` on a command line: `-m`, a module and arguments, or `-c`, code and arguments.

    Args:
        arguments: what follows `python`.
        streams: the files that are its stdin, stdout and stderr.
        cwd: the folder that it runs in.
        env: all its variables.
        terminal: its stdin is a terminal, which becomes the one that can interrupt it.
    """

    def __init__(
        self,
        arguments: Sequence[object],
        streams: tuple[int, int, int],
        *,
        cwd: str | Path | None = None,
        env: Mapping[str, str] | None = None,
        terminal: bool = False,
    ) -> None:
        request = {
            "arguments": [str(each) for each in arguments],
            "cwd": str(cwd or Path.cwd()),
            "env": dict(os.environ if env is None else env),
            "terminal": terminal,
        }
        ours, theirs = os.pipe()
        with tempfile.TemporaryFile() as file:
            file.write(json.dumps(request).encode())
            file.seek(0)
            socket.send_fds(_server(), [b"."], [file.fileno(), theirs, *streams])
        os.close(theirs)
        self._news = os.fdopen(ours)
        self.pid = int(self._news.readline())
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the exit code (negative: killed by that signal), or None while it runs."""
        return self._ended(0)

    def wait(self, timeout: float) -> int:
        """Return the exit code when the process has ended."""
        code = self._ended(timeout)
        if code is None:
            raise subprocess.TimeoutExpired("a forked process", timeout)
        return code

    def close(self) -> None:
        """Let go of the process."""
        self._news.close()

    def kill(self) -> None:
        """Kill the process where it still runs."""
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)

    def _ended(self, timeout: float) -> int | None:
        with selectors.DefaultSelector() as selector:
            if self.returncode is None:
                selector.register(self._news, selectors.EVENT_READ)
                if selector.select(timeout):
                    self.returncode = int(self._news.readline())
        return self.returncode


def run_python(
    arguments: Sequence[object],
    *,
    input: str | bytes = b"",  # noqa: A002 - as in subprocess.run
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = 120,
) -> subprocess.CompletedProcess[str]:
    """Run what would follow `python` to its end, as subprocess.run does; return what it said as text. `env` is all its variables."""
    variables = dict(os.environ if env is None else env)
    words, data = [str(each) for each in arguments], input.encode() if isinstance(input, str) else input
    if _read_at_start(variables) != _read_at_start(os.environ):
        command = [sys.executable, *words]
        done = subprocess.run(
            command, input=data, capture_output=True, cwd=cwd, env=variables, timeout=timeout, check=False
        )
        return subprocess.CompletedProcess(words, done.returncode, done.stdout.decode(), done.stderr.decode())
    (stdin, given), (out, stdout), (err, stderr) = (os.pipe() for _ in range(3))
    try:
        process = Forked(words, (stdin, stdout, stderr), cwd=cwd, env=variables)
    finally:
        for fd in (stdin, stdout, stderr):
            os.close(fd)
    try:
        with ThreadPoolExecutor(3) as threads:
            try:
                threads.submit(_give, given, data)
                said = [threads.submit(_all_of, fd) for fd in (out, err)]
                texts = [each.result(timeout).decode() for each in said]
                return subprocess.CompletedProcess(words, process.wait(timeout), *texts)
            finally:
                process.kill()  # before the threads are waited for
    finally:
        process.close()


def _read_at_start(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that Python reads when it starts, without the one by which the checkout is found."""
    return {
        name: value
        for name, value in variables.items()
        if name.startswith(_READ_BY_PYTHON) and (name, value) != ("PYTHONPATH", str(ROOT))
    }


def _give(fd: int, data: bytes) -> None:
    with contextlib.suppress(BrokenPipeError), os.fdopen(fd, "wb", 0) as file:
        for at in range(0, len(data), _BLOCK):
            file.write(data[at : at + _BLOCK])


def _all_of(fd: int) -> bytes:
    with os.fdopen(fd, "rb") as file:
        return file.read()


@cache
def _server() -> socket.socket:
    """Start the warm process of this test run; it ends when this process does."""
    ours, theirs = socket.socketpair()
    with theirs:
        fd = theirs.fileno()
        process = subprocess.Popen([sys.executable, "-m", "tests.forking", str(fd)], cwd=ROOT, pass_fds=[fd])

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


# What follows runs in the warm process and in those that are forked from it.


def _serve(requests: socket.socket) -> dict[str, Any]:
    """Fork a process for each request; return, in that process, what it is to run. Ends when nobody can ask any more."""
    ended, tell = socket.socketpair()
    tell.setblocking(False)
    signal.set_wakeup_fd(tell.fileno(), warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    waiting: dict[int, int] = {}
    with selectors.DefaultSelector() as selector:
        selector.register(requests, selectors.EVENT_READ)
        selector.register(ended, selectors.EVENT_READ)
        while True:
            ready = {key.fileobj for key, _ in selector.select()}
            if ended in ready:
                ended.recv(4096)
                _report(waiting)
            if requests in ready:
                data, fds, _, _ = socket.recv_fds(requests, 1, 5)
                if not data:
                    sys.exit()
                child = os.fork()
                if not child:
                    return _asked(fds)
                waiting[child] = fds[1]
                os.write(fds[1], f"{child}\n".encode())
                for fd in (fds[0], *fds[2:]):
                    os.close(fd)


def _asked(fds: list[int]) -> dict[str, Any]:
    """Let go, in a process just forked, of all that its parent held; return what it is to run."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with os.fdopen(fds[0], closefd=False) as request:
        asked: dict[str, Any] = json.load(request)
    for number, fd in enumerate(fds[2:]):
        os.dup2(fd, number)
    return asked


def _report(waiting: dict[int, int]) -> None:
    """Report the exit codes of all processes that have ended."""
    while waiting:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        news = waiting.pop(pid)
        with contextlib.suppress(BrokenPipeError):
            os.write(news, f"{os.waitstatus_to_exitcode(status)}\n".encode())
        os.close(news)


def _become(asked: dict[str, Any]) -> None:
    """Take on folder, variables, terminal and streams of a process that was just started."""
    os.closerange(3, _MOST_FILES)
    if asked["terminal"]:
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    time.tzset()
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - until the process ends
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, errors="backslashreplace", closefd=False)  # noqa: SIM115


def _run(kind: str, program: str, *arguments: str) -> None:
    """Run a program as Python does."""
    try:
        if kind == "-m":
            sys.argv[1:] = arguments
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            sys.argv = ["-c", *arguments]
            exec(program, {"__name__": "__main__", "__builtins__": __builtins__})
        _codes.append(0)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            _codes.append((end.code or 0) & 0xFF)
        raise


_codes: list[int] = []
"""The exit code of a program that ended well, or as it meant to."""


def _leave() -> None:
    """Exit, when all that a program left to do at its end is done: to free every module would take longer than most programs run."""
    if _codes:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                return  # Python says what there is to say
        os._exit(_codes[0])


if __name__ == "__main__":
    atexit.register(_leave)  # registered first, called last
    warm()
    asked = _serve(socket.socket(fileno=int(sys.argv[1])))
    _become(asked)
    _run(*asked["arguments"])
