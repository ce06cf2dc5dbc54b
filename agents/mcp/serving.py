"""The SDK's server with our errors and our ledgers.

Implements specs/doors.md (G-41, G-45). What went wrong is one line that a model can act on. The SDK says more: all lines of a
validation error with what was typed, which may be a secret, and nothing at all of an error of ours.
"""

from __future__ import annotations

import os
import re
import sqlite3
import sys
import traceback
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import (
    ResourceError,
    ResourceNotFoundError,
    ToolError,
    UnexpectedResourceError,
    UnexpectedToolError,
)
from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS
from pydantic import ValidationError

from agents.mcp.call_ledgers import Ledgers
from agents.mcp.caller import NAMELESS, Caller, new_session, session_told, slug_of
from language.printable import redacted
from ledger.errors import LedgerError, NotFoundError
from ledger.view import ViewUnavailableError

if TYPE_CHECKING:
    from mcp.server.lowlevel.helper_types import ReadResourceContents
    from mcp.types import CallToolResult, GetPromptResult, InputRequiredResult

_FROM, _OUR_FROM = "from", "from_"
"""An argument whose name is a word of Python, and its name here."""
_OURS = {_OUR_FROM: _FROM, "when_to_use": "whenToUse"}
"""Names of ours, which errors name, with those that a client knows."""

_NO_RESOURCE = (
    "there is no resource at that address; there are memory://memory.md, memory://timeline, memory://topic/SLUG "
    "and memory://event/ID"
)
_NO_ANSWER = (
    "nothing was done: the client's answer is neither a yes nor a no; tell the user "
    "what you want and why, and that muniment delete ID does it"
)
_LONGEST = 100
"""So many characters of names that a client made up are repeated."""

_SAYS_ITSELF = (LedgerError, ViewUnavailableError, sqlite3.Error, OSError)
"""What errors say themselves; all else is a fault of ours."""

CallContext = Context[Any, Any]


class MemoryServer(MCPServer[Any]):
    """Serves ledgers to one client; `by` is the writer's name where it is not the client's."""

    def __init__(self, ledgers: Ledgers, by: str | None = None, **settings: Any) -> None:
        super().__init__(**settings)
        self.ledgers = ledgers
        self.by = by
        self.serves_session = new_session()

    def say_plainly(self) -> None:
        """Map the names that a client may use for arguments, and refuse all others; called once all tools are there."""
        for tool in self._tool_manager.list_tools():
            tool.parameters["additionalProperties"] = False
            properties = tool.parameters["properties"]
            tool.parameters["properties"] = {
                _FROM if name == _OUR_FROM else name: schema for name, schema in properties.items()
            }

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: CallContext | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Call a tool; what goes wrong is said in one line.

        Raises:
            ToolError: with that line.
        """
        if fault := self._unknown_argument(name, arguments):
            raise ToolError(f"{name}: {fault}")
        # Some clients send null for whatever they leave out; where null says anything, it is the default.
        arguments = {
            _OUR_FROM if key == _FROM else key: value for key, value in arguments.items() if value is not None
        }
        try:
            return await super().call_tool(name, arguments, context)
        except UnexpectedToolError as error:
            raise ToolError(_in_their_words(_sentence(error))) from None
        except ToolError as error:
            if error.__cause__ is None:
                names = ", ".join(tool.name for tool in self._tool_manager.list_tools())
                raise ToolError(f"there is no tool of that name; there are {names}") from None
            if isinstance(error.__cause__, ToolError):  # the SDK's, of what the client answered for its user
                raise ToolError(f"{name}: {_NO_ANSWER}") from None
            raise ToolError(f"{name}: {_in_their_words(_sentence(error))}") from None

    def _unknown_argument(self, name: str, arguments: dict[str, Any]) -> str:
        """Return the model's message about an unknown argument, or ""."""
        tool = self._tool_manager.get_tool(name)
        takes = tool.parameters["properties"] if tool is not None else arguments
        unknown = sorted(set(arguments) - set(takes))
        if not unknown:
            return ""
        named = redacted(" ".join(unknown))[:_LONGEST].strip() or "without a name"
        return f"unknown argument {named}; nothing was done: this tool takes {', '.join(takes)}"

    async def read_resource(
        self, uri: Any, context: CallContext | None = None
    ) -> Iterable[ReadResourceContents] | InputRequiredResult:
        """Read a resource; what goes wrong is said in one line.

        Raises:
            ResourceError: with that line.
            MCPError: with that line, where there is no such resource.
        """
        try:
            return await super().read_resource(uri, context)
        except UnexpectedResourceError as error:
            kind = ResourceNotFoundError if _is_caused_by(error, NotFoundError) else ResourceError
            raise kind(_sentence(error)) from None
        except ResourceNotFoundError:
            # Not the SDK's own error: it repeats the address, in which anything may stand.
            raise MCPError(code=INVALID_PARAMS, message=_NO_RESOURCE) from None

    async def get_prompt(
        self, name: str, arguments: dict[str, Any] | None = None, context: CallContext | None = None
    ) -> GetPromptResult | InputRequiredResult:
        """Return a prompt; what goes wrong is said in one line.

        Raises:
            MCPError: with that line.
        """
        if name not in (known := [prompt.name for prompt in self._prompt_manager.list_prompts()]):
            message = f"there is no prompt of that name; there is {', '.join(known)}"
            raise MCPError(code=INVALID_PARAMS, message=message)
        try:
            return await super().get_prompt(name, arguments, context)
        except MCPError:
            raise
        except ValueError as error:
            code = INVALID_PARAMS if _is_caused_by(error, ValidationError) else INTERNAL_ERROR
            raise MCPError(code=code, message=_sentence(error)) from None


def _sentence(error: BaseException) -> str:
    """Return what an error says, or what caused it: one line without what was typed; of a fault of ours only its class."""
    for cause in _causes(error):
        if isinstance(cause, ValidationError):
            return " ".join(redacted("; ".join(_fields(cause))).split())
        if isinstance(cause, _SAYS_ITSELF):
            return " ".join(redacted(str(cause) or type(cause).__name__).split())
    first = [*_causes(error)][-1]
    if os.environ.get("MUNIMENT_DEBUG"):
        traceback.print_exception(first, file=sys.stderr)
    return f"internal error of muniment: {type(first).__name__}; MUNIMENT_DEBUG=1 shows where on its stderr"


def _is_caused_by(error: BaseException, kind: type[BaseException]) -> bool:
    return any(isinstance(cause, kind) for cause in _causes(error))


def _causes(error: BaseException) -> Iterator[BaseException]:
    now: BaseException | None = error
    while now is not None:
        yield now
        now = now.__cause__


def _fields(error: ValidationError) -> Iterator[str]:
    for each in error.errors(include_input=False, include_url=False):
        where = ".".join(map(str, each["loc"]))
        yield f"{where}: {each['msg']}"


def _in_their_words(line: str) -> str:
    return re.sub(rf"\b({'|'.join(_OURS)})\b", lambda found: _OURS[found[1]], line)


def server_of(ctx: CallContext) -> MemoryServer:
    """Return the server that serves a request."""
    server = ctx.mcp_server
    assert isinstance(server, MemoryServer)
    return server


def caller_of(ctx: CallContext) -> Caller:
    """Return the client of a request: the session is the one that the request names, else the server's."""
    server = server_of(ctx)
    params = ctx.session.client_params
    known = slug_of(params.client_info.name) if params is not None else NAMELESS
    return Caller(server.by or known, session_told(ctx.request_context.meta or {}) or server.serves_session)
