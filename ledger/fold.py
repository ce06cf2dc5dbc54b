"""The fold: what a set of events means, as a function of the set and of nothing else.

Implements specs/state.md (S-1…S-7) and specs/keys.md (N-24, N-25). `apply` takes ownership of the state that it is given and returns it;
there is no I/O, clock or randomness here. Facts are kept as sets of events per memory, and every status is
derived from them, which is why the order of folding cannot matter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType

from ledger.errors import LedgerError
from ledger.event import By, Event
from ledger.instant import is_instant
from ledger.memory import Memory
from ledger.named_tuple import NamedTuple

TYPE_CHECKING = False  # as in typing, whose import would cost a hook a fifth of its time
if TYPE_CHECKING:
    from typing import Any


class Entry(NamedTuple):
    """One memory as it stands now.

    Times are as written in events. `order` sorts the memories of a document; `fresh_since` is the time from
    which staleness counts, "" where nothing that the owner stands by says it (N-24); `supersedes` are its
    targets, `superseded_by` what replaced it. `offset` and `size` are its line's place in the chain; `reason`
    is why it was written, mostly "".
    """

    id: str
    seq: int
    memory: Memory
    status: str
    ts: str
    learned: str
    by: By
    fresh_since: str
    order: tuple[str, str]
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    deleted_by: tuple[str, ...] = ()
    conflict: bool = False
    offset: int = 0
    size: int = 0
    reason: str = ""

    @property
    def live(self) -> bool:
        """Whether the memory stands (active or candidate)."""
        return self.status in ("active", "candidate")

    @property
    def compromised(self) -> bool:
        """Whether only a key that its owner disowned vouches for it as it stands (N-24)."""
        return not self.fresh_since


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
    """The folded state.

    `places` tells (chain, seq) of every event; `readings` what each chain's writer had seen, by event;
    `disowned` which seqs of a chain a rotate disowns, from the first on up to its own.
    """

    nodes: dict[str, MemoryNode]
    places: dict[str, tuple[str, int]]
    events: dict[str, Event]
    readings: dict[str, dict[str, tuple[int, tuple[str, ...]]]]
    disowned: dict[str, set[tuple[int, int]]]

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
        return None if node and node.erases else event.payload

    def entries(self) -> list[Entry]:
        """Return all memories, in order."""
        return sorted(
            (self.entry(id_) for id_ in self.ids()), key=lambda entry: (entry.order, entry.ts, entry.id)
        )

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
        if node.parts and memory:
            memory = memory.with_changes(body=self._whole_body(memory, node))
        confirms = [c.at for c in node.confirms.values() if not self.by_stolen_key(c)]
        own = fresh_from(
            event.at,
            event.by.via,
            memory.provenance.date if memory else "",
            replaces=bool(event.targets),
        )
        promoted = memory is not None and memory.status == "candidate" and bool(node.confirms)
        return Entry(
            id_,
            event.seq,
            memory or Memory(""),
            status(node, memory),
            event.ts,
            event.at,
            event.by,
            fresh(own, confirms, vouched=not self.by_stolen_key(event) and (bool(confirms) or not promoted)),
            self.order(id_),
            event.targets,
            tuple(sorted(node.supersedes, key=lambda i: (node.supersedes[i].ts, i))),
            tuple(sorted(node.deletes, key=lambda i: (node.deletes[i].ts, i))),
            self.in_conflict(event),
            event.offset,
            event.size,
            payload.get("reason", "") if payload else "",
        )

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

    def _whole_body(self, memory: Memory, node: MemoryNode) -> str:
        bodies = [memory.body]
        for _, ids in sorted(node.parts.items()):
            claims = sorted((self.events[id_] for id_ in ids), key=lambda event: (event.ts, event.id))
            payload = next((payload for event in claims if (payload := self.payload(event))), None)
            if payload:
                bodies.append(payload.get("body", ""))
        return "".join(bodies)

    # --- conflicts (S-5) ---

    def in_conflict(self, event: Event) -> bool:
        """Say whether another supersede of one of this event's targets neither saw it nor was seen by it."""
        for target in event.targets:
            for rival in self.nodes[target].supersedes.values() if target in self.nodes else ():
                if rival.id != event.id and not self.saw(event, rival) and not self.saw(rival, event):
                    return True
        return False

    def saw(self, later: Event, earlier: Event) -> bool:
        """Say whether the writer of `later` had read `earlier`: in its own chain, or through `seen`."""
        reach: dict[str, int] = {}
        todo = [(later.chain, later.seq)]
        while todo:
            chain, seq = todo.pop()
            if reach.get(chain, -1) >= seq:
                continue
            if chain == earlier.chain and seq >= earlier.seq:
                return True
            reach[chain] = seq
            for at, tips in self.readings.get(chain, {}).values():
                if at <= seq:
                    todo.extend(self.places[tip] for tip in tips if tip in self.places)
        return False


def status(node: MemoryNode, memory: Memory | None) -> str:
    """Return the status of a memory (S-2); `memory` is None where its record is erased, blank or altered."""
    if memory is None:
        return "erased"
    if node.supersedes:
        return "superseded"
    if node.deletes:
        return "deleted"
    return "candidate" if memory.status == "candidate" and not node.confirms else "active"


def fresh_from(at: str, via: str, date: str, *, replaces: bool) -> str:
    """Return the time from which a memory is fresh by its own event (S-6).

    Args:
        at: the event's.
        via: the door through which it came.
        date: the day that its provenance names, "" for none.
        replaces: it has targets.
    """
    if via != "git" or replaces or not date:
        return at
    begin = f"{date[:10]}T00:00:00.000000Z"
    return min(at, begin) if is_instant(begin) else at


def fresh(own: str, confirms: Iterable[str], *, vouched: bool) -> str:
    """Return the time from which a memory is fresh; "" where nothing that its owner stands by says it (S-6, N-24).

    Args:
        own: the time by its own event.
        confirms: when it was confirmed by keys that are not disowned.
        vouched: its own event counts.
    """
    return max([own, *confirms] if vouched else confirms, default="")


def is_disowned(seq: int, ranges: Iterable[tuple[int, int]]) -> bool:
    """Say whether a seq lies in one of these ranges, each from its first up to the one before its second (N-24)."""
    return any(since <= seq < rotate for since, rotate in ranges)


def is_later_part(payload: Mapping[str, Any] | None) -> bool:
    """Say whether a payload only continues the body of another memory (M-9); a blanked one says nothing."""
    part = payload.get("part") if payload else None
    return bool(part and part["n"] > 1)


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
    return State({}, {}, {}, {}, {})


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
    state.places[event.id] = (event.chain, event.seq)
    if event.seen:
        state.readings.setdefault(event.chain, {})[event.id] = (event.seq, event.seen)
    return state


def fold(events: Iterable[Event], state: State | None = None) -> State:
    """Fold `events` onto `state` (default: the empty one) and return it."""
    state = state or INITIAL()
    for event in events:
        state = apply(state, event)
    return state


def is_stale(entry: Entry, stale_before: str) -> bool:
    """Say whether an active memory was not confirmed since the written instant `stale_before`."""
    return entry.status == "active" and entry.fresh_since < stale_before
