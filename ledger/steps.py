"""Tells of every durable step, so that a test can stop a real process at any of them.

Implements specs/chain.md (C-5…C-19), specs/projections.md (P-50, P-56, P-81, P-88), specs/editing.md (D-80) and specs/keys.md
(N-20, N-21) in that each step of their sequences has a name here. In production `reached` does nothing; a crash test sets `observer` in the
process that it is going to kill.
"""

from __future__ import annotations

from collections.abc import Callable

observer: Callable[[str], None] | None = None


def reached(step: str) -> None:
    """Tell the observer, if there is one, that `step` has just been done."""
    if observer is not None:
        observer(step)
