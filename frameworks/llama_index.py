"""A memory block for LlamaIndex on a signed ledger: it learns from messages that leave the short-term memory.

Implements specs/frameworks.md (FW-50…FW-55). Needs the extra `llama-index`.

    from llama_index.core.memory import Memory
    from muniment.frameworks.llama_index import LedgerMemoryBlock

    memory = Memory.from_defaults(session_id="chat-1", memory_blocks=[LedgerMemoryBlock("ada")])
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from frameworks.user_memories import UserMemories
from muniment import MemoryLedger

try:
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.bridge.pydantic import PrivateAttr
    from llama_index.core.memory import BaseMemoryBlock
except ImportError as error:
    raise ImportError("llama-index-core is not installed: pip install 'muniment[llama-index]'") from error

NAME = "llama-index"


class LedgerMemoryBlock(BaseMemoryBlock[str]):
    """What is remembered of one user, over all sessions.

    No language model is asked. The detector of `muniment capture` finds the user's sentences that are worth keeping; it
    misses much. LlamaIndex gives a block the messages that no longer fit into the short-term memory, so a short
    conversation teaches nothing. `await block.aput(await memory.aget_all())` at its end learns from the rest, too.

    Args:
        user: whose memory it is; each name has a memory of its own.
        ledger: the ledger to write to; by default the one that a command would use in this folder.
        agent: the agent that writes, for the provenance.
        fields: those of `BaseMemoryBlock`, such as `name` and `priority`.

    Raises:
        ValueError: the user has no name.
    """

    name: str = "Memories"
    _memories: UserMemories = PrivateAttr()

    def __init__(
        self, user: str, ledger: MemoryLedger | None = None, *, agent: str = "", **fields: Any
    ) -> None:
        super().__init__(**fields)
        self._memories = UserMemories(NAME, user, ledger, agent=agent)

    def close(self) -> None:
        """Close the ledger if it was opened here."""
        self._memories.close()

    async def _aget(
        self,
        messages: Sequence[ChatMessage] | None = None,
        session_id: str | None = None,
        **block_kwargs: Any,  # noqa: ARG002 - other blocks use them
    ) -> str:
        """Return the prompt section for the newest message of the user."""
        newest = next((each for each in reversed(messages or ()) if each.role == "user"), None)
        task = (newest.content if newest else None) or ""
        return await asyncio.to_thread(self._memories.prompt, task, session_id or "")

    async def _aput(self, messages: Sequence[ChatMessage]) -> None:
        """Learn from the user's messages.

        Raises:
            LedgerError: as `MemoryLedger.store`.
        """
        session = next(
            (str(id_) for each in messages if (id_ := each.additional_kwargs.get("session_id"))), ""
        )
        said = [each.content for each in messages if each.role == "user" and each.content]
        await asyncio.to_thread(self._memories.learn, said, session)
