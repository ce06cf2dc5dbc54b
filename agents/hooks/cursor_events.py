"""Cursor's events, under the names that the rooms know: those of Claude Code.

Implements specs/doors.md (G-91).
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from agents.hooks.hook_event import HookEvent

_NAMES = {"sessionStart": "SessionStart", "afterFileEdit": "PostToolUse", "sessionEnd": "SessionEnd"}


def translated(name: str, event: HookEvent) -> tuple[str, HookEvent]:
    """Return the name and the event as Claude Code would write them; a member of a wrong type stays as it is.

    The transcript is left out: what it looks like is not documented.
    """
    roots = event.get("workspace_roots")
    return _NAMES[name], {
        "session_id": event.get("session_id", event.get("conversation_id")),
        "cwd": roots[0] if isinstance(roots, list) and roots else roots,
        "tool_name": "Edit",
        "tool_input": {"file_path": event.get("file_path")},
    }
