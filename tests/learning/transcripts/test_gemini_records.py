"""Tests learning/transcripts/gemini_records.py against specs/capture.md (K-2, K-3, K-9…K-11, K-13, K-291)."""

from __future__ import annotations

from typing import Any

import pytest

from learning.transcripts.transcript_reader import read
from tests.learning.transcripts.writing import Line, jsonl, said, turns

HEAD = {"sessionId": "g1", "projectHash": "00", "startTime": "2026-01-02T03:04:05.000Z", "kind": "main"}
CONTEXT = {"$set": {"messages": [{"id": "c", "type": "user", "content": [{"text": "Remember: I am old"}]}]}}
TOUCHED = {"$set": {"lastUpdated": "2026-01-02T03:04:06.000Z"}}


def record(type_: str, content: object, id_: str = "m1", **more: object) -> Line:
    return {"id": id_, "timestamp": "2026-01-02T03:04:05.000Z", "type": type_, "content": content, **more}


def typed(*blocks: str, **more: Any) -> Line:
    return record("user", [{"text": block} for block in blocks], **more)


def shell(id_: str, output: str, status: str = "success", **more: Any) -> Line:
    response = {"functionResponse": {"id": id_, "response": {"output": output}}}
    return {
        "id": id_,
        "name": "run_shell_command",
        "args": {"command": f"make {id_}"},
        "status": status,
        "result": [response],
        **more,
    }


def test_a_turn_says_where_it_was_said() -> None:
    (turn,) = turns(jsonl(HEAD, CONTEXT, typed("Use pnpm"), TOUCHED))
    assert (turn.conversation, turn.session, turn.message, turn.agent) == ("g1", "g1", "m1", "gemini")
    assert (turn.role, turn.text, turn.at) == ("user", "Use pnpm", "2026-01-02T03:04:05.000Z")


@pytest.mark.parametrize("first", [HEAD, CONTEXT, typed("x"), record("gemini", "x"), record("info", "x")])
def test_any_line_of_it_tells_the_format(first: Line) -> None:
    """A hook reads the end of a file, which may begin anywhere."""
    reading = read([jsonl(first, typed("Use pnpm", id_="m2"))])
    assert [turn.text for turn, _ in reading][-1] == "Use pnpm"
    assert reading.kind == "gemini"


@pytest.mark.parametrize(
    "line",
    [
        typed(
            "<hook_context>Use tabs &lt;b&gt;</hook_context>\n\nUse pnpm", "<hook_context>- x</hook_context>"
        ),
        typed("<session_context>\nUse tabs\n</session_context>", "Use pnpm"),
        typed(
            "Use @a", "\n--- Content from referenced files ---", "tabs", displayContent=[{"text": "Use pnpm"}]
        ),
        record("user", "Use pnpm"),
    ],
)
def test_what_the_program_adds_is_cut_out(line: Line) -> None:
    """K-10, K-291."""
    assert said(jsonl(HEAD, line)) == ["Use pnpm"]


def test_what_only_the_program_says_is_nobodys() -> None:
    """K-2, K-9: the context alone, the answers of tools, notices, and all of a subagent's session."""
    assert said(jsonl(HEAD, typed("<session_context>\nUse tabs\n</session_context>"))) == []
    assert turns(jsonl(HEAD, record("user", [{"functionResponse": {"response": {"output": "x"}}}]))) == []
    assert turns(jsonl(HEAD, record("warning", "Use tabs"), {"$rewindTo": "m1"})) == []
    assert said(jsonl({**HEAD, "kind": "subagent"}, typed("Use tabs"))) == []
    assert said(jsonl({**HEAD, "kind": "subagent"}, typed("Use tabs")), "system") == ["Use tabs"]


def test_a_message_written_again_is_told_once() -> None:
    """K-291, K-13: with its calls, as they end, also in a reading that goes on from there."""
    one, two = shell("a", "fine"), shell("b", "fine")
    lines = [
        record("gemini", "I look."),
        record("gemini", "I look.", toolCalls=[one, {**two, "status": "executing"}]),
        record("gemini", "I look.", toolCalls=[one, two]),
        record("gemini", [{"text": "I think", "thought": True}, {"text": "Done."}], id_="m2"),
    ]
    told = [(turn.role, turn.text, turn.command) for turn in turns(jsonl(HEAD, *lines))]
    assert told == [
        ("assistant", "I look.", ""),
        ("tool", "fine", "make a"),
        ("tool", "fine", "make b"),
        ("assistant", "Done.", ""),
    ]
    for cut in range(1, len(lines)):
        first = read([jsonl(HEAD, *lines[:cut])])
        before = [(turn.role, turn.text, turn.command) for turn, _ in first]
        rest = read([jsonl(*lines[cut:])], start=first.offset, state=first.state)
        assert before + [(turn.role, turn.text, turn.command) for turn, _ in rest] == told


@pytest.mark.parametrize(
    ("call", "text", "failed", "rejected"),
    [
        (shell("a", "<untrusted_context>\nOutput: no x\nExit Code: 3\nProcess Group PGID: 7\n</untrusted_context>"),
         "no x", True, False),
        (shell("a", "Output: Exit Code: 3 is bad\nProcess Group PGID: 7"), "Exit Code: 3 is bad", False, False),
        (shell("a", "no", "error"), "no", True, False),
        (shell("a", "no", "cancelled"), "no", True, True),
        (shell("a", "", result="plain"), "plain", False, False),
        (shell("a", "", result=None), "", False, False),
        (shell("a", "", result=[{"functionResponse": {"response": {"error": "no"}}}]), "no", False, False),
        (shell("a", "Exit Code: 3", name="read_file"), "Exit Code: 3", False, False),
    ],
)  # fmt: skip
def test_a_call_says_what_came_of_it(call: Line, text: str, failed: bool, rejected: bool) -> None:
    """K-3: a shell's exit code stands at the end of what it says."""
    (turn,) = turns(jsonl(HEAD, record("gemini", "", toolCalls=[call])))
    assert (turn.text, turn.failed, turn.rejected) == (text, failed, rejected)


def test_no_record_raises() -> None:
    """K-6."""
    for wrong in (None, 7, [], {}, "x", [7], [{"text": 7}], {"a": 1}):
        names = ("id", "timestamp", "content", "displayContent", "toolCalls", "$set", "sessionId", "kind")
        for type_ in ("user", "gemini", "info", ""):
            turns(jsonl(HEAD, *({**record(type_, "x"), name: wrong} for name in names)))
        turns(jsonl(record("gemini", "x", toolCalls=[{**shell("a", "x"), "result": wrong, "args": wrong}])))
