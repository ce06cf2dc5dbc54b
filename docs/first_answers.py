"""Asks the MCP server what it answers to the requests that the front answers by itself (specs/doors.md G-49)."""

from __future__ import annotations

import json
import threading
from typing import Any

import anyio

from agents.mcp.call_ledgers import Ledgers
from agents.mcp.front import ANSWERS as FILE
from agents.mcp.server import make, serve
from cli.learning_run import opened_ledgers

LISTS = ("tools/list", "prompts/list", "resources/list", "resources/templates/list")
MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "docs", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}

__all__ = ["FILE", "LISTS", "MODERN", "answers", "page"]


class _Wire:
    """A client that waits for each answer, and keeps it."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        self._messages = iter(messages)
        self._is_answered = threading.Semaphore(1)
        self.told: dict[int, Any] = {}

    def readline(self) -> str:
        self._is_answered.acquire()
        message = next(self._messages, None)
        if message is None or "id" not in message:
            self._is_answered.release()
        return "" if message is None else json.dumps({"jsonrpc": "2.0"} | message) + "\n"

    def write(self, text: str) -> None:
        message = json.loads(text)
        self.told[message["id"]] = message["result"]
        self._is_answered.release()

    def flush(self) -> None:
        pass


def _asked(*messages: dict[str, Any]) -> list[Any]:
    wire = _Wire(list(messages))
    anyio.run(serve, make(Ledgers(opened_ledgers)), wire)
    return [wire.told[number] for number in sorted(wire.told)]


def hello(version: str) -> dict[str, Any]:
    """Return the first message of a client of a version before 2026."""
    about = {"capabilities": {}, "clientInfo": {"name": "docs", "version": "1"}}
    return {"id": 1, "method": "initialize", "params": {"protocolVersion": version, **about}}


def answers() -> dict[str, Any]:
    """Return what the server answers.

    Raises:
        ValueError: the two protocols differ in more than the front knows.
    """
    from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_HANDSHAKE_VERSION

    ready = {"method": "notifications/initialized"}
    asked = [{"id": number, "method": method} for number, method in enumerate(LISTS, 2)]
    initialize, *lists = _asked(hello(LATEST_HANDSHAKE_VERSION), ready, *asked)
    modern = [
        each | {"params": {"_meta": MODERN}} for each in ({"id": 1, "method": "server/discover"}, *asked)
    ]
    discover, *others = _asked(*modern)
    more = {name: value for name, value in others[0].items() if name not in lists[0]}
    if others != [each | more for each in lists]:
        raise ValueError("what is listed differs between the protocols")
    return {
        "versions": list(HANDSHAKE_PROTOCOL_VERSIONS),
        "initialize": initialize,
        "server/discover": discover,
        "lists": dict(zip(LISTS, lists, strict=True)),
        "modern": more,
    }


def page() -> str:
    """Return first_answers.json."""
    return json.dumps(answers(), indent=1, ensure_ascii=False) + "\n"
