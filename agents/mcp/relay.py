"""Stands between an MCP client and another memory server: passes every line on as it came, and records the tools' calls.

Implements specs/doors.md (G-92, G-97). It adds nothing to the conversation, so both see exactly each other.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from agents.mcp.call_records import CallRecords
from agents.mcp.caller import new_session
from agents.mcp.tool_calls import PassingCalls
from ledger.errors import OutsideError
from ledger.instant import system_clock

_GRACE = 5
"""Seconds that the server has to end once it says nothing more."""


def relay(command: Sequence[str], records: CallRecords, by: str | None = None) -> None:
    """Start the server, and pass messages on until it ends, as it does when its client is gone.

    Args:
        command: the server's program and its arguments.
        records: what records the calls.
        by: the writer's name where it is not the client's.

    Raises:
        OutsideError: the server could not be started, or ended while its client was there.
    """
    try:
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except OSError as error:
        raise OutsideError(
            f"the memory server cannot be started ({command[0]}: {error.strerror}): "
            "check the command behind --beside by running it alone"
        ) from None
    talk = PassingCalls(Path(command[0]).name, new_session(), by, system_clock)
    client = _Client(server, talk)
    signal.signal(signal.SIGTERM, lambda *_: client.leave())
    try:
        client.start()
        assert server.stdout is not None
        for line in server.stdout:
            records.record(talk.answered(line))
            client.tell(line)
    finally:
        _end(server)
        records.record(talk.unanswered(), last=True)
    if not client.is_gone:
        raise OutsideError(
            f"the memory server ended by itself, with exit code {server.returncode}: run "
            f"{shlex.join(command)} alone to see why, then restart it in your agent's program"
        )


def _end(server: subprocess.Popen[bytes]) -> None:
    """Wait until the server has ended, but not for ever."""
    try:
        server.wait(_GRACE)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


class _Client:
    """The client's end: stdin and stdout."""

    def __init__(self, server: subprocess.Popen[bytes], talk: PassingCalls) -> None:
        self.is_gone = False
        self._talk = talk
        self._process = server
        assert server.stdin is not None
        self._server: IO[bytes] = server.stdin
        self._in = os.fdopen(os.dup(0), "rb")
        self._out = os.fdopen(os.dup(1), "wb")

    def start(self) -> None:
        """Pass on what the client says, from now on until it is gone or this process ends."""
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with suppress(OSError):  # the server is gone: whoever reads it notices
            for line in self._in:
                self._talk.asked(line)
                self._server.write(line)
                self._server.flush()
            self.is_gone = True
        with suppress(OSError):
            self._server.close()

    def tell(self, line: bytes) -> None:
        """Pass on what the server says; a client that is gone misses it."""
        try:
            self._out.write(line)
            self._out.flush()
        except BrokenPipeError:
            self.is_gone = True

    def leave(self) -> None:
        """Tell the server to end: the client told us to."""
        self.is_gone = True
        self._process.terminate()
