"""muniment view serves a page while a person's terminal is there (specs/report.md H-20)."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pytest

from tests import forking
from tests.cli.driver import command_line, environment, run, user_ledger

PATIENCE = 60


@pytest.fixture
def ledger(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return user_ledger("Use pnpm")


class Viewing:
    """A `muniment view` on a terminal of its own."""

    def __init__(self, process: forking.Forked, terminal: BinaryIO) -> None:
        self.process, self.terminal, self.shown = process, terminal, ""

    def address(self) -> str:
        """Wait for the address and return it."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and self.process.poll() is None:
            if select.select([self.terminal], [], [], 0.05)[0]:
                self.shown += self.terminal.read(65536).decode()
            if "Ctrl-C" in self.shown and (found := re.search(r"http://\S+/", self.shown)):
                return found[0]
        raise AssertionError(self.shown)

    def page(self) -> bytes:
        with urllib.request.urlopen(self.address(), timeout=PATIENCE) as answer:
            body: bytes = answer.read()
            return body


@contextmanager
def viewing(*args: str, **env: str) -> Iterator[Viewing]:
    ours, theirs = pty.openpty()
    started = forking.Forked(
        command_line("view", *args)[1:], (theirs,) * 3, env=environment(env), terminal=True
    )
    os.close(theirs)
    with os.fdopen(ours, "rb+", buffering=0) as terminal:
        try:
            yield Viewing(started, terminal)
        finally:
            started.kill()
            started.close()


def test_it_serves_until_ctrl_c(ledger: Path) -> None:
    with viewing("--no-open") as started:
        assert b'id="about"' in started.page()
        started.terminal.write(b"\x03")
        assert started.process.wait(PATIENCE) == 0


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM])
def test_it_ends_with_a_signal(ledger: Path, number: signal.Signals) -> None:
    with viewing("--no-open") as started:
        started.address()
        os.kill(started.process.pid, number)
        assert started.process.wait(PATIENCE) == 0


def test_it_ends_when_its_terminal_goes(ledger: Path) -> None:
    """As when a window or an ssh connection is closed."""
    with viewing("--no-open") as started:
        started.address()
        started.terminal.close()
        assert started.process.wait(PATIENCE) == 0


def test_a_script_may_not_serve_it(ledger: Path) -> None:
    """The page decides in a person's name."""
    done = run("view", "--no-open")
    assert (done.code, done.out) == (2, "")
    assert "muniment report" in done.err


def test_without_a_ledger_it_says_so(isolated: Path, tmp_path: Path) -> None:
    done = run("view", "--no-open", cwd=tmp_path, terminal=True, env={"MUNIMENT_BY": "ada"})
    assert (done.code, "http" in done.out) == (3, False)
