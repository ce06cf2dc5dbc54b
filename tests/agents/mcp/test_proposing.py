"""What a session taught, in one call: each item by itself.

Tests specs/doors.md (G-38).
"""

from __future__ import annotations

from muniment import Memory, MemoryLedger
from tests.agents.mcp.talking import Agent, talk_here


def texts(memory: MemoryLedger) -> list[str]:
    return [entry.memory.text for entry in memory.load_all() if entry.status == "active"]


def test_each_item_is_taken_by_itself(memory: MemoryLedger) -> None:
    async def propose(agent: Agent) -> None:
        items = [
            {"text": "We deploy on Fridays", "basis": "stated"},
            {"text": "two\nlines", "basis": "stated"},
            {"text": "The tests need 16 GB", "basis": "observed"},
        ]
        answer = await agent.call("propose_memories", items=items)
        good, refused, found_out = answer["results"]
        assert good["saved"]["active"] is True
        assert (refused["saved"], "can have one" in refused["refused"]) == (None, True)
        assert found_out["saved"]["outcome"] == "candidate"

    talk_here()(propose)
    assert texts(memory) == ["We deploy on Fridays"]


def test_what_is_named_is_replaced_and_shown(memory: MemoryLedger) -> None:
    async def propose(agent: Agent) -> None:
        old = await agent.call("save_memory", text="CI runs on Jenkins", basis="stated")
        item = {"text": "Pipelines are all in GitLab now", "basis": "stated", "replaces": [old["id"]]}
        [result] = (await agent.call("propose_memories", items=[item]))["results"]
        assert result["saved"]["outcome"] == "superseded"
        assert result["replaced"] == [{"id": old["id"], "text": "CI runs on Jenkins"}]
        assert result["similar"] == []

    talk_here()(propose)
    assert texts(memory) == ["Pipelines are all in GitLab now"]


def test_a_persons_own_memory_waits_for_the_person(memory: MemoryLedger) -> None:
    """K-63."""
    own = memory.store(Memory("CI runs on Jenkins"))

    async def propose(agent: Agent) -> None:
        item = {"text": "Pipelines are all in GitLab now", "basis": "stated", "replaces": [own.id]}
        [result] = (await agent.call("propose_memories", items=[item]))["results"]
        assert result["saved"]["outcome"] == "candidate"

    talk_here()(propose)
    assert texts(memory) == ["CI runs on Jenkins"]


def test_what_stands_near_a_new_one_is_shown(memory: MemoryLedger) -> None:
    own = memory.store(Memory("The staging database runs Postgres 14"))

    async def propose(agent: Agent) -> None:
        item = {"text": "The staging database is backed up at night", "basis": "stated"}
        [result] = (await agent.call("propose_memories", items=[item]))["results"]
        assert [each["id"] for each in result["similar"]] == [own.id]

    talk_here()(propose)


def test_an_unknown_id_is_refused_with_the_reason(memory: MemoryLedger) -> None:
    async def propose(agent: Agent) -> None:
        item = {"text": "Use tabs", "basis": "stated", "replaces": ["0123456789"]}
        [result] = (await agent.call("propose_memories", items=[item]))["results"]
        assert result["saved"] is None
        assert "0123456789" in result["refused"]

    talk_here()(propose)
    assert texts(memory) == []


def test_the_prompt_asks_for_it(memory: MemoryLedger) -> None:
    async def ask(agent: Agent) -> None:
        prompt = await agent.client.get_prompt("end_of_session")
        assert "propose_memories" in str(prompt.messages[0].content)

    talk_here()(ask)


def test_a_secret_is_not_given_back(memory: MemoryLedger) -> None:
    """G-45."""
    secret = "ghp_" + "a1B2c3D4e5F6" * 3

    async def propose(agent: Agent) -> None:
        item = {"text": f"The token is {secret}", "basis": "stated", "replaces": ["0123456789"]}
        [result] = (await agent.call("propose_memories", items=[item]))["results"]
        assert result["saved"] is None
        assert result["text"].startswith("The token is ")
        assert secret not in str(result)

    talk_here()(propose)
    assert texts(memory) == []
