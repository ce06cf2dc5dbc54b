"""Lets threads share a ledger: of its services' methods one runs at a time.

Implements specs/state.md (S-14). Its databases are open once in a process, and a thread that closes or renews one while
another reads it would end the process.
"""

from __future__ import annotations

from functools import wraps
from types import FunctionType

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    C = TypeVar("C", bound=type)


def takes_turns(service: C) -> C:
    """Have each public method of a class wait for `self.turn`, the lock of its ledger.

    Where a method gives its results one by one, it is the caller's to keep others from writing meanwhile.
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
