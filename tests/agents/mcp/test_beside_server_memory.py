"""The reference memory server of the Model Context Protocol, from npm, through `muniment mcp --beside`, with the SDK's client.

Tests specs/doors.md (G-92…G-94). `make extras` installs the server into build/foreign; without it this is skipped.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import muniment
from tests.agents.mcp.talking import LEGACY, MODERN, Agent, talk
from tests.agents.mcp.test_beside import EVERY
from tests.cli.driver import ROOT, run, user_ledger

MODULES = ROOT / "build" / "foreign" / "node_modules"
SERVER = MODULES / "@modelcontextprotocol" / "server-memory" / "dist" / "index.js"
NODE = next((str(each) for each in sorted(MODULES.glob("node-*/bin/node"))), "") or shutil.which("node") or ""
SECRET = "AKIA" + "QYLPMN5HFIQR7XYA"

pytestmark = [
    pytest.mark.skipif(not SERVER.exists(), reason="server-memory is not installed: make extras"),
    pytest.mark.skipif(not NODE, reason="there is no Node for server-memory: make extras"),
]


@pytest.mark.parametrize("mode", [MODERN, LEGACY])
def test_its_writes_and_its_reads_are_signed(
    isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    """G-92, G-93, G-94: also what it refuses; a secret reaches the server and no event."""
    user_ledger()
    graph = tmp_path / "graph.jsonl"
    monkeypatch.setenv("MEMORY_FILE_PATH", str(graph))
    ada = {"name": "Ada", "entityType": "person", "observations": ["uses pnpm", f"her key is {SECRET}"]}

    async def conversation(agent: Agent) -> None:
        listed = {tool.name: tool for tool in (await agent.client.list_tools()).tools}
        assert len(listed) == 9
        assert "muniment" not in json.dumps([tool.model_dump() for tool in listed.values()], default=str)
        assert await agent.call("create_entities", entities=[ada]) == {"entities": [ada]}
        assert SECRET in graph.read_text()
        assert (await agent.call("read_graph"))["entities"] == [ada]
        assert (await agent.call("search_nodes", query="pnpm"))["entities"] == [ada]
        wrong = {"entityName": "Nobody", "contents": ["x"]}
        assert "Nobody" in await agent.refused("add_observations", observations=[wrong])
        await agent.call("delete_entities", entityNames=["Ada"])
        assert (await agent.client.read_resource("memory://knowledge-graph")).contents

    talk("--beside", NODE, str(SERVER), mode=mode)(conversation)
    with muniment.open(scope="user") as memory:
        done = [(each.memory.provenance.tool, each.memory.details[0]) for each in memory.load_all(EVERY)]
        assert SECRET.encode() not in memory.workspace.chain.read_bytes()
    assert [(tool, outcome.split()[0]) for tool, outcome in done] == [
        ("memory-server/create_entities", "answered:"),
        ("memory-server/read_graph", "answered:"),
        ("memory-server/search_nodes", "answered:"),
        ("memory-server/add_observations", "refused:"),
        ("memory-server/delete_entities", "answered:"),
        ("memory-server/resources/read", "answered:"),
    ]
    assert run("log").ok().out.count("test-agent (agent, mcp)") == 6
    report = tmp_path / "report.html"
    run("report", "-o", report).ok()
    assert report.stat().st_size > 0
    assert "uses pnpm" in run("show", "@1").ok().out
    assert run("verify").code == 0
