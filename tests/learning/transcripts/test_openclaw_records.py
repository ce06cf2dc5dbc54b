"""Tests learning/transcripts/openclaw_records.py against specs/capture.md (K-2, K-3, K-5, K-9, K-10)."""

from __future__ import annotations

from typing import Any

import pytest

from learning.transcripts.transcript_reader import read
from tests.learning.transcripts.writing import jsonl, said, turns


def told(type_: str, message: dict[str, Any] | None = None, **more: object) -> dict[str, Any]:
    return {
        "traceSchema": "openclaw-trajectory", "schemaVersion": 1, "traceId": "w1", "source": "transcript", "type": type_,
        "ts": "2026-01-02T03:04:05Z", "seq": 1, "sessionId": "w1", "workspaceDir": "/work", "entryId": "e1",
        "data": {"message": message} if message else {}, **more,
    }  # fmt: skip


def entry(type_: str, message: dict[str, Any] | None = None, **more: object) -> dict[str, Any]:
    return {
        "type": type_,
        "id": "e1",
        "parentId": None,
        "timestamp": "2026-01-02T03:04:05Z",
        "message": message,
        **more,
    }


HEADER = {"type": "session", "version": 3, "id": "w1", "cwd": "/work", "timestamp": "2026-01-02T03:04:05Z"}
USER = {"role": "user", "content": [{"type": "text", "text": "Use pnpm"}]}
CALL = {"type": "toolCall", "id": "t1", "name": "exec", "arguments": {"command": "make test"}}
ASKED = {"role": "assistant", "content": [{"type": "thinking", "thinking": "…"}, CALL]}
CAME = {
    "role": "toolResult", "toolCallId": "t1", "toolName": "exec", "isError": False, "details": {"exitCode": 2},
    "content": [{"type": "text", "text": "boom"}],
}  # fmt: skip
EXPORT = jsonl(
    told("session.started", source="runtime"),
    told("prompt.submitted", source="runtime", data={"prompt": "Use pnpm"}),
    told("user.message", USER),
    told("assistant.message", ASKED),
    told("tool.call", data={"toolCallId": "t1", "name": "exec"}),
    told("tool.result", CAME),
    told("session.compaction", data={"summary": "always use tabs"}),
)
OLDER = jsonl(
    HEADER,
    entry("message", USER),
    entry("message", ASKED),
    entry("message", CAME),
    entry("custom_message", content="always use tabs", customType="x"),
    entry("compaction", summary="always use tabs"),
)


@pytest.mark.parametrize("data", [EXPORT, OLDER], ids=["trajectory", "session"])
def test_a_session_is_read(data: bytes) -> None:
    """K-5."""
    user, tool = turns(data)
    assert (user.role, user.text, user.conversation, user.message) == ("user", "Use pnpm", "w1", "e1")
    assert (user.folder, user.agent, user.at) == ("/work", "openclaw", "2026-01-02T03:04:05Z")
    assert (tool.tool, tool.command, tool.text, tool.failed) == ("exec", "make test", "boom", True)
    reading = read([data])
    assert (list(reading) != [], reading.kind) == (True, "openclaw")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("[Telegram Ada id:12 2026-01-02 03:04 UTC] Use pnpm\n[message_id: 7]", "Use pnpm"),
        ("System: [2026-01-02 03:04:05 UTC] Node connected\n\nUse pnpm", "Use pnpm"),
        ('Conversation info (untrusted metadata):\n```json\n{"a": 1}\n```\n\nUse pnpm', "Use pnpm"),
        ("[ ] Use pnpm", "[ ] Use pnpm"),
    ],
)
def test_the_envelope_of_a_channel_is_not_said(text: str, left: str) -> None:
    """K-10."""
    assert said(jsonl(HEADER, entry("message", {"role": "user", "content": text}))) == [left]


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": "[cron:1 daily] always use tabs"},
        {
            "role": "user",
            "content": "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly.",
        },
        {"role": "user", "content": "always use tabs", "provenance": {"kind": "inter_session"}},
        {"role": "custom", "content": "always use tabs"},
    ],
)
def test_what_a_program_sends_is_the_systems(message: dict[str, Any]) -> None:
    """K-9."""
    assert said(jsonl(HEADER, entry("message", message))) == []


@pytest.mark.parametrize(
    ("said", "failed"),
    [
        ({}, None),
        ({"details": {}}, None),
        ({"details": {"exitCode": 0}}, False),
        ({"details": {"exitCode": 3}}, True),
        ({"isError": False}, False),
        ({"isError": True, "details": {"exitCode": 0}}, True),
        ({"isError": "no"}, None),
    ],
)
def test_a_result_that_does_not_say_whether_it_worked_is_neither(
    said: dict[str, Any], failed: bool | None
) -> None:
    """K-3: what nobody says nobody knows."""
    came = {"role": "toolResult", "toolCallId": "t1", "content": [{"type": "text", "text": "x"}], **said}
    turns = [turn for turn, _ in read([jsonl(HEADER, entry("message", ASKED), entry("message", came))])]
    assert [turn.failed for turn in turns if turn.role == "tool"] == [failed]
