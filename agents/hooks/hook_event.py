"""One event of an agent's program, as its hook hands it over.

Implements specs/doors.md (G-4): what every room of the door reads from it.
"""

from __future__ import annotations

from agents.hooks.fault_log import HookError

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import Any

Event = dict[str, "Any"]
"""The JSON object that a program writes."""
MOST_CHARACTERS = 9_500
"""So many characters of context a program takes whole; in units of UTF-16, as it counts them."""


def text_of(event: Event, name: str) -> str:
    """Return a member of an event that is a text, "" where there is none; what cannot be written as UTF-8 is replaced.

    Raises:
        HookError: it is something else.
    """
    value = event.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise HookError(f"{name} is no text")
    return value.encode("utf-8", "replace").decode()
