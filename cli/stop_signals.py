"""A run that has no end of its own is told to stop by SIGTERM or SIGHUP: it ends what it is at, says what waits, and goes.

Implements specs/capture.md (K-274).
"""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self

_SIGNALS = (signal.SIGTERM, signal.SIGHUP)


class ToldToStop:
    """While it is entered the first such signal only sets `told`; a second one ends the process as it ends any other.

    One that is ignored (nohup) stays ignored.
    """

    def __init__(self) -> None:
        self.told = False
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():  # others may not handle signals
            self._before = {one: signal.getsignal(one) for one in _SIGNALS}
            for one, before in self._before.items():
                if before is not signal.SIG_IGN:
                    signal.signal(one, self._heard)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._hear_no_more()

    def _heard(self, _number: int, _frame: FrameType | None) -> None:
        self.told = True
        self._hear_no_more()

    def _hear_no_more(self) -> None:
        for one, before in self._before.items():
            if before is not signal.SIG_IGN:
                signal.signal(one, before)
