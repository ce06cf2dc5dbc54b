"""The real OpenCode, from npm (specs/doors.md G-85, G-86). `make extras` installs it; without it this is skipped."""

from __future__ import annotations

import json
import os
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.agents.chat_model import ANSWER, answering
from tests.cli.driver import ROOT, run_process, uncolored

PROGRAMS = sorted((ROOT / "build" / "foreign" / "node_modules").glob("opencode-*/bin/opencode"))

pytestmark = [
    pytest.mark.skipif(not PROGRAMS, reason="OpenCode is not installed: make extras"),
    pytest.mark.skipif(find_spec("mcp") is None, reason="muniment[mcp] is not installed"),
]

QUIET = {
    "OPENCODE_DISABLE_AUTOUPDATE": "true",
    "OPENCODE_DISABLE_MODELS_FETCH": "true",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "true",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "NO_PROXY": "127.0.0.1",
}
"""So it reaches nothing beyond this machine."""


def opencode(*arguments: str) -> str:
    """Run OpenCode; return what it prints."""
    done = subprocess.run(
        [str(PROGRAMS[0]), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, **QUIET},
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return uncolored(done.stdout)


def test_its_server_is_connected_where_install_put_it(isolated: Path, at_work: Path, on_path: Path) -> None:
    """Beside a person's comment in the file that OpenCode itself made; after uninstall it has none."""
    assert "No MCP servers configured" in opencode("mcp", "list")
    path = isolated / ".config" / "opencode" / "opencode.jsonc"
    before = f"// mine\n{path.read_text()}"
    path.write_text(before)
    run_process("install", "opencode", "--yes").ok()
    assert "muniment connected" in opencode("mcp", "list")
    told = json.loads(opencode("debug", "config"))
    assert told["mcp"]["muniment"] == {"type": "local", "command": [str(on_path), "mcp"], "enabled": True}
    run_process("uninstall", "opencode", "--yes").ok()
    assert path.read_text() == before
    assert not (path.parent / "muniment.md").exists()
    assert "No MCP servers configured" in opencode("mcp", "list")


@pytest.mark.usefixtures("at_work")
def test_its_model_is_told_of_muniment_and_of_what_it_was_told_before(isolated: Path) -> None:
    """The person's CLAUDE.md, which OpenCode reads while it has no AGENTS.md, is not hidden by ours."""
    (isolated / ".claude").mkdir()
    (isolated / ".claude" / "CLAUDE.md").write_text("Always say moin.")
    path = isolated / ".config" / "opencode" / "opencode.json"
    path.parent.mkdir(parents=True)
    with answering() as model:
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": model.address, "apiKey": "none"},
            "models": {"m": {}},
        }
        path.write_text(json.dumps({"provider": {"here": provider}, "model": "here/m"}))
        run_process("install", "opencode", "--yes").ok()
        assert ANSWER in opencode("run", "What is the time?")
        assert "Always say moin." in model.rules()
        assert "muniment inject --task" in model.rules()
        assert "muniment_save_memory" in model.tools()
