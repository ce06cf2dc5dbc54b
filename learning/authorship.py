"""The author of what was learned from a conversation: it depends on the door by which the conversation came.

Implements specs/capture.md (K-275). Values alone; specs/security.md lists what the doors cannot promise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeVar

from ledger.event import By

T = TypeVar("T")

CAPTURE = "capture"
"""The name under which automatic memories are written."""

Door = Literal["cli", "hook", "library"]


def writer(door: Door, *, under_agent: bool, name: str = CAPTURE) -> By:
    """Return who writes what is learned.

    Args:
        door: `hook` only where the agent's program itself called, and named the transcript that it keeps: then the person's
            words in it are the person's, although it runs in the agent's environment. Nothing that a caller can type
            may choose it.
        under_agent: whether a variable of a coding agent is set (cli.md X-7).
        name: a slug.
    """
    return By(name, "agent" if under_agent and door != "hook" else "system", door)


def home_of(scopes: Mapping[str, T]) -> T:
    """Return the ledger whose local state remembers what was read: the user's own if there is one."""
    return scopes.get("user") or next(iter(scopes.values()))


def project_of(scopes: Mapping[str, T]) -> T:
    """Return the ledger of the work that is talked about: the project's if there is one."""
    return scopes.get("project") or home_of(scopes)
