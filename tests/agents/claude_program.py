"""The real Claude Code, and a model's API on loopback for it to ask.

`make extras` installs the program into build/foreign; what needs it is skipped where it is not there. It finds its home folder
by HOME and is told to ask nobody but the stand-in, which speaks the streaming Messages API and remembers what it was asked.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.driver import ROOT
from tests.loopback import Reply, Request, serving

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

    def reply(request: Request) -> Reply:
        if request.path.partition("?")[0] != "/v1/messages":
            return 404, b""
        asked.append(json.loads(request.body))
        events = (
            f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in _stream(asked[-1]["model"])
        )
        return 200, "".join(events).encode(), {"Content-Type": "text/event-stream"}

    with serving(reply) as address:
        yield address, asked


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
