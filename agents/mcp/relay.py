"""Stands between an MCP client and another memory server: passes every line on as it came, and records the tools' calls.

Implements specs/doors.md (G-92, G-97). It adds nothing to the conversation, so both see exactly each other.
"""

from __future__ import annotations

import os
import queue
import shlex
import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from agents.mcp.call_records import CallRecords
from agents.mcp.caller import new_session
from agents.mcp.tool_calls import PassingCalls
from ledger.errors import OutsideError
from ledger.instant import system_clock

_GRACE = 5.0
"""Seconds that the server has to end, or to answer one more call, once its client is gone or its output has ended."""
_HURRY = 0.5
"""The same once SIGTERM came: clients kill this process some two seconds later."""


def relay(command: Sequence[str], records: CallRecords, by: str | None = None) -> None:
    """Start the server, and pass messages on until it or its client is gone; then end it.

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
    between = _Between(server, talk, records)
    signal.signal(signal.SIGTERM, lambda *_: between.leave())
    try:
        between.run()
    finally:
        between.end()
        records.record(talk.unanswered(), last=True)
    if not between.client_is_gone:
        raise OutsideError(
            f"the memory server ended by itself, with exit code {server.returncode}: run "
            f"{shlex.join(command)} alone to see why, then restart it in your agent's program"
        )


class _Between:
    """Passes lines on in both directions. Each may block for ever, so each has a thread, and the main thread waits for news."""

    def __init__(self, server: subprocess.Popen[bytes], talk: PassingCalls, records: CallRecords) -> None:
        self.client_is_gone = False
        self._output_ended = False
        self._grace = _GRACE
        self._server, self._talk, self._records = server, talk, records
        self._in = os.fdopen(os.dup(0), "rb")
        self._out = os.fdopen(os.dup(1), "wb")
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._news: queue.SimpleQueue[None] = queue.SimpleQueue()
        self._answering = threading.Thread(target=self._answer, daemon=True)

    def run(self) -> None:
        """Pass lines on until one side is gone."""
        self._answering.start()
        for work in (self._listen, self._forward):
            threading.Thread(target=work, daemon=True).start()
        while not (self.client_is_gone or self._output_ended):
            self._news.get()

    def leave(self) -> None:
        """Tell the server to end: the client told us to. A signal's handler, so it waits for nothing."""
        self.client_is_gone, self._grace = True, _HURRY
        self._server.terminate()
        self._news.put(None)

    def end(self) -> None:
        """Let the server end, then tell it to, then kill it; what still holds its output is not waited for."""
        self._lines.put(None)
        for force in (self._server.terminate, self._server.kill):
            self._wait()
            if self._server.poll() is not None:
                return
            force()
        self._wait()

    def _wait(self) -> None:
        """Wait until the server has ended and all that it said is passed on, or until it answers no call for a while."""
        while self._answering.is_alive():
            try:
                self._news.get(timeout=self._grace)
            except queue.Empty:
                if not self._records.is_recording:
                    return

    def _listen(self) -> None:
        """Hear what the client says; however slowly the server reads, the client's end is noticed."""
        with suppress(OSError):
            for line in self._in:
                self._talk.asked(line)
                self._lines.put(line)
        self.client_is_gone = True
        self._lines.put(None)
        self._news.put(None)

    def _forward(self) -> None:
        """Pass on what the client said."""
        assert self._server.stdin is not None
        with suppress(OSError), self._server.stdin as server:  # it is gone: the reader notices
            while (line := self._lines.get()) is not None:
                server.write(line)
                server.flush()

    def _answer(self) -> None:
        """Record and pass on what the server says, then wait for its end."""
        assert self._server.stdout is not None
        try:
            for line in self._server.stdout:
                calls = self._talk.answered(line)
                self._records.record(calls)
                self._tell(line)
                if calls:
                    self._news.put(None)
        finally:
            self._output_ended = True
            self._news.put(None)
        self._server.wait()
        self._news.put(None)

    def _tell(self, line: bytes) -> None:
        """Pass on what the server says; a client that is gone misses it."""
        try:
            self._out.write(line)
            self._out.flush()
        except OSError:
            self.client_is_gone = True
            self._news.put(None)
