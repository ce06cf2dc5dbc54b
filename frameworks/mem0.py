"""mem0 on a signed ledger: a program switches with `from muniment.frameworks.mem0 import Memory`, or `AsyncMemory`.

Implements specs/frameworks.md (FW-10…FW-16).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from frameworks.mem0_memory import Mem0Memory
from muniment import MemoryLedger

P = ParamSpec("P")
T = TypeVar("T")


def _in_a_thread(
    method: Callable[Concatenate[Mem0Memory, P], T],
) -> Callable[Concatenate[AsyncMem0Memory, P], Coroutine[Any, Any, T]]:
    """Return the coroutine of a method: a write waits for the disk, and the program's other tasks go on."""

    @wraps(method)
    async def call(self: AsyncMem0Memory, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return await asyncio.to_thread(method, self.memory, *args, **kwargs)

    return call


class AsyncMem0Memory:
    """What mem0 calls an `AsyncMemory`: the methods of `Memory`, to be awaited.

    Args:
        config, ledger: as those of `Memory`.
    """

    def __init__(self, config: object = None, *, ledger: MemoryLedger | None = None) -> None:
        self.memory = Mem0Memory(config, ledger=ledger)

    @classmethod
    def from_config(cls, config_dict: Mapping[str, Any]) -> Self:
        """Return `AsyncMemory(config_dict)`."""
        return cls(config_dict)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the ledger if it was opened here."""
        self.memory.close()

    add = _in_a_thread(Mem0Memory.add)
    update = _in_a_thread(Mem0Memory.update)
    delete = _in_a_thread(Mem0Memory.delete)
    delete_all = _in_a_thread(Mem0Memory.delete_all)
    reset = _in_a_thread(Mem0Memory.reset)
    get = _in_a_thread(Mem0Memory.get)
    get_all = _in_a_thread(Mem0Memory.get_all)
    search = _in_a_thread(Mem0Memory.search)
    history = _in_a_thread(Mem0Memory.history)


Memory = Mem0Memory
"""The name under which programs import it from mem0."""

AsyncMemory = AsyncMem0Memory
"""The same of the other one."""
