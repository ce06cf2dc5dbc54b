"""What a writing tool does with wrong arguments, with none, and where it cannot write (specs/doors.md G-44…G-46)."""

from __future__ import annotations

import pytest

from ledger.event import By
from muniment import MemoryLedger
from tests.agents.mcp.talking import Agent, talk_here
from tests.cli.driver import run

SECRET = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"


def test_an_argument_is_named_as_the_client_knows_it(memory: MemoryLedger) -> None:
    """G-45."""
    wrong: tuple[dict[str, object], ...] = (
        {"whenToUse": ["logging in"]},
        {"topic": "auth", "title": "Login", "whenToUse": ["x" * 600]},
        {"topic": "auth", "title": "Login", "whenToUse": 3},
    )

    async def save(agent: Agent) -> None:
        for arguments in wrong:
            line = await agent.refused("save_memory", text="Use tabs", basis="stated", **arguments)
            assert "whenToUse" in line
            assert "when_to_use" not in line

    talk_here()(save)


WRONG: list[tuple[str, dict[str, object], str]] = [
    ("save_memory", {}, "save_memory: text: Field required; basis: Field required"),
    (
        "save_memory",
        {"text": "x", "basis": "because"},
        "save_memory: basis: Input should be 'asked', 'stated'",
    ),
    ("save_memory", {"text": " ", "basis": "stated"}, "text is empty"),
    ("save_memory", {"text": "a\nb", "basis": "stated"}, "text has 2 lines and can have one"),
    ("save_memory", {"text": "x" * 1001, "basis": "stated"}, "1000"),
    ("save_memory", {"text": "x", "basis": "stated", "body": "y"}, "give topic as well"),
    ("save_memory", {"text": "x", "basis": "stated", "topic": "No Slug"}, "topic"),
    (
        "save_memory",
        {"text": "x", "basis": "stated", "confidence": 2},
        "confidence: Input should be less",
    ),
    ("confirm_memory", {"id": "12"}, "is not an id"),
    ("confirm_memory", {"id": "@0"}, "is not an id"),
    ("confirm_memory", {"id": "00000000"}, "memory_search gives ids"),
    ("confirm_memory", {"id": "0" * 100_000}, "is not an id: give 8 to 64 of its hex digits"),
    ("supersede_memory", {"id": "00000000", "text": "x", "basis": "stated"}, "memory_search gives ids"),
    (
        "save_memory",
        {"text": "Use tabs", "basis": "stated", "important": "high"},
        "save_memory: unknown argument important; nothing was done: this tool takes text, basis, ",
    ),
    (
        "save_memory",
        {"text": "Use tabs", "basis": "stated", "": 1},
        "unknown argument without a name; nothing",
    ),
    ("memory_search", {"query": "x", "max_results": 3}, "unknown argument max_results"),
    ("memory_get", {"path": "MEMORY.md", "from_": 3}, "unknown argument from_"),
    ("no_such_tool", {}, "there is no tool of that name; there are save_memory, "),
]


def test_what_is_wrong_is_one_line(memory: MemoryLedger) -> None:
    """G-45."""

    async def fail(agent: Agent) -> None:
        for tool, arguments, told in WRONG:
            assert told in await agent.refused(tool, **arguments)

    talk_here()(fail)
    assert memory.load_all() == []


def test_null_is_what_was_left_out(memory: MemoryLedger) -> None:
    """G-45: as clients send it that fill in every argument of a schema."""
    left = (
        "scope",
        "type",
        "section",
        "details",
        "importance",
        "tags",
        "topic",
        "title",
        "body",
        "whenToUse",
    )

    async def save(agent: Agent) -> None:
        nulls: dict[str, object] = dict.fromkeys((*left, "confidence", "reason"))
        saved = await agent.call("save_memory", text="Use tabs", basis="stated", **nulls)
        assert saved["outcome"] == "created"
        assert (await agent.call("memory_get", id=saved["id"], path=None, **{"from": None}))["content"]
        assert "text: Field required" in await agent.refused("save_memory", text=None, basis="stated")

    talk_here()(save)


def test_what_was_typed_is_not_repeated(memory: MemoryLedger) -> None:
    """G-45: an argument of the wrong type may be a secret."""

    async def fail(agent: Agent) -> None:
        for arguments in ({"text": {"a": SECRET}, "basis": SECRET}, {"text": [SECRET], "basis": "stated"}):
            assert SECRET not in await agent.refused("save_memory", **arguments)
        assert SECRET not in await agent.refused("confirm_memory", id=SECRET)
        assert SECRET not in await agent.refused("memory_get", path=SECRET)
        assert SECRET not in await agent.refused(SECRET)
        assert SECRET not in await agent.refused("memory_verify", **{SECRET: 1})
        assert SECRET[:9] not in await agent.refused("memory_verify", **{"a" * 90: 1, SECRET: 1})

    talk_here()(fail)


def test_where_it_is_switched_off_it_says_so(memory: MemoryLedger) -> None:
    """G-44."""
    (memory.workspace.place.directory / "config.toml").write_text("enabled = false\n", "utf-8")

    async def fail(agent: Agent) -> None:
        for tool, arguments in (
            ("save_memory", {"text": "x", "basis": "stated"}),
            ("memory_search", {"query": "x"}),
        ):
            assert "switched off" in await agent.refused(tool, **arguments)

    talk_here()(fail)


def test_a_ledger_that_is_held_gets_it_later(memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    """K-73: it waits in the outbox, in the agent's name."""
    monkeypatch.setattr("learning.writer.PATIENCE", 0.05)
    import fcntl
    import os

    lock = os.open(memory.workspace.chain, os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)

    async def save(agent: Agent) -> None:
        saved = await agent.call("save_memory", text="Use tabs", basis="stated")
        assert (saved["outcome"], saved["id"]) == ("queued", "")
        assert "muniment upkeep retry" in saved["note"]

    try:
        talk_here()(save)
    finally:
        os.close(lock)
    run("upkeep", "retry").ok()
    (entry,) = memory.load_all()
    assert (entry.memory.text, entry.by) == ("Use tabs", By("test-agent", "agent", "mcp"))


def test_a_text_that_is_json_is_a_text(memory: MemoryLedger) -> None:
    """G-46: the SDK reads lists out of texts, where lists are meant."""
    texts = ['["a", "b"]', '{"port": 5432}', "null"]

    async def save(agent: Agent) -> None:
        for text in texts:
            await agent.call("save_memory", text=text, basis="asked", tags='["x"]')

    talk_here()(save)
    assert [(each.memory.text, each.memory.tags) for each in memory.load_all()] == [
        (text, ("x",)) for text in texts
    ]
