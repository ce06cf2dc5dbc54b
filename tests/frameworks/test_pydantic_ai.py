"""Agents of Pydantic AI that remember with a ledger, with its own models for tests.

Tests specs/frameworks.md (FW-50, FW-51, FW-56…FW-58).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import NoLedgerError
from ledger.event import By
from muniment import MemoryLedger

pydantic_ai = pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed: make extras runs this")
messages = pytest.importorskip("pydantic_ai.messages")
models = pytest.importorskip("pydantic_ai.models")
function = pytest.importorskip("pydantic_ai.models.function")
test_models = pytest.importorskip("pydantic_ai.models.test")

from frameworks.pydantic_ai import LedgerToolset  # noqa: E402 - it imports Pydantic AI

SECRET = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
Call = tuple[str, dict[str, Any]] | Callable[[str], tuple[str, dict[str, Any]]]


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "ALLOW_MODEL_REQUESTS", False)


class Script:
    """A model that calls these tools one after the other, then stops; it notes instructions and results."""

    def __init__(self, *calls: Call) -> None:
        self.calls = list(calls)
        self.told: list[str] = []
        self.results: list[tuple[str, str]] = []

    def __call__(self, history: list[Any], info: Any) -> Any:
        self.told.append(info.instructions or "")
        for part in history[-1].parts:
            if isinstance(part, messages.ToolReturnPart):
                self.results.append((part.outcome, str(part.content)))
        if not self.calls:
            return messages.ModelResponse(parts=[messages.TextPart("Done")])
        call = self.calls.pop(0)
        name, given = call(self.results[-1][1]) if callable(call) else call
        return messages.ModelResponse(parts=[messages.ToolCallPart(name, json.dumps(given))])


def run(script: Script, toolset: LedgerToolset, said: Any = "Hi", **given: Any) -> Any:
    agent = pydantic_ai.Agent(function.FunctionModel(script))
    return asyncio.run(agent.run(said, toolsets=[toolset], **given))


def test_an_agent_saves_searches_and_forgets(memory: MemoryLedger) -> None:
    """FW-56, FW-57, FW-50, FW-2: each change is a signed event."""
    toolset = LedgerToolset("ada", memory, agent="helper")
    script = Script(
        ("save_memory", {"text": "Lives in Bern"}),
        ("search_memories", {"query": "lives"}),
        lambda found: ("save_memory", {"text": "Lives in Basel", "replaces": found.split()[0]}),
        ("search_memories", {"query": "lives"}),
        lambda found: ("forget_memory", {"id": found.split()[0]}),
        ("search_memories", {"query": "lives"}),
    )
    assert run(script, toolset, conversation_id="chat-1").output == "Done"
    said = [result for _, result in script.results]
    assert [outcome for outcome, _ in script.results] == ["success"] * 6
    assert said[1] == f"{said[0].removeprefix('Saved as ')}  Lives in Bern"
    assert said[3].endswith("  Lives in Basel")
    assert said[4:] == ["Forgotten", "Nothing found"]
    assert [row.kind for row in memory.log()] == ["genesis", "create", "supersede", "delete"]
    first, last = memory.history(said[0].removeprefix("Saved as "))
    assert (first.memory.topic, last.status) == ("pydantic-ai/ada", "deleted")
    assert first.by == By("pydantic-ai", "agent", "library")
    assert first.memory.provenance.to_payload() == {
        "conversation": "ada",
        "session": "chat-1",
        "agent": "helper",
        "tool": "pydantic-ai",
    }
    assert memory.upkeep.verify().sound


def test_an_agent_is_told_what_it_knows(memory: MemoryLedger) -> None:
    """FW-56, FW-51: in each request, what is saved meanwhile too; of this user alone; and it is recorded."""
    ada, bob = LedgerToolset("ada", memory), LedgerToolset("bob", memory)
    script = Script(("save_memory", {"text": "Likes tea"}), ("save_memory", {"text": "Plays chess"}))
    run(script, ada)
    assert script.told[0] == ""
    assert "- Likes tea" in script.told[1]
    later = Script()
    run(
        later,
        ada,
        ["A partner for chess?", messages.ImageUrl("https://example.com/x.png")],
        conversation_id="c2",
    )
    assert later.told[0].index("Plays chess") < later.told[0].index("Likes tea")
    assert memory.seen()[0].session == "c2"
    other = Script()
    run(other, bob)
    assert other.told == [""]


def test_what_is_refused_is_told_to_the_model(memory: MemoryLedger) -> None:
    """FW-58: the run goes on."""
    script = Script(
        ("save_memory", {"text": f"The token is {SECRET}"}),
        ("save_memory", {"text": "two\nlines"}),
        ("forget_memory", {"id": "0123456789ab"}),
    )
    assert run(script, LedgerToolset("ada", memory)).output == "Done"
    assert [outcome for outcome, _ in script.results] == ["failed"] * 3
    assert "save one sentence, and each further one by another call" in script.results[1][1]
    assert "no memory here has the id 0123456789ab" in script.results[2][1]
    assert SECRET not in str(script.results)
    assert memory.load_all() == []


def test_a_model_reads_what_the_tools_take(memory: MemoryLedger) -> None:
    """FW-57: names, arguments and their descriptions; with any arguments the tools answer, also side by side."""
    model = test_models.TestModel()
    agent = pydantic_ai.Agent(model, toolsets=[LedgerToolset("ada", memory)])
    asyncio.run(agent.run("Hi"))
    tools = {each.name: each for each in model.last_model_request_parameters.function_tools}
    given = {name: each.parameters_json_schema["properties"] for name, each in tools.items()}
    assert {name: [*each] for name, each in given.items()} == {
        "save_memory": ["text", "replaces"],
        "search_memories": ["query"],
        "forget_memory": ["id"],
    }
    assert all(argument["description"] for each in given.values() for argument in each.values())
    assert tools["save_memory"].description.startswith("Remember something about the user")
    assert tools["save_memory"].parameters_json_schema["required"] == ["text"]


def test_it_says_which_command_makes_a_ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """FW-1."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NoLedgerError, match="muniment init"):
        run(Script(), LedgerToolset("ada"))


def test_the_ledger_of_the_folder_is_used_and_closed(memory: MemoryLedger) -> None:
    """FW-1."""
    toolset = LedgerToolset("ada")
    run(Script(("save_memory", {"text": "Likes tea"})), toolset)
    toolset.close()
    assert [entry.memory.text for entry in memory.load_all()] == ["Likes tea"]
