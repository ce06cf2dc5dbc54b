"""Reads a transcript of any known format as turns, and remembers how to go on.

Implements specs/capture.md (K-5…K-7, K-11…K-13). The format is known by what the lines hold, never by a
name. Pure: the caller opens files.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from types import ModuleType
from typing import Any

import orjson

from learning.transcripts import claude_records, codex_records, messages, openclaw_records
from learning.transcripts.lines import LONGEST_LINE, TranscriptLine, lines, opens_document, value_of
from learning.transcripts.pending_turns import Holding
from learning.transcripts.records import Memo, Record, Understood, name_of
from learning.turn import Turn
from ledger.lazy_pattern import lazy_pattern
from ledger.named_tuple import NamedTuple

_NOT_SPACE = lazy_pattern(r"\S")
FORMATS: dict[str, ModuleType] = {
    "claude": claude_records,
    "codex": codex_records,
    "openclaw": openclaw_records,
    "messages": messages,
}
"""The formats by name, in the order in which a record is tried."""

_AGENTS = {
    "claude": claude_records.AGENT,
    "codex": codex_records.AGENT,
    "openclaw": openclaw_records.AGENT,
    "messages": "",
}
_NAMED = 1000
"""So many broken lines and unknown types are named; all are counted."""

_FORGOTTEN = "*"
"""In the place of the digest of a list: it was forgotten at an erase, and the list counts as the one that was read."""

Understand = Callable[[Record, Memo], Understood]


class _Mark(NamedTuple):
    """Where reading goes on: the offset, and what must be known of what stands before."""

    offset: int
    memo: Memo


def read(stream: Iterable[bytes], *, start: int = 0, name: str = "", state: str = "") -> TranscriptReading:
    """Return a reading of a transcript.

    Args:
        stream: its bytes from `start` on, in pieces of any size, or an open file that stands there.
        start: the offset of the first of them, in bytes: 0, or where an earlier reading of the same file ended.
        name: names the conversation where the transcript does not.
        state: what that earlier reading said in `state`. From 0 on only that counts which it says of a list.
    """
    return TranscriptReading(stream, start=start, name=name, state=state)


class TranscriptReading:
    """Turns with the offsets up to which everything was given; iterate once.

    `offset` and `state` are always those with which a later reading goes on; `kind` is the format, "" while unknown;
    `skipped` counts records of unknown types; `broken` are the offsets of the first broken lines, `broken_count` says
    how many there are; `torn` whether the last line is not complete yet.
    """

    def __init__(self, stream: Iterable[bytes], *, start: int = 0, name: str = "", state: str = "") -> None:
        self.skipped: dict[str, int] = {}
        self.broken: list[int] = []
        self.broken_count = 0
        self.torn = False
        known = _loaded(state)
        self._list = known if known.done else None
        self._memo = known if start else Memo()
        self._passed = _Mark(start, self._memo)
        self._name = name
        self._holding: Holding[_Mark] = Holding()
        self._turns = self._read(stream, start)

    @property
    def kind(self) -> str:
        """The format: claude, codex, openclaw or messages."""
        return self._memo.kind

    @property
    def offset(self) -> int:
        """The offset up to which everything has been given."""
        return self._passed.offset

    @property
    def state(self) -> str:
        """What a later reading that begins at `offset` must be given."""
        return orjson.dumps(self._passed.memo._asdict()).decode()

    def __iter__(self) -> Iterator[tuple[Turn, int]]:
        """Give each turn with the offset up to which everything was given."""
        return self._turns

    def _read(self, stream: Iterable[bytes], start: int) -> Iterator[tuple[Turn, int]]:
        source = lines(stream, start)
        source, document = _document(source)
        if document is not None:
            yield from self._of_list(document.value, document.start, document.end)
            return
        for line in source:
            yield from self._of_line(line)

    def _of_line(self, line: TranscriptLine) -> Iterator[tuple[Turn, int]]:
        if line.data is None:
            if line.ended:
                self._break(line)
            else:
                self.torn = True
            return
        if not line.data.strip():
            self._pass(line.end)
            return
        try:
            value = value_of(line.data)
        except ValueError:
            value = None
        if (conversation := self._conversation(value)) is not None:
            yield from self._of_list(conversation, line.start, line.end)
        elif value == [] and not self.kind:
            return  # a list that holds nothing yet is complete
        elif not isinstance(value, dict):
            if line.ended:
                self._break(line)
            else:
                self.torn = True
        else:
            yield from self._of_record(value, f"@{line.start}", line.end)

    def _conversation(self, value: object) -> Sequence[Any] | None:
        """Return the messages of a line that holds a whole conversation."""
        if self.kind not in ("", "messages"):
            return None
        return messages.conversation_of(value)

    def _of_list(self, listed: Sequence[Any], start: int, end: int) -> Iterator[tuple[Turn, int]]:
        """Give the turns of a list of messages; of one that was read before and has grown, the new ones (K-13)."""
        done = 0
        if (
            self._list
            and self._list.begin == start
            and self._list.digest in (_FORGOTTEN, _digest(listed[: self._list.done]))
        ):
            done = min(self._list.done, len(listed))
        self._list = None
        yield from self._release()
        self._memo = self._memo._replace(kind="messages", done=done, digest="", begin=start)
        self._passed = _Mark(start, self._memo)
        name = self._name
        if start:
            self._name = f"{name}@{start}"  # one of many conversations, a line each
        for index, message in enumerate(listed[done:], done + 1):
            memo = self._memo._replace(done=index, digest="")
            if isinstance(message, dict):
                yield from self._of_record(message, f"#{index}", start, memo)
            else:
                self._skip("no message")
                yield from self._give((), Turn("system", ""), _Mark(start, memo))
        self._name = name
        given = self._passed.memo.done
        memo = self._memo._replace(done=given, digest=_digest(listed[:given]))
        self._passed = _Mark(end if self._holding.empty else start, memo)
        if not self._holding.empty:  # what waits is read again when the list has grown
            self._holding = Holding()
        self._memo = memo

    def _of_record(
        self, record: Record, id_: str, end: int, memo: Memo | None = None
    ) -> Iterator[tuple[Turn, int]]:
        if not self.kind:
            kind = next((kind for kind, each in FORMATS.items() if each.matches(record)), "")
            self._memo = self._memo._replace(kind=kind)
        if not self.kind:
            self._skip(name_of(record.get("type")) or "no type")
            self._pass(end)
            return
        understand: Understand = FORMATS[self.kind].understood
        before = self._memo if memo is None else memo
        known = understand(record, before)
        if memo is None:
            self._memo = known.memo
        if known.unknown:
            self._skip(known.unknown)
        conversation = known.conversation or self._memo.conversation or self._name
        model = Turn(
            "system",
            "",
            conversation=conversation,
            session=known.conversation or self._memo.conversation,
            message=known.message or id_,
            at=known.at,
            agent=_AGENTS[self.kind],
            folder=known.folder or self._memo.folder,
        )
        yield from self._give(known.parts, model, _Mark(end, known.memo))

    def _give(self, parts: Sequence[Any], model: Turn, mark: _Mark) -> Iterator[tuple[Turn, int]]:
        yield from self._given(self._holding.take(parts, model, mark))

    def _release(self) -> Iterator[tuple[Turn, int]]:
        yield from self._given(self._holding.release())

    def _given(self, turns: Iterator[tuple[Turn, _Mark | None]]) -> Iterator[tuple[Turn, int]]:
        for turn, passed in turns:
            if passed is not None:
                self._passed = passed
            yield turn, self._passed.offset
        if self._holding.passed is not None:
            self._passed = self._holding.passed

    def _pass(self, end: int) -> None:
        """Move on over a line without a record; not before the format is known, which may come to be (K-6)."""
        if self._holding.empty and self.kind:
            self._passed = _Mark(end, self._memo)

    def _break(self, line: TranscriptLine) -> None:
        self.broken_count += 1
        if len(self.broken) < _NAMED:
            self.broken.append(line.start)
        self._pass(line.end)

    def _skip(self, kind: str) -> None:
        if kind not in self.skipped and len(self.skipped) >= _NAMED:
            kind = "other"
        self.skipped[kind] = self.skipped.get(kind, 0) + 1


class _Document(NamedTuple):
    value: Sequence[Any]
    start: int
    end: int


def _document(source: Iterator[TranscriptLine]) -> tuple[Iterator[TranscriptLine], _Document | None]:
    """Return the document of JSON that begins here and goes over many lines, or the lines as they were."""
    before: list[TranscriptLine] = []
    for line in source:
        before.append(line)
        if line.data is None or line.data.strip():
            break
    if not before or before[-1].data is None:
        return chain(before, source), None
    first = before[-1]
    if not opens_document(first.data or b"") or _is_json(first.data or b""):
        return chain(before, source), None
    size = len(first.data or b"")
    for line in source:
        before.append(line)
        size += line.end - line.start
        if line.data is None or size > LONGEST_LINE:
            return chain(before, source), None
    whole = b"\n".join(line.data or b"" for line in before)
    try:
        value = value_of(whole)
    except ValueError:
        value = None
    if value == []:
        return iter(()), None
    conversation = messages.conversation_of(value)
    if conversation is None:
        return iter(_records_in(whole, before) or before), None
    return iter(()), _Document(conversation, before[0].start, before[-1].end)


def _records_in(whole: bytes, lines: Sequence[TranscriptLine]) -> list[TranscriptLine]:
    """Return the records of JSON that is printed over many lines, a line each; none where it is something else (K-5).

    They are passed together: only the last one ends where the document does.
    """
    text, decoder, at = whole.decode("utf-8", "replace"), json.JSONDecoder(), 0
    values: list[Any] = []
    try:
        while begin := _NOT_SPACE.search(text, at):
            value, at = decoder.raw_decode(text, begin.start())
            values += value if isinstance(value, list) else [value]
    except (ValueError, RecursionError):
        return []
    if not all(isinstance(value, dict) for value in values):
        return []
    start, end = lines[0].start, lines[-1].end
    packed = [json.dumps(value).encode() for value in values]
    starts = range(start, start + len(packed))
    return [
        TranscriptLine(number, end if number == starts[-1] else start, data, ended=True)
        for number, data in zip(starts, packed, strict=True)
    ]


def _is_json(data: bytes) -> bool:
    try:
        value_of(data)
    except ValueError:
        return False
    return True


def _digest(listed: Sequence[Any]) -> str:
    packed = orjson.dumps(listed, option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(packed, digest_size=12).hexdigest()


def _loaded(state: str) -> Memo:
    """Return what an earlier reading knew; what is no state of ours is none."""
    try:
        value = orjson.loads(state or "{}")
    except orjson.JSONDecodeError:
        return Memo()
    if not isinstance(value, dict) or not value.keys() <= _TYPES.keys():
        return Memo()
    if any(type(each) is not _TYPES[name] for name, each in value.items()):
        return Memo()
    heard = tuple(each for each in value.pop("heard", ()) if isinstance(each, str))
    memo = Memo(**value, heard=heard)
    return memo if memo.kind in ("", *FORMATS) and memo.done >= 0 else Memo()


_TYPES: dict[str, type] = {
    **dict.fromkeys(("kind", "conversation", "folder", "digest"), str),
    "program": bool,
    "heard": list,
    "done": int,
    "begin": int,
}
