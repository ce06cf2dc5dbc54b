"""GitHub Copilot CLI's events: those of Claude Code, but for how a tool that wrote a file names it.

Implements specs/doors.md (G-90).
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from agents.hooks.hook_event import HookEvent


def translated(event: HookEvent) -> HookEvent:
    """Return the event as Claude Code would write it; a member of a wrong type stays as it is."""
    given = event.get("tool_input")
    if not isinstance(given, dict):
        return event
    return {**event, "tool_input": {**given, "file_path": given.get("path")}}
