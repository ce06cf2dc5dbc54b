"""Tests projections/revert.py against specs/cli.md (X-24…X-27): applied, the plan gives back what stood."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.command import Command, Confirm, Create, Delete, Erase, Supersede
from ledger.errors import StateError
from ledger.event import By, Event
from ledger.fold import Entry
from ledger.instant import written
from ledger.memory import BodyPart, Memory, Provenance
from projections.revert import NOTHING_LEFT, ONLY_REFRESHED, Plan, named, plan, record_again
from tests.ledger.reference import INITIAL, apply

BY = By("tester")


class Log:
    """Events folded as they come, without file, key or index; `write` allows what the ledger allows."""

    def __init__(self) -> None:
        self.state = INITIAL()
        self.events: list[Event] = []

    def write(self, command: Command) -> str:
        kind = type(command).__name__.lower()
        targets = () if isinstance(command, Create) else command.targets
        for target in targets:
            self._check(command, self.state.entry(target))
        memory = command.memory if isinstance(command, Create | Supersede) else None
        seq = len(self.events) + 1
        event = Event(
            f"{seq:064x}", seq, kind, written(seq), written(seq), 0, BY, targets, (),
            memory.to_payload() if memory else {}, False, "", 0, 0, {"commit": ""},
        )  # fmt: skip
        self.events.append(event)
        apply(self.state, event)
        return event.id

    @staticmethod
    def _check(command: Command, entry: Entry) -> None:
        assert entry.status != "erased"
        if not isinstance(command, Erase):
            assert entry.status != "superseded" or (isinstance(command, Supersede) and command.restore)
            assert entry.status != "deleted" or isinstance(command, Supersede)

    def entry(self, id_: str) -> Entry | None:
        node = self.state.nodes.get(id_)
        return self.state.entry(id_) if node and node.event else None

    def pointing(self, id_: str) -> list[tuple[str, str]]:
        return [(event.id, event.kind) for event in self.events if id_ in event.targets]

    def live(self) -> list[str]:
        return [entry.id for entry in self.state.entries() if entry.live]

    def standing(self) -> Counter[tuple[str, str]]:
        """What stands, and as what: text and status."""
        entries = (entry for entry in self.state.entries() if entry.live)
        return Counter((entry.memory.text, entry.status) for entry in entries)

    def in_order(self) -> list[tuple[str, str]]:
        """The place in the order, and the text, of all that stands."""
        return sorted((entry.order[0], entry.memory.text) for entry in self.state.entries() if entry.live)

    def plan(self, ids: Sequence[str], reason: str = "") -> Plan:
        return plan([event for event in self.events if event.id in ids], self.entry, self.pointing, reason)

    def revert(self, *ids: str) -> Plan:
        """Plan and carry out, as one batch: no command may count on another of them."""
        planned = self.plan(ids)
        before = {id_: self.entry(id_) for id_ in [t for c in planned.commands for t in targets_of(c)]}
        for command in planned.commands:
            for target in targets_of(command):
                assert self.entry(target) == before[target], "two commands of one batch share a target"
            self.write(command)
        return planned


def targets_of(command: Command) -> tuple[str, ...]:
    return () if isinstance(command, Create) else command.targets


def made(text: str, **members: object) -> Create:
    return Create(Memory(text, **members))  # type: ignore[arg-type]


def test_a_create_is_undone_by_a_delete() -> None:
    log = Log()
    one = log.write(made("one"))
    planned = log.plan([one], "a mistake")
    assert planned.commands == (Delete((one,), "a mistake"),)
    assert (planned.undone, planned.deleted, planned.restored) == ((one,), (one,), ())


def test_a_merge_is_undone_by_one_record_in_its_place_and_a_restore_of_each_other() -> None:
    log = Log()
    a, b, c = (log.write(made(text)) for text in "abc")
    merged = log.write(Supersede((a, b, c), Memory("abc")))
    planned = log.revert(merged)
    assert planned.commands == (
        Supersede((merged,), Memory("a")),
        Supersede((b,), Memory("b"), restore=True),
        Supersede((c,), Memory("c"), restore=True),
    )
    assert log.standing() == {("a", "active"): 1, ("b", "active"): 1, ("c", "active"): 1}


def test_the_first_target_of_a_merge_takes_its_place_however_a_row_lists_them() -> None:
    """An index may list the targets of an event in another order than the event."""
    log = Log()
    a, b = log.write(made("a")), log.write(made("b"))
    merged = log.write(Supersede((a, b), Memory("ab")))
    row = log.events[-1]._replace(targets=(b, a))
    beside, in_its_place = Supersede((b,), Memory("b"), restore=True), Supersede((merged,), Memory("a"))
    assert plan([row], log.entry, log.pointing).commands == (beside, in_its_place)


def test_a_record_in_parts_is_said_again_whole() -> None:
    log = Log()
    entry = log.entry(log.write(made("long", body="a", part=BodyPart(1, 2))))
    assert entry is not None
    assert record_again(entry, "active").part is None


def test_a_delete_is_undone_by_a_restore_that_is_active_again_and_keeps_its_lineage() -> None:
    log = Log()
    one, two = log.write(made("one", status="candidate")), log.write(made("two"))
    log.write(Confirm((one,)))
    gone = log.write(Delete((one, two)))
    assert not log.standing()
    planned = log.revert(gone)
    assert planned.restored == (one, two)
    assert log.standing() == {("one", "active"): 1, ("two", "active"): 1}
    assert [entry.order[1] for entry in log.state.entries() if entry.live] == [one, two]


def test_a_candidate_that_was_deleted_comes_back_as_a_candidate() -> None:
    log = Log()
    one = log.write(made("one", status="candidate"))
    log.revert(log.write(Delete((one,))))
    assert log.standing() == {("one", "candidate"): 1}


def test_a_confirm_that_promoted_is_undone_by_a_candidate_record() -> None:
    log = Log()
    one = log.write(made("one", status="candidate"))
    confirm = log.write(Confirm((one,)))
    planned = log.revert(confirm)
    assert planned.commands == (Supersede((one,), Memory("one", status="candidate")),)
    assert log.standing() == {("one", "candidate"): 1}


def test_a_confirm_that_only_refreshed_is_skipped_with_the_reason() -> None:
    log = Log()
    one = log.write(made("one"))
    confirm = log.write(Confirm((one,)))
    planned = log.plan([confirm])
    assert not planned.commands
    assert planned.skipped == {confirm: ONLY_REFRESHED}


def test_one_of_two_confirms_leaves_the_memory_active() -> None:
    log = Log()
    one = log.write(made("one", status="candidate"))
    first, _ = log.write(Confirm((one,))), log.write(Confirm((one,)))
    assert log.plan([first]).skipped == {first: ONLY_REFRESHED}


@pytest.mark.parametrize("kind", ["genesis", "erase", "rotate", "recover", "anchor"])
def test_what_cannot_be_undone_is_refused_by_name(kind: str) -> None:
    event = Event("e" * 64, 3, kind, "", "", 0, BY, (), (), {}, False, "", 0, 0, {})
    with pytest.raises(StateError, match=f"eeeeeeeeeeee is an? {kind} event, which cannot be undone"):
        plan([event], lambda _: None, lambda _: ())


def test_a_later_part_is_refused_with_what_to_do() -> None:
    log = Log()
    first = log.write(made("long", body="a", part=BodyPart(1, 2)))
    part = log.write(made("long", body="b", part=BodyPart(2, 2, first)))
    with pytest.raises(StateError, match="only continues the body"):
        plan([log.events[-1]], lambda id_: None if id_ == part else log.entry(id_), log.pointing)


def test_a_later_event_on_top_is_named_and_can_be_included() -> None:
    log = Log()
    one = log.write(made("one"))
    auto = log.write(Supersede((one,), Memory("wrong")))
    later = log.write(Supersede((auto,), Memory("right")))
    with pytest.raises(StateError, match=f"{later[:12]} came later and builds on {auto[:12]}"):
        log.plan([auto])
    log.revert(auto, later)
    assert log.standing() == {("one", "active"): 1}


@pytest.mark.parametrize(("later", "refused"), [("one", False), ("two", True)])
def test_a_later_version_that_only_says_again_what_stood_before_stops_nothing(
    later: str, *, refused: bool
) -> None:
    """X-25: what these events said themselves is not what stood before them."""
    log = Log()
    one = log.write(made("one"))
    two = log.write(Supersede((one,), Memory("two")))
    three = log.write(Supersede((two,), Memory("three")))
    log.write(Supersede((three,), Memory(later)))
    if refused:
        with pytest.raises(StateError, match="builds on"):
            log.plan([two, three])
    else:
        assert log.plan([two, three]).commands == ()


def test_a_memory_that_someone_confirmed_later_is_not_taken_away_silently() -> None:
    log = Log()
    one = log.write(made("one"))
    confirm = log.write(Confirm((one,)))
    with pytest.raises(StateError, match=confirm[:12]):
        log.plan([one])
    log.revert(one, confirm)
    assert not log.standing()


def test_what_was_deleted_since_is_skipped() -> None:
    log = Log()
    one = log.write(made("one"))
    gone = log.write(Delete((one,)))
    assert log.plan([one]).skipped == {one: f"{gone[:12]} came later and acted on it (delete)"}


def test_what_a_person_replaced_and_then_forgot_does_not_bring_the_old_one_back() -> None:
    log = Log()
    one = log.write(made("one"))
    auto = log.write(Supersede((one,), Memory("wrong")))
    log.write(Delete((log.write(Supersede((auto,), Memory("right"))),)))
    assert not log.plan([auto]).commands


def test_a_deletion_that_was_taken_back_since_is_skipped() -> None:
    log = Log()
    one = log.write(made("one"))
    gone = log.write(Delete((one,)))
    back = log.write(Supersede((one,), Memory("one")))
    assert log.plan([gone]).skipped == {gone: f"{back[:12]} settled it (supersede)"}


def test_a_delete_and_its_restore_of_one_session_are_settled_by_what_replaced_the_restore() -> None:
    log = Log()
    one = log.write(made("one"))
    gone = log.write(Delete((one,)))
    back = log.write(Supersede((one,), Memory("one")))
    log.write(Supersede((back,), Memory("one")))
    assert not log.plan([gone, back]).commands


def test_erased_memories_are_left_and_named() -> None:
    log = Log()
    one = log.write(made("one"))
    two = log.write(Supersede((one,), Memory("two")))
    log.write(Erase((one,)))
    planned = log.revert(two)
    assert planned.commands == (Delete((two,)),)
    log.write(Erase((two,)))
    assert log.plan([two]).skipped == {two: "it is erased"}


def test_the_restore_of_a_deleted_memory_is_undone_by_deleting_it() -> None:
    log = Log()
    one = log.write(made("one"))
    log.write(Delete((one,)))
    back = log.write(Supersede((one,), Memory("one")))
    log.revert(back)
    assert not log.standing()


def test_a_create_and_its_delete_cancel_each_other() -> None:
    log = Log()
    one = log.write(made("one"))
    gone = log.write(Delete((one,)))
    planned = log.plan([one, gone])
    assert not planned.commands
    assert planned.skipped == {one: NOTHING_LEFT, gone: NOTHING_LEFT}


def test_many_deletes_are_cut_to_what_one_event_holds() -> None:
    log = Log()
    ids = [log.write(made(str(n))) for n in range(35)]
    assert [len(targets_of(command)) for command in log.revert(*ids).commands] == [16, 16, 3]
    assert not log.standing()


def test_a_daily_note_comes_back_on_its_own_day() -> None:
    log = Log()
    one = log.write(made("one", tier="daily"))
    entry = log.entry(one)
    assert entry is not None
    assert record_again(entry, "active").provenance.date == entry.learned[:10]
    dated = log.entry(log.write(made("two", tier="daily", provenance=Provenance(date="2020-02-02"))))
    assert dated is not None
    assert record_again(dated, "active").provenance.date == "2020-02-02"


def test_a_long_message_names_only_some_ids() -> None:
    assert named([f"{n:064x}" for n in range(10)]).endswith(" and 2 more")


# --- the property that all this is for ---

Step = tuple[str, str, bool, int]
TEXTS = st.sampled_from(["tabs", "spaces", "port 5432", "port 5433", "pnpm"])
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["create", "create", "supersede", "merge", "delete", "confirm", "restore"]),
        TEXTS,
        st.booleans(),
        st.integers(0, 50),
    ),
    max_size=12,
)


def play(log: Log, steps: Sequence[Step], only: Sequence[str] | None = None) -> list[str]:
    """Do what the steps say, where the state allows it, to memories of `only` if given; return the events."""
    ids = []
    for verb, text, candidate, pick in steps:
        memory = Memory(text, status="candidate" if candidate else "active")
        entries = [e for e in log.state.entries() if only is None or e.id in only]
        live = [e.id for e in entries if e.live]
        gone = [e.id for e in entries if e.status in ("deleted", "superseded")]
        command: Command | None = None
        if verb == "create":
            command = Create(memory)
        elif verb == "restore" and gone:
            command = Supersede((gone[pick % len(gone)],), memory, restore=True)
        elif live and verb in ("supersede", "delete", "confirm", "merge"):
            start = pick % len(live)
            some = tuple(live[start : start + (3 if verb == "merge" else 1)])
            of: dict[str, Command] = {"delete": Delete(some), "confirm": Confirm(some)}
            command = of.get(verb, Supersede(some, memory))
        if command:
            ids.append(log.write(command))
            if only is not None and isinstance(command, Create | Supersede):
                only = [*only, ids[-1]]
    return ids


@given(STEPS, STEPS)
def test_after_the_revert_of_a_whole_session_stands_what_stood_before(
    before: Sequence[Step], session: Sequence[Step]
) -> None:
    log = Log()
    play(log, before)
    stood, in_order = log.standing(), log.in_order()
    ids = play(log, session)
    planned = log.revert(*ids)
    assert log.standing() == stood
    assert log.in_order() == in_order
    assert {*planned.undone, *planned.skipped} == set(ids)
    assert not {*planned.undone} & {*planned.skipped}


@given(STEPS, STEPS, STEPS)
def test_what_others_did_meanwhile_elsewhere_stays(
    before: Sequence[Step],
    session: Sequence[Step],
    others: Sequence[Step],
) -> None:
    """Events of another session about memories of its own change nothing of a revert, nor it of them."""
    log = Log()
    play(log, before)
    stood = log.standing()
    ids = play(log, session)
    play(log, others, only=[])
    log_others = Log()
    play(log_others, others, only=[])
    log.revert(*ids)
    assert log.standing() == stood + log_others.standing()


@given(STEPS, STEPS)
def test_a_second_revert_finds_nothing_to_do(before: Sequence[Step], session: Sequence[Step]) -> None:
    log = Log()
    play(log, before)
    ids = play(log, session)
    log.revert(*ids)
    again = log.plan(ids)
    assert not again.commands
    assert not again.undone


@given(STEPS, STEPS)
def test_the_revert_of_a_revert_brings_the_session_back(
    before: Sequence[Step], session: Sequence[Step]
) -> None:
    log = Log()
    play(log, before)
    ids = play(log, session)
    during = log.standing()
    first = len(log.events)
    log.revert(*ids)
    log.revert(*[event.id for event in log.events[first:]])
    assert log.standing() == during


def test_every_order_of_the_same_events_plans_the_same() -> None:
    log = Log()
    a, b = log.write(made("a")), log.write(made("b"))
    merged = log.write(Supersede((a, b), Memory("ab")))
    edited = log.write(Supersede((merged,), Memory("ab!")))
    plans = [
        plan([log.events[int(id_, 16) - 1] for id_ in order], log.entry, log.pointing)
        for order in itertools.permutations([merged, edited])
    ]
    assert plans[0] == plans[1]
    assert plans[0].commands == (
        Supersede((edited,), Memory("a")),
        Supersede((b,), Memory("b"), restore=True),
    )
