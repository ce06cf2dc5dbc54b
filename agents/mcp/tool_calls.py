"""The tool calls in a conversation between an MCP client and another server, read from the messages that pass by.

Implements specs/doors.md (G-92, G-93). Nothing here changes a message or needs the SDK.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

from blake3 import blake3

from agents.mcp.caller import NAMELESS, Caller, session_told, slug_of
from ledger.named_tuple import NamedTuple

_ABOUT = "io.modelcontextprotocol/"
_READS = ("resources/read", "prompts/get")
"""Requests that give what a server keeps, and are calls of no tool: each is recorded as a call of a tool of that name (G-93)."""
_UNREADABLE = "unreadable"
"""What is recorded as the tool of a line that cannot be read."""
LONG_LINE = 1_000_000
"""Bytes above which a line is not searched for secrets, since the answer waits meanwhile (G-94)."""
_LONGEST_INTEGER = 300
"""Digits of an integer that is read as one; a longer one is read as text, because Python refuses it from 4,301 on."""


class Line(NamedTuple):
    """A line of which only the size and the digest are recorded."""

    size: int
    digest: str

    @property
    def measured(self) -> str:
        """How long the line was, and its digest."""
        return f"{self.size:,} bytes, BLAKE3 {self.digest}"


class ToolCall(NamedTuple):
    """A call of a tool: to which server, by whom, when (µs since 1970), and the answer; None if there was none.

    The arguments are a Line if the client's line was long or could not be read, since it may have been a call. A long
    answer is one, too.
    """

    server: str
    tool: str
    arguments: Any
    caller: Caller
    at: int
    answer: dict[str, Any] | Line | None = None
    failed: bool = False


class PassingCalls:
    """What was said between a client and a server. Both directions may be heard at the same time.

    Args:
        server: what the server is called until it gives its name.
        session: the session, where no message names one.
        by: the writer's name where it is not the client's.
        clock: gives the time in µs since 1970.
    """

    def __init__(self, server: str, session: str, by: str | None, clock: Callable[[], int]) -> None:
        self._server = slug_of(server)
        self._is_named = False
        self._client = NAMELESS
        self._session, self._by, self._clock = session, by, clock
        self._calls: dict[str, list[tuple[dict[str, Any], int]]] = {}
        self._unreadable: list[tuple[dict[str, Any], int]] = []
        self._one_at_a_time = threading.Lock()

    def asked(self, line: bytes) -> None:
        """Hear a line of the client's, before the server does."""
        with self._one_at_a_time:
            messages = _messages(line)
            if messages is None:
                self._unreadable.append(({"name": _UNREADABLE, "arguments": _measured(line)}, self._clock()))
            for message in messages or ():
                params = _object(message.get("params"))
                about = _object(params.get("_meta"))
                client = _object(params.get("clientInfo")) or _object(about.get(f"{_ABOUT}clientInfo"))
                if isinstance(name := client.get("name"), str):
                    self._client = slug_of(name)
                method = message.get("method")
                if method in _READS:
                    arguments = {name: each for name, each in params.items() if name != "_meta"}
                    params = {"name": method, "arguments": arguments, "_meta": about}
                if method == "tools/call" or method in _READS:
                    if len(line) > LONG_LINE:
                        params = {**params, "arguments": _measured(line)}
                    self._calls.setdefault(_key(message), []).append((params, self._clock()))

    def answered(self, line: bytes) -> list[ToolCall]:
        """Hear a line of the server's; return the calls that it answers, after the lines that could not be read."""
        with self._one_at_a_time:
            calls = [call for message in _messages(line) or () for call in self._answered(message, line)]
            return [*self._unread(), *calls]

    def unanswered(self) -> list[ToolCall]:
        """Return the calls that have no answer, once there will be none."""
        with self._one_at_a_time:
            calls, self._calls = self._calls, {}
            return [*self._unread(), *(self._call(*each) for some in calls.values() for each in some)]

    def _unread(self) -> list[ToolCall]:
        lines, self._unreadable = self._unreadable, []
        return [self._call(*each) for each in lines]

    def _answered(self, message: dict[str, Any], line: bytes) -> Iterator[ToolCall]:
        if "method" in message:
            return
        result, key = _object(message.get("result")), _key(message)
        about = _object(result.get("_meta"))
        server = _object(result.get("serverInfo")) or _object(about.get(f"{_ABOUT}serverInfo"))
        if isinstance(name := server.get("name"), str) and not self._is_named:
            self._server, self._is_named = slug_of(name), True
        if calls := self._calls.get(key):
            yield self._call(*calls.pop(0))._replace(
                answer=_measured(line) if len(line) > LONG_LINE else message,
                failed="error" in message or result.get("isError") is True,
            )
            if not calls:
                del self._calls[key]

    def _call(self, params: dict[str, Any], at: int) -> ToolCall:
        name = params.get("name")
        session = session_told(_object(params.get("_meta"))) or self._session
        return ToolCall(
            self._server,
            name if isinstance(name, str) else "",
            params.get("arguments", {}),
            Caller(self._by or self._client, session),
            at,
        )


def _messages(line: bytes) -> list[dict[str, Any]] | None:
    """Return the messages of a line, None if it cannot be read: it is passed on all the same."""
    if line.isspace():
        return []
    try:
        found = json.loads(line, parse_int=_integer, object_pairs_hook=_members)
    except (ValueError, RecursionError):
        return None
    messages = [each for each in (found if isinstance(found, list) else [found]) if isinstance(each, dict)]
    # Some servers take METHOD for method.
    is_plain = all(name == "method" or name.lower() != "method" for each in messages for name in each)
    return messages if is_plain else None


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object; raises ValueError for a repeated name, since the server may use the other value."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _LONGEST_INTEGER else digits


def _measured(line: bytes) -> Line:
    return Line(len(line), blake3(line).hexdigest())


def _key(message: dict[str, Any]) -> str:
    id_ = message.get("id")
    return json.dumps(id_) if isinstance(id_, str | int | float) else ""


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
