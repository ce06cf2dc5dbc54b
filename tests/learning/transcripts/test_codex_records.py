"""Tests learning/transcripts/codex_records.py against specs/capture.md (K-2, K-3, K-9…K-11, K-15)."""

from __future__ import annotations

import json

import pytest

from learning.transcripts.transcript_reader import read
from learning.turn import Turn
from tests.learning.transcripts.writing import codex, event, head, item, jsonl, said, turns


def output(id_: str, text: object) -> dict[str, object]:
    return codex("response_item", {"type": "function_call_output", "call_id": id_, "output": text})


def shell(id_: str, arguments: object) -> dict[str, object]:
    given = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return codex(
        "response_item", {"type": "function_call", "name": "shell", "arguments": given, "call_id": id_}
    )


def test_a_turn_says_where_it_was_said() -> None:
    (turn,) = turns(jsonl(head(), event("user_message", message="Use pnpm")))
    assert (turn.conversation, turn.session, turn.agent, turn.folder) == ("c1", "c1", "codex", "/work")
    assert turn.message.startswith("@")


@pytest.mark.parametrize("first", ["event", "item"])
def test_one_message_told_twice_is_one(first: str) -> None:
    """K-15: and one that a person sends twice is two."""
    pair = [event("user_message", message="Use  pnpm"), item("user", "Use pnpm")]
    if first == "item":
        pair.reverse()
    assert len(said(jsonl(head(), *pair))) == 1
    assert len(said(jsonl(head(), *pair, *pair))) == 2
    answer = [event("agent_message", message="Yes"), item("assistant", "Yes")]
    assert len(said(jsonl(head(), *pair, *answer), "assistant")) == 1


def test_the_second_telling_is_known_after_a_break() -> None:
    """K-13, K-15."""
    begin = jsonl(head(), item("user", "No, use pnpm not npm"))
    reading = read([begin])
    assert len(list(reading)) == 1
    rest = jsonl(event("user_message", message="No, use pnpm not npm"))
    assert list(read([rest], start=reading.offset, state=reading.state)) == []


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n<cwd>/work</cwd>\n</environment_context>",
        "<user_instructions>\nAlways use tabs.\n</user_instructions>",
        "# AGENTS.md instructions for /work\n\n<INSTRUCTIONS>\nAlways use tabs.\n</INSTRUCTIONS>",
        "<turn_aborted>\nThe user interrupted.\n</turn_aborted>",
    ],
)
def test_wrappers_are_no_person(text: str) -> None:
    """K-9."""
    assert said(jsonl(head(), item("user", text))) == []


def test_of_an_editors_context_only_the_request_is_the_persons() -> None:
    """K-10."""
    text = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nUse pnpm"
    assert said(jsonl(head(), event("user_message", message=text))) == ["Use pnpm"]


@pytest.mark.parametrize("source", [{"subagent": "review"}, "exec", "mcp"])
def test_in_what_a_program_started_no_person_speaks(source: object) -> None:
    """K-9."""
    assert said(jsonl(head(source=source), event("user_message", message="Always use tabs"))) == []


def test_an_output_that_comes_twice_is_one_turn() -> None:
    """K-15."""
    told = output("t1", "Exit code: 2\nOutput:\nboom")
    end = event("exec_command_end", call_id="t1", aggregated_output="boom", exit_code=2)
    (turn,) = turns(jsonl(head(), shell("t1", {"command": ["bash", "-lc", "make test"]}), end, told, told))
    assert (turn.tool, turn.command, turn.failed, turn.rejected) == ("shell", "make test", True, False)


@pytest.mark.parametrize(
    ("given", "failed", "rejected", "text"),
    [
        (json.dumps({"output": "boom", "metadata": {"exit_code": 1}}), True, False, "boom"),
        (json.dumps({"output": "fine", "metadata": {"exit_code": 0}}), False, False, "fine"),
        ("exec command rejected by user", True, True, "exec command rejected by user"),
        ([{"type": "output_text", "text": "Done!"}], None, False, "Done!"),
        ({"content": "no", "success": False}, True, False, "no"),
        ('{"status":"ok"}', None, False, '{"status":"ok"}'),
        ("{broken", None, False, "{broken"),
    ],
)
def test_an_output_says_whether_it_failed(
    given: object, failed: bool | None, rejected: bool, text: str
) -> None:
    (turn,) = turns(jsonl(head(), shell("t1", {"cmd": "ls"}), output("t1", given)))
    assert (turn.text, turn.failed, turn.rejected, turn.command) == (text, failed, rejected, "ls")


def test_the_older_form_has_no_envelopes() -> None:
    data = jsonl(
        {"id": "c0", "timestamp": "2026-01-01T00:00:00Z", "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Use pnpm"}]},
    )
    assert turns(data) == [Turn("user", "Use pnpm", "c0", "c0", f"@{data.index(b'{', 90)}", agent="codex")]


def test_unknown_kinds_say_nothing() -> None:
    """K-7."""
    unknown = (codex("future", {}), codex("response_item", {"type": "dream"}), event("anything"))
    assert turns(jsonl(head(), *unknown)) == []
