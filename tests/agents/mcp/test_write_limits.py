"""How much a session and an hour may write (specs/doors.md G-40, G-44)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from muniment import MemoryLedger
from tests.agents.mcp.talking import Agent, talk, talk_here
from tests.cli.driver import run_process

ANIMALS = "otter lynx heron badger weasel raven viper gecko bison tapir marmot ibex".split()


def test_hooks_and_tools_of_a_session_share_its_limit(
    memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G-40, K-68: ten of a session, not ten by each door."""
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "one-session")
    event = {"hook_event_name": "UserPromptSubmit", "session_id": "one-session", "cwd": str(Path.cwd())}
    for number in range(5):
        event |= {
            "prompt": f"Remember that host{number} listens on port 90{number}0",
            "prompt_id": f"p-{number}",
        }
        run_process("hook", "claude", input=json.dumps(event)).ok()
    assert len(memory.load_all()) == 5

    async def save(agent: Agent) -> None:
        for number in range(5):
            await agent.call(
                "save_memory", text=f"Deploys of team {number} run on day {number}", basis="stated"
            )
        line = await agent.refused("save_memory", text="Reviews take two days", basis="stated")
        assert "nothing more is stored in this session" in line

    talk_here()(save)
    assert {entry.memory.provenance.conversation for entry in memory.load_all()} == {"one-session"}


def test_ten_a_session(memory: MemoryLedger) -> None:
    """K-68: supersedes count as well; another session goes on."""

    async def save(agent: Agent) -> None:
        ids = [
            (await agent.call("save_memory", text=f"The {name} service is written in Rust", basis="stated"))[
                "id"
            ]
            for name in ANIMALS[:9]
        ]
        await agent.call("supersede_memory", id=ids[0], text="The otter service is gone", basis="stated")
        for tool, more in (("save_memory", {}), ("supersede_memory", {"id": ids[1]})):
            line = await agent.refused(
                tool, text="The tapir service is down to one pod", basis="stated", **more
            )
            assert "limits.per_conversation" in line
            assert "muniment add" in line

    talk_here()(save)
    assert len(memory.load_all()) == 9

    async def again(agent: Agent) -> None:
        await agent.call("save_memory", text="The tapir service is written in Go", basis="stated")

    talk_here()(again)


def test_an_hour_has_a_limit(memory: MemoryLedger) -> None:
    """K-68: whatever the client calls itself, and however often it starts anew."""
    (memory.workspace.place.directory / "config.toml").write_text("[limits]\nper_hour = 5\n")
    refused: list[str] = []

    async def save(agent: Agent) -> None:
        for name in ANIMALS[len(memory.load_all()) :][:2]:
            arguments = {"text": f"The {name} service is written in Rust", "basis": "stated"}
            done = await agent.client.call_tool("save_memory", arguments)
            refused.extend([str(done.content)] if done.is_error else [])

    for name in ("blue", "green", "red"):
        talk_here(name=name)(save)
    assert len(refused) == 1
    assert "limits.per_hour" in refused[0]


def test_many_calls_at_once_are_counted_one_by_one(memory: MemoryLedger) -> None:
    """G-44: a client may send them without waiting; the limit holds."""
    import anyio

    outcomes: list[bool] = []

    async def save(agent: Agent) -> None:
        async def one(name: str) -> None:
            text = f"The {name} service is written in Rust"
            outcomes.append(
                (await agent.client.call_tool("save_memory", {"text": text, "basis": "stated"})).is_error
            )

        async with anyio.create_task_group() as group:
            for name in ANIMALS:
                group.start_soon(one, name)

    talk()(save)
    assert outcomes.count(False) == 10
    assert len(memory.load_all()) == 10
