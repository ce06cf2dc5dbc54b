"""A toolset for agents of Pydantic AI on a signed ledger: they save, search and forget, and are told what they know.

Implements specs/frameworks.md (FW-50, FW-51, FW-56…FW-58). Needs the extra `pydantic-ai`.

    from pydantic_ai import Agent
    from muniment.frameworks.pydantic_ai import LedgerToolset

    agent = Agent("…")
    agent.run_sync("Hi", toolsets=[LedgerToolset("ada")])
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from frameworks.user_memories import UserMemories
from ledger.errors import LedgerError
from muniment import MemoryLedger
from projections.inert import inert

try:
    from pydantic import Field
    from pydantic_ai import FunctionToolset, RunContext
    from pydantic_ai.exceptions import ToolFailed
except ImportError as error:
    raise ImportError("pydantic-ai is not installed: pip install 'muniment[pydantic-ai]'") from error

NAME = "pydantic-ai"
_MOST_FOUND = 10
_ID = 12


class LedgerToolset(FunctionToolset[Any]):
    """What is remembered of one user, over all conversations, as tools and instructions.

    Args:
        user: whose memory it is; each name has a memory of its own.
        ledger: the ledger to write to; by default the one that a command would use in this folder.
        agent: the agent that writes, for the provenance.

    Raises:
        ValueError: the user has no name.
    """

    def __init__(self, user: str, ledger: MemoryLedger | None = None, *, agent: str = "") -> None:
        self._memories = UserMemories(NAME, user, ledger, agent=agent)
        super().__init__(
            [self.save_memory, self.search_memories, self.forget_memory], id=NAME, instructions=self._told
        )

    def close(self) -> None:
        """Close the ledger if it was opened here."""
        self._memories.close()

    def _told(self, ctx: RunContext[Any]) -> str:
        prompt = ctx.prompt or ""
        words = prompt if isinstance(prompt, str) else " ".join(p for p in prompt if isinstance(p, str))
        return self._memories.prompt(words, ctx.conversation_id or "")

    # --- the tools, as the model reads them ---

    def save_memory(
        self,
        ctx: RunContext[Any],
        text: Annotated[
            str, Field(description="One sentence that can be understood alone: who, what, where.")
        ],
        replaces: Annotated[
            str,
            Field(description="The id of the memory that is no longer true, as search_memories gives it."),
        ] = "",
    ) -> str:
        """Remember something about the user for later conversations: what they want remembered, or what will hold.

        Search first: what changes a memory replaces it. No secrets, no guesses.
        """
        with _told_to_the_model():
            return f"Saved as {self._memories.save(text, replaces, ctx.conversation_id or '')[:_ID]}"

    def search_memories(self, query: Annotated[str, Field(description="Words.")]) -> str:
        """Find memories of the user by their words, best first, each with its id."""
        with _told_to_the_model():
            found = self._memories.search(query, _MOST_FOUND)
        return "\n".join(f"{each.id[:_ID]}  {inert(each.memory.text)}" for each in found) or "Nothing found"

    def forget_memory(
        self, id: Annotated[str, Field(description="The memory's id, as search_memories gives it.")]
    ) -> str:
        """Forget a memory, if the user wants that. What is only out of date: save_memory replaces it."""
        with _told_to_the_model():
            self._memories.forget(id)
        return "Forgotten"


@contextmanager
def _told_to_the_model() -> Iterator[None]:
    """Tell the model why something cannot be done; the run continues."""
    try:
        yield
    except LedgerError as error:
        raise ToolFailed(str(error)) from error
