"""Reads a transcript of any known format as turns, and stores how to continue.

Implements specs/capture.md (K-3, K-5…K-7, K-11…K-13). The content of the lines shows the format, never a name.
Pure: the caller opens files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from types import ModuleType
from typing import Any

import orjson

from learning.transcripts import (
    claude_records,
    codex_records,
    copilot_records,
    gemini_records,
    messages,
    openclaw_records,
)
from learning.transcripts.lines import LONGEST_LINE, TranscriptLine, lines, opens_document, value_of
from learning.transcripts.records import Call, Memo, Part, Record, Result, Understood
from learning.turn import Turn

FORMATS: dict[str, ModuleType] = {
    "copilot": copilot_records,
    "openclaw": openclaw_records,
    "claude": claude_records,
    "codex": codex_records,
    "gemini": gemini_records,
    "messages": messages,
}
"""The formats by name, in the order in which they are tried."""

_NAMED = 1000
"""The offsets of so many broken lines are kept; all are counted."""
MOST_CALLS = 64
"""So many calls can wait for their results; older ones are dropped."""


def read(
    stream: Iterable[bytes],
    *,
    start: int = 0,
    name: str = "",
    state: str = "",
    calls: Mapping[str, Call] = {},
) -> TranscriptReading:
    """Return a reading of a transcript.

    Args:
        stream: its bytes from `start` on, in pieces of any size, or an open file at that position.
        start: the offset of the first byte: 0, or where an earlier reading of the same file ended.
        name: the name of the conversation if the transcript has none.
        state: the `state` of that earlier reading.
        calls: the calls that still waited for their results in it, if known.
    """
    return TranscriptReading(stream, start, name, _loaded(state) if start else Memo(), calls)


class TranscriptReading:
    """Turns, each with the offset up to which everything was yielded; iterate once.

    `offset` and `state` are always those with which a later reading continues; `kind` is the format, "" while unknown;
    `broken` has the offsets of the first of `broken_count` broken lines; `torn` means that the last line is not
    complete yet; `calls` wait for their results.
    """

    def __init__(
        self, stream: Iterable[bytes], start: int, name: str, memo: Memo, calls: Mapping[str, Call]
    ) -> None:
        self.broken: list[int] = []
        self.broken_count = 0
        self.torn = False
        self.offset = start
        self.calls = dict(calls)
        self._memo = self._passed = memo
        self._name = name
        self._turns = self._read(stream, start)

    @property
    def kind(self) -> str:
        """The format: claude, codex, copilot, gemini, openclaw or messages."""
        return self._memo.kind

    @property
    def state(self) -> str:
        """The state that a later reading from `offset` needs."""
        return orjson.dumps(self._passed._asdict()).decode()

    def __iter__(self) -> Iterator[tuple[Turn, int]]:
        """Return each turn with the offset up to which everything was yielded."""
        return self._turns

    def _read(self, stream: Iterable[bytes], start: int) -> Iterator[tuple[Turn, int]]:
        source, document = _document(lines(stream, start))
        if document is not None:
            yield from self._of_list(*document, self._name)
        for line in source:
            yield from self._of_line(line)

    def _of_line(self, line: TranscriptLine) -> Iterator[tuple[Turn, int]]:
        if line.data is not None and not line.data.strip():
            self._pass(line.end)
            return
        try:
            value = value_of(line.data) if line.data is not None else None
        except ValueError:
            value = None
        listed = messages.conversation_of(value) if self.kind in ("", "messages") else None
        if listed is not None:
            # of several conversations, one on each line, the offset is the name
            name = f"{self._name}@{line.start}" if line.start else self._name
            yield from self._of_list(listed, line.end, name)
        elif isinstance(value, dict):
            yield from self._given(self._of_record(value, f"@{line.start}", self._name), line.end)
        elif value == [] and not self.kind:
            return  # an empty list is complete
        elif line.ended:
            self._break(line)
        else:
            self.torn = True

    def _of_list(self, listed: Sequence[Any], end: int, name: str) -> Iterator[tuple[Turn, int]]:
        """Yield the turns of a list of messages; a longer list is read again, and the ledger recognises old turns (K-220)."""
        self._memo = self._memo._replace(kind="messages")
        turns: list[Turn] = []
        for number, message in enumerate(listed, 1):
            turns += self._of_record(message if isinstance(message, dict) else {}, f"#{number}", name)
        yield from self._given(turns, end)

    def _of_record(self, record: Record, id_: str, name: str) -> list[Turn]:
        if not self.kind:
            kind = next((kind for kind, each in FORMATS.items() if each.matches(record)), "")
            self._memo = self._memo._replace(kind=kind)
        if not self.kind:
            return []
        form = FORMATS[self.kind]
        known: Understood = form.understood(record, self._memo)
        self._memo = known.memo
        model = Turn(
            "system",
            "",
            conversation=known.conversation or self._memo.conversation or name,
            session=known.conversation or self._memo.conversation,
            message=known.message or id_,
            at=known.at,
            agent=form.AGENT,
            folder=known.folder or self._memo.folder,
        )
        return [turn for part in known.parts if (turn := self._turn(part, model)) is not None]

    def _turn(self, part: Part, model: Turn) -> Turn | None:
        """Return the turn that a part completes; None for a call, which waits for its result, or a repeated result."""
        if isinstance(part, Call):
            self.calls[part.id] = part
            if len(self.calls) > MOST_CALLS:
                del self.calls[next(iter(self.calls))]
            return None
        if not isinstance(part, Result):
            return model._replace(role=part.role, text=part.text)
        call = self.calls.pop(part.id, None)
        if call is None:
            return None
        done = model._replace(role="tool", text=part.text, tool=call.tool, command=call.command)
        return done._replace(failed=part.failed, rejected=part.rejected)

    def _given(self, turns: Sequence[Turn], end: int) -> Iterator[tuple[Turn, int]]:
        """Yield turns; with the last of them everything up to `end` is yielded."""
        for turn in turns[:-1]:
            yield turn, self.offset
        self._pass(end)
        for turn in turns[-1:]:
            yield turn, self.offset

    def _pass(self, end: int) -> None:
        """Move the offset past a line, but only once the format is known (K-6)."""
        if self.kind:
            self.offset, self._passed = end, self._memo

    def _break(self, line: TranscriptLine) -> None:
        self.broken_count += 1
        if len(self.broken) < _NAMED:
            self.broken.append(line.start)
        self._pass(line.end)


def _document(
    source: Iterator[TranscriptLine],
) -> tuple[Iterable[TranscriptLine], tuple[Sequence[Any], int] | None]:
    """Return the messages of a JSON document of many lines and its end, or the unchanged lines."""
    before: list[TranscriptLine] = []
    for line in source:
        before.append(line)
        if line.data is None or line.data.strip():
            break
    first = before[-1].data if before else None
    if first is None or not opens_document(first) or _is_json(first):
        return chain(before, source), None
    size = len(first)
    for line in source:
        before.append(line)
        size += line.end - line.start
        if line.data is None or size > LONGEST_LINE:
            return chain(before, source), None
    try:
        value = value_of(b"\n".join(line.data or b"" for line in before))
    except ValueError:
        value = None
    listed = messages.conversation_of(value)
    if listed is not None:
        return (), (listed, before[-1].end)
    return () if value == [] else before, None


def _is_json(data: bytes) -> bool:
    try:
        value_of(data)
    except ValueError:
        return False
    return True


def _loaded(state: str) -> Memo:
    """Return the memo of an earlier reading; an invalid state counts as none."""
    try:
        value = orjson.loads(state or "{}")
        memo = Memo(**{**value, "heard": tuple(value["heard"])})
    except (ValueError, TypeError, KeyError):
        return Memo()
    texts = (memo.kind, memo.conversation, memo.folder, *memo.heard)
    good = all(isinstance(each, str) for each in texts) and memo.kind in ("", *FORMATS)
    return memo if good else Memo()
