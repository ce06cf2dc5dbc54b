"""Tests learning/transcripts/messages.py against specs/capture.md (K-2, K-3, K-13, K-17)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.learning.transcripts.writing import jsonl, said, turns

CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Use pnpm"},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "t1", "type": "function", "function": {"name": "run", "arguments": '{"command": "pnpm i"}'}}]},
    {"role": "tool", "tool_call_id": "t1", "content": "ok"},
    {"role": "assistant", "content": "Done."},
]  # fmt: skip


@pytest.mark.parametrize(
    "data",
    [
        json.dumps(CHAT).encode(),
        json.dumps(CHAT, indent=2).encode(),
        json.dumps({"messages": CHAT}).encode(),
        json.dumps({"model": "m", "messages": CHAT}, indent=1).encode() + b"\n",
        b"\xef\xbb\xbf" + json.dumps(CHAT).encode(),
        jsonl(*CHAT),
        jsonl({"messages": CHAT}),
    ],
    ids=["array", "pretty", "object", "pretty object", "mark", "lines", "line"],
)
def test_every_shape_of_a_list_gives_the_same(data: bytes) -> None:
    """K-17."""
    found = turns(data, name="talk")
    assert [(t.role, t.text, t.tool, t.command, t.conversation) for t in found] == [
        ("system", "Be kind.", "", "", "talk"),
        ("user", "Use pnpm", "", "", "talk"),
        ("tool", "ok", "run", "pnpm i", "talk"),
        ("assistant", "Done.", "", "", "talk"),
    ]
    assert len({turn.message for turn in found}) == 4


@pytest.mark.parametrize(
    ("asked", "came"),
    [
        ({"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "run", "input": {"command": "ls"}}]},
         {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "no", "is_error": True}]}),
        ({"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "t", "toolName": "run",
                                            "input": {"command": "ls"}}]},
         {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "t",
                                       "output": {"type": "text", "text": "no"}}]}),
    ],
    ids=["blocks", "parts"],
)  # fmt: skip
def test_calls_and_results_of_the_common_apis(asked: dict[str, Any], came: dict[str, Any]) -> None:
    """K-17."""
    (turn,) = turns(jsonl(asked, came))
    assert (turn.role, turn.tool, turn.command, turn.text) == ("tool", "run", "ls", "no")


def test_parts_and_other_names_of_roles() -> None:
    """K-17."""
    data = jsonl(
        {"role": "human", "parts": [{"text": "Use pnpm"}]}, {"role": "model", "parts": [{"text": "Yes"}]}
    )
    assert [(turn.role, turn.text) for turn in turns(data)] == [("user", "Use pnpm"), ("assistant", "Yes")]
    nested = {"role": "user", "content": {"content_type": "text", "parts": ["Use pnpm"]}}
    assert said(jsonl(nested)) == ["Use pnpm"]


def test_each_line_of_conversations_is_one_of_its_own() -> None:
    """K-17."""
    found = turns(jsonl({"messages": CHAT[:2]}, {"messages": CHAT[:2]}), name="many")
    assert len({turn.conversation for turn in found}) == 2
