"""Reads one message of a plain list, as chat APIs take and give them.

Implements specs/capture.md (K-2, K-3, K-17). Roles and contents as texts or parts; calls of tools as the common APIs have them, in
a message of their own, beside the text, or among the parts.
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
    Utterance,
    command_of,
    items,
    mapping,
    name_of,
    string,
    texts,
    type_of,
    whole,
)

AGENT = ""
"""Many programs write such lists, and a list names none of them."""

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
    """Return the messages of a whole conversation, None if the value is none."""
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        value = value["messages"]
    if isinstance(value, list) and any(isinstance(each, dict) and matches(each) for each in value[:20]):
        return value
    return None


def understood(record: Record, memo: Memo) -> Understood:
    """Return what a message says."""
    named = (
        record.get(name)
        for name in ("conversation_id", "conversationId", "session_id", "sessionId", "thread_id")
    )
    times = (record.get(name) for name in ("timestamp", "created_at", "createdAt", "ts", "date"))
    return Understood(
        memo,
        tuple(parts_of(record)),
        message=name_of(record.get("id")) or name_of(record.get("message_id")) or name_of(record.get("uuid")),
        at=next((at for each in times if (at := name_of(each))), ""),
        conversation=next((id_ for each in named if (id_ := name_of(each))), ""),
    )


def parts_of(message: Record) -> list[Part]:
    """Return the parts of a message."""
    role = string(message.get("role"))
    content = message.get("content", message.get("parts", message.get("text")))
    if role in _TOOLS:
        id_ = message.get("tool_call_id") or message.get("toolCallId") or message.get("name")
        error = message.get("isError", message.get("is_error"))
        among = [_result(mapping(block)) for block in items(content) if type_of(block) in _RESULTS]
        return [*among] or [Result(name_of(id_), whole(content), error if isinstance(error, bool) else None)]
    parts: list[Part] = [_result(block) for block in items(content) if type_of(block) in _RESULTS]
    if role in _PEOPLE:
        return parts + spoken(texts(content))
    text = whole(content)
    if text.strip():
        parts.append(Utterance("assistant" if role in _ASSISTANTS else "system", text))
    parts += [_call(block) for block in items(content) if type_of(block) in _CALLS]
    parts += [_call(mapping(each)) for each in items(message.get("tool_calls"))]
    return parts


def _call(block: Record) -> Call:
    """Return a call; one without an id goes by its name."""
    function = mapping(block.get("function"))
    name = name_of(block.get("name") or block.get("toolName") or function.get("name"))
    id_ = name_of(block.get("call_id") or block.get("toolCallId") or block.get("id")) or name
    given = (each[key] for each in (block, function) for key in ("input", "arguments", "args") if key in each)
    return Call(id_, name, command_of(next(given, None)))


def _result(block: Record) -> Result:
    id_ = block.get("tool_use_id") or block.get("toolCallId") or block.get("call_id") or block.get("name")
    error = block.get("is_error", block.get("isError"))
    content = block.get("content", block.get("output"))
    return Result(name_of(id_), whole(content), error if isinstance(error, bool) else None)
