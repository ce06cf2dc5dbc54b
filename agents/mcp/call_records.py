"""Records the calls of another memory server's tools as signed memories.

Implements specs/doors.md (G-93…G-96). Whatever happens to the ledger, no call waits for more than a moment or fails.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Any

from blake3 import blake3

from agents.mcp.tool_calls import Line, ToolCall
from language.printable import plain, redacted
from ledger.command import Create, Supersede
from ledger.errors import NotFoundError, RecordError, SecretError, StateError
from ledger.instant import written
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import Memory
from ledger.redaction import redact, redact_value
from muniment import MemoryLedger

TOPIC = "memory-servers"
_NO_SLUG = lazy_pattern("[^a-z0-9]+")
MOST = 100_000
"""Characters of the arguments that an event has; of more, their digest shows what they were."""
_PATIENCE = 1.0
"""Seconds that a call waits for another process that holds the ledger."""
_TEXT, _ANSWER, _NAME = 200, 500, 100
"""Characters of the arguments in the text, of an answer in its line, and of a tool's name."""


class CallRecords:
    """Writes what was called into a ledger, and keeps in memory what could not be written yet.

    Args:
        opened: opens the ledger for a moment.
        note: says something to the person, on stderr.
    """

    def __init__(
        self, opened: Callable[[], AbstractContextManager[MemoryLedger]], note: Callable[[str], None]
    ) -> None:
        self._opened = opened
        self.note = note
        self._waiting: list[ToolCall] = []
        self._newest: dict[str, str] = {}
        self._one_at_a_time = threading.Lock()

    @property
    def is_recording(self) -> bool:
        """Whether a call is being recorded just now: its answer still waits to be passed on."""
        return self._one_at_a_time.locked()

    def record(self, calls: Iterable[ToolCall], *, last: bool = False) -> None:
        """Record these calls and those that wait; with `last`, say which never were."""
        with self._one_at_a_time:
            self._waiting += calls
            if self._waiting:
                self._record_waiting(last=last)

    def _record_waiting(self, *, last: bool) -> None:
        try:
            with self._opened() as memory:
                memory.workspace.wait_at_most(_PATIENCE)
                if not memory.workspace.readable_configuration.enabled:
                    self._waiting.clear()
                    return
                while self._waiting:
                    try:
                        self._write(memory, self._waiting[0])
                    except (RecordError, SecretError) as error:  # trying again would not help
                        self.note(f"1 call is not recorded, and will not be: {error}")
                    del self._waiting[0]
        except Exception as error:  # noqa: BLE001 - the call was done, and its answer must arrive
            many = "1 call is" if len(self._waiting) == 1 else f"{len(self._waiting)} calls are"
            state = "not recorded, and will not be" if last else "not recorded yet; the next call tries again"
            self.note(f"{many} {state}: {redacted(str(error)) or type(error).__name__}")

    def _write(self, memory: MemoryLedger, call: ToolCall) -> None:
        """Write a call, as the next version of what this process recorded of its server that day (G-93)."""
        record = memory_of(call)
        newest = self._newest.get(record.topic)
        command = Supersede((newest,), record) if newest else Create(record)
        try:
            (done,) = memory.write([command], call.caller.by, redact=True, timeout=_PATIENCE)
        except (NotFoundError, StateError):
            if self._newest.pop(record.topic, None) is None:
                raise
            self._write(memory, call)  # a person edited or erased the version before
        else:
            self._newest[record.topic] = done.id


def memory_of(call: ToolCall) -> Memory:
    """Return the memory that records a call and its answer; it contains no secret (G-94)."""
    tool, when = _tool(call), written(call.at)
    text, detail, body = _asked(call.arguments)
    return Memory(
        f"{tool}: {text}",
        title=f"{tool}, {when}",
        details=(_outcome(call), detail),
        body=body,
        topic=f"{TOPIC}/{_NO_SLUG.sub('-', call.server).strip('-') or 'server'}/{when[:10]}",
        type="episode",
        tier="daily",
        importance="low",
        source="auto",
        provenance=call.caller.origin(tool)._replace(tool=f"{call.server}/{tool}", date=when),
    )


def _asked(arguments: Any) -> tuple[str, str, str]:
    """Return arguments as the text, a detail and the body of a memory."""
    if isinstance(arguments, Line):
        return f"a line of {arguments.size:,} bytes", f"arguments: a line of {arguments.measured}", ""
    whole = _json(arguments)
    cut = f"; here are the first {MOST:,} characters" if len(whole) > MOST else ""
    return _line(whole, _TEXT), f"arguments: {_digest(whole)}{cut}", f"```json\n{whole[:MOST]}\n```\n"


def _outcome(call: ToolCall) -> str:
    """Return a line about the answer: what it says, and the digest of all of it."""
    if call.answer is None:
        return "no answer: nobody knows whether it was done"
    what = "refused" if call.failed else "answered"
    if isinstance(call.answer, Line):
        return f"{what}: a line of {call.answer.measured}"
    whole = _json(call.answer.get("result", call.answer.get("error")))
    return f"{what}: {_line(redacted(_said(call.answer)), _ANSWER)} ({_digest(whole)})"


def _said(answer: dict[str, Any]) -> str:
    """Return the texts of an answer; of one without any all that it has."""
    result = answer.get("result", answer.get("error"))
    content = result.get("content") if isinstance(result, dict) else None
    pieces = content if isinstance(content, list) else []
    texts = [each.get("text") for each in pieces if isinstance(each, dict)]
    return "\n".join(text for text in texts if isinstance(text, str)) or _json(result)


def _json(value: Any) -> str:
    """Return a value as JSON without secrets: members sorted and indented by one space, so that there is one text for it."""
    try:
        text = json.dumps(redact_value(value), ensure_ascii=False, indent=1, sort_keys=True)
    except RecursionError:
        text = '"nested too deeply to be recorded"'
    return redact(text.encode("utf-8", "backslashreplace").decode())


def _digest(text: str) -> str:
    data = text.encode()
    return f"{len(data):,} bytes, BLAKE3 {blake3(data).hexdigest()}"


def _line(text: str, most: int) -> str:
    """Return the beginning of a text as one line."""
    line = " ".join(plain(text[: 4 * most]).split())
    return line if len(line) <= most else f"{line[:most]}…"


def _tool(call: ToolCall) -> str:
    return redacted(call.tool)[:_NAME].strip() or "?"
