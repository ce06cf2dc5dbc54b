"""A session whose name looks like a secret: no ledger keeps it (specs/doors.md G-7, G-11; specs/report.md H-40)."""

from __future__ import annotations

from pathlib import Path

import pytest

import muniment
from tests.agents.hooks.calling import event, faults, hook, settled
from tests.cli.driver import run
from tests.learning.transcripts.writing import claude, jsonl, person

TOKEN = "ghp_" + "a1B2" * 9


def test_its_name_is_redacted_wherever_it_is_taken_in(
    isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was shown, what was heard at once, the session buffer and what was learned."""
    monkeypatch.chdir(tmp_path)
    run("init", "--scope", "user").ok()
    run("add", "Ada writes Python", "--type", "preference").ok()
    talk = tmp_path / "talk.jsonl"
    talk.write_bytes(
        jsonl(
            person("Remember that we use pnpm", uuid="m1", sessionId=TOKEN),
            claude("assistant", "I moved the whole build to pnpm.", sessionId=TOKEN),
        )
    )
    more = {"transcript_path": str(talk)}
    hook(event("SessionStart", TOKEN, source="startup"))
    hook(event("UserPromptSubmit", TOKEN, prompt="Remember that we use pnpm", **more))
    hook(event("Stop", TOKEN, last_assistant_message="I moved the whole build to pnpm.", **more))
    settled()
    assert not faults()
    assert sum("pnpm" in each["text"] for each in run("list", "--json").json_lines) == 1
    with muniment.open(scope="user") as memory:
        assert {each.session for each in memory.seen()} == {"[redacted:github-token]"}
    assert "pnpm" in next((isolated / ".muniment").rglob("session-buffer.md")).read_text()
    for path in (isolated / ".muniment").rglob("*"):
        assert not path.is_file() or TOKEN.encode() not in path.read_bytes(), path
