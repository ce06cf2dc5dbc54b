"""Small transcripts of each format, written as their programs write them."""

from __future__ import annotations

import json
from typing import Any

from learning.transcripts.transcript_reader import TranscriptReading, read
from learning.turn import Turn

Line = dict[str, Any]


def jsonl(*records: object) -> bytes:
    """Return the records as lines."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def turns(data: bytes, **how: Any) -> list[Turn]:
    """Return the turns of a transcript."""
    return [turn for turn, _ in read([data], **how)]


def said(data: bytes, role: str = "user") -> list[str]:
    """Return what was said in a role."""
    return [turn.text for turn in turns(data) if turn.role == role]


def done(reading: TranscriptReading) -> TranscriptReading:
    """Return a reading that was read to its end."""
    for _ in reading:
        pass
    return reading


# --- Claude Code ---


def claude(type_: str, content: object, **more: object) -> Line:
    """Return one record of Claude Code's."""
    return {
        "type": type_,
        "message": {"role": type_, "content": content},
        "uuid": "u1",
        "sessionId": "s1",
        "timestamp": "2026-01-02T03:04:05Z",
        "cwd": "/work",
        **more,
    }


def person(text: str, **more: Any) -> Line:
    """Return what a person typed."""
    return claude("user", text, **more)


def call(id_: str, command: str = "make test") -> Line:
    """Return a call of the shell."""
    return claude(
        "assistant", [{"type": "tool_use", "id": id_, "name": "Bash", "input": {"command": command}}]
    )


def result(id_: str, text: str = "ok", *, error: bool = False, **more: object) -> Line:
    """Return what came of a call."""
    block = {"type": "tool_result", "tool_use_id": id_, "content": text, "is_error": error}
    return claude("user", [block], **more)


# --- Codex ---


def head(**more: object) -> Line:
    """Return the head of a rollout."""
    return codex("session_meta", {"id": "c1", "cwd": "/work", "source": "cli", **more})


def codex(type_: str, payload: Line) -> Line:
    """Return one line of a rollout."""
    return {"timestamp": "2026-01-02T03:04:05Z", "type": type_, "payload": payload}


def item(role: str, text: str) -> Line:
    """Return a message of the model's conversation."""
    kind = "output_text" if role == "assistant" else "input_text"
    return codex(
        "response_item", {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
    )


def event(type_: str, **more: object) -> Line:
    """Return an event for whoever watches."""
    return codex("event_msg", {"type": type_, **more})
