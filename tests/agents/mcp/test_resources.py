"""Resources and the prompt, over stdio in both protocols.

Tests specs/doors.md (G-43).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mcp.types import INVALID_PARAMS

from muniment import Memory, MemoryLedger
from tests.agents.mcp.talking import LEGACY, MODERN, Agent, MCPError, talk, talk_here
from tests.cli.driver import run


def test_resources_are_listed_and_read(memory: MemoryLedger) -> None:
    """G-43: what they give stands in the ledger at that moment."""

    async def look(agent: Agent) -> None:
        listed = (await agent.client.list_resources()).resources
        assert {str(each.uri) for each in listed} == {"memory://memory.md", "memory://timeline"}
        templates = (await agent.client.list_resource_templates()).resource_templates
        assert {each.uri_template for each in templates} == {"memory://topic/{+slug}", "memory://event/{id}"}
        assert all(each.description for each in listed)
        assert all(each.description for each in templates)
        assert "Nothing is remembered yet." in await agent.read("memory://memory.md")
        first = memory.store(Memory("Use tabs", section="Workflow")).id
        topic = memory.store(
            Memory("How it ends", topic="auth/sessions", title="End", when_to_use=("logout",))
        ).id
        text = await agent.read("memory://memory.md")
        assert f"# MEMORY.md (user)\n\n## Workflow\n\n- Use tabs ({first[:12]})\n" in "\n" + text
        for uri in ("memory://topic/auth/sessions", "memory://topic/auth%2Fsessions"):
            assert f"- End: How it ends ({topic[:12]})" in await agent.read(uri)
        lines = (await agent.read("memory://timeline")).splitlines()
        assert [line.split()[2] for line in lines] == ["genesis", "create", "create"]
        told = json.loads(await agent.read(f"memory://event/{first[:8]}"))
        assert (told["id"], told["kind"], told["memory"]["content"]) == (first, "create", "- Use tabs")
        genesis = json.loads(await agent.read(f"memory://event/{memory.log()[0].id}"))
        assert (genesis["kind"], "memory" in genesis) == ("genesis", False)

    talk(mode=MODERN)(look)


def test_the_prompt_gives_what_inject_prints(memory: MemoryLedger) -> None:
    """G-43."""
    memory.store(Memory("How it ends", topic="auth", title="End", when_to_use=("logout",)))
    memory.store(Memory("Use tabs"))

    async def look(agent: Agent) -> None:
        prompt, end = (await agent.client.list_prompts()).prompts
        assert (prompt.name, end.name) == ("memories", "end_of_session")
        assert [each.name for each in prompt.arguments or []] == ["task"]
        assert (
            await agent.prompt(task="mend the logout") + "\n"
            == run("inject", "--task", "mend the logout").out + "\n"
        )
        assert "How it ends" not in await agent.prompt()
        assert "Use tabs" in await agent.prompt()

    talk(mode=LEGACY)(look)


def test_what_is_not_there_is_one_line(memory: MemoryLedger) -> None:
    """G-45."""

    async def look(agent: Agent) -> None:
        for uri, told in (
            ("memory://topic/none", "there is no document"),
            ("memory://topic/../../etc/passwd", "no resource at that address; there are memory://memory.md"),
            ("memory://event/00000000", "no event has an id"),
            ("memory://event/xyz", "is not an id"),
            ("memory://nothing", "no resource at that address"),
        ):
            with pytest.raises(MCPError) as fault:
                await agent.read(uri)
            assert told in str(fault.value)
            assert "\n" not in fault.value.error.message
            assert "passwd" not in str(fault.value.error)

    talk_here()(look)


def test_a_prompt_that_is_not_there_is_one_line(memory: MemoryLedger) -> None:
    """G-45."""

    async def look(agent: Agent) -> None:
        secret = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
        for name, arguments in (("other", {}), ("memories", {"tusk": "x"}), ("memories", {secret: "x"})):
            with pytest.raises(MCPError) as fault:
                await agent.client.get_prompt(name, arguments)
            assert fault.value.error.code == INVALID_PARAMS
            assert secret not in fault.value.error.message
            assert "\n" not in fault.value.error.message
            assert "internal error" not in fault.value.error.message

    talk_here()(look)


def test_without_a_ledger_each_says_what_makes_one(isolated: Path) -> None:
    """G-45."""

    async def look(agent: Agent) -> None:
        for uri in ("memory://memory.md", "memory://timeline", "memory://topic/x"):
            with pytest.raises(MCPError, match="run muniment init to create one"):
                await agent.read(uri)
        with pytest.raises(MCPError, match="run muniment init to create one"):
            await agent.prompt(task="x")

    talk_here()(look)
