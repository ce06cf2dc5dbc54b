"""A progress bar on stderr, for work that takes longer than two seconds at a terminal.

Implements specs/cli.md (X-9): stdout carries the result alone. Anyone who prints calls `clear` first, so that no line is
written into the bar.
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import ClassVar, Self

from ledger.actor import is_terminal

PATIENCE_SECONDS = 2.0
_STEP_SECONDS = 0.1
_WIDTH = 30


class ProgressBar:
    """Shows the progress of work; silent if stderr is not a terminal. Used as a context."""

    _is_drawn: ClassVar[bool] = False
    """Whether any bar is in the line of the cursor."""
    _open: ClassVar[int] = 0
    """How many bars are open: one that is open within another one is drawn at once where that is, and leaves the line to it."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._due = time.monotonic() + (0 if ProgressBar._is_drawn else PATIENCE_SECONDS)

    def __enter__(self) -> Self:
        ProgressBar._open += 1
        return self

    def __call__(self, done: int, total: int) -> None:
        """Show that `done` of `total` is done; only `done` if nobody knows the total (0)."""
        now = time.monotonic()
        if now < self._due or not is_terminal(sys.stderr):
            return
        self._due, ProgressBar._is_drawn = now + _STEP_SECONDS, True
        filled = _WIDTH * done // total if total else 0
        bar = f"[{'#' * filled:.<{_WIDTH}}] {100 * done // total:3d}%" if total else f"{done:,}"
        sys.stderr.write(f"\r\x1b[K{self._what} {bar}")
        sys.stderr.flush()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        ProgressBar._open -= 1
        if not ProgressBar._open:
            self.clear()

    @classmethod
    def clear(cls) -> None:
        """Take the bar away, if one is drawn."""
        if ProgressBar._is_drawn:
            ProgressBar._is_drawn = False
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
