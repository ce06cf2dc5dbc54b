"""Reads one message of a plain list, in the form of chat APIs.

Implements specs/capture.md (K-2, K-3, K-17). Contents are texts or parts. Tool calls have the forms of the common APIs: a message of
their own, beside the text, or among the parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from learning.transcripts.person_text import spoken
from learning.transcripts.records import (
    Call,
    Memo,
    Part,
    Record,
    Result,
    Understood,
    command_of,
    first_name,
    items,
    mapping,
    name_of,
    string,
    texts,
    type_of,
    uttered,
    whole,
)

AGENT = ""
"""Unknown: a list does not name its program."""

_PEOPLE = frozenset(("user", "human"))
_ASSISTANTS = frozenset(("assistant", "model", "ai", "bot"))
_TOOLS = frozenset(("tool", "function", "toolResult"))
_ROLES = _PEOPLE | _ASSISTANTS | _TOOLS | {"system", "developer"}
_CALLS = frozenset(("tool_use", "tool-call", "tool_call", "toolCall"))
_RESULTS = frozenset(("tool_result", "tool-result", "toolResult"))


def matches(record: Record) -> bool:
    """Return whether this is a message."""
    return string(record.get("role")) in _ROLES


def conversation_of(value: object) -> Sequence[Any] | None:
    """Return the messages of a whole conversation, None if the value is not one."""
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        value = value["messages"]
    if isinstance(value, list) and any(isinstance(each, dict) and matches(each) for each in value[:20]):
        return value
    return None


def understood(record: Record, memo: Memo) -> Understood:
    """Return the parts and ids of a message."""
    return Understood(
        memo,
        tuple(parts_of(record)),
        message=first_name(record, "id", "message_id", "uuid"),
        at=first_name(record, "timestamp", "created_at", "createdAt", "ts", "date"),
        conversation=first_name(
            record, "conversation_id", "conversationId", "session_id", "sessionId", "thread_id"
        ),
    )


def parts_of(message: Record) -> list[Part]:
    """Return the parts of a message."""
    role = string(message.get("role"))
    content = message.get("content", message.get("parts", message.get("text")))
    if role in _TOOLS:
        id_ = first_name(message, "tool_call_id", "toolCallId", "name")
        error = message.get("isError", message.get("is_error"))
        among = [_result(mapping(block)) for block in items(content) if type_of(block) in _RESULTS]
        return [*among] or [Result(id_, whole(content), error if isinstance(error, bool) else None)]
    parts: list[Part] = [_result(block) for block in items(content) if type_of(block) in _RESULTS]
    if role in _PEOPLE:
        return parts + spoken(texts(content))
    parts += uttered("assistant" if role in _ASSISTANTS else "system", whole(content))
    parts += [_call(block) for block in items(content) if type_of(block) in _CALLS]
    parts += [_call(mapping(each)) for each in items(message.get("tool_calls"))]
    return parts


def _call(block: Record) -> Call:
    """Return a call; without an id, its name is the id."""
    function = mapping(block.get("function"))
    name = name_of(block.get("name") or block.get("toolName") or function.get("name"))
    id_ = first_name(block, "call_id", "toolCallId", "id") or name
    given = (each[key] for each in (block, function) for key in ("input", "arguments", "args") if key in each)
    return Call(id_, name, command_of(next(given, None)))


def _result(block: Record) -> Result:
    id_ = first_name(block, "tool_use_id", "toolCallId", "call_id", "name")
    error = block.get("is_error", block.get("isError"))
    content = block.get("content", block.get("output"))
    return Result(id_, whole(content), error if isinstance(error, bool) else None)
