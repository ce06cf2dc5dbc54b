"""Counts the work of a call, so that a test of how it grows says the same on a busy machine."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def growth(call: Callable[[int], object], *, size: int = 500, times: int = 5) -> float:
    """Return how many times as many lines a call runs for an input that is `times` as large."""
    call(size // 2)  # what is compiled or loaded at a first call
    return _lines_run(lambda: call(times * size)) / _lines_run(lambda: call(size))


def _lines_run(call: Callable[[], object]) -> int:
    """Return how many lines of Python a call runs; each round of a loop counts, what C does for a line does not."""
    count = 0

    def trace(_frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return count
