"""A progress bar on stderr, for work that takes longer than a second at a terminal.

Implements specs/cli.md (X-9): stdout carries the result alone.
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self

from ledger.actor import is_terminal

_PATIENCE_SECONDS = 1.0
_STEP_SECONDS = 0.1
_WIDTH = 30


class ProgressBar:
    """Shows how far a piece of work is; silent where stderr is no terminal. Used as a context."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._due = time.monotonic() + _PATIENCE_SECONDS
        self._shown = False

    def __enter__(self) -> Self:
        return self

    def __call__(self, done: int, total: int) -> None:
        """Show that `done` of `total` is done."""
        now = time.monotonic()
        if now < self._due or not total or not is_terminal(sys.stderr):
            return
        self._due, self._shown = now + _STEP_SECONDS, True
        filled = _WIDTH * done // total
        bar = "#" * filled + "." * (_WIDTH - filled)
        sys.stderr.write(f"\r{self._what} [{bar}] {100 * done // total:3d}%")
        sys.stderr.flush()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
