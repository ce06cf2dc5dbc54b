"""Finds bullets that a list has twice, as after a merge that kept both sides: they are one entry.

Implements specs/editing.md (D-70, D-71). Pure. What stands apart, and what is said of the line above, is meant each time
(D-71).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from documents.reading.blocks import MAX_BULLET_BYTES
from documents.reading.forms import is_block, unmarked
from documents.reading.memory_units import Unit
from documents.reading.shown_entries import MatchedUnit
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import Memory, record_fault

_ITEM = lazy_pattern(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_OF_ANOTHER = lazy_pattern(r"\[[ xX]\][ \t]|\w+(?:[ \t-]\w+){0,2}:(?:[ \t]|$)")
"""A task, and a field of the line above (`Risk: low`): these are repeated on purpose."""

_FEW = 16
"""So many that came are looked for by their longest words first."""


def doubled(units: Sequence[Unit], base: Collection[bytes]) -> dict[int, int]:
    """Return the lines where a bullet stands that its list has already, with the line of the one that it is.

    Args:
        units: the document's, in its order.
        base: the keys of the blocks of its rendering: what stood there twice stays so.
    """
    found: dict[int, int] = {}
    came = _came(units, base)
    may_say_it = _filter(came)
    for run in _lists(units) if came else ():
        first: dict[str, Unit] = {}
        for unit in sorted(
            filter(may_say_it, run), key=lambda unit: unit.key not in base
        ):  # what stands already comes first
            memory = _bullet(unit)
            said = _said(memory)
            known = first.setdefault(said, unit)
            if known is unit or _OF_ANOTHER.match(said) or (unit.key in base and unit.key != known.key):
                continue
            if (both := _united(known, unit)) is not None:
                first[said] = both
                found[unit.line] = known.line
    return found


def _came(units: Sequence[Unit], base: Collection[bytes]) -> list[Unit]:
    """Return the units that the base does not have, or not as often: one of two that say the same is among these."""
    seen = set[bytes]()
    came = []
    for unit in units:
        if unit.key not in base or unit.key in seen:
            came.append(unit)
        seen.add(unit.key)
    return came


def _filter(came: Sequence[Unit]) -> Callable[[Unit], bool]:
    """Return what says quickly that a unit says nothing that one of these says, where they are few."""
    few = len(came) <= _FEW
    words = {max(_said(_bullet(unit)).split(), key=len, default="") for unit in came} if few else set[str]()

    def may_say_it(unit: Unit) -> bool:
        text = _bullet(unit).text
        return not few or unmarked(text) != text or any(word in text for word in words)

    return may_say_it


def _said(memory: Memory) -> str:
    return " ".join(unmarked(memory.text).split())


def fold_doubled(standing: Sequence[MatchedUnit], twice: Mapping[int, int]) -> list[MatchedUnit]:
    """Return what stands in a document without what it has twice, which goes into the one that it is."""
    by_line = {each.unit.line: each for each in standing}
    for line, first in twice.items():
        each, one = by_line[line], by_line[first]
        both = _united(one.unit, each.unit)
        if both is None:
            continue
        one.unit = both
        one.doubled.append(each.unit)
        entries = [at for at in (one.shown, each.shown) if at is not None]
        entries += [*one.joined, *each.joined]
        one.shown, one.joined = (entries[0], entries[1:]) if entries else (None, [])
        one.part_of = None if entries else one.part_of
        one.once = None if entries else one.once or each.once
    return [each for each in standing if each.unit.line not in twice]


def _lists(units: Sequence[Unit]) -> Iterator[list[Unit]]:
    """Give the bullets that stand in one list: of one section, with nothing but items between them."""
    run: list[Unit] = []
    section = ""
    for unit in units:
        if run and (unit.memory.section != section or not _ITEM.match(unit.source)):
            yield run
            run = []
        section = unit.memory.section
        if not is_block(_bullet(unit)) and not unit.memory.topic:
            run.append(unit)
    if run:
        yield run


def _bullet(unit: Unit) -> Memory:
    return unit.unwrapped or unit.memory


def _united(one: Unit, other: Unit) -> Unit | None:
    """Return a bullet with what stands below either of two, None where no record can hold it."""
    first, second = _bullet(one), _bullet(other)
    bodies = {first.body.strip("\r\n"), second.body.strip("\r\n")} - {""}
    details = tuple(dict.fromkeys([*first.details, *second.details]))
    if len(bodies) > 1 or record_fault({"text": first.text, "details": list(details)}):
        return None
    if sum(len(line.encode()) for line in (first.text, *details)) > MAX_BULLET_BYTES:
        return None
    memory = first._replace(details=details, body=first.body or second.body)
    return replace(one, memory=memory, unwrapped=None, stale=one.stale and other.stale)
