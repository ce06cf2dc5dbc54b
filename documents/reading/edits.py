"""Derives the meaning of a person's edit of a document: additions, changes, moves, confirmations and removals.

Implements specs/editing.md (D-7, D-9, D-10, D-60, D-70), for documents of sections;
`documents.reading.topic_edits` brings the form of topic files. The edited document is compared block by block with the
rendering that it descends from. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from documents.proposal import Proposal
from documents.reading.matching import is_block, keep_in_place, matched
from documents.reading.memory_units import Unit
from documents.reading.shown_entries import MatchedUnit, Shown
from ledger.lazy_pattern import lazy_pattern
from ledger.memory import Memory, Place, Provenance

_OF_ANOTHER = lazy_pattern(r"\[[ xX]\][ \t]|[*_`]*\w+(?:[ \t-]\w+){0,2}[*_`]*:[*_`]*(?:[ \t]|$)")


@dataclass(frozen=True, slots=True)
class Edit:
    """One proposal and its line in the document (from 1), 0 for a removal.

    If `waits` names an untrusted author, that author changed a member of all entries, and the edit waits.
    """

    proposal: Proposal
    line: int = 0
    waits: str = ""


class Form:
    """What a kind of document shows of a memory: this class is for MEMORY.md, overflow files and daily notes.

    Args:
        document: its path relative to the folder.
        returned: the lines of deleted entries that came back; they need a place to stay where they are (D-11).
    """

    def __init__(self, document: str, returned: Collection[int] = ()) -> None:
        self.document = document
        self.returned = returned
        self.where = Provenance(file=document)

    def heading(self, memory: Memory) -> str:
        """Return the heading below which an entry stands."""
        return memory.heading

    def said(self, memory: Memory) -> tuple[object, ...]:
        """Return what the document shows of an entry, without the mark of staleness."""
        return said(memory)

    def is_touched(self, _id: str) -> bool:
        """Return whether something outside of its own block changed an entry."""
        return False

    def created(self, unit: Unit) -> Memory:
        """Return the memory of a new unit."""
        return unit.memory._replace(provenance=self.where._replace(date=unit.memory.provenance.date))

    def merged(self, _id: str, old: Memory, unit: Unit) -> Memory:
        """Return the memory with the document's new content, and all other members unchanged; a person has seen it."""
        new = unit.memory
        return old._replace(
            text=new.text,
            details=new.details,
            body=new.body,
            section=old.section if old.heading == new.section else new.section,
            type=_type_of(old, new),
            source="manual",
            inferred=False,
            provenance=self.where._replace(date=old.provenance.date),
        )

    def moved(self, memory: Memory, unit: Unit) -> Memory:
        """Return a memory under the heading that it moved to."""
        return memory._replace(section=unit.memory.section)

    def is_first(self, stretch: Sequence[MatchedUnit]) -> bool:
        """Return whether units are above the first section: without a place an entry would not stay there."""
        return any(not each.unit.memory.section and each.unit.memory.tier != "daily" for each in stretch)


def compare(
    units: Sequence[Unit],
    headings: Mapping[str, int],
    base: Sequence[Shown],
    *,
    document: str,
    elsewhere: Collection[bytes] = (),
    returned: Collection[int] = (),
) -> list[Edit]:
    """Return the edits that turn the entries of a rendering into the units of the edited document.

    Args:
        units: the document's, in its order, with their keys.
        headings: the person's own headings with their lines, also those with nothing below.
        base: the entries of the rendering in its order; empty if no rendering is known: then nothing is deleted.
        document: its path relative to the folder, for places and provenance.
        elsewhere: the keys of blocks of other current memories: no entry changed into one of these.
        returned: the lines of units that repeat something deleted.

    Returns:
        Edits in the order in which they must become events: of those after the same entry, the
        last first (specs/projections.md P-6).
    """
    standing, gone = stood(units, base, elsewhere)
    _keep_repetitions(standing)
    form = Form(document, returned)
    edits = list(changes(standing, base, form))
    held = {each.unit.memory.section for each in standing}
    held |= {shown.memory.section for shown in base if shown.memory and not shown.key}
    for name, line in headings.items():
        if name not in held:  # the heading stays even if it is empty (I-12)
            blank = Memory(
                name,
                body="\n",
                place=Place(document, _before(line, standing, base)),
                type="note",
                importance="low",
                section=name,
                provenance=form.where,
            )
            edits.append(Edit(Proposal("create", blank), line))
    left = [at for at in gone if base[at].key or _section(base[at]) not in headings]
    return [*edits, *deletions(left, base)]


def _before(line: int, standing: Sequence[MatchedUnit], base: Sequence[Shown]) -> str | None:
    """Return the id of the last entry of the rendering before a line, or None."""
    above = [each for each in standing if each.unit.line < line and each.shown is not None]
    last = max(above, key=lambda each: each.unit.line, default=None)
    return base[last.shown].id if last is not None and last.shown is not None else None


def stood(
    units: Sequence[Unit], base: Sequence[Shown], elsewhere: Collection[bytes] = ()
) -> tuple[list[MatchedUnit], list[int]]:
    """Return the units, each with its entry of the rendering, and the positions in `base` of entries without a unit."""
    twice = doubled(units, base)
    standing = [MatchedUnit(unit) for unit in units if unit.line not in twice]
    gone = matched(standing, base, elsewhere)
    keep_in_place(standing, base)
    return standing, gone


def doubled(units: Sequence[Unit], base: Sequence[Shown]) -> dict[int, int]:
    """Return the lines of bullets that repeat one of their list, as after a merge, with the line of the first (D-70).

    People repeat tasks, and fields of the line above (`Risk: low`), on purpose. A bullet that the rendering has twice
    is no repetition either.
    """
    found: dict[int, int] = {}
    shown = Counter(each.key for each in base)
    first: dict[bytes, int] = {}
    section = ""
    for unit in units:
        if is_block(unit.memory) or unit.memory.topic or unit.memory.section != section:
            first, section = {}, unit.memory.section
        if is_block(unit.memory) or unit.memory.topic or _OF_ANOTHER.match(unit.memory.text):
            continue
        line = first.setdefault(unit.key, unit.line)
        if line != unit.line and shown[unit.key] < 2:
            found[unit.line] = line
    return found


def _keep_repetitions(standing: Sequence[MatchedUnit]) -> None:
    """Make repeated notes of a section different memories (M-8).

    Each repetition gets one more line end after its body than the one before, which no reader sees.
    """
    seen: dict[tuple[str, bytes], int] = {}
    for each in sorted(standing, key=lambda each: each.shown is None):  # existing ones come first
        unit = each.unit
        block = (unit.memory.effective_section, unit.key)
        times = seen[block] = seen.get(block, -1) + 1
        if each.is_new and times:
            text = unit.memory._replace(
                body=unit.source.rstrip("\r\n") + "\n" * (times + 1), type="note", details=()
            )
            each.unit = replace(unit, memory=text)


def changes(standing: Sequence[MatchedUnit], base: Sequence[Shown], form: Form) -> Iterator[Edit]:
    """Yield the additions, changes and moves, section by section."""
    for section in dict.fromkeys(each.unit.memory.section for each in standing):
        inside = [each for each in standing if each.unit.memory.section == section]
        yield from _of_section(inside, base, form)


def deletions(gone: Sequence[int], base: Sequence[Shown]) -> Iterator[Edit]:
    """Yield the removals, except of entries that were erased since."""
    for at in gone:
        if base[at].memory is not None:
            yield Edit(Proposal("delete", None, (base[at].id,)))


def said(memory: Memory) -> tuple[object, ...]:
    """Return what a reader of a document sees of a memory: its heading and its words."""
    body = memory.body.strip("\r\n") if memory.body.strip() else ""
    return (
        memory.heading,
        memory.text.strip(" \t"),
        tuple(detail.strip(" \t") for detail in memory.details),
        body if memory.type != "note" or not body else ("note", body),
    )


def come_back(old: Memory, new: Memory) -> Memory:
    """Return a deleted memory with the content and place in which it came back, and all other members unchanged (D-11)."""
    where = old.provenance._replace(file=new.provenance.file, date=new.provenance.date or old.provenance.date)
    return old._replace(
        text=new.text,
        details=new.details,
        body=new.body,
        part=None,
        title=new.title or ("" if new.topic else old.title),
        section=new.section,
        topic=new.topic,
        tier=new.tier if "daily" in (old.tier, new.tier) else old.tier,
        place=new.place,
        type=_type_of(old, new),
        tags=new.tags or old.tags,
        when_to_use=new.when_to_use or old.when_to_use,
        status="active",
        provenance=where,
    )


def _type_of(old: Memory, new: Memory) -> str:
    """Return the type of an edited entry: its old one, unless it became a note or a bullet (D-60)."""
    if is_block(new):
        return "note"
    return new.type if old.type == "note" and (old.body or new.body) else old.type


# --- what became of each ---


def _section(shown: Shown) -> str:
    return shown.memory.section if shown.memory else ""


def _of_section(inside: Sequence[MatchedUnit], base: Sequence[Shown], form: Form) -> Iterator[Edit]:
    """Yield the edits of one section: changes in place, then additions and moves, stretch by stretch."""
    anchor: str | None = None
    stretch: list[MatchedUnit] = []
    for each in inside:
        if each.shown is not None and each.kept and not _came_from_elsewhere(each, base, form):
            place = Place(form.document, anchor)
            yield from _changed(each, base, place, form)  # older than what came before it
            yield from _came(stretch, base, place, form, followed=True)
            stretch = []
            anchor = base[each.shown].id
        else:
            stretch.append(each)
    yield from _came(stretch, base, Place(form.document, anchor), form, followed=False)


def _came_from_elsewhere(each: MatchedUnit, base: Sequence[Shown], form: Form) -> bool:
    memory = base[each.shown].memory if each.shown is not None else None
    return memory is not None and form.heading(memory) != each.unit.memory.section


def _changed(each: MatchedUnit, base: Sequence[Shown], place: Place, form: Form) -> Iterator[Edit]:
    """Yield the edit of a unit that stayed where it was.

    A placed entry names its place again: otherwise its new version would come before its older neighbours.
    """
    shown = base[each.shown or 0]
    unit, memory = each.unit, shown.memory
    if memory is None or (unit.key == shown.key and not form.is_touched(shown.id)):
        return
    merged = form.merged(shown.id, memory, unit)
    if form.said(merged) != form.said(memory):
        if memory.place is not None:
            merged = merged._replace(place=place)
        yield Edit(Proposal("supersede", merged, (shown.id,)), unit.line)
    elif shown.stale and not unit.stale:
        yield Edit(Proposal("confirm", None, (shown.id,)), unit.line)


def _came(
    stretch: Sequence[MatchedUnit], base: Sequence[Shown], place: Place, form: Form, *, followed: bool
) -> Iterator[Edit]:
    """Yield the additions and moves after one entry.

    A new entry at the end of a section needs no place: it is the newest there. Every other entry names the one that it
    follows; the last of several comes first.
    """
    stretch = [each for each in stretch if each.shown is None or base[each.shown].memory is not None]
    without_place = not followed and all(each.is_new and each.unit.memory.type != "note" for each in stretch)
    placed = not without_place or form.is_first(stretch)
    placed = placed or any(each.unit.line in form.returned for each in stretch)
    for each in stretch[::-1] if placed else stretch:
        line = each.unit.line
        old = base[each.shown] if each.shown is not None else None
        if old is not None and old.memory is not None:
            memory = form.moved(form.merged(old.id, old.memory, each.unit), each.unit)
            yield Edit(Proposal("supersede", memory._replace(place=place), (old.id,)), line)
        else:
            memory = form.created(each.unit)
            yield Edit(Proposal("create", memory._replace(place=place) if placed else memory), line)
