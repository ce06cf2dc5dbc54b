"""Reads one record of a Gemini CLI session.

Implements specs/capture.md (K-2, K-3, K-9…K-11, K-291). The program only appends to the file: it writes a message again as a
whole, under the same id, when tool calls are added to it.
"""

from __future__ import annotations

import re

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

AGENT = "gemini"

_TYPES = frozenset(("user", "gemini", "info", "error", "warning"))
_ENDED = frozenset(("success", "error", "cancelled"))
_MOST_HEARD = 65
"""How many ids of the latest message and of its calls are remembered."""
_SHELL = lazy_pattern(
    r"\A(?:Output: )?(.*?)(?:\nExit Code: (\d+))?(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]*)*\Z",
    re.DOTALL,
)


def matches(record: Record) -> bool:
    """Return whether this is a record of Gemini CLI."""
    if type_of(record) in _TYPES:
        return {"id", "timestamp", "content"} <= record.keys()
    return {"sessionId", "projectHash"} <= record.keys() or "$set" in record or "$rewindTo" in record


def understood(record: Record, memo: Memo) -> Understood:
    """Return the parts of a record; earlier records already had the messages of a `$set`."""
    kind, id_ = type_of(record), name_of(record.get("id"))
    parts: list[Part] = []
    if not kind:
        memo = _described(mapping(record.get("$set")) or record, memo)
    elif kind == "user":  # `content` includes the files named by @; then `displayContent` has the typed text
        typed = record.get("displayContent") or record.get("content")
        parts = spoken(texts(typed), person=not memo.program)
    elif kind == "gemini":
        parts, memo = _of_model(record, id_, memo)
    return Understood(memo, tuple(parts), message=id_, at=name_of(record.get("timestamp")))


def _described(said: Record, memo: Memo) -> Memo:
    """Return the memo after the head of a session, or a change of it."""
    program = said["kind"] == "subagent" if "kind" in said else memo.program
    return memo._replace(conversation=name_of(said.get("sessionId")) or memo.conversation, program=program)


def _of_model(record: Record, id_: str, memo: Memo) -> tuple[list[Part], Memo]:
    """Return the parts of a message that its earlier records did not have."""
    heard = list(memo.heard) if memo.heard[:1] == (id_,) else []
    parts: list[Part] = []
    content = record.get("content")
    told = (
        content if isinstance(content, str) else [x for x in items(content) if not mapping(x).get("thought")]
    )
    if not heard:
        heard = [id_]
        parts += uttered("assistant", whole(told))
    for each in items(record.get("toolCalls")):
        call = mapping(each)
        name = name_of(call.get("id"))
        if name not in heard[1:] and call.get("status") in _ENDED:
            heard.append(name)
            parts += [
                Call(name, name_of(call.get("name")), command_of(call.get("args"))),
                _result(name, call),
            ]
    return parts, memo._replace(heard=tuple(heard[:_MOST_HEARD]))


def _result(id_: str, call: Record) -> Result:
    given = call.get("result")
    if isinstance(given, list):
        answers = [mapping(mapping(mapping(each).get("functionResponse")).get("response")) for each in given]
        given = "\n".join(string(each.get("output")) or string(each.get("error")) for each in answers)
    text, code = (
        string(given).removeprefix("<untrusted_context>\n").removesuffix("\n</untrusted_context>"),
        None,
    )
    if call.get("name") == "run_shell_command" and (shell := _SHELL.match(text)) is not None:
        text, code = shell[1], shell[2]
    rejected = call.get("status") == "cancelled"
    failed = rejected or call.get("status") == "error" or code not in (None, "0")
    return Result(id_, clipped(text), failed, rejected)
