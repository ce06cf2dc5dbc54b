"""Keeps turns back until the calls before them have their results, so that all are given once and in order.

Implements specs/capture.md (K-3, K-11). Bounded: nothing waits for ever.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

from learning.transcripts.records import Call, Part, Result, Utterance
from learning.turn import Turn

MOST_RECORDS = 64
MOST_CHARACTERS = 1 << 20
"""So much waits for a result at most; then its call is given up."""

M = TypeVar("M")


class _Held(Generic[M]):
    """The turns of one record, in their order: those that wait are not complete yet."""

    def __init__(self, mark: M) -> None:
        self.mark = mark
        self.turns: list[Turn | None] = []
        self.waiting: set[str] = set()


class Holding(Generic[M]):
    """Takes records in, with the mark that says where reading goes on behind each; gives turns out."""

    def __init__(self) -> None:
        self._held: deque[_Held[M]] = deque()
        self._open: dict[str, tuple[_Held[M], int]] = {}
        self._size = 0
        self.passed: M | None = None
        """The mark behind the last record of which everything was given; None before the first."""

    @property
    def empty(self) -> bool:
        """Whether everything was given."""
        return not self._held

    def take(self, parts: Sequence[Part], model: Turn, mark: M) -> Iterator[tuple[Turn, M | None]]:
        """Take a record in; give the turns that wait for nothing, the last of each record with its mark.

        `model` is a turn with all that those of this record have in common. A record without turns moves the mark too.
        """
        for part in parts:
            if isinstance(part, Result):
                self._finish(part)
        held: _Held[M] = _Held(mark)
        self._held.append(held)
        for part in parts:
            if isinstance(part, Utterance):
                if part.role == "user":  # whoever types again waits for no tool
                    self._give_up(len(self._held))
                held.turns.append(model._replace(role=part.role, text=part.text))
                self._size += len(part.text)
            elif isinstance(part, Call) and part.id:
                if part.id in self._open:
                    self._abandon(part.id)
                self._open[part.id] = (held, len(held.turns))
                held.waiting.add(part.id)
                held.turns.append(model._replace(role="tool", tool=part.tool, command=part.command))
        yield from self._ready()
        while len(self._held) > MOST_RECORDS or self._size > MOST_CHARACTERS:
            self._give_up(1)
            yield from self._ready()

    def release(self) -> Iterator[tuple[Turn, M | None]]:
        """Give what is there, without the calls that still wait."""
        self._give_up(len(self._held))
        yield from self._ready()

    def _ready(self) -> Iterator[tuple[Turn, M | None]]:
        while self._held and not self._held[0].waiting:
            done = self._held.popleft()
            turns = [turn for turn in done.turns if turn is not None]
            self._size -= sum(len(turn.text) for turn in turns)
            self.passed = done.mark
            for n, turn in enumerate(turns, 1):
                yield turn, done.mark if n == len(turns) else None

    def _finish(self, result: Result) -> None:
        if (place := self._open.pop(result.id, None)) is None:
            return  # told again, or its call was given before
        held, index = place
        held.waiting.discard(result.id)
        call = held.turns[index]
        if call is not None:
            held.turns[index] = call._replace(
                text=result.text, failed=result.failed, rejected=result.rejected
            )
            self._size += len(result.text)

    def _abandon(self, id_: str) -> None:
        held, index = self._open.pop(id_)
        held.waiting.discard(id_)
        held.turns[index] = None

    def _give_up(self, records: int) -> None:
        """Give up the calls of the first `records` records."""
        for held, _ in zip(self._held, range(records), strict=False):
            for id_ in tuple(held.waiting):
                self._abandon(id_)
