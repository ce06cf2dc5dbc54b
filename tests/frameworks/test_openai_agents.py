"""Conversations of the OpenAI Agents SDK on a ledger. Tests specs/frameworks.md (FW-1…FW-5, FW-40…FW-43)."""

from __future__ import annotations

import asyncio
import importlib.metadata
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from frameworks.openai_agents import LedgerSession
from hatch_build import map_tree
from ledger.errors import SecretError
from ledger.event import By
from muniment import MemoryLedger

ROOT = Path(__file__).resolve().parents[2]
SECRET = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"


def said(content: Any, role: str = "user") -> dict[str, Any]:
    return {"role": role, "content": content}


def test_each_item_is_a_signed_memory(memory: MemoryLedger) -> None:
    """FW-40, FW-41, FW-2: the same words twice are two items."""

    async def talk() -> None:
        session = LedgerSession("chat-1", memory, agent="helper")
        await session.add_items(
            [said("Hi\nthere"), said([{"type": "output_text", "text": "Hello"}], "assistant")]
        )
        await session.add_items(
            [said("Hi\nthere"), {"type": "function_call", "arguments": "{}", "name": "f"}]
        )
        await session.add_items([])
        assert await session.get_items(limit=2) == [
            said("Hi\nthere"),
            {"type": "function_call", "arguments": "{}", "name": "f"},
        ]
        assert len(await session.get_items()) == 4
        assert await session.get_items(limit=0) == []

    asyncio.run(talk())
    entries = memory.load_all()
    assert [entry.memory.text.partition(" ")[2] for entry in entries] == [
        "user: Hi there",
        "assistant: Hello",
        "user: Hi there",
        "function_call:",
    ]
    assert entries[0].by == By("openai-agents", "agent", "library")
    assert entries[0].memory.provenance.to_payload() == {
        "session": "chat-1",
        "agent": "helper",
        "tool": "openai-agents",
    }
    assert (memory.workspace.place.directory / "memories/openai-agents/chat-1.md").exists()
    assert memory.upkeep.verify().sound


def test_two_conversations_are_never_one(memory: MemoryLedger) -> None:
    """FW-4: these names have one slug and the same eight digits at the beginning of their hashes."""
    names = (
        "cUSToMEr-nUmBer-fOur-and-twenty@example-company.com",
        "cuSTOMEr-nUmBEr-foUr-and-twenty@example-company.com",
    )

    async def talk() -> None:
        one, other = (LedgerSession(name, memory) for name in names)
        await one.add_items([said("one")])
        assert await other.get_items() == []
        await other.clear_session()
        assert await one.get_items() == [said("one")]

    asyncio.run(talk())


def test_what_is_popped_or_cleared_stays_in_the_history(memory: MemoryLedger) -> None:
    """FW-42: the other conversation keeps its items."""

    async def talk() -> None:
        one, other = LedgerSession("chat", memory), LedgerSession("Chat", memory)
        assert await one.pop_item() is None
        await other.add_items([said("other")])
        await one.add_items([said(str(n)) for n in range(20)])
        assert await one.pop_item() == said("19")
        await one.add_items([said("19")])
        assert [each["content"] for each in await one.get_items()] == [str(n) for n in range(20)]
        await one.clear_session()
        assert await one.get_items() == []
        assert await other.get_items() == [said("other")]

    asyncio.run(talk())
    assert [row.kind for row in memory.log()].count("create") == 22


def test_an_edited_item_keeps_its_place(memory: MemoryLedger) -> None:
    """FW-41, FW-3."""
    session = LedgerSession("chat", memory)
    asyncio.run(session.add_items([said("I like tea"), said("And rain")]))
    document = memory.workspace.place.directory / "memories/openai-agents/chat.md"
    document.write_text(document.read_text("utf-8").replace('"I like tea', '"I like green tea'), "utf-8")
    memory.documents.adopt()
    for limit in (None, 2):
        assert asyncio.run(session.get_items(limit)) == [said("I like green tea"), said("And rain")]
    assert asyncio.run(session.get_items(1)) == [said("And rain")]
    assert asyncio.run(session.pop_item()) == said("And rain")


def test_what_cannot_be_stored_is_refused_whole(memory: MemoryLedger) -> None:
    """FW-1, FW-43."""
    session = LedgerSession("chat", memory)
    with pytest.raises(SecretError):
        asyncio.run(session.add_items([said("Hi"), said(f"My token is {SECRET}")]))
    with pytest.raises(ValueError, match="item 1 cannot be stored"):
        asyncio.run(session.add_items([said(object())]))
    with pytest.raises(ValueError, match="needs an id"):
        LedgerSession("", memory)
    assert memory.load_all() == []


def test_the_newest_item_is_read_alone(memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    """FW-41: and none to add one, so that a long conversation waits no longer than a short one."""
    session = LedgerSession("chat", memory)
    asyncio.run(session.add_items([said(str(n)) for n in range(20)]))
    read: list[int] = []
    load_all = memory.load_all

    def counted(*asked: Any, **how: Any) -> Any:
        found = load_all(*asked, **how)
        read.append(len(found))
        return found

    monkeypatch.setattr(memory, "load_all", counted)
    asyncio.run(session.add_items([said("20")]))
    assert asyncio.run(session.get_items(3)) == [said("18"), said("19"), said("20")]
    assert asyncio.run(session.pop_item()) == said("20")
    assert read == [3, 1]


TOGETHER = """
import asyncio, concurrent.futures, json, multiprocessing, sys
from collections import Counter

WRITERS, TIMES = range(4), 5

def opened(kind, name):
    if kind == "ledger":
        from muniment.frameworks.openai_agents import LedgerSession
        return LedgerSession(name)
    import agents
    return agents.SQLiteSession(name, "sessions.db")

async def write(kind, name, writer):
    session = opened(kind, name)
    for n in range(TIMES):
        await session.add_items([{"role": "user", "content": "ok"}, {"role": "assistant", "content": f"{writer} {n}"}])
    session.close()

def run(*what):
    asyncio.run(write(*what))

async def tasks(kind):
    await asyncio.gather(*(write(kind, "tasks", writer) for writer in WRITERS))

async def items(kind, name):
    session = opened(kind, name)
    try:
        return [each["content"] for each in await session.get_items()]
    finally:
        session.close()

if __name__ == "__main__":
    kind = sys.argv[1]
    asyncio.run(items(kind, "threads"))
    spawning = {"mp_context": multiprocessing.get_context("spawn")}
    for name, pool, how in (
        ("threads", concurrent.futures.ThreadPoolExecutor, {}),
        ("processes", concurrent.futures.ProcessPoolExecutor, spawning),
    ):
        with pool(len(WRITERS), **how) as running:
            for each in [running.submit(run, kind, name, writer) for writer in WRITERS]:
                each.result()
    asyncio.run(tasks(kind))
    for name in ("threads", "processes", "tasks"):
        found = asyncio.run(items(kind, name))
        assert found[::2] == ["ok"] * (len(WRITERS) * TIMES), found
        for writer in WRITERS:
            own = [each for each in found if each.startswith(f"{writer} ")]
            assert own == [f"{writer} {n}" for n in range(TIMES)], own
"""


@pytest.mark.parametrize("kind", ["ledger", "sqlite"])
def test_what_several_add_at_once_is_all_there_in_order(
    memory: MemoryLedger, tmp_path: Path, kind: str
) -> None:
    """FW-41, FW-5: the same words of threads, processes and tasks with a session each, as in the SDK's own session."""
    if kind == "sqlite":
        installed()
    mapped(tmp_path)
    (tmp_path / "together.py").write_text(TOGETHER, "utf-8")
    ran = subprocess.run(
        [sys.executable, "together.py", kind], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert ran.returncode == 0, ran.stderr
    assert kind == "sqlite" or memory.upkeep.verify().sound


def installed() -> None:
    try:
        importlib.metadata.version("openai-agents")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("openai-agents is not installed: make extras runs this")


def mapped(folder: Path) -> None:
    """Map the package as in the wheel, since both have an `agents`."""
    hook = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"][
        "wheel"
    ]
    map_tree(ROOT, folder / "muniment", hook["hooks"]["custom"]["packages"])


WITH_THE_SDK = """
import asyncio, json, sys, threading
from http.server import BaseHTTPRequestHandler, HTTPServer
import agents, muniment, openai
from muniment.frameworks.openai_agents import LedgerSession

class Model(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        text = f"I was told {len(asked['messages'])} things"
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        body = json.dumps({"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass

async def compared(ours, theirs):
    for each in (ours, theirs):
        assert isinstance(each, agents.memory.Session)
        await each.add_items([{"role": "user", "content": str(n)} for n in range(5)])
        await each.pop_item()
        each.session_settings = agents.memory.SessionSettings(limit=3)
    for limit in (None, 0, 1, 3, 9):
        assert await ours.get_items(limit) == await theirs.get_items(limit), limit
    for each in (ours, theirs):
        await each.clear_session()
        assert await each.pop_item() is None

async def main(url):
    memory = muniment.init()
    await compared(LedgerSession("other", memory), agents.SQLiteSession("other"))
    async with openai.AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
        model = agents.OpenAIChatCompletionsModel(model="m", openai_client=client)
        agent, session = agents.Agent(name="helper", model=model), LedgerSession("chat", memory)
        for said in ("Hi", "And again"):
            print((await agents.Runner.run(agent, said, session=session)).final_output)
    print([each["role"] for each in await session.get_items()], memory.upkeep.verify().sound)
    memory.close()

agents.set_tracing_disabled(True)
with HTTPServer(("127.0.0.1", 0), Model) as server:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    asyncio.run(main(f"http://127.0.0.1:{server.server_port}"))
    server.shutdown()
"""


def test_the_runner_of_the_sdk_remembers_with_it(tmp_path: Path) -> None:
    """FW-40: as with the SDK's own session, and in a real run."""
    installed()
    mapped(tmp_path)
    ran = subprocess.run(
        [sys.executable, "-c", WITH_THE_SDK],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.stdout.splitlines() == [
        "I was told 1 things",
        "I was told 3 things",
        "['user', 'assistant', 'user', 'assistant'] True",
    ], ran.stderr
