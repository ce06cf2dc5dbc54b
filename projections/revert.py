"""Revert: plans the commands that undo some events and leave later ones alone.

Implements specs/cli.md (X-24…X-27). Pure planning over two questions that the index or the fold answers; the
ledger validates and signs the commands. The result must equal the fold without the reverted events: each memory
has the status that it would have without them (S-2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ledger.command import Command, Delete, Supersede
from ledger.errors import StateError
from ledger.fold import Entry
from ledger.memory import Memory
from ledger.schema import MAX_TARGETS, MEMORY_KINDS
from ledger.view import statement_key

UNDOABLE = MEMORY_KINDS | {"delete", "confirm"}
NOTHING_LEFT = "nothing is left of what it did"
ONLY_REFRESHED = "it only refreshed a date, which cannot be undone"

_SETTLING = ("supersede", "delete")
_SHOWN = 8


class Done(Protocol):
    """An event to undo, such as a row of the timeline."""

    @property
    def id(self) -> str:
        """Its full id."""

    @property
    def seq(self) -> int:
        """Its place in the chain, or among the events of several chains."""

    @property
    def kind(self) -> str:
        """Its kind."""

    @property
    def targets(self) -> tuple[str, ...]:
        """The ids that it points at."""


EntryOf = Callable[[str], Entry | None]
"""Returns the memory with a full id; None if no memory has it."""

PointingAt = Callable[[str], Iterable[tuple[str, str]]]
"""Returns id and kind of every event that points at the event with a full id."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a revert.

    `commands` go into one batch; `undone` are the events that they undo, newest first; `skipped` gives the
    reason for each other event. `deleted` and `restored` are memories.
    """

    commands: tuple[Command, ...]
    undone: tuple[str, ...]
    skipped: Mapping[str, str]
    deleted: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()


def plan(events: Iterable[Done], entry_of: EntryOf, pointing_at: PointingAt, reason: str = "") -> Plan:
    """Return the commands that undo these events, newest first.

    Args:
        events: the events to undo, in any order.
        entry_of: returns the present state of a memory.
        pointing_at: returns the events that point at a memory.
        reason: the reason in each delete.

    Raises:
        StateError: an event cannot be undone, or later events that are not among these build on it (named).
    """
    newest_first = sorted(events, key=lambda event: -event.seq)
    work = _Revert(newest_first, entry_of, pointing_at)
    for event in newest_first:
        work.check(event)
    for event in newest_first:
        work.bring_back(event)
    for event in newest_first:
        work.take_away(event)
    return work.plan(reason)


def named(ids: Iterable[str]) -> str:
    """Return ids as a message names them: short, and only as many as fit in a line."""
    each = list(dict.fromkeys(ids))
    more = f" and {len(each) - _SHOWN} more" if len(each) > _SHOWN else ""
    return ", ".join(id_[:12] for id_ in each[:_SHOWN]) + more


class _Revert:
    """One planning: the events, and the commands so far."""

    def __init__(self, events: Sequence[Done], entry_of: EntryOf, pointing_at: PointingAt) -> None:
        self._events = events
        self._entry_of = entry_of
        self._pointing_at = pointing_at
        self._reverted = {event.id for event in events}
        self._made = {event.id for event in events if event.kind in MEMORY_KINDS}
        self._closed: dict[str, str] = {}  # memories made by these events that later ones settled, and how
        self._brought_back: dict[str, None] = {}
        self._taken: set[str] = set()  # live memories that a restore replaces
        self._away: list[str] = []
        self._undone: set[str] = set()
        self._why: dict[str, str] = {}
        self._restores: list[Command] = []

    # --- obstacles ---

    def check(self, event: Done) -> None:
        """Refuse an event that cannot be undone; note one that later events settled."""
        if event.kind not in UNDOABLE:
            raise StateError(
                f"{event.id[:12]} is {_article(event.kind)} event, which cannot be undone: name other events"
            )
        if event.id not in self._made:
            return
        entry = self._entry_of(event.id)
        if entry is None:
            raise StateError(f"{event.id[:12]} only continues the body of another memory: revert that one")
        later = [(id_, kind) for id_, kind in self._pointing_at(event.id) if id_ not in self._reverted]
        on_top = [id_ for id_, kind in later if self._builds_on(entry, id_, kind)]
        if on_top:
            raise StateError(
                f"{named(on_top)} came later and builds on {event.id[:12]}: revert that too, or leave both"
            )
        if entry.status == "erased":
            self._closed[event.id] = "it is erased"
        for id_, kind in later:
            if kind in _SETTLING:
                self._closed.setdefault(event.id, f"{id_[:12]} came later and acted on it ({kind})")

    def _builds_on(self, entry: Entry, later: str, kind: str) -> bool:
        """Return whether reverting `entry` would remove something that a later event builds on."""
        if kind == "confirm":
            return entry.live
        if kind != "supersede":
            return False
        before = {statement_key(old.memory) for old in self._replaced(entry) if old.id not in self._made}
        heir = self._entry_of(later)
        undoes = heir is not None and statement_key(heir.memory) in before
        return not undoes and any(one.live for one in self._descent(later))

    def _replaced(self, entry: Entry) -> Iterator[Entry]:
        """Yield the memories that led to `entry`: those of these events, and the older ones that these replaced."""
        return self._walk(entry.supersedes, lambda old: old.supersedes if old.id in self._made else ())

    def _descent(self, id_: str) -> Iterator[Entry]:
        """Yield a memory and all that replaced it, step by step."""
        return self._walk([id_], lambda one: one.superseded_by)

    def _walk(self, ids: Iterable[str], further: Callable[[Entry], Sequence[str]]) -> Iterator[Entry]:
        """Yield each memory that these ids, and those that `further` returns, lead to."""
        todo, seen = list(ids), set[str]()
        while todo:
            id_ = todo.pop()
            if id_ in seen or (found := self._entry_of(id_)) is None:
                continue
            seen.add(id_)
            yield found
            todo.extend(further(found))

    # --- memories to restore ---

    def bring_back(self, event: Done) -> None:
        """Plan to restore the memories that an event replaced, deleted or promoted."""
        for target in event.targets:
            if target in self._made or target in self._brought_back:
                continue
            entry = self._entry_of(target)
            if entry is None or entry.status == "erased":
                self._why.setdefault(event.id, "what it was about is erased")
                continue
            wanted = self._status_without(event, entry)
            if wanted is None or wanted == entry.status:
                continue
            path = [] if entry.live else self._path_from(target)
            if path is not None:
                self._restore(entry, wanted, path)

    def _status_without(self, event: Done, entry: Entry) -> str | None:
        """Return the status of a memory without these events, None if it would not be current (S-2)."""
        others = [(id_, kind) for id_, kind in self._pointing_at(entry.id) if id_ not in self._reverted]
        for id_, kind in others:
            if kind in _SETTLING:
                self._why.setdefault(event.id, f"{id_[:12]} settled it ({kind})")
                return None
        confirmed = any(kind == "confirm" for _, kind in others)
        return "candidate" if entry.memory.status == "candidate" and not confirmed else "active"

    def _path_from(self, target: str) -> list[str] | None:
        """Return these events' memories that replaced `target`; None if later events settled them all."""
        path: list[str] = []
        todo, deleted, settled = [target], False, False
        while todo:
            for id_, kind in self._pointing_at(todo.pop()):
                if id_ not in self._reverted:
                    continue
                deleted = deleted or kind == "delete"
                settled = settled or id_ in self._closed
                if id_ in self._made and id_ not in self._closed and id_ not in path:
                    path.append(id_)
                    todo.append(id_)
        if any(map(self._is_live, path)) or (deleted and not settled):
            return path
        return None

    def _is_live(self, id_: str) -> bool:
        entry = self._entry_of(id_)
        return entry is not None and entry.live

    def _restore(self, entry: Entry, status: str, path: Sequence[str]) -> None:
        """Write a memory again. It supersedes its replacement if that is current and has the same place in the order.

        A merge has the place of its first target (S-7), so the others are restored beside it.
        """
        heirs = (self._entry_of(id_) for id_ in reversed(path) if id_ not in self._taken)
        standing = (heir.id for heir in heirs if heir and heir.live and heir.order == entry.order)
        replacing = next(standing, entry.id)
        again = record_again(entry, status)
        self._restores.append(
            Supersede((replacing,), again, restore=replacing == entry.id and not entry.live)
        )
        self._brought_back[entry.id] = None
        self._taken.add(replacing)
        self._undone.update(path)
        for id_, kind in self._pointing_at(entry.id):
            if (
                id_ in self._reverted
                and id_ not in self._closed
                and (kind != "confirm" or status == "candidate")
            ):
                self._undone.add(id_)

    # --- memories to delete ---

    def take_away(self, event: Done) -> None:
        """Plan to delete a memory of these events, unless a restore replaces it."""
        if event.id not in self._made or event.id in self._closed:
            return
        entry = self._entry_of(event.id)
        if entry is None or not entry.live:
            return
        self._undone.add(event.id)
        self._undone.update(old.id for old in self._replaced(entry) if old.id in self._made)
        if event.id not in self._taken:
            self._away.append(event.id)

    # --- the result ---

    def plan(self, reason: str) -> Plan:
        """Return the plan, with the reason for each skipped event."""
        deletes = [
            Delete(tuple(self._away[at : at + MAX_TARGETS]), reason)
            for at in range(0, len(self._away), MAX_TARGETS)
        ]
        undone = tuple(event.id for event in self._events if event.id in self._undone)
        skipped = {event.id: self._reason(event) for event in self._events if event.id not in self._undone}
        return Plan(
            (*self._restores, *deletes), undone, skipped, tuple(self._away), tuple(self._brought_back)
        )

    def _reason(self, event: Done) -> str:
        if event.id in self._closed:
            return self._closed[event.id]
        if event.kind == "confirm":
            return ONLY_REFRESHED
        return self._why.get(event.id, NOTHING_LEFT)


def record_again(entry: Entry, status: str) -> Memory:
    """Return a memory's record for a new event: whole, with this status, on its old day."""
    memory = entry.memory.with_changes(part=None, status=status)
    if memory.tier == "daily" and not memory.provenance.date:
        memory = memory.with_changes(provenance=memory.provenance._replace(date=entry.learned[:10]))
    return memory


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
