"""How long work reports its progress to a display.

Implements specs/cli.md (X-9).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from typing import TypeVar

T = TypeVar("T")

Progress = Callable[[int, int], None]
"""Called with what is done and what is to be done in all: bytes, or items; 0 in all if nobody knows."""

ShowProgress = Callable[[str], AbstractContextManager[Progress]]
"""Called with what the work is; entered for as long as it takes."""


def unseen(_what: str) -> AbstractContextManager[Progress]:
    """Show nothing."""
    return nullcontext(untold)


def untold(_done: int, _total: int) -> None:
    """Tell nobody."""


def counted(items: Iterable[T], progress: Progress, total: int = 0) -> Iterator[T]:
    """Yield the items, and report before each how many came before it."""
    for done, item in enumerate(items):
        progress(done, total)
        yield item
