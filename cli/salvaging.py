"""Brings events that were set aside back into the ledger: what they say is proposed as a document's words are.

Implements specs/import.md (I-25). `ledger.salvage` judges the lines; `cli.importing` signs what is proposed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from capture.documents import ENDINGS
from capture.proposal import memory_key
from cli.app import short
from ledger import reader
from ledger.event import split_line
from ledger.memory import Memory
from ledger.salvage import OPENING, Pointing, Salvage, salvage
from memledger import MemoryLedger
from projections.query import LogFilter

if TYPE_CHECKING:
    from cli.importing import Imported

EVENTS = "events"
"""The kind of a file of events that were set aside (I-25)."""


class SetAside:
    """Events that were set aside, on their way back into the ledger (I-25)."""

    def __init__(self, memory: MemoryLedger) -> None:
        self._memory = memory
        self._back: list[tuple[str, Memory]] = []

    def proposed(self, done: Imported, change: Callable[[Memory], Memory]) -> Iterator[Memory]:
        """Give what the good events of a file say.

        What came back before, and was deleted, replaced or erased since, stays away.
        """
        read = self._read(done.path)
        for found in read.found:
            before = self._memory.local.fact(_fact(found.id))
            entry = self._memory.index.entry(before) if before else None
            if before and (entry is None or not entry.live):
                done.gone += 1
                continue
            memory = change(found.memory)
            done.lines[memory_key(memory)] = found.line
            self._back.append((found.id, memory))
            yield memory
        undone, both = self._undone(read.pointing)
        reasons = {**read.untaken, **undone}
        done.untaken = len(reasons)
        done.warnings = tuple(f"{done.path}: {said}" for said in (*_reasons(reasons), *both))

    def _read(self, path: Path) -> Salvage:
        index, memory = self._memory.index, self._memory
        founding = memory.log(LogFilter(kinds=("genesis", "rotate")))
        keys = [bytes.fromhex(orjson.loads(split_line(memory.line(row.id)).event)["key"]) for row in founding]
        erased = {id_ for row in memory.log(LogFilter(kinds=("erase",))) for id_ in row.targets}
        with reader.opened(path) as fd:
            return salvage(reader.lines(fd), keys[-1:], lambda id_: bool(index.ids(id_)), erased)

    def _undone(self, pointing: Iterable[Pointing]) -> tuple[dict[int, str], list[str]]:
        """Say which lines did something to memories that stand here, which is a person's to do again.

        Those of which nothing is taken, and a word on each supersede, of which the new text is.
        """
        index = self._memory.index
        said: dict[int, str] = {}
        both = []
        for each in pointing:
            live = [id_ for id_ in each.targets if (entry := index.entry(id_)) is not None and entry.live]
            if live and each.kind == "supersede":
                ids = " ".join(short(id_) for id_ in live)
                both.append(
                    f"what line {each.line} replaced still stands: memledger delete {ids}, if it holds"
                )
            elif live:
                kind = "an erase" if each.kind == "erase" else f"a {each.kind}"
                said[each.line] = f"it is {kind} of what stands here: do it again if it holds"
        return said, both

    def remember(self, id_of: Callable[[Memory], str | None]) -> None:
        """Note as which memory each event came back."""
        local = self._memory.local
        for event, memory in self._back:
            id_ = id_of(memory)
            if id_ and local.fact(_fact(event)) != id_:
                local.note(_fact(event), id_)


def _fact(event: str) -> str:
    return f"back {event}"


def is_events(path: Path) -> bool:
    """Say whether a file holds lines of a chain, whole or damaged, which are never notes (I-25)."""
    try:
        with path.open("rb") as stream:
            begin = stream.read(reader.BLOCK)
    except OSError:
        return False  # whoever reads it says why
    if begin.startswith(OPENING) or ".jsonl.torn-" in path.name:
        return True
    return path.suffix.lower() not in ENDINGS and b"\n" + OPENING in begin


def _reasons(untaken: dict[int, str]) -> Iterator[str]:
    """Say why lines were not taken: those with the same reason together."""
    numbers: dict[str, list[int]] = {}
    for number, why in sorted(untaken.items()):
        numbers.setdefault(why, []).append(number)
    for why, some in numbers.items():
        ranges: list[list[int]] = []
        for number in some:
            if ranges and ranges[-1][1] == number - 1:
                ranges[-1][1] = number
            else:
                ranges.append([number, number])
        named = ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in ranges)
        yield f"{'line' if len(some) == 1 else 'lines'} {named} not taken: {why}"
