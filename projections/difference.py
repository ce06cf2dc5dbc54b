"""What was learned, changed, forgotten, confirmed and erased between two instants of one ledger.

Implements specs/projections.md (P-97). Pure: the caller gives a lookup of memories for each instant, and the events
between them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from ledger.fold import Entry, age
from ledger.memory import Memory
from projections.layout import Lookup

_NOT_COMPARED = frozenset({"provenance", "part", "place", "status", "unknown"})
"""Members about a record's origin, storage and place; they are not part of its statement."""

_IN_LINES = frozenset({"details", "when_to_use"})


@dataclass(frozen=True, slots=True)
class VersionChange:
    """Memories that were current, and the one that replaced them: a correction, a merge, one side of a conflict."""

    old: tuple[Entry, ...]
    new: Entry


@dataclass(frozen=True, slots=True)
class Forgotten:
    """A memory that was current, as it was then, and the id of the event that ended it, or "" if unknown."""

    entry: Entry
    by: str


@dataclass(frozen=True, slots=True)
class Difference:
    """The changes between two instants; each list in the order in which its memories were learned."""

    learned: tuple[Entry, ...] = ()
    changed: tuple[VersionChange, ...] = ()
    forgotten: tuple[Forgotten, ...] = ()
    confirmed: tuple[Entry, ...] = ()
    erased: tuple[Entry, ...] = ()
    came_and_went: int = 0


def difference(touched: Iterable[str], erased: Collection[str], before: Lookup, after: Lookup) -> Difference:
    """Return what became of the memories of a ledger.

    Args:
        touched: the ids of the events between the instants, and of all that these point at, each once.
        erased: those of them that one of these erases.
        before: finds the memories of the first instant by full id.
        after: finds those of the second.
    """
    now = sorted((entry for entry in map(after, touched) if entry), key=age)
    then = {entry.id: before(entry.id) for entry in now}
    learned, changed, confirmed = [], [], []
    replaced: set[str] = set()
    for entry in now:
        old = then[entry.id]
        if old is None and entry.live:
            if stood := tuple(_that_stood(entry, before, after)):
                changed.append(VersionChange(stood, entry))
                replaced.update(each.id for each in stood)
            else:
                learned.append(entry)
        elif old is not None and old.live and entry.live and _state(old) != _state(entry):
            confirmed.append(entry)
    gone = [old for old in then.values() if old is not None and old.live]
    forgotten = [
        Forgotten(old, _ended_by(old.id, after))
        for old in gone
        if not (old.id in replaced or old.id in erased or _stands(after(old.id)))
    ]
    passed = [entry for entry in now if then[entry.id] is None and not entry.live and entry.id not in erased]
    return Difference(
        tuple(learned),
        tuple(changed),
        tuple(forgotten),
        tuple(confirmed),
        tuple(entry for entry in now if entry.id in erased),
        len(passed),
    )


def _state(entry: Entry) -> tuple[str, str]:
    return entry.status, entry.fresh_since


def _stands(entry: Entry | None) -> bool:
    return entry is not None and entry.live


def _that_stood(entry: Entry, before: Lookup, after: Lookup) -> Iterator[Entry]:
    """Yield the earlier memories that a memory supersedes, step by step."""
    todo, seen = list(reversed(entry.supersedes)), set[str]()
    while todo:
        id_ = todo.pop()
        if id_ in seen:
            continue
        seen.add(id_)
        old, new = before(id_), after(id_)
        if old is not None and old.live:
            yield old
        elif new is not None:
            todo += reversed(new.supersedes)


def _ended_by(id_: str, after: Lookup) -> str:
    """Return the delete that ended a memory or its replacement."""
    todo, seen = [id_], set[str]()
    while todo:
        entry = after(todo.pop())
        if entry is None or entry.id in seen:
            continue
        seen.add(entry.id)
        if entry.superseded_by:
            todo += entry.superseded_by
        elif entry.deleted_by:
            return entry.deleted_by[0]
    return ""


@dataclass(frozen=True, slots=True)
class MemberDifference:
    """A member of a record that differs between two versions, as text."""

    name: str
    old: str
    new: str


def changed_members(old: Memory, new: Memory) -> tuple[MemberDifference, ...]:
    """Return the members that differ between two versions, in the order of the record."""
    names = [name for name in Memory._fields if name not in _NOT_COMPARED]
    pairs = [(name, getattr(old, name), getattr(new, name)) for name in names]
    return tuple(
        MemberDifference(name, _text(name, was), _text(name, now)) for name, was, now in pairs if was != now
    )


def _text(name: str, value: object) -> str:
    if isinstance(value, tuple):
        return ("\n" if name in _IN_LINES else ", ").join(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.2f}" if isinstance(value, float) else str(value)
