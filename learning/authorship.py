"""The author of what was learned from a conversation: the door that the conversation came through decides.

Implements specs/capture.md (K-275). Values only; specs/security.md lists what the doors cannot promise.
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
    """Return the author of the learned memories.

    Args:
        door: `hook` only if the agent's program itself called and named its own transcript. Then the person's words in
            it count as the person's, although the process runs in the agent's environment. No typed option may choose it.
        under_agent: whether the environment has a variable of a coding agent (cli.md X-7).
        name: a slug.
    """
    return By(name, "agent" if under_agent and door != "hook" else "system", door)


def home_of(scopes: Mapping[str, T]) -> T:
    """Return the ledger whose local state records how far transcripts were read: the user's own if there is one."""
    return scopes.get("user") or next(iter(scopes.values()))


def project_of(scopes: Mapping[str, T]) -> T:
    """Return the ledger of the current work: the project's if there is one."""
    return scopes.get("project") or home_of(scopes)
