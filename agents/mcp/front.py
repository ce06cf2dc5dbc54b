"""Answers what a client asks first before the SDK is loaded, which takes longer than some clients wait for tools.

Implements specs/doors.md (G-49). The answers are those of the SDK's server, kept in first_answers.json (`make docs`). The
SDK hears every message all the same, so that it knows the client; what it answers a second time is not sent.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from pathlib import Path
from typing import Any

ANSWERS = Path(__file__).parent / "first_answers.json"
"""The SDK server's answers to the first requests, the same for every client."""

_ABOUT = "io.modelcontextprotocol/"
_MODERN = {f"{_ABOUT}protocolVersion", f"{_ABOUT}clientInfo", f"{_ABOUT}clientCapabilities"}


class Wire:
    """The wire to one client: stdin and stdout, which nothing else in this process reads or writes from then on.

    The SDK's transport reads and writes it as it would two files of text.
    """

    def __init__(self) -> None:
        self._in = os.fdopen(os.dup(0), "rb")
        self._out = os.fdopen(os.dup(1), "wb")
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        try:
            os.dup2(2, 1)
        except OSError:  # stderr is closed
            os.dup2(nothing, 1)
        os.close(nothing)
        self._answers: dict[str, Any] = json.loads(ANSWERS.read_bytes())
        self._heard: list[bytes] = []
        self._answered: set[int | str] = set()
        self._shook_hands = False

    def answer(self) -> bool:
        """Answer the first requests; return True at a message that only the SDK can answer, False when the client is gone.

        The SDK is loaded meanwhile.
        """
        loading = threading.Thread(target=_load)
        while line := self._in.readline():
            self._heard.append(line)
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                break
            if not isinstance(message, dict) or not isinstance(message.get("method"), str):
                break
            if "id" not in message:
                continue
            id_, result = message["id"], self._result(message["method"], message.get("params"))
            if result is None or type(id_) not in (int, str):
                break
            self._answered.add(id_)
            self._send(json.dumps({"jsonrpc": "2.0", "id": id_, "result": result}))
            if loading.ident is None:
                loading.start()
        if loading.ident is not None:
            loading.join()
        return bool(line)

    def _result(self, method: str, params: Any) -> Any:
        """Return what the SDK's server answers; None if that depends on more than the table has."""
        about = params.get("_meta") if isinstance(params, dict) else None
        if isinstance(about, dict) and about.keys() >= _MODERN:
            discover = self._answers["server/discover"]
            if (
                params.keys() != {"_meta"}
                or about[f"{_ABOUT}protocolVersion"] not in discover["supportedVersions"]
            ):
                return None
            listed = self._answers["lists"].get(method)
            return discover if method == "server/discover" else listed and listed | self._answers["modern"]
        if method == "initialize" and isinstance(params, dict):
            version = params.get("protocolVersion")
            self._shook_hands = version in self._answers["versions"]
            return self._answers["initialize"] | {"protocolVersion": version} if self._shook_hands else None
        return self._answers["lists"].get(method) if self._shook_hands and not params else None

    def readline(self) -> str:
        """Return the next message for the SDK, those that were heard already first; "" when the client is gone."""
        line = self._heard.pop(0) if self._heard else self._in.readline()
        return line.decode("utf-8", "replace")

    def write(self, text: str) -> None:
        """Send a message of the SDK's, but for an answer that the client has."""
        if self._answered:
            message = json.loads(text)
            if "method" not in message and message.get("id") in self._answered:
                self._answered.discard(message["id"])
                return
        self._send(text)

    def flush(self) -> None:
        """Do nothing: each message is sent at once."""

    def _send(self, text: str) -> None:
        self._out.write(text.rstrip("\n").encode() + b"\n")
        self._out.flush()


def _load() -> None:
    with contextlib.suppress(Exception):  # code that needs it imports it again, and gets the error
        from agents.mcp import server  # noqa: F401
