"""The real OpenCode, from npm (specs/doors.md G-85, G-86, G-104, G-105). `make extras` installs it; without it this is skipped."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from agents.hooks import user_folders
from documents import agent_writes
from tests.agents.chat_model import ANSWER, ChatModel, answering
from tests.agents.hooks.calling import faults, settled
from tests.cli.driver import ROOT, run, run_process, uncolored

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
    """Run OpenCode in the present folder; return what it prints."""
    done = subprocess.run(
        [str(PROGRAMS[0]), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, **QUIET, "PWD": str(Path.cwd())},
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return uncolored(done.stdout)


@pytest.fixture
def program(isolated: Path, at_work: Path, on_path: Path) -> Path:
    """muniment on PATH, with a user's ledger of one memory; OpenCode has the package that it waits for."""
    assert at_work.is_dir()
    folder = isolated / ".config" / "opencode"
    (folder / "node_modules").mkdir(parents=True)
    packages = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}
    (folder / "package-lock.json").write_text(json.dumps(packages))
    return on_path


@pytest.fixture
def model(isolated: Path, program: Path) -> Iterator[ChatModel]:
    """A model that OpenCode asks."""
    assert program.is_file()
    with answering() as server:
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "options": {"baseURL": server.address, "apiKey": "none"},
            "models": {"m": {}},
        }
        path = isolated / ".config" / "opencode" / "opencode.json"
        path.write_text(json.dumps({"provider": {"here": provider}, "model": "here/m"}))
        yield server


def asked(*words: str) -> None:
    """Have it answer a prompt in a session of its own, and wait for what is learned from it."""
    assert ANSWER in opencode("run", *words)
    settled()
    assert not faults()


def learned() -> dict[str, dict[str, Any]]:
    """Return the memories by their texts."""
    return {one["text"]: one for one in run("list", "--json").json_lines}


def test_its_server_is_connected_where_install_put_it(isolated: Path, program: Path) -> None:
    """Beside a person's comment in the file that OpenCode itself made; after uninstall it has none."""
    assert "No MCP servers configured" in opencode("mcp", "list")
    path = isolated / ".config" / "opencode" / "opencode.jsonc"
    before = f"// mine\n{path.read_text()}"
    path.write_text(before)
    run_process("install", "opencode", "--yes").ok()
    assert "muniment connected" in opencode("mcp", "list")
    told = json.loads(opencode("debug", "config"))
    assert told["mcp"]["muniment"] == {"type": "local", "command": [str(program), "mcp"], "enabled": True}
    run_process("uninstall", "opencode", "--yes").ok()
    assert path.read_text() == before
    assert not (path.parent / "muniment.md").exists()
    assert "No MCP servers configured" in opencode("mcp", "list")


def test_its_model_is_told_of_muniment_and_of_what_it_was_told_before(
    isolated: Path, model: ChatModel
) -> None:
    """The person's CLAUDE.md, which OpenCode reads while it has no AGENTS.md, is not hidden by ours."""
    (isolated / ".claude").mkdir()
    (isolated / ".claude" / "CLAUDE.md").write_text("Always say moin.")
    run_process("install", "opencode", "--yes").ok()
    assert ANSWER in opencode("run", "What is the time?")
    assert "Always say moin." in model.rules()
    assert "muniment inject --task" in model.rules()
    assert "muniment_save_memory" in model.tools()


def test_what_one_session_taught_the_next_is_told(isolated: Path, model: ChatModel) -> None:
    """G-104, G-105: what is asked for is stored at once, the rest is learned from the messages; then no plugin is left."""
    run_process("install", "opencode", "--yes").ok()
    asked("Remember: I use zsh")
    assert model.rules().count("## Persistent Memories") == 1
    assert "Use pnpm, not npm" in model.rules()
    assert "muniment: remembered: “I use zsh" in model.said()
    zsh = learned()["I use zsh"]
    assert (zsh["status"], zsh["by"]["role"], zsh["by"]["via"]) == ("active", "system", "hook")
    assert zsh["provenance"]["agent"] == "opencode"

    asked("From now on answer in French. Is CI red?")
    assert "I use zsh" in model.rules()
    assert learned()["Answer in French"]["status"] == "active"
    assert len(learned()) == 3, "nothing was learned twice"

    run_process("uninstall", "opencode", "--yes").ok()
    assert not (isolated / ".config" / "opencode" / "plugins").exists()
    asked("Remember: I use vim")
    assert "Persistent Memories" not in model.rules()
    assert len(learned()) == 3


def test_a_resumed_session_goes_on_where_it_was_read_to(model: ChatModel) -> None:
    """G-105, K-74: in another process; what the agent ran is read with its exit code."""
    run_process("install", "opencode", "--yes").ok()
    asked("Run the tests")
    asked("-c", "Remember: I use zsh")
    asked("-c", "Remember that the office in Oslo closes at 5 o'clock")
    assert "Remember: I use zsh" in model.said()
    found = [one for text, one in learned().items() if text != "Use pnpm, not npm"]
    assert len(found) == 2
    assert len({one["provenance"]["conversation"] for one in found}) == 1


def test_neither_a_subagent_nor_a_command_is_the_person(isolated: Path, model: ChatModel) -> None:
    """G-104: nor is a subagent told what is known of the person."""
    commands = isolated / ".config" / "opencode" / "command"
    commands.mkdir()
    (commands / "shell.md").write_text("Remember: I use fish")
    run_process("install", "opencode", "--yes").ok()
    asked("--command", "shell")
    assert "Remember: I use fish" in model.said()
    asked("Ask a helper")
    helpers = [each for each in model.asked if "Remember: I use tcsh" in json.dumps(each["messages"][:3])]
    assert helpers
    assert "Use pnpm, not npm" not in json.dumps(helpers)
    assert list(learned()) == ["Use pnpm, not npm"]


def test_what_its_tool_wrote_into_a_document_is_the_agents(model: ChatModel) -> None:
    """G-104: by the hook of the tool that wrote it, so that nobody takes it for a person's (D-83)."""
    assert model.address
    run_process("install", "opencode", "--yes").ok()
    asked("Put it on paper")
    path = Path("MEMORY.md").absolute()
    assert path.read_text() == "- Use yarn\n"
    who = agent_writes.writer_of(user_folders.hooks(), str(path), 0)
    assert who is not None
    assert who[0] == "opencode"


@pytest.mark.parametrize(
    "text", [None, "#!/bin/sh\nexit 1\n", "#!/bin/sh\necho no JSON\n", "#!/bin/sh\nsleep 200\n"]
)
def test_a_muniment_that_is_missing_fails_or_hangs_stops_nobody(
    program: Path, model: ChatModel, text: str | None
) -> None:
    """G-105."""
    run_process("install", "opencode", "--yes").ok()
    if text is None:
        program.unlink()
    else:
        program.write_text(text)
    assert ANSWER in opencode("run", "Remember: I use zsh")
    assert "muniment:" not in model.said()
