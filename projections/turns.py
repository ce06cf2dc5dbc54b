"""Lets threads share a ledger: only one method of its services runs at a time.

Implements specs/state.md (S-14). A process opens each database once; a thread that closes or reopens one while another
reads it would crash the process. A forked process must not use them.
"""

from __future__ import annotations

import os
from functools import wraps
from types import FunctionType

from ledger.errors import UsageError

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    C = TypeVar("C", bound=type)


class ThreadTurns:
    """A lock for the threads of the process that opened a ledger; the same thread may take it again."""

    def __init__(self) -> None:
        from threading import RLock  # a hook that reads has no lock, and would load it

        self._lock = RLock()
        self._process = os.getpid()

    def __enter__(self) -> None:
        """Wait for the turn.

        Raises:
            UsageError: this process was forked from the one that opened the ledger, whose databases SQLite does not share.
        """
        if os.getpid() != self._process:
            raise UsageError(
                "this ledger was opened before the process forked: open it again in the new process"
            )
        self._lock.acquire()

    def __exit__(self, *_fault: object) -> None:
        self._lock.release()


def takes_turns(service: C) -> C:
    """Have each public method of a class wait for `self.turn`, the lock of its ledger.

    If a method yields its results one by one, the caller must keep others from writing meanwhile.
    """
    for name, member in vars(service).items():
        if not name.startswith("_") and isinstance(member, FunctionType):
            setattr(service, name, _in_turn(member))
    return service


def _in_turn(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def taken(self: Any, /, *args: Any, **given: Any) -> Any:
        with self.turn:
            return method(self, *args, **given)

    return taken
