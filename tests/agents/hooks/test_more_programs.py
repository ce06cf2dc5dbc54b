"""Copilot CLI's, Cursor's and OpenCode's events, as real processes (specs/doors.md G-1, G-4, G-90, G-91, G-104, G-105)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agents.hooks import dispatch, user_folders
from documents import agent_writes
from tests.agents.hooks.calling import context, event, faults, hook, settled, spool
from tests.cli.driver import run
from tests.learning.transcripts.writing import jsonl


@pytest.fixture(autouse=True)
def work(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, with a user's ledger of one memory."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    run("init", "--scope", "user").ok()
    run("add", "Use pnpm, not npm").ok()
    return folder


def handed() -> list[dict[str, Any]]:
    return [each for path in spool() if (each := json.loads(path.read_text()))["kind"] == "transcript"]


@pytest.mark.usefixtures("no_worker")
def test_copilot_is_answered_in_the_form_that_it_takes(work: Path) -> None:
    """G-90: the context alone; a file that its tool wrote is the agent's, though it is named otherwise."""
    start = hook({**event("SessionStart"), "source": "new"}, "copilot").json
    assert list(start) == ["additionalContext"]
    assert "Use pnpm, not npm" in start["additionalContext"]
    said = hook(event("UserPromptSubmit", prompt="Remember: I use zsh"), "copilot").json
    assert "remembered: “I use zsh" in said["additionalContext"]
    assert hook(event("UserPromptSubmit", prompt="What is the time?"), "copilot").out == ""
    (work / "MEMORY.md").write_text("x")
    given = {"path": "MEMORY.md", "file_text": "x"}
    assert hook(event("PostToolUse", tool_name="Write", tool_input=given), "copilot").out == ""
    assert agent_writes.writer_of(user_folders.hooks(), str(work / "MEMORY.md"), 0) == ("copilot", "s1")
    for name in ("Stop", "PreCompact", "SessionEnd", "SubagentStop"):
        assert hook(event(name, transcript_path="/none.jsonl"), "copilot").out == ""
    assert [each["event"] for each in handed()] == ["Stop", "PreCompact", "SessionEnd"]
    assert {(each["program"], each["transcript"]) for each in handed()} == {("copilot", "/none.jsonl")}
    assert not faults()


@pytest.mark.usefixtures("no_worker")
def test_claude_codes_hooks_do_nothing_where_copilot_runs_them() -> None:
    """G-90: it would drop what they answer, so that nobody would see what a yes deletes."""
    made = event("UserPromptSubmit", prompt="Remember: I use zsh")
    stamped = {**made, "timestamp": "2026-11-29T09:00:00Z"}
    assert hook(stamped, env={"COPILOT_CLI": "1"}).out == ""
    assert "zsh" not in run("list").ok().out
    for same, env in ((made, {"COPILOT_CLI": "1"}), (stamped, {})):
        assert "I use zsh" in hook(same, env=env).out


def test_what_copilot_hands_over_is_learned_once(work: Path) -> None:
    """G-90, G-11, K-292: a prompt that was heard at once is not heard again; the buffer has what the agent said last."""
    said = ["Remember: I use zsh", "Remember that the office in Oslo closes at 5 o'clock"]
    hook(event("UserPromptSubmit", prompt=said[0]), "copilot")
    line = {"id": "e", "timestamp": "2026-01-02T03:04:05.000Z", "parentId": None}
    path = work / "events.jsonl"
    path.write_bytes(
        jsonl(
            {**line, "type": "session.start", "data": {"sessionId": "s1"}},
            *(
                {**line, "type": "user.message", "data": {"content": each, "messageId": each}}
                for each in said
            ),
            {**line, "type": "assistant.message", "data": {"content": "I know when the office closes."}},
        )
    )
    hook(event("Stop", transcript_path=str(path)), "copilot")
    settled()
    hook(event("SessionEnd"), "copilot")
    settled()
    assert not faults()
    found = [one for one in run("list", "--json").json_lines if one["text"] != "Use pnpm, not npm"]
    assert sorted("zsh" in one["text"] for one in found) == [False, True]
    assert {one["provenance"]["agent"] for one in found} == {"copilot"}
    buffers = [each for each in Path(user_folders.home()).rglob("*.md") if "session" in each.name.lower()]
    assert any("I know when the office closes" in each.read_text() for each in buffers)


@pytest.mark.usefixtures("no_worker")
def test_cursor_is_heard_under_its_own_names_and_no_more(work: Path) -> None:
    """G-91: no prompt, since nobody would read the answer, and no transcript, since nobody knows its form."""
    common = {"conversation_id": "s1", "workspace_roots": [str(work)], "transcript_path": "/none.jsonl"}
    start = hook({"hook_event_name": "sessionStart", "session_id": "s1", **common}, "cursor").json
    assert list(start) == ["additional_context"]
    assert "Use pnpm, not npm" in start["additional_context"]
    for name in ("beforeSubmitPrompt", "stop", "UserPromptSubmit", "SessionStart"):
        made = {"hook_event_name": name, "prompt": "Remember: I use zsh", **common}
        assert hook(made, "cursor").out == ""
    assert "zsh" not in run("list").ok().out
    path = work / "MEMORY.md"
    path.write_text("x")
    assert hook({"hook_event_name": "afterFileEdit", "file_path": str(path), **common}, "cursor").out == ""
    assert agent_writes.writer_of(user_folders.hooks(), str(path), 0) == ("cursor", "s1")
    assert hook({"hook_event_name": "sessionEnd", "session_id": "s1", **common}, "cursor").out == ""
    assert [(each["event"], each["session"], each["transcript"]) for each in handed()] == [
        ("SessionEnd", "s1", "")
    ]
    assert not faults()


def told(*messages: tuple[str, str, str]) -> list[dict[str, str]]:
    """Return messages as OpenCode's plugin hands them over, by id, role and text."""
    return [{"id": id_, "session_id": "s1", "role": role, "content": text} for id_, role, text in messages]


def test_what_opencode_hands_over_is_read_on_where_it_ended() -> None:
    """G-104, G-105, K-74: each prompt is heard once, though each event has all of them; no copy of them is left."""
    assert "Use pnpm, not npm" in context(hook(event("SessionStart"), "opencode"))
    zsh, fish = ("m1", "user", "Remember: I use zsh"), ("m3", "user", "Remember: I use fish")
    knows = ("m2", "assistant", "I know which shell you use.")
    heard = event("UserPromptSubmit", prompt=zsh[2], prompt_id="m1", messages=[])
    assert "remembered: “I use zsh" in context(hook(heard, "opencode"))
    made = event(
        "UserPromptSubmit", prompt=fish[2], prompt_id="m3", source="command", messages=told(zsh, knows)
    )
    assert context(hook(made, "opencode")) == ""
    last = {"last_assistant_message": knows[2]}
    hook(event("Stop", messages=told(zsh, knows, fish), **last), "opencode")
    settled()
    oslo = ("m4", "user", "Remember that the office in Oslo closes at 5 o'clock")
    hook(event("Stop", messages=told(zsh, knows, fish, oslo)), "opencode")
    settled()
    hook(event("SessionEnd"), "opencode")
    settled()
    assert not faults()
    texts = {one["text"]: one for one in run("list", "--json").json_lines}
    assert sorted(texts) == ["I use zsh", "Use pnpm, not npm", "the office in Oslo closes at 5 o'clock"]
    assert not list((Path(user_folders.hooks()) / "exports").iterdir())
    assert knows[2] in (Path(user_folders.home()) / "session-buffer.md").read_text()


@pytest.mark.usefixtures("no_worker")
def test_a_yes_in_opencode_answers_what_the_agent_asked() -> None:
    """G-105, G-6, P-170: what was said before a prompt is in the event, since there is no file."""
    run("add", "Use tabs in Makefiles", "--candidate", "--source", "auto").ok()
    assert "Should I remember that" in context(hook(event("SessionStart"), "opencode"))
    hello = ("m1", "user", "hi")
    for answer, told_then in (
        ("Hello!", False),
        ("Hello! Should I remember that “Use tabs in Makefiles”?", True),
    ):
        before = told(hello, ("m2", "assistant", answer))
        yes = event("UserPromptSubmit", prompt="yes", prompt_id="m3", messages=before)
        assert ("Use tabs" in context(hook(yes, "opencode"))) == told_then


@pytest.mark.parametrize("program", ["copilot", "cursor", "opencode"])
@pytest.mark.usefixtures("no_worker")
def test_members_of_a_wrong_type_break_nothing(program: str) -> None:
    """G-1."""
    members = (
        "prompt",
        "session_id",
        "conversation_id",
        "cwd",
        "workspace_roots",
        "transcript_path",
        "messages",
    )
    for name in dispatch.ROOMS[program]:
        wrongs: tuple[object, ...] = (7, ["\ud800"], {})
        for wrong in wrongs:
            made = dict.fromkeys((*members, "tool_input", "tool_name", "file_path"), wrong)
            hook({**event(name), **made}, program)
