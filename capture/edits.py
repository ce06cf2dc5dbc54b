"""Says what a person's edit of a document means: what it adds, changes, moves, confirms and takes out.

Implements specs/editing.md (D-3, D-7, D-9 and D-10). The edited document is compared block by block with the rendering that
it descends from. Pure: a block is known by a key that the caller makes, since the text of a rendering is kept
nowhere; what the rendering's entries say comes from the log.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher

from capture.memory_units import Unit
from capture.proposal import Proposal
from ledger.memory import Memory, Place, Provenance

CHANGED = 0.5
"""From this likeness on (0 to 1, `difflib`) a block that came where another went is that one, changed."""

_MOST_PAIRS = 20_000
_LOOKED_AT = 300
"""So many characters of a block are compared: likeness takes the square of the time."""


@dataclass(frozen=True, slots=True)
class Shown:
    """An entry as a rendering showed it.

    `key` is that of its block, b"" where it has no lines; `memory` what it says, None where that was erased;
    `stale` tells that it bore the mark.
    """

    id: str
    key: bytes
    memory: Memory | None
    stale: bool = False


@dataclass(frozen=True, slots=True)
class Edit:
    """One proposal, and the line of the document (from 1) that it comes from; 0 for what is gone from it."""

    proposal: Proposal
    line: int = 0


@dataclass(slots=True)
class _Standing:
    """A unit of the document, and the entry of the rendering that it is; `kept` where it stayed in its place."""

    unit: Unit
    shown: int | None = None
    kept: bool = False
    edits: list[Proposal] = field(default_factory=list)


def compare(
    units: Sequence[Unit],
    headings: Mapping[str, int],
    base: Sequence[Shown],
    *,
    document: str,
) -> list[Edit]:
    """Return what makes the entries of a rendering into the units of the document that a person made of it.

    Args:
        units: the document's, in its order, with their keys.
        headings: the person's own headings with their lines, also those with nothing below.
        base: what the rendering showed, in its order; empty where none is known, and then nothing is deleted.
        document: its path relative to the folder, for places and provenance.

    Returns:
        Edits in the order in which they must become events: of those that stand behind the same entry, the
        last first (specs/projections.md P-6).
    """
    standing = [_Standing(unit) for unit in units]
    gone = _matched(standing, base)
    _keep_in_place(standing, base)
    where = Provenance(file=document)
    edits: list[Edit] = []
    for section in dict.fromkeys(each.unit.memory.section for each in standing):
        inside = [each for each in standing if each.unit.memory.section == section]
        edits += _of_section(inside, base, document, where)
    held = {each.unit.memory.section for each in standing}
    held |= {shown.memory.section for shown in base if shown.memory and not shown.key}
    for name, line in headings.items():
        if name not in held:  # it stands all the same (I-12)
            blank = Memory(name, body="\n", type="note", importance="low", section=name, provenance=where)
            edits.append(Edit(Proposal("create", blank), line))
    for at in gone:
        shown = base[at]
        if shown.memory is None or (not shown.key and shown.memory.section in headings):
            continue
        edits.append(Edit(Proposal("delete", None, (shown.id,))))
    return edits


def said(memory: Memory) -> tuple[object, ...]:
    """Return what a reader of a document sees of a memory: where it stands and what it says."""
    body = memory.body.strip("\r\n") if memory.body.strip() else ""
    return (
        memory.heading,
        memory.text.strip(" \t"),
        tuple(detail.strip(" \t") for detail in memory.details),
        body if memory.type != "note" or not body else ("note", body),
    )


# --- which unit is which entry ---


def _matched(standing: list[_Standing], base: Sequence[Shown]) -> list[int]:
    """Find the entry that each unit is; return the positions of entries that no unit is."""
    with_lines = [at for at, shown in enumerate(base) if shown.key]
    keys = [each.unit.key for each in standing]
    blocks = SequenceMatcher(
        None, [base[at].key for at in with_lines], keys, autojunk=False
    ).get_matching_blocks()
    left = set(with_lines)
    for ours, theirs, size in blocks:
        for step in range(size):
            standing[theirs + step].shown = with_lines[ours + step]
            left.discard(with_lines[ours + step])
    elsewhere: dict[bytes, list[int]] = {}
    for at in sorted(left, reverse=True):
        elsewhere.setdefault(base[at].key, []).append(at)
    for each in standing:
        if each.shown is None and (found := elsewhere.get(each.unit.key)):
            each.shown = found.pop()
            left.discard(each.shown)
    for come, went in _gaps(standing, left):
        if len(come) * len(went) <= _MOST_PAIRS:
            _pair(come, went, base, left, CHANGED)
        rest = [each for each in come if each.shown is None]
        unpaired = [at for at in went if at in left]
        if len(rest) == len(unpaired):
            for each, at in zip(rest, unpaired, strict=True):
                if _same_form(each.unit, base[at]):
                    each.shown = at
                    left.discard(at)
    come = [each for each in standing if each.shown is None]
    if len(come) * len(left) <= _MOST_PAIRS:
        _pair(come, sorted(left), base, left, 0.8)
    return sorted(left | {at for at, shown in enumerate(base) if not shown.key})


def _gaps(
    standing: Sequence[_Standing], left: Collection[int]
) -> Iterator[tuple[list[_Standing], list[int]]]:
    """Give what came and what went between each two neighbours that both documents have."""
    went = sorted(left)
    come: list[_Standing] = []
    before = -1
    for each in [*standing, None]:
        if each is not None and each.shown is None:
            come.append(each)
            continue
        after = each.shown if each is not None and each.shown is not None else None
        if come:
            upper = len(went) if after is None else bisect_left(went, after)
            lower = bisect_left(went, before)
            yield come, went[lower:upper] if lower <= upper else []
            come = []
        if after is not None:
            before = after


def _pair(
    come: Iterable[_Standing], went: Sequence[int], base: Sequence[Shown], left: set[int], least: float
) -> None:
    """Let what is alike be the same, the most alike first."""
    pairs = []
    for each in come:
        matcher = SequenceMatcher(None, autojunk=False)
        matcher.set_seq2(_words(each.unit.memory))
        for at in went:
            memory = base[at].memory
            if memory is None or not _same_form(each.unit, base[at]):
                continue
            matcher.set_seq1(_words(memory))
            if matcher.real_quick_ratio() < least or matcher.quick_ratio() < least:
                continue
            if (likeness := matcher.ratio()) >= least:
                pairs.append((likeness, -at, each))
    for _, at, each in sorted(pairs, key=lambda pair: pair[:2], reverse=True):
        if each.shown is None and -at in left:
            each.shown = -at
            left.discard(-at)


def alike(before: Memory, now: Memory) -> bool:
    """Say whether one block may well be the other, changed."""
    return SequenceMatcher(None, _words(before), _words(now), autojunk=False).ratio() >= CHANGED


def _words(memory: Memory) -> str:
    return "\n".join((memory.text, *memory.details, memory.body))[:_LOOKED_AT].casefold()


def _same_form(unit: Unit, shown: Shown) -> bool:
    return shown.memory is not None and (unit.memory.type == "note") == (shown.memory.type == "note")


# --- what stayed in its place ---


def _keep_in_place(standing: Sequence[_Standing], base: Sequence[Shown]) -> None:
    """Mark the units that stand in the order of the rendering: as many as can be; the others were moved."""
    known = [each for each in standing if each.shown is not None]
    for at in _longest_rising([each.shown or 0 for each in known]):
        known[at].kept = True
    ids = {base[each.shown].id: each for each in known if each.shown is not None}
    moved = True
    while moved:  # what follows a block that was moved would go with it
        moved = False
        for each in known:
            memory = base[each.shown].memory if each.shown is not None else None
            if each.kept and memory and memory.place and memory.place.after:
                anchor = ids.get(memory.place.after)
                if anchor is not None and not anchor.kept:
                    each.kept, moved = False, True


def _longest_rising(numbers: Sequence[int]) -> list[int]:
    """Return the positions of a longest rising subsequence (patience sorting)."""
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for at, number in enumerate(numbers):
        pile = bisect_left(tops, number)
        if pile == len(tops):
            tops.append(number)
            ends.append(at)
        else:
            tops[pile], ends[pile] = number, at
        before.append(ends[pile - 1] if pile else -1)
    found = []
    at = ends[-1] if ends else -1
    while at >= 0:
        found.append(at)
        at = before[at]
    return found[::-1]


# --- what became of each ---


def _of_section(
    inside: Sequence[_Standing], base: Sequence[Shown], document: str, where: Provenance
) -> Iterator[Edit]:
    """Give the edits of one section: changes in place, and what came or moved, stretch by stretch."""
    anchor: str | None = None
    stretch: list[_Standing] = []
    for each in inside:
        if each.shown is not None and each.kept and not _came_from_elsewhere(each, base):
            place = Place(document, anchor)
            yield from _changed(each, base[each.shown], place, where)  # older than what came before it
            yield from _came(stretch, base, place, where, followed=True)
            stretch = []
            anchor = base[each.shown].id
        else:
            stretch.append(each)
    yield from _came(stretch, base, Place(document, anchor), where, followed=False)


def _came_from_elsewhere(each: _Standing, base: Sequence[Shown]) -> bool:
    memory = base[each.shown].memory if each.shown is not None else None
    return memory is not None and memory.heading != each.unit.memory.section


def _changed(each: _Standing, shown: Shown, place: Place, where: Provenance) -> Iterator[Edit]:
    """Give the edit of a unit that stayed where it was.

    One that was placed names its place anew: its new version would else come before its older neighbours.
    """
    unit, memory = each.unit, shown.memory
    if memory is None or unit.key == shown.key:
        return
    if said(unit.memory) != said(memory):
        merged = _merged(memory, unit.memory, where)
        if memory.place is not None:
            merged = replace(merged, place=place)
        yield Edit(Proposal("supersede", merged, (shown.id,)), unit.line)
    elif shown.stale and not unit.stale:
        yield Edit(Proposal("confirm", None, (shown.id,)), unit.line)


def _came(
    stretch: Sequence[_Standing], base: Sequence[Shown], place: Place, where: Provenance, *, followed: bool
) -> Iterator[Edit]:
    """Give what is new or moved behind one entry.

    What is new at the end of a section needs no place: it is the newest there. All else names the entry that
    it follows, and of several the last comes first.
    """
    stretch = [each for each in stretch if each.shown is None or base[each.shown].memory is not None]
    without_place = not followed and all(
        each.shown is None and each.unit.memory.type != "note" for each in stretch
    )
    preamble = any(not each.unit.memory.section for each in stretch) and not _is_daily(stretch)
    if not without_place or preamble:
        stretch = stretch[::-1]
    for each in stretch:
        unit = each.unit
        memory = replace(unit.memory, provenance=replace(where, date=unit.memory.provenance.date))
        if not without_place or preamble:
            memory = replace(memory, place=place)
        if each.shown is None:
            yield Edit(Proposal("create", memory), unit.line)
            continue
        old = base[each.shown]
        if old.memory is not None:
            merged = replace(
                _merged(old.memory, unit.memory, where), section=unit.memory.section, place=place
            )
            yield Edit(Proposal("supersede", merged, (old.id,)), unit.line)


def _is_daily(stretch: Sequence[_Standing]) -> bool:
    return any(each.unit.memory.tier == "daily" for each in stretch)


def _merged(old: Memory, new: Memory, where: Provenance) -> Memory:
    """Return the memory with what the document says now, and all else as it was; a person has seen it."""
    return replace(
        old,
        text=new.text,
        details=new.details,
        body=new.body,
        section=old.section if old.heading == new.section else new.section,
        source="manual",
        inferred=False,
        provenance=replace(where, date=old.provenance.date),
    )
