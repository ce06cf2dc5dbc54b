"""Tests learning/transcripts/copilot_records.py against specs/capture.md (K-2, K-3, K-9…K-11, K-13, K-292)."""

from __future__ import annotations

from typing import Any

import pytest

from learning.transcripts.transcript_reader import read
from tests.learning.transcripts.writing import Line, jsonl, said, turns


def record(type_: str, data: object, **more: object) -> Line:
    return {
        "type": type_,
        "data": data,
        "id": "e1",
        "timestamp": "2026-01-02T03:04:05.000Z",
        "parentId": None,
        **more,
    }


HEAD = record("session.start", {"sessionId": "c1", "version": 1, "context": {"cwd": "/work"}})


def typed(text: str, id_: str = "m1", **more: Any) -> Line:
    told = (
        f"<current_datetime>x</current_datetime>\n\n{text}\n\n<system_reminder>\nUse tabs\n</system_reminder>"
    )
    return record("user.message", {"content": text, "transformedContent": told, "messageId": id_, **more})


def call(id_: str, command: str = "make", tool: str = "bash") -> Line:
    return record(
        "tool.execution_start", {"toolCallId": id_, "toolName": tool, "arguments": {"command": command}}
    )


def done(id_: str, text: str, *, success: bool = True, **more: Any) -> Line:
    return record(
        "tool.execution_complete",
        {"toolCallId": id_, "success": success, "result": {"content": text}, **more},
    )


def test_a_turn_says_where_it_was_said() -> None:
    """What the program adds stands beside the person's words, and is not read."""
    (turn,) = turns(jsonl(HEAD, typed("Use pnpm")))
    assert (turn.conversation, turn.session, turn.message, turn.agent) == ("c1", "c1", "m1", "copilot")
    assert (turn.role, turn.text, turn.at) == ("user", "Use pnpm", "2026-01-02T03:04:05.000Z")
    assert turn.folder == "/work"


@pytest.mark.parametrize(
    "first", [HEAD, typed("x"), call("a"), record("system.message", {}), record("session.usage_record", {})]
)
def test_any_line_of_it_tells_the_format(first: Line) -> None:
    """A hook reads the end of a file, which may begin anywhere."""
    reading = read([jsonl(first, typed("Use pnpm", id_="m2"))])
    assert [turn.text for turn, _ in reading][-1] == "Use pnpm"
    assert reading.kind == "copilot"


def test_a_person_is_who_typed() -> None:
    """K-2, K-292: not a skill, a schedule, another agent, autopilot, or a session that another one left running."""
    assert said(jsonl(HEAD, typed("Use pnpm", source="user"))) == ["Use pnpm"]
    for line in (
        typed("Use tabs", source="skill-pdf"),
        typed("Use tabs", source="schedule-1"),
        typed("Use tabs", isAutopilotContinuation=True),
        {**typed("Use tabs"), "agentId": "a1"},
    ):
        assert said(jsonl(HEAD, line)) == []
        assert said(jsonl(HEAD, line), "system") == ["Use tabs"]
    left = record("session.start", {"sessionId": "c2", "detachedFromSpawningParentSessionId": "c1"})
    assert said(jsonl(left, typed("Use tabs"))) == []


def test_what_the_model_says_and_does_is_told_in_order() -> None:
    """K-3, K-13: also in a reading that goes on from any line."""
    lines = [
        HEAD,
        record("assistant.message", {"messageId": "a1", "content": "I look."}),
        call("1"),
        done("1", "broken\n<shellId: 0 completed with exit code 2>", shellExecution={"exitCode": 2}),
        record("assistant.message", {"messageId": "a2", "content": ""}),
        record("hook.end", {"output": {"additionalContext": "Use tabs"}}),
        record("assistant.message", {"messageId": "a3", "content": "Done."}),
    ]
    told = [(turn.role, turn.text, turn.command) for turn in turns(jsonl(*lines))]
    assert told == [("assistant", "I look.", ""), ("tool", "broken", "make"), ("assistant", "Done.", "")]
    for cut in range(1, len(lines)):
        first = read([jsonl(*lines[:cut])])
        before = [(turn.role, turn.text, turn.command) for turn, _ in first]
        rest = read([jsonl(*lines[cut:])], start=first.offset, state=first.state, calls=first.calls)
        assert before + [(turn.role, turn.text, turn.command) for turn, _ in rest] == told


@pytest.mark.parametrize(
    ("line", "text", "failed", "rejected"),
    [
        (done("1", "no\n<shellId: 7 completed with exit code 3>"), "no", True, False),
        (done("1", "ok\n<shellId: 7 completed with exit code 0>"), "ok", False, False),
        (done("1", "no", shellExecution={"exitCode": 3}), "no", True, False),
        (done("1", "fine"), "fine", False, False),
        (done("1", "", success=False, error={"message": "No such file", "code": "failure"}), "No such file", True, False),
        (done("1", "", success=False, error={"message": "No", "code": "denied"}), "No", True, True),
        (done("1", "", success=False, error={"message": "No", "code": "rejected"}), "No", True, True),
    ],
)  # fmt: skip
def test_a_call_says_what_came_of_it(line: Line, text: str, failed: bool, rejected: bool) -> None:
    """K-3, K-292."""
    (turn,) = turns(jsonl(HEAD, call("1"), line))
    assert (turn.tool, turn.text, turn.failed, turn.rejected) == ("bash", text, failed, rejected)


def test_no_record_raises() -> None:
    """K-6."""
    kinds = (
        "session.start",
        "user.message",
        "assistant.message",
        "tool.execution_start",
        "tool.execution_complete",
    )
    names = (
        *("sessionId", "context", "content", "source", "messageId", "toolCallId", "toolName", "arguments"),
        *("result", "error", "success", "shellExecution"),
    )
    for wrong in (None, 7, [], {}, "x", [7], {"a": 1}, {"content": 7}, {"exitCode": "x"}):
        for kind in kinds:
            turns(jsonl(HEAD, *(record(kind, {name: wrong}) for name in names), record(kind, wrong)))
            turns(jsonl({**record(kind, {}), "id": wrong, "timestamp": wrong}))
