"""A server on loopback that speaks the chat-completions protocol, well or badly, for tests of what asks a language model.

It answers each request by the next of the behaviours that it was given, the last one again and again, and remembers what
it was asked. It ends with the test, whatever hangs.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.loopback import served

LONGEST_WAIT = 20.0
"""No behaviour lasts longer, whatever happens to the test."""


@dataclass
class Chat:
    """The server as a test sees it: `base` is its address, `asked` the bodies of the requests."""

    base: str = ""
    behaviours: list[Behaviour] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)

    def will(self, *behaviours: Behaviour) -> None:
        """Say how the next requests are answered."""
        self.behaviours[:] = behaviours

    @property
    def data(self) -> list[dict[str, Any]]:
        """The rows of data of the last request."""
        lines = self.asked[-1]["messages"][-1]["content"].splitlines()
        assert lines[0].startswith("BEGIN DATA ")
        assert lines[-1] == lines[0].replace("BEGIN", "END", 1)
        return [json.loads(line) for line in lines[1:-1]]


class Handler(BaseHTTPRequestHandler):
    """Answers by the behaviour whose turn it is."""

    chat: Chat

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert self.path.endswith("/chat/completions")
        self.chat.asked.append(body)
        how = self.chat.behaviours
        behaviour = how.pop(0) if len(how) > 1 else how[0]
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # whoever asked may have gone
            behaviour(self, body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def send(self, kind: str, data: bytes, status: int = 200) -> None:
        """Send a whole response."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def begin(self) -> None:
        """Begin a stream of events."""
        self.close_connection = True
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()

    def event(self, value: object) -> None:
        """Send one event."""
        text = value if isinstance(value, str) else json.dumps(value)
        self.wfile.write(f"data: {text}\n\n".encode())
        self.wfile.flush()


Behaviour = Callable[[Handler, dict[str, Any]], None]

_USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def says(text: object) -> Behaviour:
    """Answer with a text, or with a value as JSON, as a stream where one was asked for."""
    content = text if isinstance(text, str) else json.dumps(text)

    def answer(handler: Handler, body: dict[str, Any]) -> None:
        if not body.get("stream"):
            handler.send("application/json", json.dumps(_whole(content)).encode())
            return
        handler.begin()
        for at in range(0, len(content), 1000):
            handler.event(_chunk(content[at : at + 1000]))
        handler.event({**_chunk(None, "stop"), "usage": _USAGE})
        handler.event("[DONE]")

    return answer


def without_choices(handler: Handler, body: dict[str, Any]) -> None:
    """Answer well but for the choices, of which there are none."""
    if body.get("stream"):
        handler.begin()
        handler.event({**_chunk(""), "choices": []})
        handler.event("[DONE]")
    else:
        handler.send("application/json", json.dumps({**_whole(""), "choices": []}).encode())


def fails(handler: Handler, body: dict[str, Any]) -> None:
    """Answer with an internal error."""
    handler.send("application/json", b'{"error":{"message":"the model is on fire","type":"server"}}', 500)


def portal(handler: Handler, body: dict[str, Any]) -> None:
    """Answer with a page, as a network does that wants somebody to log in."""
    handler.send("text/html", b"<html><body>Log in to this network</body></html>")


def hangs(handler: Handler, body: dict[str, Any]) -> None:
    """Give no answer until the test is over."""
    handler.close_connection = True
    handler.chat.over.wait(LONGEST_WAIT)


def drips(handler: Handler, body: dict[str, Any]) -> None:
    """Give a character now and then, so that no wait for the next is ever long."""
    handler.begin()
    end = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < end and not handler.chat.over.wait(0.05):
        handler.event(_chunk(" "))


def floods(handler: Handler, body: dict[str, Any]) -> None:
    """Give an answer without an end."""
    handler.begin()
    end = time.monotonic() + LONGEST_WAIT
    while time.monotonic() < end and not handler.chat.over.is_set():
        handler.event(_chunk("x" * 4096))


def resets(handler: Handler, body: dict[str, Any]) -> None:
    """Break the connection off in the middle of an answer."""
    handler.begin()
    handler.event(_chunk('{"memories": ['))
    handler.close_connection = True
    linger = struct.pack("ii", 1, 0)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    os.close(handler.connection.detach())


def _chunk(content: str | None, finish: str | None = None) -> dict[str, Any]:
    delta = {} if content is None else {"role": "assistant", "content": content}
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def _whole(content: str) -> dict[str, Any]:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content},
        "finish_reason": "stop",
    }
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        "usage": _USAGE,
    }


@contextmanager
def serving() -> Iterator[Chat]:
    """Give a server on loopback that ends with the block."""
    chat = Chat()
    handler = type("_Handler", (Handler,), {"chat": chat})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    with served(server) as address:
        chat.base = f"{address}/v1"
        try:
            yield chat
        finally:
            chat.over.set()


def configured(folder: Path, chat: Chat) -> None:
    """Write down models of the server as a person does for `llm`: `good`, `whole` (no streams), `plain` (no schema)."""
    folder.mkdir(parents=True, exist_ok=True)
    models = [
        {"model_id": "good", "model_name": "m", "api_base": chat.base, "supports_schema": True},
        {"model_id": "whole", "model_name": "m", "api_base": chat.base, "supports_schema": True, "can_stream": False},
        {"model_id": "plain", "model_name": "m", "api_base": chat.base},
        {"model_id": "locked", "model_name": "m", "api_base": chat.base, "api_key_name": "nobody"},
    ]  # fmt: skip
    (folder / "extra-openai-models.yaml").write_text(json.dumps(models))  # JSON is YAML
