"""One event of an agent's program, as its hook hands it over.

Implements specs/doors.md (G-4): what every room of the door reads from it.
"""

from __future__ import annotations

import json

from agents.hooks.fault_log import HookError

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from collections.abc import Container
    from typing import Any

HookEvent = dict[str, "Any"]
"""The JSON object that a program writes."""
AGENTS = {
    "claude": "claude-code",
    "codex": "codex",
    "copilot": "copilot",
    "cursor": "cursor",
    "gemini": "gemini",
    "openclaw": "openclaw",
    "opencode": "opencode",
}
"""The name of the agent, by the program that called the hook."""
MOST_CHARACTERS = 9_500
"""So many characters of context a program takes whole; in units of UTF-16, as it counts them."""


def read(data: bytes) -> HookEvent:
    """Return the event that a program wrote.

    Raises:
        HookError: it is not a JSON object.
    """
    try:
        event = json.loads(data)
    except (ValueError, RecursionError):
        raise HookError("the event is not JSON") from None
    if not isinstance(event, dict):
        raise HookError("the event is not a JSON object")
    return event


def name_of(event: HookEvent, known: Container[str]) -> str:
    """Return the name of an event, "" for one that is not `known`.

    Raises:
        HookError: it has none, or one that is not a text.
    """
    name = event.get("hook_event_name")
    if not isinstance(name, str):
        raise HookError("hook_event_name is missing" if name is None else "hook_event_name is not a text")
    return name if name in known else ""


def answer_of(name: str, said: str, member: str = "") -> bytes:
    """Return the JSON object that a program expects, or nothing (G-4).

    Some programs expect the text alone, in a member of their own: `member` names it.
    """
    if not said:
        return b""
    inner = {"hookEventName": name, "additionalContext": said}
    answer = {member: said} if member else {"hookSpecificOutput": inner}
    return json.dumps(answer).encode() + b"\n"


def text_of(event: HookEvent, name: str) -> str:
    """Return a member of an event that is a text, "" if there is none; what cannot be written as UTF-8 is replaced.

    Raises:
        HookError: it is something else.
    """
    value = event.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise HookError(f"{name} is not a text")
    return value.encode("utf-8", "replace").decode()
