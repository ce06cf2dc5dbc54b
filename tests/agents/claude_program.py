"""The real Claude Code, and a model's API on loopback for it to ask.

`make extras` installs the program into build/foreign; what needs it is skipped where it is not there. It finds its home folder
by HOME and is told to ask nobody but the stand-in, which speaks the streaming Messages API and remembers what it was asked.
"""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.cli.driver import ROOT

PROGRAMS = sorted((ROOT / "build/foreign/node_modules/@anthropic-ai").glob("claude-code-*/claude"))
INSTALLED = pytest.mark.skipif(not PROGRAMS, reason="Claude Code is not installed: make extras")

QUIET = {
    "ANTHROPIC_API_KEY": "dummy",
    "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",  # nobody listens there
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "NO_PROXY": "127.0.0.1",
}
"""Variables by which it asks no server but that of ANTHROPIC_BASE_URL, and reaches none beyond loopback."""


def claude(*words: str | Path, cwd: Path, **env: str) -> str:
    """Run Claude Code to its end, which must be a good one; return what it printed."""
    done = subprocess.run(
        [PROGRAMS[0], *words],
        cwd=cwd,
        env={**os.environ, **QUIET, **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@contextmanager
def messages_api() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Give the address of a stand-in that says "Done." to each request, and the bodies of the requests so far."""
    asked: list[dict[str, Any]] = []
    handler = type("_Handler", (_Handler,), {"asked": asked})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    """Streams one short text."""

    asked: list[dict[str, Any]]

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path.partition("?")[0] != "/v1/messages":
            self.send_error(404)
            return
        self.asked.append(body)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for event in _stream(body["model"]):
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _stream(model: str) -> Iterator[dict[str, Any]]:
    """Yield the events of an answer."""
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": model, "content": []}
    ending = {"stop_reason": None, "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
    yield {"type": "message_start", "message": message | ending}
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Done."}}
    yield {"type": "content_block_stop", "index": 0}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": "end_turn", "stop_sequence": None},
        "usage": {"output_tokens": 2},
    }
    yield {"type": "message_stop"}
