"""What a set of events means, by the text of specs/state.md alone: the model that the index is compared with.

Facts are kept as sets of events per memory, and every status is derived from them, which is why the order of folding
cannot matter (S-1). As large as the history.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from ledger import reader
from ledger.check import Link
from ledger.errors import LedgerError
from ledger.event import Event
from ledger.fold import Entry, fresh, fresh_from, is_disowned, is_later_part
from ledger.memory import Memory
from ledger.schema import MEMORY_KINDS
from ledger.tail import ChainFile, ChainTip, stands
from ledger.view import MAX_CANDIDATES, LinePlace, statement_key


class MemoryNode:
    """What is known of one event id as a memory: the event that made it, once here, and what points at it.

    `parts` holds, for each later number, the events that say that they are this part of it.
    """

    __slots__ = ("confirms", "deletes", "erases", "event", "parts", "supersedes")

    def __init__(self) -> None:
        self.event: Event | None = None
        self.supersedes: dict[str, Event] = {}
        self.deletes: dict[str, Event] = {}
        self.confirms: dict[str, Event] = {}
        self.erases: dict[str, Event] = {}
        self.parts: dict[int, set[str]] = {}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MemoryNode):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    __hash__ = None  # type: ignore[assignment]


class State(NamedTuple):
    """The folded state; `disowned` tells which seqs of a chain a rotate disowns, from the first on up to its own.

    `waits` are the chains whose events are proposals, each with the first seq that is one (specs/team.md TM-25).
    """

    nodes: dict[str, MemoryNode]
    events: dict[str, Event]
    disowned: dict[str, set[tuple[int, int]]]
    waits: dict[str, int]

    def is_proposal(self, event: Event) -> bool:
        """Say whether an event waits for a person."""
        return event.chain in self.waits and event.seq >= self.waits[event.chain]

    def is_confirmed(self, id_: str) -> bool:
        """Say whether an event of full standing confirms a memory; an agent's promotes nothing but from git or an edit (S-10)."""
        return any(
            not self.is_proposal(each) and (each.by.role != "agent" or each.by.via in ("git", "edit"))
            for each in self.nodes[id_].confirms.values()
        )

    def is_adopted(self, event: Event) -> bool:
        """Say whether what a proposal replaces is replaced (TM-21)."""
        newer = self.nodes[event.id].supersedes.values()
        return self.is_confirmed(event.id) or any(
            self.is_proposal(each) and self.is_adopted(each) for each in newer
        )

    def withdraws(self, event: Event, id_: str) -> bool:
        """Say whether an event is about a proposal of the same chain that nobody confirmed."""
        target = self.nodes[id_].event
        return bool(
            target and target.chain == event.chain and self.is_proposal(target) and not self.is_confirmed(id_)
        )

    def supersedes(self, id_: str) -> list[Event]:
        """Return the supersedes of a memory that count, in order."""
        every = self.nodes[id_].supersedes.values()
        return _in_order(
            each
            for each in every
            if not self.is_proposal(each) or self.is_adopted(each) or self.withdraws(each, id_)
        )

    def deletes(self, id_: str) -> list[Event]:
        """Return the deletes of a memory that count, in order."""
        every = self.nodes[id_].deletes.values()
        return _in_order(each for each in every if not self.is_proposal(each) or self.withdraws(each, id_))

    def by_stolen_key(self, event: Event) -> bool:
        """Say whether the owner disowned the key that signed an event (N-24)."""
        ranges = self.disowned.get(event.chain)
        return bool(ranges) and is_disowned(event.seq, ranges or ())

    def node(self, id_: str) -> MemoryNode:
        """Return the node of an id, made empty if nothing is known of it yet."""
        found = self.nodes.get(id_)
        if found is None:
            found = self.nodes[id_] = MemoryNode()
        return found

    def ids(self) -> Iterator[str]:
        """Give the ids of all memories whose event has arrived; later parts of a long body are none."""
        for id_, node in self.nodes.items():
            if node.event is not None and not is_later_part(self.payload(node.event)):
                yield id_

    def payload(self, event: Event) -> Mapping[str, Any] | None:
        """Return the payload of an event; None once an erase names it, be the bytes blank or not."""
        node = self.nodes.get(event.id)
        erased = node is not None and any(erase.chain == event.chain for erase in node.erases.values())
        return None if erased else event.payload

    def entries(self) -> list[Entry]:
        """Return all memories, in order; of those that say the same in different chains one is shown (TM-30)."""
        every = self.by_themselves()
        said: dict[str, list[Entry]] = {}
        for entry in every:
            if entry.live:
                said.setdefault(statement_key(entry.memory), []).append(entry)
        shown = {
            key: min(same, key=lambda each: (each.status != "active", each.ts, each.id))
            for key, same in said.items()
        }
        found = [self._beside(entry, shown.get(statement_key(entry.memory))) for entry in every]
        return sorted(found, key=lambda entry: (entry.order, entry.ts, entry.id))

    def by_themselves(self) -> list[Entry]:
        """Return all memories in order, each as if no other said the same."""
        every = (self.entry(id_) for id_ in self.ids())
        return sorted(every, key=lambda entry: (entry.order, entry.ts, entry.id))

    def _beside(self, entry: Entry, shown: Entry | None) -> Entry:
        """Return a memory as it stands beside the one that is shown of those that say the same."""
        if shown is None or not entry.live or self.events[entry.id].chain == self.events[shown.id].chain:
            return entry
        return entry._replace(status="superseded", superseded_by=(shown.id,))

    def entry(self, id_: str) -> Entry:
        """Return the memory with this full id.

        Raises:
            KeyError: no memory with this id has arrived.
        """
        node = self.nodes[id_]
        event = node.event
        if event is None:
            raise KeyError(id_)
        payload = self.payload(event)
        memory = Memory.from_payload(payload) if payload else None
        if memory and self.is_proposal(event):
            memory = memory.with_changes(status="candidate")
        if node.parts and memory:
            memory = memory.with_changes(body=self._whole_body(memory, node, event.chain))
        counting = [c for c in node.confirms.values() if not self.is_proposal(c)]
        confirms = [c.at for c in counting if not self.by_stolen_key(c)]
        own = fresh_from(
            event.at,
            event.by.via,
            memory.provenance.date if memory else "",
            replaces=bool(event.targets),
        )
        promoted = memory is not None and memory.status == "candidate" and self.is_confirmed(id_)
        return Entry(
            id_,
            event.seq,
            memory or Memory(""),
            self.status(id_, memory),
            event.ts,
            event.at,
            event.by,
            fresh(own, confirms, vouched=not self.by_stolen_key(event) and (bool(confirms) or not promoted)),
            self.order(id_),
            event.targets,
            tuple(each.id for each in self.supersedes(id_)),
            tuple(each.id for each in self.deletes(id_)),
            event.offset,
            event.size,
            payload.get("reason", "") if payload else "",
            n=event.seq,  # as in an index of this one chain
        )

    def status(self, id_: str, memory: Memory | None) -> str:
        """Return the status of a memory (S-2); `memory` is None where its record is erased, blank or altered."""
        if memory is None:
            return "erased"
        if self.supersedes(id_):
            return "superseded"
        if self.deletes(id_):
            return "deleted"
        return "candidate" if memory.status == "candidate" and not self.is_confirmed(id_) else "active"

    def order(self, id_: str) -> tuple[str, str]:
        """Return the (ts, id) of the memory that this one descends from by first known targets (S-7)."""
        while True:
            event = self.nodes[id_].event
            if event is None:
                raise KeyError(id_)
            known = (target for target in event.targets if target in self.nodes and self.nodes[target].event)
            parent = next(known, None)
            if parent is None:
                return (event.ts, id_)
            id_ = parent

    def _whole_body(self, memory: Memory, node: MemoryNode, chain: str) -> str:
        bodies = [memory.body]
        for _, ids in sorted(node.parts.items()):
            claims = sorted(
                (e for id_ in ids if (e := self.events[id_]).chain == chain),
                key=lambda event: (event.ts, event.id),
            )
            payload = next((payload for event in claims if (payload := self.payload(event))), None)
            if payload:
                bodies.append(payload.get("body", ""))
        return "".join(bodies)


def _in_order(events: Iterable[Event]) -> list[Event]:
    return sorted(events, key=lambda each: (each.ts, each.id))


# --- one handler a kind -------------------------------------------------------------------------------------


def _memory(state: State, event: Event) -> None:
    state.node(event.id).event = event
    for target in event.targets:
        state.node(target).supersedes[event.id] = event
    if event.payload and is_later_part(event.payload):
        part = event.payload["part"]
        state.node(part["first"]).parts.setdefault(part["n"], set()).add(event.id)


def _delete(state: State, event: Event) -> None:
    for target in event.targets:
        state.node(target).deletes[event.id] = event


def _confirm(state: State, event: Event) -> None:
    for target in event.targets:
        state.node(target).confirms[event.id] = event


def _erase(state: State, event: Event) -> None:
    for target in event.targets:
        state.node(target).erases[event.id] = event


def _rotate(state: State, event: Event) -> None:
    since = event.head.get("since")
    if since is not None and since < event.seq:
        state.disowned.setdefault(event.chain, set()).add((since, event.seq))


def _ignore(_state: State, _event: Event) -> None:
    """Genesis, recover and anchor say nothing about memories."""


HANDLERS: Mapping[str, Callable[[State, Event], None]] = MappingProxyType(
    {
        "genesis": _ignore,
        "create": _memory,
        "supersede": _memory,
        "delete": _delete,
        "confirm": _confirm,
        "erase": _erase,
        "rotate": _rotate,
        "recover": _ignore,
        "anchor": _ignore,
    }
)


def INITIAL() -> State:  # noqa: N802 - the name that every projection has for its empty state
    """Return the empty state."""
    return State({}, {}, {}, {})


def apply(state: State, event: Event) -> State:
    """Fold one event onto `state` and return it; folding an event again changes nothing.

    Raises:
        LedgerError: the kind is unknown; the state is untouched.
    """
    handler = HANDLERS.get(event.kind)
    if handler is None:
        raise LedgerError(f"cannot fold an event of kind {event.kind!r}: update muniment")
    if event.id in state.events:
        return state
    handler(state, event)
    state.events[event.id] = event
    return state


def fold(
    events: Iterable[Event], state: State | None = None, waits: Mapping[str, int] | None = None
) -> State:
    """Fold `events` onto `state` (default: the empty one, with the chains that wait) and return it."""
    state = state or INITIAL()._replace(waits=dict(waits or {}))
    for event in events:
        state = apply(state, event)
    return state


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
            about = (each for each in self.state.events.values() if id_ in each.targets)
            found.update(each.id for each in about if each.kind not in ("supersede", "erase"))
        return self.places(found)

    def places(self, ids: Iterable[str]) -> list[LinePlace]:
        """Return the places of those of these events that carry a payload which is not erased, in order."""
        carrying = [
            self.state.events[id_]
            for id_ in set(ids)
            if self._carries(id_) and not (id_ in self.state.nodes and self.state.nodes[id_].erases)
        ]
        return [self._place(event.id) for event in sorted(carrying, key=lambda event: event.seq)]

    def written_by_others(self, ids: Iterable[str], *, family: bool) -> list[str]:  # noqa: ARG002 - as in View
        """Return none: it folds one chain."""
        return []

    def _carries(self, id_: str) -> bool:
        """Say whether payload bytes that are not blank may stand: as signed, altered, or half blanked."""
        event = self.state.events.get(id_)
        return event is not None and "commit" in event.head and not event.erased

    def _place(self, id_: str) -> LinePlace:
        event = self.state.events[id_]
        return LinePlace(id_, event.offset, event.size)

    def twins(self, id_: str) -> list[str]:  # noqa: ARG002 - as in the view
        """Return none: it folds one chain."""
        return []

    def unseen_tips(self) -> list[str]:
        """Return none: it folds one chain."""
        return []

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
