"""A session whose name looks like a secret: no ledger keeps it (specs/doors.md G-7, G-11; specs/report.md H-40)."""

from __future__ import annotations

from pathlib import Path

import pytest

import muniment
from agents.hooks import user_folders
from agents.hooks.heard_prompts import HeardAtOnce
from tests.agents.hooks.calling import event, faults, hook, settled
from tests.cli.driver import run
from tests.learning.transcripts.writing import claude, jsonl, person

TOKEN = "ghp_" + "a1B2" * 9


def test_its_name_is_redacted_wherever_it_is_taken_in(
    isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name of its note, what was shown, what was heard at once, the session buffer and what was learned."""
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
    (note,) = Path(user_folders.hooks()).glob("sessions/*")
    assert TOKEN not in note.name
    assert sum("pnpm" in each["text"] for each in run("list", "--json").json_lines) == 1
    with muniment.open(scope="user") as memory:
        assert {each.session for each in memory.seen()} == {"[redacted:github-token]"}
    assert "pnpm" in next((isolated / ".muniment").rglob("session-buffer.md")).read_text()
    for path in (isolated / ".muniment").rglob("*"):
        assert not path.is_file() or TOKEN.encode() not in path.read_bytes(), path


def test_the_note_of_a_prompt_heard_at_once_has_no_secret(isolated: Path) -> None:
    """G-7: it is found by the name that the transcript has, and taken back."""
    run("init", "--scope", "user").ok()
    with muniment.open(scope="user") as memory:
        heard = HeardAtOnce(memory)
        assert heard.note(TOKEN, "we use pnpm", "", done=True)
        turn = muniment.Turn("user", "we use pnpm", conversation=TOKEN)
        for path in (isolated / ".muniment").rglob("local.db*"):
            assert TOKEN.encode() not in path.read_bytes(), path
        assert heard.still_to_hear(turn) is None
        assert heard.still_to_hear(turn) is turn
