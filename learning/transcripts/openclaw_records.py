"""Reads one record of an OpenClaw trajectory export, or of the older session file.

Implements specs/capture.md (K-2, K-3, K-5, K-9…K-11).
"""

from __future__ import annotations

import re

from learning.transcripts.messages import parts_of
from learning.transcripts.person_text import spoken
from learning.transcripts.records import (
    Memo,
    Part,
    Record,
    Result,
    Understood,
    mapping,
    name_of,
    type_of,
    uttered,
    whole,
)
from ledger.lazy_pattern import lazy_pattern

AGENT = "openclaw"
TRAJECTORY = "openclaw-trajectory"

_TOLD = frozenset(("user.message", "assistant.message", "tool.result"))
_ENVELOPE = lazy_pattern(r"\A\s*\[[A-Za-z][^\[\]\n]{0,200}\d\d:\d\d[^\[\]\n]{0,40}\] ?")
_MARK = lazy_pattern(r"^\[message_id: [^\]\n]*\]\s*$", re.MULTILINE)
_EVENT = lazy_pattern(r"^System(?: \(untrusted\))?: \[[^\n]*$", re.MULTILINE)
_METADATA = lazy_pattern(
    r"^[A-Z][\w ]{0,60} \(untrusted[\w ,]*\):\s*\n```(?:json)?\n.*?\n```\s*$", re.MULTILINE | re.DOTALL
)


def matches(record: Record) -> bool:
    """Return whether this is a record of OpenClaw."""
    if record.get("traceSchema") == TRAJECTORY:
        return True
    kind = type_of(record)
    if kind == "session":
        return "id" in record
    return bool(kind) and "parentId" in record and "id" in record


def understood(record: Record, memo: Memo) -> Understood:
    """Return the parts of a record."""
    kind = name_of(record.get("type"))
    if record.get("traceSchema") == TRAJECTORY:
        message = mapping(mapping(record.get("data")).get("message")) if kind in _TOLD else {}
        return Understood(
            memo,
            tuple(_parts(message)),
            message=name_of(record.get("entryId")),
            at=name_of(record.get("ts")),
            conversation=name_of(record.get("sessionId")),
            folder=name_of(record.get("workspaceDir")),
        )
    if kind == "session":
        memo = memo._replace(conversation=name_of(record.get("id")), folder=name_of(record.get("cwd")))
    message = mapping(record.get("message")) if kind == "message" else {}
    id_, at = name_of(record.get("id")), name_of(record.get("timestamp"))
    return Understood(memo, tuple(_parts(message)), message=id_, at=at)


def _parts(message: Record) -> list[Part]:
    role = message.get("role")
    content = message.get("content")
    if role == "user":
        person = mapping(message.get("provenance")).get("kind", "external_user") == "external_user"
        return spoken([_bare(whole(content))], person=person)
    if role == "assistant":
        return parts_of(message)
    if role == "toolResult":
        error = message.get("isError")
        code = mapping(message.get("details")).get("exitCode")
        told = [not error] if isinstance(error, bool) else []
        told += [code == 0] if isinstance(code, int) else []
        return [Result(name_of(message.get("toolCallId")), whole(content), not all(told) if told else None)]
    return uttered("system", whole(content))


def _bare(text: str) -> str:
    """Return a message without its channel's envelope: sender, time, id, and events in between."""
    if "[" in text or "(untrusted" in text:
        for around in (_METADATA, _EVENT, _MARK):
            text = around.sub("", text)
        text = _ENVELOPE.sub("", text, count=1)
    return text
