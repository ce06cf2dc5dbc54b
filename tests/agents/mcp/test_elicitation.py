"""Nothing is forgotten before the person agreed: asked through the client, or in `muniment review`.

Tests specs/doors.md (G-42, G-47).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import muniment
from muniment import Memory, MemoryLedger
from projections import requests
from projections.requests import DELETE, Request
from tests.agents.mcp.talking import LEGACY, MODERN, YES, Agent, talk, talk_here
from tests.cli.driver import run, run_at_terminal, uncolored

NO: list[dict[str, Any]] = [{"action": "decline"}, {"action": "cancel"}]


@pytest.fixture
def memory(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryLedger:
    """A user's ledger of two memories of a person's, seen from an empty folder."""
    monkeypatch.chdir(tmp_path)
    opened = muniment.init()
    opened.store(Memory("Use tabs\u202e", details=("two", "three")))
    opened.store(Memory("Use pnpm"))
    return opened


def _ids(memory: MemoryLedger) -> list[str]:
    return [entry.id for entry in memory.load_all()]


@pytest.mark.parametrize(("mode", "content"), [(MODERN, None), (LEGACY, {"forget": "perhaps"})])
def test_an_answer_that_is_neither_yes_nor_no_forgets_nothing(
    memory: MemoryLedger, mode: str, content: dict[str, Any] | None
) -> None:
    """G-42, G-45: clients send an accept without its content; the line tells a model of no part of ours."""
    first, second = _ids(memory)

    async def forget(agent: Agent) -> None:
        line = await agent.refused("delete_memory", id=first)
        assert "neither a yes nor a no" in line
        assert "muniment delete ID" in line
        assert "Resolver" not in line

    talk_here(mode=mode, answer={"action": "accept", "content": content})(forget)
    assert _ids(memory) == [first, second]


@pytest.mark.parametrize("mode", [MODERN, LEGACY])
def test_a_yes_of_the_person_forgets(memory: MemoryLedger, mode: str) -> None:
    """G-42: they read what it says, and of whom it is, and answer with one click; the log says who asked; it can be taken back."""
    first, second = _ids(memory)

    async def forget(agent: Agent) -> None:
        done = await agent.call("delete_memory", id=first[:12])
        assert (done["outcome"], done["id"], done["pending"]) == ("forgotten", first, "")
        assert f"muniment revert {memory.workspace.index.entry(first).deleted_by[0][:12]}" in done["note"]  # type: ignore[union-attr]
        assert agent.forms == [{"type": "object", "properties": {}}]
        (question,) = agent.asked
        assert question.startswith(
            "Forget \u201cUse tabs\u201d and 2 lines more? The history keeps it. (user memory "
        )
        line = await agent.refused("delete_memory", id=first)
        assert "is deleted: there is nothing to forget" in line
        assert len(agent.asked) == 1

    talk(mode=mode, answer=YES)(forget)
    assert _ids(memory) == [second]
    row = memory.log()[-1]
    assert (row.kind, row.role, row.via, row.what) == (
        "delete",
        "system",
        "mcp",
        "the user agreed, asked by test-agent",
    )


@pytest.mark.parametrize(("mode", "answer"), [(MODERN, NO[0]), (LEGACY, NO[1])])
def test_anything_else_keeps_it(memory: MemoryLedger, mode: str, answer: dict[str, Any]) -> None:
    """G-42: a no, a refusal to answer, a dialog that was closed; and no wish waits."""
    first, _ = before = _ids(memory)

    async def forget(agent: Agent) -> None:
        done = await agent.call("delete_memory", id=first)
        assert done["outcome"] == "kept"
        assert "did not agree" in done["note"]
        assert len(agent.asked) == 1

    talk_here(mode=mode, answer=answer)(forget)
    assert _ids(memory) == before
    assert requests.waiting(memory.workspace) == []


def test_who_cannot_be_asked_finds_the_wish_in_review(memory: MemoryLedger) -> None:
    """G-42: first of all, with who wishes it; a yes there deletes it."""
    first, second = _ids(memory)
    memory.store(Memory("A candidate", status="candidate"))

    async def forget(agent: Agent) -> None:
        done = await agent.call("delete_memory", id=second)
        assert (done["outcome"], done["pending"]) == ("waiting", f"forget-{second[:12]}")
        assert "muniment review, which lists it first" in done["note"]
        assert f"muniment delete {second[:12]}" in done["note"]
        again = await agent.call("delete_memory", id=second)
        assert again["pending"] == done["pending"]

    talk(mode=LEGACY)(forget)
    assert len(_ids(memory)) == 3
    listed = run("review", "--json").ok().json_lines
    assert [each["why"] for each in listed] == ["forget", "candidate"]
    assert (listed[0]["id"], listed[0]["wished_by"]) == (second, "test-agent")
    shown = run_at_terminal("review", answers=["d", "y", "q"])
    assert "1 of 2: test-agent asks to forget it" in uncolored(shown.out)
    assert second not in _ids(memory)
    assert requests.waiting(memory.workspace) == []
    assert first in _ids(memory)


def test_a_person_may_keep_it(memory: MemoryLedger) -> None:
    """G-47: then the wish is settled, and another one may come."""
    first, _ = _ids(memory)
    requests.file(memory.workspace, Request(DELETE, (first,), {}, "bot", "s-1"))
    run_at_terminal("review", answers=["s"])
    assert len(requests.waiting(memory.workspace)) == 1
    run_at_terminal("review", answers=["c"])
    assert requests.waiting(memory.workspace) == []
    assert first in _ids(memory)
    requests.file(memory.workspace, Request(DELETE, (first,), {}, "bot", "s-2"))
    assert [each.session for each in requests.waiting(memory.workspace)] == ["s-2"]


def test_a_wish_for_a_candidate_is_shown_once(memory: MemoryLedger) -> None:
    """G-47: and confirming it takes it in."""
    id_ = memory.store(Memory("A candidate", status="candidate")).id
    requests.file(memory.workspace, Request(DELETE, (id_,), {}, "bot", "s-1"))
    assert [each["why"] for each in run("review", "--json").json_lines] == ["forget"]
    run_at_terminal("review", answers=["c"])
    assert memory.entry(id_).status == "active"
    assert run("review", "--json").json_lines == []


def test_a_wish_is_moot_once_the_memory_is_gone(memory: MemoryLedger) -> None:
    """G-47: deleted, replaced or erased by whomever."""
    first, second = _ids(memory)
    for id_ in (first, second):
        requests.file(memory.workspace, Request(DELETE, (id_,), {}, "bot", "s-1"))
    memory.delete([first])
    memory.supersede([second], Memory("Use npm"))
    assert requests.waiting(memory.workspace) == []
    assert run("review", "--json").json_lines == []


def test_a_wish_holds_no_words(memory: MemoryLedger) -> None:
    """G-47: so an erasure need not look for it."""
    first, _ = _ids(memory)
    requests.file(memory.workspace, Request(DELETE, (first,), {}, "bot", "s-1"))
    ((name, value),) = memory.workspace.local.facts("request delete ")
    assert name.endswith(first)
    assert json.loads(value).keys() == {"by", "session", "at"}


def test_a_wish_that_was_damaged_hinders_nobody(memory: MemoryLedger) -> None:
    """G-47."""
    first, second = _ids(memory)
    memory.workspace.local.note(f"request delete {first}", "{")
    memory.workspace.local.note(f"request delete {second}", "[]")
    assert requests.waiting(memory.workspace) == []
    run("review", "--json").ok()


def test_only_so_many_wishes_wait(memory: MemoryLedger) -> None:
    """G-47: an agent cannot bury a person in them."""
    many = [memory.store(Memory(f"number {number}")).id for number in range(requests.MOST + 1)]
    for id_ in many[:-1]:
        requests.file(memory.workspace, Request(DELETE, (id_,), {}, "bot", "s-1"))

    async def forget(agent: Agent) -> None:
        line = await agent.refused("delete_memory", id=many[-1])
        assert "requests wait for the user already" in line

    talk_here()(forget)
    assert len(requests.waiting(memory.workspace)) == requests.MOST


def test_the_wish_waits_in_the_ledger_that_has_the_memory(memory: MemoryLedger, tmp_path: Path) -> None:
    """G-42: the command names its scope, where there are several."""
    (tmp_path / ".git").mkdir()
    run("init", "--scope", "project").ok()
    id_ = run("add", "The build uses make", "--json").ok().json["id"]

    async def forget(agent: Agent) -> None:
        done = await agent.call("delete_memory", id=id_)
        assert "muniment review --scope project" in done["note"]

    talk_here()(forget)
    assert [each["id"] for each in run("review", "--json", "--scope", "project").json_lines] == [id_]
    assert run("review", "--json", "--scope", "user").json_lines == []
