"""What lies between two instants of one ledger (P-97)."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from ledger.event import Event
from ledger.fold import Entry
from ledger.memory import Memory
from projections.difference import Difference, MemberDifference, changed_members, difference
from tests.projections.made_up import event, folded, id_of, logs
from tests.projections.reference import StateSource


def blanked(events: Sequence[Event]) -> list[Event]:
    """Return a log as its chain reads: what was erased says nothing, also to who looks at the time before."""
    gone = {target for each in events if each.kind == "erase" for target in each.targets}
    return [each._replace(payload=None, erased=True) if each.id in gone else each for each in events]


def between(events: Sequence[Event], first: int, second: int) -> Difference:
    """Return the difference of a log after `first` events and after `second`."""
    events = blanked(events)
    middle = events[first:second]
    touched = {id_ for each in middle for id_ in (each.id, *each.targets)}
    erased = {target for each in middle if each.kind == "erase" for target in each.targets}
    return difference(touched, erased, source(events[:first]).entry, source(events[:second]).entry)


def source(events: Sequence[Event]) -> StateSource:
    """Return what finds the memories of a log."""
    return StateSource(folded(events))


def standing(events: Sequence[Event]) -> set[str]:
    """Return the ids of what stands."""
    return {entry.id for entry in folded(events).entries() if entry.live}


def ids(entries: Sequence[Entry]) -> set[str]:
    """Return the ids of entries."""
    return {entry.id for entry in entries}


@given(logs(), st.data())
def test_it_takes_what_stood_to_what_stands(events: list[Event], data: st.DataObject) -> None:
    """Away goes what was replaced and forgotten, in comes what was learned and what replaced it."""
    second = data.draw(st.integers(0, len(events)))
    first = data.draw(st.integers(0, second))
    found = between(events, first, second)
    log = blanked(events)
    before, after = standing(log[:first]), standing(log[:second])
    old = {entry.id for change in found.changed for entry in change.old}
    forgotten = {one.entry.id for one in found.forgotten}
    new = {change.new.id for change in found.changed}
    learned = ids(found.learned)
    assert old | forgotten <= before
    assert not old & forgotten
    assert not new & learned
    assert (before - old - forgotten) | new | learned == after
    assert ids(found.confirmed) <= before & after
    assert between(events, first, first) == Difference()


def test_each_kind_of_change() -> None:
    """Learned, changed over several versions, forgotten, confirmed, erased, and what came and went."""
    events = [
        event("create", 1, memory=Memory("Use npm")),
        event("create", 2, memory=Memory("Deploy on Fridays")),
        event("create", 3, memory=Memory("Maybe tabs", status="candidate")),
        event("create", 4, memory=Memory("hunter2")),
        event("supersede", 5, id_of(1), memory=Memory("Use yarn")),
        event("supersede", 6, id_of(5), memory=Memory("Use pnpm")),
        event("delete", 7, id_of(2), payload={"reason": "never"}),
        event("confirm", 8, id_of(3), payload={}),
        event("erase", 9, id_of(4), payload={}),
        event("create", 10, memory=Memory("Ada leads")),
    ]
    found = between(events, 4, 10)
    assert ids(found.learned) == {id_of(10)}
    assert [([old.memory.text for old in c.old], c.new.memory.text) for c in found.changed] == [
        (["Use npm"], "Use pnpm")
    ]
    assert [(one.entry.memory.text, one.by) for one in found.forgotten] == [("Deploy on Fridays", id_of(7))]
    assert ids(found.confirmed) == {id_of(3)}
    assert [(entry.id, entry.memory.text) for entry in found.erased] == [(id_of(4), "")]
    assert found.came_and_went == 1


def test_a_merge_names_all_that_it_replaced_and_a_correction_that_was_forgotten_is_forgotten() -> None:
    """The event that ended it is the delete of what it had become."""
    events = [
        event("create", 1, memory=Memory("a")),
        event("create", 2, memory=Memory("b")),
        event("create", 3, memory=Memory("c")),
        event("supersede", 4, id_of(1), id_of(2), memory=Memory("a and b")),
        event("supersede", 5, id_of(3), memory=Memory("d")),
        event("delete", 6, id_of(5), payload={}),
    ]
    found = between(events, 3, 6)
    assert [[old.id for old in change.old] for change in found.changed] == [[id_of(1), id_of(2)]]
    assert [(one.entry.id, one.by) for one in found.forgotten] == [(id_of(3), id_of(6))]


def test_members_are_compared_as_text() -> None:
    """In the record's order; where a record came from is none of what it says."""
    old = Memory("Use npm", details=("a", "b"), tags=("x",), confidence=0.5)
    new = old.with_changes(text="Use pnpm", details=("a",), tags=("x", "y"), confidence=0.75, inferred=True)
    assert changed_members(old, new) == (
        MemberDifference("text", "Use npm", "Use pnpm"),
        MemberDifference("details", "a\nb", "a"),
        MemberDifference("tags", "x", "x, y"),
        MemberDifference("confidence", "0.50", "0.75"),
        MemberDifference("inferred", "no", "yes"),
    )
    assert changed_members(old, old) == ()
