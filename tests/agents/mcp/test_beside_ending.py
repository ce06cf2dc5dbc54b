"""Once the client is gone, `muniment mcp --beside` and the server end, whatever the server does.

Tests specs/doors.md (G-97).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.agents.mcp.test_beside import HELLO, call, recorded
from tests.cli.driver import command_line, environment, user_ledger

SAYS_ITS_NUMBER = "import os, signal, sys, time; print(os.getpid(), flush=True)\n"
FOREVER = "while True: time.sleep(1)\n"
DEAF = SAYS_ITS_NUMBER + FOREVER
STUBBORN = SAYS_ITS_NUMBER + "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint(0, flush=True)\n" + FOREVER
WHISPERING = SAYS_ITS_NUMBER + 'while True: time.sleep(0.2); print("{}", flush=True)\n'
NO_ANSWER = "no answer: nobody knows whether it was done"


def start(code: str) -> subprocess.Popen[bytes]:
    """Start a server, given as Python code, with muniment before it."""
    return subprocess.Popen(
        command_line("mcp", "--beside", sys.executable, "-c", code),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )


def is_running(number: int) -> bool:
    """Say whether a process runs."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("code", [DEAF, STUBBORN, WHISPERING], ids=["deaf", "stubborn", "whispering"])
@pytest.mark.parametrize("sign", [signal.SIGTERM, None], ids=["told", "closed"])
def test_a_server_that_will_not_end_is_ended(isolated: Path, code: str, sign: signal.Signals | None) -> None:
    """G-97: it reads nothing, ignores SIGTERM, or goes on talking; the call that it has is recorded."""
    user_ledger()
    with start(code) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        number = int(process.stdout.readline())
        if code is STUBBORN:
            assert process.stdout.readline() == b"0\n"
        try:
            process.stdin.write(HELLO + call("write", {"text": "last words"}))
            process.stdin.flush()
            if sign is None:
                process.stdin.close()
                process.stdin = None
            else:
                process.stdin.write(b"{}\n")
                process.stdin.flush()
                process.send_signal(sign)
            process.communicate(timeout=60)
            assert process.returncode == 0
            assert not is_running(number)
        finally:
            process.kill()
            if is_running(number):
                os.kill(number, signal.SIGKILL)
    if sign is None:  # SIGTERM may come before the call
        assert [each.memory.details[0] for each in recorded()] == [NO_ANSWER]


def test_after_sigkill_the_server_sees_the_end_of_its_input(isolated: Path) -> None:
    """G-97: a server that heeds it ends."""
    user_ledger()
    with start(SAYS_ITS_NUMBER + "sys.stdin.read()\n") as process:
        assert process.stdout is not None
        number = int(process.stdout.readline())
        process.kill()
        assert process.stdout.read() == b""  # the server had it open, too
    while is_running(number):
        time.sleep(0.01)


def test_a_client_that_says_more_than_a_server_reads_may_leave(isolated: Path) -> None:
    """G-97: the end of stdin is noticed behind more bytes than a pipe holds."""
    user_ledger()
    with start(DEAF) as process:
        try:
            process.communicate(call("write", {"text": "x " * 200_000}) * 3, timeout=60)
            assert process.returncode == 0
        finally:
            process.kill()
    assert [each.memory.details[0] for each in recorded()] == 3 * [NO_ANSWER]


def test_what_holds_the_output_of_a_server_that_ended_is_not_waited_for(
    isolated: Path, tmp_path: Path
) -> None:
    """G-97: the process that the server left behind runs on, and both ends of the conversation are free."""
    user_ledger()
    stop = tmp_path / "stop"
    left = f"import os, time\nwhile not os.path.exists({str(stop)!r}): time.sleep(0.1)"
    code = f"import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {left!r}], stderr=subprocess.DEVNULL)"
    with start(code) as process:
        try:
            assert process.stdin is not None
            process.stdin.close()
            assert process.wait(60) == 0
        finally:
            stop.touch()
            process.kill()
