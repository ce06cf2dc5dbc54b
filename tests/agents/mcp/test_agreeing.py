"""What a person's answer to a question of the client does: a yes takes a candidate, or lets it replace a memory.

Tests specs/doors.md (G-71) through the door.
"""

from __future__ import annotations

from typing import Any

import pytest

from muniment import Memory, MemoryLedger
from tests.agents.mcp.talking import LEGACY, MODERN, YES, Agent, talk_here


@pytest.mark.parametrize("mode", [MODERN, LEGACY])
def test_a_yes_of_the_person_takes_a_candidate(memory: MemoryLedger, mode: str) -> None:
    """G-71: they read what it says; the log says who asked, and that no agent agreed."""
    id_ = memory.store(Memory("CI is slow on Mondays", status="candidate")).id

    async def confirm(agent: Agent) -> None:
        done = await agent.call("confirm_memory", id=id_)
        assert (done["id"], done["promoted"]) == (id_, True)
        (question,) = agent.asked
        assert question.startswith("Remember \u201cCI is slow on Mondays\u201d? (user memory ")
        await agent.call("confirm_memory", id=id_)  # it stands: nobody need be asked
        assert len(agent.asked) == 1

    talk_here(mode=mode, answer=YES)(confirm)
    rows = [(row.kind, row.role, row.via, row.what) for row in memory.log() if row.kind == "confirm"]
    assert rows[0] == ("confirm", "system", "mcp", "the user agreed, asked by test-agent")
    assert memory.entry(id_).status == "active"


@pytest.mark.parametrize("answer", [{"action": "decline"}, {"action": "cancel"}])
def test_anything_else_takes_no_candidate(memory: MemoryLedger, answer: dict[str, Any]) -> None:
    """G-71."""
    id_ = memory.store(Memory("CI is slow on Mondays", status="candidate")).id

    async def confirm(agent: Agent) -> None:
        assert "the user did not agree" in await agent.refused("confirm_memory", id=id_)

    talk_here(answer=answer)(confirm)
    assert memory.entry(id_).status == "candidate"


def test_what_an_agent_would_replace_of_a_persons_is_replaced_by_their_yes(memory: MemoryLedger) -> None:
    """G-71, X-291: until then both stand beside each other."""
    old = memory.store(Memory("CI runs on port 8080")).id

    async def replace(agent: Agent) -> None:
        saved = await agent.call("supersede_memory", id=old, text="CI runs on port 9090", basis="observed")
        assert saved["outcome"] == "candidate"
        assert memory.entry(old).status == "active"
        await agent.call("confirm_memory", id=saved["id"])
        assert "in place of \u201cCI runs on port 8080\u201d" in agent.asked[0]

    talk_here(answer=YES)(replace)
    assert [entry.memory.text for entry in memory.load_all()] == ["CI runs on port 9090"]


@pytest.mark.parametrize("asks", [True, False])
def test_the_prompt_advises_what_the_client_can_do(memory: MemoryLedger, asks: bool) -> None:
    """P-171."""
    memory.store(Memory("CI is slow on Mondays", status="candidate", source="auto"))

    async def read(agent: Agent) -> None:
        text = await agent.prompt()
        assert ("call confirm_memory with the ID" in text) == asks
        assert ("muniment review" in text) != asks

    talk_here(answer=YES if asks else None)(read)
