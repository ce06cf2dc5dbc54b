"""What a writer must know before it signs: the View port, and its plain implementation over the fold.

Implements specs/state.md (S-8, S-9). `projections.index` is the production view; both pass one contract test.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

import orjson
from blake3 import blake3

from ledger import reader
from ledger.check import Link
from ledger.errors import LedgerError, StorageError
from ledger.event import Event
from ledger.fold import INITIAL, Entry, State, apply, is_later_part
from ledger.memory import Memory
from ledger.named_tuple import NamedTuple
from ledger.schema import MEMORY_KINDS
from ledger.tail import ChainFile, ChainTip, stands

MAX_CANDIDATES = 20


class ViewUnavailableError(LedgerError):
    """The view cannot answer now (locked or damaged); the ledger then folds the chain itself."""

    exit_code = StorageError.exit_code


class LinePlace(NamedTuple):
    """Where an event's line stands in the chain: id, offset and size in bytes (LF not counted)."""

    id: str
    offset: int
    size: int


class View(Protocol):
    """The state behind validation. Every method may raise ViewUnavailableError."""

    def follow(self, chain: Path, tip: ChainTip) -> None:
        """Take in what `chain` holds up to `tip`."""

    def apply(self, events: Sequence[Event], link: Link) -> None:
        """Take in events that were just appended after what is known; `link` is the state after them.

        Never raises: what is missed, `follow` catches up.
        """

    def entry(self, id_: str) -> Entry | None:
        """Return the memory with this full id."""

    def ids(self, prefix: str) -> list[str]:
        """Return ids of events that begin with `prefix`, at most 20, sorted."""

    def at_seq(self, seq: int) -> str | None:
        """Return the id of the event with this seq."""

    def same(self, memory: Memory) -> str | None:
        """Return the id of a live memory that makes the same statement (M-8)."""

    def family(self, ids: Iterable[str]) -> list[LinePlace]:
        """Return the places of all events that carry text of these memories, in the chain's order.

        That is: all versions, later parts, and what was said of them.
        """

    def places(self, ids: Iterable[str]) -> list[LinePlace]:
        """Return the places of those of these events that carry a payload which is not erased."""

    def unfinished_erasures(self) -> list[LinePlace]:
        """Return the events that an erase names and whose payload may still stand."""

    def erased(self, ids: Iterable[str]) -> None:
        """Note that the payloads of these events are blank now."""


def statement_key(memory: Memory) -> str:
    """Return a key of 32 hex digits that two memories share where they make the same statement (M-8)."""
    return said_key(
        memory.effective_section,
        memory.topic,
        memory.tier,
        memory.text,
        tuple(memory.details),
        memory.title,
        memory.body,
        memory.provenance.date,
        (memory.place.doc, memory.place.after or "") if memory.place and memory.type == "note" else (),
    )


@lru_cache(maxsize=32)
def said_key(  # noqa: PLR0917 - the members of M-8 in its order
    section: str,
    topic: str,
    tier: str,
    text: str,
    details: tuple[str, ...],
    title: str,
    body: str,
    date: str,
    place: tuple[str, ...] = (),
) -> str:
    """Return `statement_key` of a memory with these members; the date counts in the daily tier alone.

    `place` is given for a note that a person placed: document and the id before it.

    The newest are remembered: validation, fold and index ask for the same one in turn.
    """
    day = date[:10] if tier == "daily" else ""
    said = orjson.dumps([section, topic, tier, text, details, title, body, day, *place])
    return blake3(said).hexdigest()[:32]


class MemoryView:
    """The View over an in-memory fold: exact, and as large as the history."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self.state: State = INITIAL()
        self._file: tuple[int, int] | None = None
        self._tip: ChainTip | None = None
        self._by_seq: dict[int, str] = {}
        self._statements: dict[str, set[str]] = {}
        self._unfinished: set[str] = set()

    def follow(self, chain: Path, tip: ChainTip) -> None:
        """Take in what `chain` holds up to `tip`; forget what is of another file or went back.

        Raises:
            ChainError: a line does not pass.
        """
        with reader.opened(chain) as fd:
            status = os.fstat(fd)
            file = (status.st_dev, status.st_ino)
            if file != self._file or not self._stands(ChainFile(fd, chain, status.st_size, None), tip):
                self._forget()
        known = self._tip
        try:
            if known is None:
                self._take(reader.events(chain, stop=tip.end))
            elif known.end < tip.end:
                self._take(reader.events(chain, known.link, known.end, stop=tip.end))
        except BaseException:
            self._forget()  # what was taken of lines that are about to be cut must not stay
            raise
        self._file, self._tip = file, tip

    def _stands(self, file: ChainFile, tip: ChainTip) -> bool:
        """Say whether the newest event that we know is still there; its id vouches for all heads before."""
        known = self._tip
        return known is None or known == tip or (known.end <= tip.end and stands(file, known))

    def apply(self, events: Sequence[Event], link: Link) -> None:
        """Take in events that were just appended after what is known; `link` is the state after them."""
        newest = events[-1]
        if self._tip is not None and self._tip.end == events[0].offset:
            self._take(events)
            self._tip = ChainTip(link, newest.offset, newest.offset + newest.size + 1)

    def _take(self, events: Iterable[Event]) -> None:
        for event in events:
            apply(self.state, event)
            self._by_seq[event.seq] = event.id
            if event.kind == "erase":
                self._unfinished.update(filter(self._carries, event.targets))
            if event.id in self.state.nodes and self.state.nodes[event.id].erases and self._carries(event.id):
                self._unfinished.add(event.id)
            if event.kind in MEMORY_KINDS and event.payload:
                self._note_statement(event, event.payload)

    def _note_statement(self, event: Event, payload: Mapping[str, Any]) -> None:
        """Remember what a memory states; one in parts states it once its last part is there."""
        part = payload.get("part")
        if part is None:
            memory = Memory.from_payload(payload)
        elif part["n"] == part["of"] and (first := self.entry(part["first"] or event.id)):
            event, memory = self.state.events[first.id], first.memory
        else:
            return
        self._statements.setdefault(statement_key(memory), set()).add(event.id)

    def entry(self, id_: str) -> Entry | None:
        """Return the memory with this full id."""
        node = self.state.nodes.get(id_)
        return (
            self.state.entry(id_)
            if node and node.event and not is_later_part(self.state.payload(node.event))
            else None
        )

    def ids(self, prefix: str) -> list[str]:
        """Return ids of events that begin with `prefix`, at most 20, sorted."""
        return sorted(id_ for id_ in self.state.events if id_.startswith(prefix))[:MAX_CANDIDATES]

    def at_seq(self, seq: int) -> str | None:
        """Return the id of the event with this seq."""
        return self._by_seq.get(seq)

    def same(self, memory: Memory) -> str | None:
        """Return the id of a live memory that makes the same statement."""
        ids = self._statements.get(statement_key(memory), ())
        live = (id_ for id_ in ids if self.state.entry(id_).live)
        return min(live, key=lambda id_: self.state.events[id_].seq, default=None)

    def family(self, ids: Iterable[str]) -> list[LinePlace]:
        """Return the places of all events that carry text of these memories."""
        found: set[str] = set()
        todo = list(ids)
        while todo:
            id_ = todo.pop()
            if id_ in found or id_ not in self.state.events:
                continue
            found.add(id_)
            event = self.state.events[id_]
            if event.kind == "supersede":
                todo.extend(event.targets)
            if is_later_part(event.payload):
                todo.append((event.payload or {})["part"]["first"])
            if node := self.state.nodes.get(id_):
                todo.extend(node.supersedes)
                todo.extend(id_ for ids in node.parts.values() for id_ in ids)
                found.update(node.deletes, node.confirms)
        return self.places(found)

    def places(self, ids: Iterable[str]) -> list[LinePlace]:
        """Return the places of those of these events that carry a payload which is not erased, in order."""
        carrying = [
            self.state.events[id_]
            for id_ in set(ids)
            if self._carries(id_) and not (id_ in self.state.nodes and self.state.nodes[id_].erases)
        ]
        return [self._place(event.id) for event in sorted(carrying, key=lambda event: event.seq)]

    def _carries(self, id_: str) -> bool:
        """Say whether payload bytes that are not blank may stand: as signed, altered, or half blanked."""
        event = self.state.events.get(id_)
        return event is not None and "commit" in event.head and not event.erased

    def _place(self, id_: str) -> LinePlace:
        event = self.state.events[id_]
        return LinePlace(id_, event.offset, event.size)

    def unfinished_erasures(self) -> list[LinePlace]:
        """Return the events that an erase names and whose payload may still stand."""
        return [self._place(id_) for id_ in sorted(self._unfinished)]

    def erased(self, ids: Iterable[str]) -> None:
        """Forget the payloads of these events."""
        for id_ in ids:
            self._unfinished.discard(id_)
            blank = self.state.events[id_]._replace(payload=None, erased=True)
            self.state.events[id_] = blank
            node = self.state.nodes.get(id_)
            if node and node.event:
                node.event = blank
