"""Plays a whole life of Claude Code from recorded events, and the session after it (specs/doors.md G-3…G-8)."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from agents.hooks import user_folders
from tests.agents.hooks.calling import context, faults, hook, settled, spool
from tests.cli.driver import Result, run, run_process

AGENT = {"CLAUDECODE": "1", "CLAUDE_CODE_ENTRYPOINT": "cli"}
RECORDED = Path(__file__).parent / "claude_life.jsonl"


@pytest.fixture(autouse=True)
def ledger(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's ledger and a project's, seen from the project."""
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    run("init", "--scope", "user").ok()
    run("init", "--scope", "project").ok()
    return isolated / ".muniment"


def played(name: str, tell: Callable[[dict[str, str]], Result]) -> list[str]:
    """Play the steps of a session; return what the agent was told at each event that tells."""
    transcript = Path.cwd().parent / f"{name}.jsonl"
    told = []
    for line in RECORDED.read_text().splitlines():
        step = json.loads(line.replace("{cwd}", str(Path.cwd())).replace("{transcript}", str(transcript)))
        if step["session"] != name:
            continue
        if "record" in step:
            with transcript.open("a") as file:
                file.write(json.dumps(step["record"]) + "\n")
        elif "settled" in step:
            settled()
        else:
            said = context(tell(step["event"]))
            if step["event"]["hook_event_name"] in ("SessionStart", "UserPromptSubmit"):
                told.append(said)
            else:
                assert not said
    return told


def test_what_one_session_taught_the_next_is_shown(ledger: Path) -> None:
    """G-3, G-6, G-7, G-8: in the environment of the agent, whose hook is nobody's words but the person's (K-275)."""
    tell = lambda event: hook(event, env=AGENT)  # noqa: E731
    start, first, remembered, forget, yes, *rest = played("s1", tell)
    assert (start, first, rest) == ("", "", [])
    assert "remembered: “I use pnpm, never npm”" in remembered
    assert "ask the user whether to forget “" in forget
    assert "forgotten (" in yes
    assert not faults()
    assert not spool()
    assert not list((Path(user_folders.hooks()) / "sessions").iterdir())

    memories = [json.loads(line) for line in run("list", "--json", "--scope", "user").ok().out.splitlines()]
    memories += [
        json.loads(line) for line in run("list", "--json", "--scope", "project").ok().out.splitlines()
    ]
    texts = {one["text"] for one in memories}
    assert "I use pnpm, never npm" in texts
    assert any("docker compose up -d" in text for text in texts), texts
    assert not any("French" in text for text in texts)
    assert {(one["by"]["role"], one["by"]["via"]) for one in memories} == {("system", "hook")}
    assert {one["provenance"]["conversation"] for one in memories} == {"s1"}
    said = [one for one in memories if one["text"] == "I use pnpm, never npm"]
    assert len(said) == 1, "what was heard at once was heard of the transcript again"
    buffer = Path(".muniment/session-buffer.md").read_text()
    assert buffer.startswith("session: s1\n- 20")
    assert "The integration tests pass now" in buffer

    (again,) = played("s2", tell)
    assert "I use pnpm, never npm" in again
    assert "docker compose up -d" in again
    assert "French" not in again
    assert again.startswith("## Persistent Memories")
    for scope in ("user", "project"):
        assert run_process("verify", "--scope", scope).code == 0
    settled()
    used = run("stats", "--json", "--scope", "user").json
    assert "pnpm" in json.dumps(used), "what was shown counts as used"
    _ = ledger


def test_one_command_connects_an_empty_home(isolated: Path, on_path: Path) -> None:
    """G-20, G-23: `install` writes settings; played by the very commands that they hold, the second session knows what the first taught."""
    assert run_process("install", "claude-code", "--yes").code == 0
    hooks = json.loads((isolated / ".claude" / "settings.json").read_text())["hooks"]

    def tell(event: dict[str, str]) -> Result:
        """Do what Claude Code does with an event: run each command of its settings for it, the event on stdin."""
        [group] = hooks[event["hook_event_name"]]
        [one] = group["hooks"]
        assert one["type"] == "command"
        done = subprocess.run(
            ["sh", "-c", one["command"]],
            input=json.dumps(event).encode(),
            capture_output=True,
            timeout=60,
            env={**os.environ, **AGENT},
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        return Result(done.returncode, done.stdout.decode(), "")

    played("s1", tell)
    (again,) = played("s2", tell)
    assert "I use pnpm, never npm" in again
    assert "docker compose up -d" in again
    assert not faults()
    for scope in ("user", "project"):
        assert run_process("verify", "--scope", scope).code == 0
