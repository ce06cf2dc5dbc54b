"""A foreign client: the official inspector's command line, from npm, on a Node of its own.

Tests specs/doors.md (G-40…G-43, G-45). `make extras` installs both into build/foreign; without them this is skipped.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import muniment
from tests.cli.driver import ROOT, environment, user_ledger

pytest.importorskip("mcp", reason="the extra muniment[mcp] is not installed")

MODULES = ROOT / "build" / "foreign" / "node_modules"
INSPECTOR = MODULES / "@modelcontextprotocol" / "inspector" / "clients" / "launcher" / "build" / "index.js"
NODES = sorted(MODULES.glob("node-*/bin/node"))

pytestmark = [
    pytest.mark.skipif(not INSPECTOR.exists(), reason="the MCP inspector is not installed: make extras"),
    pytest.mark.skipif(not NODES, reason="there is no Node for the MCP inspector: make extras"),
]


def inspect(*words: str, code: int = 0) -> Any:
    """Run the inspector against a server of its own; return what it prints."""
    command = [str(NODES[0]), str(INSPECTOR), "--cli", sys.executable, "-m", "cli", "mcp", *words]
    names = ("PYTHONPATH", "MUNIMENT_HOME", "MUNIMENT_STATE")
    passed = [word for name in names for word in ("-e", f"{name}={environment()[name]}")]
    done = subprocess.run([*command, *passed], capture_output=True, text=True, env=environment(), timeout=120)
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout)


def call(tool: str, *arguments: str, code: int = 0) -> Any:
    """Call a tool."""
    given = ["--tool-arg", *arguments] if arguments else []
    return inspect("--method", "tools/call", "--tool-name", tool, *given, code=code)


def test_the_schemas_are_portable(isolated: Path) -> None:
    """G-41: the inspector finds no fault in any of them."""
    listed = inspect("--method", "tools/list", "--strict")
    assert len(listed["tools"]) == 9
    assert all(tool["outputSchema"]["type"] == "object" for tool in listed["tools"])
    assert listed["tools"][0]["annotations"]["readOnlyHint"] is False


def test_it_saves_finds_and_reads(isolated: Path) -> None:
    """G-40, G-43: its name is the writer's."""
    user_ledger()
    saved = call("save_memory", "text=Use pnpm, not npm", "basis=stated", 'tags=["js"]')["structuredContent"]
    assert saved["outcome"] == "created"
    found = call("memory_search", "query=pnpm", "maxResults=2")["structuredContent"]["results"]
    assert [hit["id"] for hit in found] == [saved["id"]]
    read = inspect("--method", "resources/read", "--uri", "memory://memory.md")
    assert f"- Use pnpm, not npm ({saved['id'][:12]})" in read["contents"][0]["text"]
    told = inspect("--method", "prompts/get", "--prompt-name", "memories", "--prompt-args", "task=install")
    assert "- Use pnpm, not npm" in told["messages"][0]["content"]["text"]
    part = call("memory_get", f"id={saved['id']}", "from=1", "lines=1")["structuredContent"]
    assert part["content"] == "- Use pnpm, not npm"
    with muniment.open(scope="user") as memory:
        (entry,) = memory.load_all()
    assert entry.by.name.startswith("inspector")
    assert (entry.by.role, entry.by.via, entry.memory.tags) == ("agent", "mcp", ("js",))


def test_it_cannot_ask_so_nothing_is_deleted(isolated: Path) -> None:
    """G-42."""
    user_ledger()
    saved = call("save_memory", "text=Use tabs", "basis=stated")["structuredContent"]
    gone = call("delete_memory", f"id={saved['id']}")["structuredContent"]
    assert (gone["outcome"], gone["pending"]) == ("waiting", f"forget-{saved['id'][:12]}")
    with muniment.open(scope="user") as memory:
        assert len(memory.load_all()) == 1


def test_an_error_is_one_line(isolated: Path) -> None:
    """G-45: exit code 5 is the inspector's for a tool that says isError."""
    user_ledger()
    done = call("save_memory", "text=Use tabs", "basis=maybe", code=5)
    assert done["isError"] is True
    assert done["content"][0]["text"].startswith("save_memory: basis: Input should be")
