"""The memory tool of Anthropic's Python SDK for a program that awaits.

Implements specs/frameworks.md (FW-26). Needs the extra `anthropic`.

    from anthropic import AsyncAnthropic
    from muniment.frameworks.anthropic_memory_async import AsyncLedgerMemoryTool

    client = AsyncAnthropic()
    client.beta.messages.tool_runner(tools=[AsyncLedgerMemoryTool()], …)
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from frameworks.anthropic_memory import LedgerMemoryTool
from muniment import MemoryLedger

try:
    from anthropic.tools import BetaAsyncAbstractMemoryTool
except ImportError as error:
    raise ImportError("anthropic is not installed: pip install 'muniment[anthropic]'") from error

if TYPE_CHECKING:
    from anthropic.lib.tools import BetaFunctionToolResultType
    from anthropic.types.beta import BetaMemoryTool20250818Command


class AsyncLedgerMemoryTool(BetaAsyncAbstractMemoryTool):
    """A `LedgerMemoryTool` to be awaited: a write waits for the disk, and the program's other tasks go on.

    Args: as for `LedgerMemoryTool`.
    """

    def __init__(self, ledger: MemoryLedger | None = None, *, agent: str = "", session: str = "") -> None:
        super().__init__()
        self._tool = LedgerMemoryTool(ledger, agent=agent, session=session)

    def close(self) -> None:
        """Close the ledger if it was opened here."""
        self._tool.close()

    async def execute(self, command: BetaMemoryTool20250818Command) -> BetaFunctionToolResultType:
        """Do what the model asks for. Raises ToolError where that cannot be done."""
        return await asyncio.to_thread(self._tool.execute, command)

    view = create = str_replace = insert = delete = rename = execute

    async def clear_all_memory(self) -> str:
        """Delete all files; history keeps them."""
        return await asyncio.to_thread(self._tool.clear_all_memory)
