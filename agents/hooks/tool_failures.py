"""Spools a tool's failure for the session's capture.

Implements specs/doors.md (G-3, G-10).
"""

from __future__ import annotations

import json

from agents.hooks import handover
from agents.hooks.hook_event import text_of

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import Any


def spool(program: str, event: dict[str, Any]) -> None:
    """Write what failed to the spool; what the person stopped is no failure."""
    if event.get("is_interrupt") is True:
        return
    given = event.get("tool_input")
    command = given.get("command") if isinstance(given, dict) else None
    if not isinstance(command, str):
        command = "" if given is None else json.dumps(given)
    handover.put(
        {
            "kind": "failure",
            "program": program,
            "session": text_of(event, "session_id"),
            "cwd": text_of(event, "cwd"),
            "transcript": text_of(event, "transcript_path"),
            "tool": text_of(event, "tool_name")[:200],
            "call": text_of(event, "tool_use_id")[:200],
            "command": command.encode("utf-8", "replace").decode()[: handover.LONGEST],
            "said": text_of(event, "error")[: handover.LONGEST],
        }
    )
