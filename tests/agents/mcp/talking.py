"""A real client for the tests of `muniment mcp`: the SDK's, over stdio with a process of its own, or in this process."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import anyio
import pytest

from cli.learning_run import opened_ledgers

pytest.importorskip("mcp", reason="the extra muniment[mcp] is not installed")

from mcp import Client
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.types import ElicitResult, Implementation, TextContent

from agents.mcp.call_ledgers import Ledgers
from agents.mcp.server import make
from tests import forking
from tests.cli.driver import environment

_PATIENCE = 60
MODERN, LEGACY = "auto", "legacy"

__all__ = ["LEGACY", "MODERN", "YES", "Agent", "MCPError", "Talk", "talk", "talk_here"]

Talk = Callable[["Agent"], Awaitable[None]]


class Agent:
    """What is at the other end of a server; `asked` are the questions that its user was asked, `forms` their fields."""

    def __init__(self, client: Client, questions: list[tuple[str, Any]]) -> None:
        self.client = client
        self._questions = questions

    @property
    def asked(self) -> list[str]:
        """The questions."""
        return [message for message, _ in self._questions]

    @property
    def forms(self) -> list[Any]:
        """What each asks to be filled in: the schema without its words."""
        return [
            {key: value for key, value in form.items() if key not in ("title", "description")}
            for _, form in self._questions
        ]

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool that must go well; return what it gives."""
        done = await self.client.call_tool(tool, arguments)
        assert not done.is_error, _text(done.content)
        found: dict[str, Any] | None = done.structured_content
        assert found is not None
        return found

    async def refused(self, tool: str, **arguments: Any) -> str:
        """Call a tool that must fail; return its one line."""
        done = await self.client.call_tool(tool, arguments)
        assert done.is_error
        line = _text(done.content)
        assert "\n" not in line
        assert "Traceback" not in line
        return line

    async def read(self, uri: str) -> str:
        """Return the text of a resource."""
        return str(getattr((await self.client.read_resource(uri)).contents[0], "text", ""))

    async def prompt(self, **arguments: str) -> str:
        """Return the text of the prompt."""
        return _text([(await self.client.get_prompt("memories", arguments)).messages[0].content])


def _text(content: list[Any]) -> str:
    assert len(content) == 1
    assert isinstance(content[0], TextContent)
    return content[0].text


def _settings(
    mode: str, answer: Mapping[str, Any] | None, asked: list[tuple[str, Any]], name: str
) -> dict[str, Any]:
    async def ask(_context: Any, params: Any) -> ElicitResult:
        asked.append((params.message, params.requested_schema))
        assert answer is not None
        return ElicitResult.model_validate(answer)

    settings: dict[str, Any] = {"client_info": Implementation(name=name, version="1")}
    if mode == LEGACY:
        settings["mode"] = LEGACY
    if answer is not None:
        settings["elicitation_callback"] = ask
    return settings


def _run(go: Callable[[], Awaitable[None]]) -> None:
    """Run to the end; of the groups that an error comes in, the error alone is raised."""
    try:
        anyio.run(go)
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None


@asynccontextmanager
async def _process(*command: str) -> AsyncIterator[Any]:
    """Give the streams to and from a server that is a process of its own; when they are left, its stdin ends and it has to."""
    (stdin, given), (out, stdout) = os.pipe(), os.pipe()
    server = forking.Forked(command, (stdin, stdout, 2), env=environment())
    os.close(stdin)
    os.close(stdout)
    try:
        with os.fdopen(given, "w") as to, os.fdopen(out) as back:
            async with stdio_server(anyio.wrap_file(back), anyio.wrap_file(to)) as streams:
                yield streams
                await anyio.to_thread.run_sync(to.close)
        assert await anyio.to_thread.run_sync(server.wait, _PATIENCE) == 0
    finally:
        server.kill()
        server.close()


YES: dict[str, Any] = {"action": "accept", "content": {}}


def talk(
    *words: str, mode: str = MODERN, answer: Mapping[str, Any] | None = None, name: str = "Test Agent"
) -> Callable[[Talk], None]:
    """Return what runs a conversation with a server that is a process of its own.

    Args:
        words: what follows `muniment mcp`.
        mode: the protocol.
        answer: what the user answers to a question; None where the client cannot ask.
        name: the client's name.
    """

    def run(conversation: Talk) -> None:
        async def go() -> None:
            asked: list[tuple[str, Any]] = []
            async with Client(
                _process("-m", "cli", "mcp", *words), **_settings(mode, answer, asked, name)
            ) as client:
                await conversation(Agent(client, asked))

        _run(go)

    return run


def talk_here(
    *, mode: str = MODERN, answer: Mapping[str, Any] | None = None, name: str = "Test Agent", **where: Any
) -> Callable[[Talk], None]:
    """Return what runs a conversation with a server in this process; `where` is what `Ledgers` takes."""

    def run(conversation: Talk) -> None:
        async def go() -> None:
            asked: list[tuple[str, Any]] = []
            async with Client(
                make(Ledgers(partial(opened_ledgers, **where), where.get("directory"))),
                **_settings(mode, answer, asked, name),
            ) as client:
                await conversation(Agent(client, asked))

        _run(go)

    return run
