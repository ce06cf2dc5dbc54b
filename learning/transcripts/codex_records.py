"""Reads one record of a Codex rollout.

Implements specs/capture.md (K-2, K-3, K-9…K-11, K-15). A rollout has most messages twice: as an item of the model's conversation and as
an event for the display.
"""

from __future__ import annotations

import hashlib
import json
import re

from learning.transcripts.person_text import spoken
from learning.transcripts.records import (
    Call,
    Memo,
    Part,
    Record,
    Result,
    Understood,
    Utterance,
    clipped,
    command_of,
    exit_code,
    first_name,
    items,
    mapping,
    name_of,
    string,
    texts,
    type_of,
    uttered,
    whole,
)
from ledger.lazy_pattern import lazy_pattern

AGENT = "codex"

_LINES = frozenset(("session_meta", "turn_context", "response_item", "event_msg", "compacted"))
_HEADER = frozenset(("id", "timestamp", "instructions", "git", "cwd", "version", "cli_version", "model"))
_CALLS = frozenset(("function_call", "custom_tool_call", "local_shell_call"))
_OUTPUTS = frozenset(("function_call_output", "custom_tool_call_output", "local_shell_call_output"))
_HEARD = 8
"""How many messages back the duplicate of a message is searched."""

_CODE = lazy_pattern(
    r"\A(?:Exit code:|Process exited with code|Chunk ID:[^\n]*\n(?:[^\n]*\n){0,3}?Process exited with code) ?(\d+)"
)
_REJECTED = lazy_pattern(
    r"\A.{0,200}?\b(?:rejected|denied|aborted|declined) by (?:the )?user\b", re.DOTALL | re.IGNORECASE
)


def matches(record: Record) -> bool:
    """Return whether this is a record of Codex, in the current form or the older one without envelopes."""
    kind = type_of(record)
    if kind == "message":
        return any(type_of(part) in ("input_text", "output_text") for part in items(record.get("content")))
    if not kind:
        return {"id", "timestamp"} <= record.keys() <= _HEADER
    return "payload" in record if kind in _LINES else kind in _CALLS | _OUTPUTS | {"reasoning"}


def understood(record: Record, memo: Memo) -> Understood:
    """Return the turns of a record; most records only report progress."""
    kind = type_of(record)
    payload = mapping(record.get("payload"))
    parts: list[Part] = []
    if kind in ("", "session_meta"):
        memo = _begun(payload or record, memo)
    elif kind == "turn_context":
        memo = memo._replace(folder=name_of(payload.get("cwd")) or memo.folder)
    elif kind == "event_msg":
        parts, memo = _of_event(payload, memo)
    elif kind != "compacted":
        parts, memo = _of_item(payload or record, memo)
    return Understood(memo, tuple(parts), at=name_of(record.get("timestamp")))


def _begun(head: Record, memo: Memo) -> Memo:
    """Return the memo after the head of a session; a forked file has its origin's head second, which is ignored."""
    if memo.conversation:
        return memo
    source = head.get("source")
    return memo._replace(
        conversation=name_of(head.get("id")),
        folder=name_of(head.get("cwd")),
        program=isinstance(source, dict) or source in ("exec", "mcp", "subagent"),
    )


def _of_item(item: Record, memo: Memo) -> tuple[list[Part], Memo]:
    kind = type_of(item)
    if kind == "message":
        role = item.get("role")
        if role == "user":
            return _once("item", spoken(texts(item.get("content")), person=not memo.program), memo)
        told = uttered("assistant" if role == "assistant" else "system", whole(item.get("content")))
        return _once("item", told, memo)
    if kind in _CALLS:
        id_ = first_name(item, "call_id", "id")
        given = item.get("arguments", item.get("input", item.get("action")))
        return [Call(id_, name_of(item.get("name")) or "shell", command_of(given))], memo
    if kind in _OUTPUTS:
        return [_output(name_of(item.get("call_id")), item.get("output"))], memo
    return [], memo


def _output(id_: str, output: object) -> Result:
    """Return the result of a tool: a text, parts, or a JSON text with the output and the exit code."""
    failed: bool | None = None
    if isinstance(output, str) and output[:1] == "{":
        try:
            decoded = mapping(json.loads(output))
        except (ValueError, RecursionError):
            decoded = {}
        if isinstance(decoded.get("output"), str):
            failed = exit_code(mapping(decoded.get("metadata")).get("exit_code"))
            output = decoded["output"]
    elif isinstance(output, dict):
        if isinstance(output.get("success"), bool):
            failed = not output["success"]
        output = output.get("content", output.get("output"))
    text = whole(output)
    if failed is None and (code := _CODE.match(text)) is not None:
        failed = code[1] != "0"
    rejected = _REJECTED.match(text) is not None
    return Result(id_, text, True if rejected else failed, rejected)


def _of_event(event: Record, memo: Memo) -> tuple[list[Part], Memo]:
    kind = type_of(event)
    if kind == "user_message":
        return _once("event", spoken([string(event.get("message"))], person=not memo.program), memo)
    if kind == "agent_message":
        return _once("event", uttered("assistant", clipped(string(event.get("message")))), memo)
    return [], memo  # the rest reports progress


def _once(source: str, parts: list[Part], memo: Memo) -> tuple[list[Part], Memo]:
    """Drop messages that the other kind of record had already; remember those that this one has first (K-15)."""
    kept: list[Part] = []
    heard = list(memo.heard)
    other = "event" if source == "item" else "item"
    for part in parts:
        if isinstance(part, Utterance):
            said = hashlib.blake2b(
                f"{part.role} {' '.join(part.text.split())}".encode(), digest_size=6
            ).hexdigest()
            if f"{other} {said}" in heard:
                heard.remove(f"{other} {said}")
                continue
            heard.append(f"{source} {said}")
        kept.append(part)
    return kept, memo._replace(heard=tuple(heard[-_HEARD:]))
