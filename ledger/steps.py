"""Names every durable step, so that a test can stop a real process at any of them.

Implements specs/chain.md (C-5…C-19) in that each step of its sequences has a name here. In production
`reached` does nothing; a crash test sets `observer` in the process that it is going to kill.
"""

from __future__ import annotations

from collections.abc import Callable

STEPS = (
    "genesis.written",
    "genesis.synced",
    "genesis.renamed",
    "append.locked",
    "append.read",
    "append.written",
    "append.synced",
    "append.marked",
    "torn.copied",
    "torn.cut",
    "erase.appended",
    "erase.blanked",
    "erase.synced",
    "index.begun",
    "index.applied",
    "index.committed",
    "file.noted",
    "file.written",
    "file.renamed",
    "file.recorded",
)
"""All steps, in the order in which a command meets them."""

observer: Callable[[str], None] | None = None


def reached(step: str) -> None:
    """Tell the observer, if there is one, that `step` has just been done."""
    if observer is not None:
        observer(step)
