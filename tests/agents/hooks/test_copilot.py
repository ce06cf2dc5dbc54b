"""The real GitHub Copilot CLI, from npm, against a stand-in for its model on this machine.

Tests specs/doors.md (G-85, G-89, G-90) and specs/capture.md (K-292). `make extras` installs it into build/foreign;
without it this is skipped.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from agents.hooks import user_folders
from documents import agent_writes
from learning.turn import Turn
from tests.agents.chat_model import ANSWER, ChatModel, answering
from tests.agents.hooks.calling import last_session, learned
from tests.cli.driver import ROOT, run_process

COPILOTS = sorted((ROOT / "build" / "foreign" / "node_modules" / "@github").glob("copilot-*/copilot"))

pytestmark = pytest.mark.skipif(not COPILOTS, reason="GitHub Copilot CLI is not installed: make extras")


@pytest.fixture
def model() -> Iterator[ChatModel]:
    """A model that answers."""
    with answering() as server:
        yield server


@pytest.fixture
def folder(isolated: Path, at_work: Path) -> Path:
    """Copilot CLI's folder, with muniment installed in it, and a folder to work in."""
    Path(".git").mkdir()
    run_process("install", "claude-code", "--scope", "project", "--yes").ok()
    run_process("install", "copilot", "--yes").ok()
    return isolated / ".copilot"


def copilot(*arguments: str, **variables: str) -> str:
    """Run Copilot CLI; return what it prints."""
    done = subprocess.run(
        [str(COPILOTS[0]), *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, "COPILOT_OFFLINE": "true", "NO_PROXY": "127.0.0.1", **variables},
        timeout=180,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def asked(model: ChatModel, prompt: str) -> list[Turn]:
    """Have it answer a prompt in a session of its own; return what the transcript says but for the system's."""
    given = {"COPILOT_PROVIDER_BASE_URL": model.address, "COPILOT_MODEL": "m"}
    assert ANSWER in copilot("--allow-all-tools", "--trust-folder", "--prompt", prompt, **given)
    return last_session(".copilot/session-state/*/events.jsonl", prompt)


def test_what_one_session_taught_the_next_is_told(model: ChatModel, folder: Path) -> None:
    """G-89, G-90: by the files that install wrote; what is asked for is stored at once, the rest from the transcript."""
    turn, *_ = asked(model, "Remember: I use zsh")
    assert model.said().count("## Persistent Memories") == 1
    assert "Use pnpm, not npm" in model.said()
    assert "muniment: remembered: “I use zsh" in model.said()
    if find_spec("mcp") is not None:
        assert "muniment-save_memory" in model.tools()
        assert "muniment (local)" in copilot("mcp", "list")
    found = learned()
    assert sorted(found) == ["I use zsh", "Use pnpm, not npm"]
    zsh = found["I use zsh"]
    assert (zsh["status"], zsh["by"]["role"], zsh["by"]["via"]) == ("active", "system", "hook")
    assert (zsh["provenance"]["conversation"], zsh["provenance"]["agent"]) == (turn.session, "copilot")

    turn, *_ = asked(model, "From now on answer in French. Is CI red?")
    assert "I use zsh" in model.said()
    french = learned()["Answer in French"]
    assert french["status"] == "active"
    assert french["provenance"]["conversation"] == turn.session
    assert len(learned()) == 3, "nothing was learned twice"

    assert run_process("verify").code == 0
    run_process("uninstall", "copilot", "--yes").ok()
    assert not (folder / "hooks").exists()
    assert not (folder / "mcp-config.json").exists()
    assert "muniment" not in copilot("mcp", "list")


def test_a_call_of_its_shell_is_read_with_its_exit_code(model: ChatModel, folder: Path) -> None:
    """K-292."""
    assert folder.is_dir()
    turns = asked(model, "Run the tests")
    assert [turn.role for turn in turns] == ["user", "tool", "assistant"]
    assert (turns[1].text, turns[1].command, turns[1].failed) == ("broken", "echo broken; exit 3", True)


def test_what_its_tool_wrote_into_a_document_is_the_agents(model: ChatModel, folder: Path) -> None:
    """G-90: by the hook of the tool that wrote it, so that nobody takes it for a person's (D-83)."""
    assert folder.is_dir()
    turn, *_ = asked(model, "Write it down")
    path = Path("MEMORY.md").absolute()
    assert path.read_text() == "- Use yarn\n"
    assert agent_writes.writer_of(user_folders.hooks(), str(path), 0) == ("copilot", turn.session)
