"""Tests of ledger/fold.py: the state is a function of the set of events (S-1…S-7, M-9)."""

from __future__ import annotations

import copy
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledger.errors import LedgerError
from ledger.event import Event
from ledger.fold import Entry
from ledger.schema import KINDS, MEMORY_KINDS
from tests.ledger.event_sets import blank, event, event_sets, id_of
from tests.ledger.reference import HANDLERS, INITIAL, apply, fold


def status_of(events: Sequence[Event], number: int = 0) -> str:
    """Return the status of the memory that event `number` made."""
    return fold(events).entry(id_of(number)).status


# --- a function of the set ----------------------------------------------------------------------------------


@settings(max_examples=settings().max_examples // 2)
@given(event_sets(), st.randoms(use_true_random=False))
def test_any_order_gives_the_same_state(events: list[Event], random: object) -> None:
    """Not only orders that keep each chain's own (S-1)."""
    shuffled = list(events)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert fold(shuffled) == fold(events)
    assert fold(shuffled).entries() == fold(events).entries()


@given(event_sets(), st.integers(0, 14))
def test_folding_in_two_goes_is_folding_in_one(events: list[Event], cut: int) -> None:
    """b onto the fold of a is the fold of a and b."""
    assert fold(events[cut:], fold(events[:cut])) == fold(events)


@settings(max_examples=settings().max_examples // 2)
@given(event_sets(), st.data())
def test_folding_an_event_again_changes_nothing(events: list[Event], data: st.DataObject) -> None:
    """However often, whenever it comes again, blank or not."""
    state = fold(events)
    before = copy.deepcopy(state)
    for each in data.draw(st.lists(st.sampled_from(events))):
        state = apply(apply(state, each), blank(each))
    assert state == before


@settings(max_examples=settings().max_examples // 2)
@given(event_sets())
def test_folding_is_total(events: list[Event]) -> None:
    """Every memory has an entry, whatever was signed about it."""
    state = fold(events)
    made = {each.id for each in events if each.kind in MEMORY_KINDS}
    assert {entry.id for entry in state.entries()} == set(state.ids()) <= made
    entries = state.by_themselves()
    assert [state.entry(entry.id) for entry in entries] == entries
    assert made - set(state.ids()) == {
        each.id
        for each in events
        if each.id in made and (state.payload(each) or {}).get("part", {"n": 1})["n"] > 1
    }


@given(event_sets())
def test_each_entry_is_what_the_spec_says_of_the_set(events: list[Event]) -> None:
    """Compared with the rules written down once more, over the whole set, without any state (S-2…S-7)."""
    state = fold(events)
    for entry in state.by_themselves():
        assert entry.status == expected_status(events, entry)
        assert entry.fresh_since == expected_freshness(events, entry)
        assert entry.compromised == (not entry.fresh_since)
        assert entry.order == expected_order(events, entry)
        assert set(entry.superseded_by) == {e.id for e in pointing(events, "supersede", entry)}
        assert set(entry.deleted_by) == {e.id for e in pointing(events, "delete", entry)}


def expected_freshness(events: Sequence[Event], entry: Entry) -> str:
    """Say since when somebody vouches for it whom the owner did not disown (S-6, N-24, N-25)."""
    [own] = [each for each in events if each.id == entry.id]
    confirms = pointing(events, "confirm", entry)
    good = [each.at for each in confirms if not disowned(events, each)]
    candidate = (own.payload or {}).get("status") == "candidate" and entry.status != "erased"
    by_thief_alone = candidate and confirms and not good
    if not disowned(events, own) and not by_thief_alone:
        good.append(entry.learned)
    return max(good, default="")


def disowned(events: Sequence[Event], each: Event) -> bool:
    return any(
        other.kind == "rotate"
        and other.chain == each.chain
        and other.head.get("since", each.seq + 1) <= each.seq < other.seq
        for other in events
    )


def pointing(events: Sequence[Event], kind: str, entry: Entry) -> list[Event]:
    return [each for each in events if each.kind == kind and entry.id in each.targets]


def expected_status(events: Sequence[Event], entry: Entry) -> str:
    [own] = [each for each in events if each.id == entry.id]
    erases = [each for each in pointing(events, "erase", entry) if each.chain == own.chain]  # TM-23
    if erases or own.payload is None:
        return "erased"
    for kind, status in (("supersede", "superseded"), ("delete", "deleted")):
        if pointing(events, kind, entry):
            return status
    candidate = own.payload.get("status") == "candidate" and not pointing(events, "confirm", entry)
    return "candidate" if candidate else "active"


def expected_order(events: Sequence[Event], entry: Entry) -> tuple[str, str]:
    memories = {each.id: each for each in events if each.kind in MEMORY_KINDS}
    at = memories[entry.id]
    while known := [target for target in at.targets if target in memories]:
        at = memories[known[0]]
    return at.ts, at.id


@settings(max_examples=settings().max_examples // 2)
@given(event_sets())
def test_blanked_payloads_fold_like_erased_ones(events: list[Event]) -> None:
    """A rebuild after an erase reads blanks where the running fold saw texts: both say the same."""
    erased = {(target, each.chain) for each in events if each.kind == "erase" for target in each.targets}
    later = [blank(each) if (each.id, each.chain) in erased else each for each in events]
    assert fold(later).entries() == fold(events).entries()


# --- statuses -----------------------------------------------------------------------------------------------

CREATED = event(0, "create")


@pytest.mark.parametrize(
    ("events", "status"),
    [
        ([CREATED], "active"),
        ([event(0, "create", payload={"text": "x", "status": "candidate"})], "candidate"),
        (
            [event(0, "create", payload={"text": "x", "status": "candidate"}), event(1, "confirm", id_of(0))],
            "active",
        ),
        ([CREATED, event(1, "delete", id_of(0))], "deleted"),
        ([CREATED, event(1, "supersede", id_of(0))], "superseded"),
        ([CREATED, event(1, "delete", id_of(0)), event(2, "supersede", id_of(0))], "superseded"),
        ([CREATED, event(1, "delete", id_of(0)), event(2, "confirm", id_of(0))], "deleted"),
        ([CREATED, event(1, "supersede", id_of(0)), event(2, "erase", id_of(0))], "erased"),
        ([blank(CREATED)], "erased"),
        ([CREATED._replace(payload=None)], "erased"),
    ],
)
def test_the_first_status_that_holds_counts(events: list[Event], status: str) -> None:
    """Erased, superseded, deleted, candidate, active (S-2); a record that cannot be read is never live."""
    assert status_of(events) == status
    assert fold(events).entry(id_of(0)).live == (status in ("active", "candidate"))


def test_what_points_to_an_unknown_target_waits() -> None:
    """It counts as soon as the target is there (S-3)."""
    for kind, status in (("supersede", "superseded"), ("delete", "deleted"), ("erase", "erased")):
        state = fold([event(1, kind, id_of(0))])
        with pytest.raises(KeyError):
            state.entry(id_of(0))
        assert apply(state, CREATED).entry(id_of(0)).status == status


def test_a_supersede_of_an_unknown_target_is_a_memory_of_its_own() -> None:
    """It stands by itself until the target comes, and takes its place in the order then (S-3, S-7)."""
    state = fold([event(5, "supersede", id_of(0), chain=1)])
    alone = state.entry(id_of(5))
    assert (alone.status, alone.order) == ("active", (alone.ts, alone.id))
    state = apply(state, CREATED)
    assert state.entry(id_of(5)).order == (CREATED.ts, CREATED.id)


def test_a_supersede_of_a_deleted_memory_restores_what_it_said() -> None:
    """The new memory lives; the old one is superseded, no longer only deleted (S-4)."""
    state = fold([CREATED, event(1, "delete", id_of(0)), event(2, "supersede", id_of(0))])
    assert [(entry.id, entry.status) for entry in state.entries()] == [
        (id_of(0), "superseded"),
        (id_of(2), "active"),
    ]
    assert state.entry(id_of(0)).deleted_by == (id_of(1),)


def test_a_supersede_of_several_merges_them() -> None:
    """Each is superseded by the one; it stands where the first of them stood (S-4, S-7)."""
    events = [event(n, "create") for n in range(4)] + [event(4, "supersede", id_of(2), id_of(0))]
    state = fold(events)
    merged = state.entry(id_of(4))
    assert merged.supersedes == (id_of(2), id_of(0))
    assert merged.order == (events[2].ts, id_of(2))
    assert [entry.id for entry in state.entries() if entry.live] == [id_of(1), id_of(4), id_of(3)]


def test_a_confirm_refreshes_and_promotes() -> None:
    """Staleness counts from the newest confirm's clock; the time of learning stays (S-6, S-7)."""
    events = [CREATED, event(1, "confirm", id_of(0)), event(9, "confirm", id_of(0), late=4)]
    entry = fold(events).entry(id_of(0))
    assert (entry.learned, entry.fresh_since) == (CREATED.at, events[2].at)


# --- long bodies (M-9) --------------------------------------------------------------------------------------


def part(number: int, n: int, body: str, first: int | None = 0) -> Event:
    """Return the event that holds one of three parts."""
    named = None if n == 1 else id_of(first or 0)
    return event(
        number, "create", payload={"text": "long", "body": body, "part": {"n": n, "of": 3, "first": named}}
    )


PARTS = [part(0, 1, "a\n"), part(1, 2, "b\n"), part(2, 3, "c\n")]


def test_parts_are_joined_in_order() -> None:
    """They are one memory; the later ones are none of their own, in whatever order they come."""
    for events in (PARTS, PARTS[::-1], [PARTS[1], PARTS[2], PARTS[0]]):
        [entry] = fold(events).entries()
        assert (entry.id, entry.memory.body) == (id_of(0), "a\nb\nc\n")


@pytest.mark.parametrize(("kind", "status"), [("delete", "deleted"), ("supersede", "superseded")])
def test_the_status_of_parts_is_that_of_the_first(kind: str, status: str) -> None:
    """Deleting or superseding the first one takes all of it out of every view."""
    state = fold([*PARTS, event(3, kind, id_of(0))])
    assert state.entry(id_of(0)).status == status
    assert not [entry for entry in state.entries() if entry.live and entry.memory.text == "long"]


def test_erasing_all_parts_leaves_nothing_of_the_body() -> None:
    """Before their bytes are blank and after."""
    erase = event(3, "erase", *(id_of(n) for n in range(3)))
    for events in ([*PARTS, erase], [*map(blank, PARTS), erase]):
        entries = fold(events).entries()
        assert {entry.status for entry in entries} == {"erased"}
        assert not any(entry.memory.body or entry.memory.text for entry in entries)


def test_two_events_that_claim_the_same_part_are_settled_by_time() -> None:
    """The earlier one counts, whichever comes first; if it is erased, the other one does."""
    rival = part(7, 2, "B\n")
    for events in ([*PARTS, rival], [rival, *PARTS]):
        assert fold(events).entry(id_of(0)).memory.body == "a\nb\nc\n"
        erased = [*events, event(8, "erase", id_of(1))]
        assert fold(erased).entry(id_of(0)).memory.body == "a\nB\nc\n"


# --- the catalogue ------------------------------------------------------------------------------------------


def test_each_kind_has_a_handler() -> None:
    """Or is ignored on purpose: a new kind cannot be forgotten."""
    assert HANDLERS.keys() == KINDS.keys(), "add a handler to HANDLERS in tests/ledger/reference.py"


def test_an_unknown_kind_raises_and_erases_nothing() -> None:
    """The state is as it was."""
    state = fold(PARTS)
    before = copy.deepcopy(state)
    with pytest.raises(LedgerError, match="update muniment"):
        apply(state, event(9, "dream"))
    assert state == before


def test_the_initial_state_is_empty() -> None:
    """And each one is a new one."""
    assert not any(INITIAL())
    assert INITIAL() is not INITIAL()
    assert fold([]).entries() == []
