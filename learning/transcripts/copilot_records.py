"""Reads one record of a session of GitHub Copilot CLI: a line of its events.jsonl.

Implements specs/capture.md (K-2, K-3, K-9…K-11, K-292).
"""

from __future__ import annotations

from learning.transcripts.person_text import spoken
from learning.transcripts.records import (
    Call,
    Memo,
    Part,
    Record,
    Result,
    Understood,
    clipped,
    command_of,
    exit_code,
    mapping,
    name_of,
    string,
    type_of,
    uttered,
    whole,
)
from ledger.lazy_pattern import lazy_pattern

AGENT = "copilot"

_OWN = frozenset(("", "user"))
"""The sources of a person's messages; a skill, a command, a schedule and another agent have their own."""
_REFUSED = frozenset(("denied", "rejected"))
_ENDED = lazy_pattern(r"\n?<shellId: \S+ completed with exit code (\d+)>\s*\Z")


def matches(record: Record) -> bool:
    """Return whether this is a record of Copilot CLI; no other program has a dot in a type and `data` beside it."""
    return (
        "." in type_of(record)
        and isinstance(record.get("data"), dict)
        and {"id", "timestamp", "parentId"} <= record.keys()
    )


def understood(record: Record, memo: Memo) -> Understood:
    """Return the parts of a record."""
    kind, data = type_of(record), mapping(record.get("data"))
    parts: list[Part] = []
    if kind in ("session.start", "session.resume"):
        memo = _begun(data, memo)
    elif kind == "user.message":  # `content` is the typed text; another member has the model's version
        parts = spoken([string(data.get("content"))], person=not memo.program and _is_persons(record, data))
    elif kind == "assistant.message":
        parts = uttered("assistant", whole(data.get("content")))
    elif kind == "tool.execution_start":
        name = name_of(data.get("toolName"))
        parts = [Call(name_of(data.get("toolCallId")), name, command_of(data.get("arguments")))]
    elif kind == "tool.execution_complete":
        parts = [_result(data)]
    id_ = name_of(data.get("messageId")) or name_of(record.get("id"))
    return Understood(memo, tuple(parts), message=id_, at=name_of(record.get("timestamp")))


def _begun(data: Record, memo: Memo) -> Memo:
    """Return the memo after the head of a session or its continuation; a session that another one started is a program's."""
    return memo._replace(
        conversation=name_of(data.get("sessionId")) or memo.conversation,
        folder=string(mapping(data.get("context")).get("cwd")) or memo.folder,
        program=memo.program or "detachedFromSpawningParentSessionId" in data,
    )


def _is_persons(record: Record, data: Record) -> bool:
    goes_on = data.get("isAutopilotContinuation") is True
    return name_of(data.get("source")) in _OWN and not goes_on and "agentId" not in record


def _result(data: Record) -> Result:
    done, error = mapping(data.get("result")), mapping(data.get("error"))
    text = string(done.get("content")) or string(error.get("message"))
    ended = _ENDED.search(text)
    code = exit_code(mapping(data.get("shellExecution")).get("exitCode"))
    failed = data.get("success") is False or code is True
    if ended is not None:  # also in older files, which have no exit code elsewhere
        text, failed = text[: ended.start()], failed or ended[1] != "0"
    rejected = name_of(error.get("code")) in _REFUSED
    return Result(name_of(data.get("toolCallId")), clipped(text), failed, rejected)
