"""Reads one record of a Claude Code transcript.

Implements specs/capture.md (K-2, K-3, K-9…K-11, K-14). The format is not a contract: types come and go.
"""

from __future__ import annotations

from typing import Any

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

AGENT = "claude-code"

_MARKS = ("sessionId", "session_id", "uuid", "leafUuid", "messageId")
_PRINTED = frozenset(("sdk-cli", "mcp", "claude-code-github-action"))
"""Entry points that programs use, not people (K-9)."""

_REJECTED = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
)
_INTERRUPTED = "[Request interrupted by user for tool use]"
_SAID = "the user said:\n"
_NOTE = "\n\nNote: The user's next message may contain"


def matches(record: Record) -> bool:
    """Return whether this is a record of Claude Code's."""
    kind = type_of(record)
    if kind in ("user", "assistant"):
        return isinstance(record.get("message"), dict) and "role" not in record
    return bool(kind) and any(mark in record for mark in _MARKS)


def understood(record: Record, memo: Memo) -> Understood:
    """Return the parts of a record."""
    kind = type_of(record)
    if kind == "user":
        parts = _of_user(record)
    elif kind == "assistant":
        parts = _of_assistant(mapping(record.get("message")).get("content"))
    elif kind == "attachment":
        parts = _of_attachment(mapping(record.get("attachment")))
    else:
        parts = []  # nobody speaks here; a queued message comes again as an attachment or a record of its own (K-14)
    # A forked session repeats the messages of another one, which keep their ids.
    origin = mapping(record.get("forkedFrom"))
    return Understood(
        memo,
        tuple(parts),
        message=name_of(origin.get("messageUuid")) or name_of(record.get("uuid")),
        at=name_of(record.get("timestamp")),
        conversation=name_of(origin.get("sessionId")) or first_name(record, "sessionId", "session_id"),
        folder=name_of(record.get("cwd")),
    )


def _is_person(record: Record) -> bool:
    if any(
        record.get(mark)
        for mark in ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")
    ):
        return False
    if string(record.get("entrypoint")) in _PRINTED or record.get("agentId"):
        return False
    if record.get("promptSource") == "system":  # "sdk" also marks text that a person types in an editor
        return False
    return _is_human(record.get("origin"))


def _is_human(origin: object) -> bool:
    """Return whether a record's origin is a person; most name none."""
    return string(mapping(origin).get("kind", "human")) == "human"


def _of_user(record: Record) -> list[Part]:
    content = mapping(record.get("message")).get("content")
    person = _is_person(record)
    parts: list[Part] = []
    for block in items(content):
        if type_of(block) == "tool_result":
            parts += _result(block, record.get("toolUseResult"), person=person)
    return parts + spoken(texts(content), person=person)


def _result(block: Record, detail: object, *, person: bool) -> list[Part]:
    text = whole(block.get("content"))
    failed = block.get("is_error") is True
    rejected = failed and (
        text.startswith(_REJECTED)
        or (isinstance(detail, str) and detail.startswith("User rejected tool use"))
        or text.startswith(_INTERRUPTED)
    )
    interrupted = mapping(detail).get("interrupted") is True
    parts: list[Part] = [Result(name_of(block.get("tool_use_id")), text, failed, rejected or interrupted)]
    if rejected and person and _SAID in text:  # a person typed what to do instead
        parts += spoken([text.partition(_SAID)[2].partition(_NOTE)[0]])
    return parts


def _of_assistant(content: object) -> list[Part]:
    parts = uttered("assistant", whole(content))
    for block in items(content):
        call: dict[str, Any] | None = block if isinstance(block, dict) else None
        if call is not None and type_of(call) == "tool_use":
            parts.append(
                Call(name_of(call.get("id")), name_of(call.get("name")), command_of(call.get("input")))
            )
    return parts


def _of_attachment(attachment: Record) -> list[Part]:
    """Return a message that a person typed while the agent worked; it has no other record (K-14)."""
    kind = type_of(attachment)
    if kind.startswith("hook_"):  # a hook's text for the model, which may have our own memories
        return spoken(texts(attachment.get("content")), person=False)
    if kind != "queued_command":
        return []
    person = attachment.get("commandMode", "prompt") == "prompt" and _is_human(attachment.get("origin"))
    prompt = attachment.get("prompt")
    return spoken((clipped(each) for each in texts(prompt)), person=person and not attachment.get("isMeta"))
