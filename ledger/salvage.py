"""Salvage: the contents of good events that are no longer in a chain, such as those that a recovery set aside.

Implements specs/import.md (I-25). Pure: lines in, memories and reasons out; the caller signs them again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field, replace

from ledger.check import CheckedLine, LineChecker, Link
from ledger.errors import FormatError
from ledger.event import event_id, split_line
from ledger.memory import Memory
from ledger.reader import RawLine
from ledger.schema import MEMORY_KINDS

OPENING = b'{"event":'
"""How each line of a chain begins (E-1)."""

_ERASED = "its text was erased"
_PARTS = "parts of a text whose other parts are missing"


@dataclass(frozen=True, slots=True)
class SalvagedMemory:
    """A memory that a good line says: the line's number (from 1), its event's id, and the memory as it stood."""

    line: int
    id: str
    memory: Memory


@dataclass(frozen=True, slots=True)
class Pointing:
    """A good line that does something to memories of other lines: its number, kind and targets."""

    line: int
    id: str
    kind: str
    targets: tuple[str, ...]


@dataclass(slots=True)
class Salvage:
    """What was found in a file of events.

    `good` counts the lines, not known before, whose signature is the ledger's. `found` are the memories that
    would stand had these events followed each other; `pointing` what was done to memories that are not among
    these lines; `untaken` says of each line that could not be read, or not whole, why.
    """

    good: int = 0
    found: list[SalvagedMemory] = field(default_factory=list)
    pointing: list[Pointing] = field(default_factory=list)
    untaken: dict[int, str] = field(default_factory=dict)


@dataclass(slots=True)
class _Pile:
    """Good lines before they are put together."""

    said: dict[str, tuple[int, str, CheckedLine]] = field(default_factory=dict)
    parts: dict[str, dict[int, tuple[int, str]]] = field(default_factory=dict)
    pointing: list[Pointing] = field(default_factory=list)
    blank: dict[str, int] = field(default_factory=dict)


def salvage(
    lines: Iterable[RawLine],
    keys: Collection[bytes],
    known: Callable[[str], bool] = lambda _id: False,
    erased: Collection[str] = (),
) -> Salvage:
    """Read lines that follow no chain, each for itself.

    Args:
        lines: the lines of the file.
        keys: the public keys (32 bytes each); one of them must have signed a line.
        known: returns whether an event is in the chain already; its line is skipped.
        erased: ids that an erase in the chain names.
    """
    result, pile = Salvage(), _Pile()
    for number, line in enumerate(lines, 1):
        checked, why = _checked(line.raw, number, keys, known)
        if checked:
            result.good += 1
            _sort(pile, number, checked)
        if why:
            result.untaken[number] = why
    gone = {*erased, *(id_ for each in pile.pointing if each.kind == "erase" for id_ in each.targets)}
    _put_together(result, pile, gone)
    return result


def _checked(
    raw: bytes, number: int, keys: Collection[bytes], known: Callable[[str], bool]
) -> tuple[CheckedLine | None, str]:
    """Return a line whose head is good, and what is wrong with the line; neither for one that is known."""
    try:
        if known(event_id(split_line(raw).head)):
            return None, ""
    except FormatError:
        pass  # the checker says what it is
    why = "no key of this ledger is known"
    for key in keys:
        # What stood before the line is not here: its place in a chain cannot be judged (V-5).
        checker = LineChecker(Link(0, "", "", 0, key, "", "", broken=True), number - 1)
        checked = checker.take(raw)
        why = checker.findings[-1].message if checker.findings else ""
        if checked:
            return checked, why
    return None, why


def _sort(pile: _Pile, number: int, checked: CheckedLine) -> None:
    """Put a line with a good head where it belongs."""
    head, id_, kind = checked.head, checked.id, checked.head["kind"]
    if targets := tuple(head.get("targets", ())):
        pile.pointing.append(Pointing(number, id_, kind, targets))
    if kind not in MEMORY_KINDS or checked.state == "bad":
        return
    payload = checked.payload
    if payload is None:
        pile.blank[id_] = number
        return
    part = payload.get("part")
    if part and part["n"] > 1:
        pile.parts.setdefault(part["first"], {})[part["n"]] = (number, payload.get("body", ""))
    else:
        pile.said[id_] = (number, head.get("at", head["ts"]), checked)


def _put_together(result: Salvage, pile: _Pile, gone: Collection[str]) -> None:
    """Join parts, and do to the memories what later lines did to them."""
    whole: dict[str, SalvagedMemory] = {}
    for id_, (number, at, checked) in pile.said.items():
        memory = Memory.from_payload(checked.payload or {})
        rest = pile.parts.pop(id_, {})
        if id_ in gone:
            continue
        if memory.part:
            if sorted(rest) != list(range(2, memory.part.of + 1)):
                result.untaken.update(dict.fromkeys([number, *(line for line, _ in rest.values())], _PARTS))
                continue
            memory = memory._replace(body=memory.body + "".join(rest[n][1] for n in sorted(rest)), part=None)
        provenance = memory.provenance
        dated = provenance if provenance.date else provenance._replace(date=at)
        whole[id_] = SalvagedMemory(number, id_, memory._replace(place=None, provenance=dated))
    result.untaken.update((line, _ERASED) for id_, line in pile.blank.items() if id_ not in gone)
    for first, rest in pile.parts.items():
        if first not in gone:
            result.untaken.update((line, _PARTS) for line, _ in rest.values())
    _point(result, pile, whole)


def _point(result: Salvage, pile: _Pile, whole: dict[str, SalvagedMemory]) -> None:
    away: set[str] = set()
    confirmed: set[str] = set()
    for each in pile.pointing:
        if each.kind == "delete" or (each.kind == "supersede" and each.id in whole):
            away.update(each.targets)
        elif each.kind == "confirm":
            confirmed.update(each.targets)
        others = tuple(id_ for id_ in each.targets if id_ not in pile.said and id_ not in pile.blank)
        if others:
            result.pointing.append(replace(each, targets=others))
    for id_, found in whole.items():
        if id_ not in away:
            stands = found.memory._replace(status="active") if id_ in confirmed else found.memory
            result.found.append(replace(found, memory=stands))
