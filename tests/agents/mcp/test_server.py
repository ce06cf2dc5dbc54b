"""A real client over stdio, in both protocols, with a user that can be asked and without.

Tests specs/doors.md (G-40, G-41, G-42).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import muniment
from muniment import Memory
from tests.agents.mcp.talking import LEGACY, MODERN, YES, Agent, talk
from tests.cli.driver import run, user_ledger

TOOLS = {
    # name: (only reads, destroys, may be repeated)
    "save_memory": (False, False, True),
    "supersede_memory": (False, True, False),
    "propose_memories": (False, True, False),
    "confirm_memory": (False, False, True),
    "delete_memory": (False, True, True),
    "memory_search": (True, False, True),
    "memory_get": (True, False, True),
    "memory_history": (True, False, True),
    "memory_verify": (True, False, True),
}


@pytest.mark.parametrize(("mode", "asks"), [(MODERN, True), (LEGACY, False)])
def test_an_agent_works_with_every_tool(mode: str, asks: bool) -> None:
    """G-40…G-42: the whole life of a memory; who wrote it and where it came from stand in the log."""
    user_ledger()

    async def life(agent: Agent) -> None:
        saved = await agent.call(
            "save_memory", text="Use pnpm, not npm", basis="stated", reason="the user said it"
        )
        assert (saved["outcome"], saved["active"], saved["scope"]) == ("created", True, "user")
        found = await agent.call("memory_search", query="pnpm", maxResults=3, minScore=0.5)
        assert [hit["id"] for hit in found["results"]] == [saved["id"]]
        newer = await agent.call(
            "supersede_memory", id=saved["id"][:8], text="Use yarn in all packages", basis="stated"
        )
        assert (newer["outcome"], newer["replaced"]) == ("superseded", [saved["id"]])
        assert (await agent.call("confirm_memory", id=newer["id"], reason="seen"))["promoted"] is False
        versions = (await agent.call("memory_history", id=newer["id"]))["versions"]
        assert [each["status"] for each in versions] == ["superseded", "active"]
        assert [each["kind"] for each in versions[1]["events"]] == ["confirm"]
        read = await agent.call("memory_get", id=newer["id"])
        assert read["content"] == "- Use yarn in all packages"
        assert (await agent.call("memory_verify"))["sound"]
        gone = await agent.call("delete_memory", id=newer["id"])
        assert gone["outcome"] == ("forgotten" if asks else "waiting")
        assert len(agent.asked) == asks

    talk(mode=mode, answer=YES if asks else None)(life)
    with muniment.open(scope="user") as memory:
        assert len(memory.load_all()) == (0 if asks else 1)
        rows = memory.log()[1:]
        heard = (
            {("test-agent", "system", "mcp")} if asks else set()
        )  # what the user agreed to when they were asked
        assert {(row.name, row.role, row.via) for row in rows} == {("test-agent", "agent", "mcp"), *heard}
        assert len({row.session for row in rows}) == 1
        assert [row.kind for row in rows] == ["create", "supersede", "confirm", *(["delete"] if asks else [])]


@pytest.mark.parametrize("mode", [MODERN, LEGACY])
def test_each_tool_says_what_it_takes_gives_and_may_do(mode: str) -> None:
    """G-41."""
    user_ledger()
    listed: list[Any] = []

    async def look(agent: Agent) -> None:
        listed.extend((await agent.client.list_tools()).tools)
        assert (agent.client.instructions or "").startswith("Long-term memory")

    talk(mode=mode)(look)
    told = {
        tool.name: (
            tool.annotations.read_only_hint,
            tool.annotations.destructive_hint,
            tool.annotations.idempotent_hint,
        )
        for tool in listed
    }
    assert told == TOOLS
    for tool in listed:
        assert tool.annotations.open_world_hint is False
        assert tool.output_schema["type"] == "object"
        assert len(tool.description) > 60
        assert len(f"muniment__{tool.name}") <= 64
        assert tool.input_schema["additionalProperties"] is False
    takes = {tool.name: set(tool.input_schema["properties"]) for tool in listed}
    assert takes["memory_search"] == {"query", "maxResults", "minScore"}
    assert takes["memory_get"] == {"id", "path", "from", "lines"}
    assert takes["delete_memory"] == {"id"}
    assert "ctx" not in set().union(*takes.values())
    loaded = {tool.name for tool in listed if (tool.meta or {}).get("anthropic/alwaysLoad") is True}
    assert loaded == {"save_memory", "memory_search"}


def test_the_ledger_that_is_named_takes_everything(tmp_path: Path) -> None:
    """G-44: --ledger; and the command that a person is told names it."""
    directory = tmp_path / "a ledger"
    muniment.init(directory).close()

    async def save(agent: Agent) -> None:
        saved = await agent.call(
            "save_memory", text="CI is slow on Mondays", basis="observed", scope="project"
        )
        assert saved["outcome"] == "candidate"
        assert f"muniment review --ledger '{directory}'" in saved["note"]

    talk("--ledger", str(directory))(save)
    with muniment.open(directory) as memory:
        assert [entry.status for entry in memory.load_all()] == ["candidate"]


def test_a_ledger_that_is_made_later_is_there(isolated: Path) -> None:
    """G-44: a server outlives what it found when it began; without a ledger each call says what makes one."""

    async def grow(agent: Agent) -> None:
        line = await agent.refused("save_memory", text="Use tabs", basis="stated")
        assert "run muniment init to create one" in line
        run("init", "--scope", "user").ok()
        run("add", "Ask before pushing").ok()
        await agent.call("save_memory", text="Use tabs", basis="stated")
        assert len((await agent.call("memory_search", query="tabs pushing"))["results"]) == 2

    talk()(grow)


def test_a_person_and_an_agent_write_at_once(isolated: Path) -> None:
    """G-44: what the command line wrote meanwhile is seen by the next call, and the chain is sound."""
    user_ledger()

    async def both(agent: Agent) -> None:
        for number in range(4):
            run("add", f"person {number}").ok()
            await agent.call(
                "save_memory", text=f"The {number}th gate is owned by team {number}", basis="stated"
            )
        assert (await agent.call("memory_verify"))["ledgers"][0]["events"] == 9

    talk()(both)
    assert run("verify").code == 0
    with muniment.open(scope="user") as memory:
        assert all(isinstance(entry.memory, Memory) for entry in memory.load_all())


def test_the_name_that_is_given_writes(isolated: Path) -> None:
    """G-40: it is an agent's all the same."""
    user_ledger()

    async def save(agent: Agent) -> None:
        await agent.call("save_memory", text="Use tabs", basis="stated")

    talk("--by", "reviewer")(save)
    with muniment.open(scope="user") as memory:
        (entry,) = memory.load_all()
    assert (entry.by.name, entry.by.role, entry.memory.provenance.agent) == ("reviewer", "agent", "reviewer")
    assert run("mcp", "--by", "No Slug").code == 2
