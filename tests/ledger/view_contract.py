"""What every View must do, whatever it is made of: the in-memory fold and the SQLite index both pass.

A subclass named Test… gives `view` and `reopened`. Tests specs/state.md (S-8, S-9) and chain.md (C-20).
"""

from __future__ import annotations

import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as limits
from hypothesis import strategies as st

from ledger.chain import ChainTip
from ledger.command import Create
from ledger.draft import PART_BYTES
from ledger.errors import ChainError
from ledger.event import Event, blanked, split_line
from ledger.memory import Memory, Provenance
from ledger.recovery import recover
from ledger.view import LinePlace, View
from tests.ledger.histories import Step, carry_out, steps
from tests.ledger.reference import State, fold
from tests.ledger.world import ADA, World, flipped, lines_of, overwrite

LONG = "".join(f"line {number} of a long document\n" for number in range(PART_BYTES // 10))


class ViewContract(ABC):
    """The contract. `self.view(world)` makes an empty view beside a ledger."""

    @abstractmethod
    def view(self, world: World) -> View:
        """Return a new, empty view."""

    # --- the tests' own tools ---

    def followed(self, world: World, view: View | None = None) -> View:
        """Return a view (a new one by default) that stands at the chain's tip."""
        view = view or self.view(world)
        view.follow(world.path, tip_of(world))
        return view

    def agrees(self, world: World, view: View) -> None:
        """Assert that a view says of everything what the fold of the whole chain says."""
        events = world.events()
        state = fold(events)
        memories = {entry.id: entry for entry in state.entries()}
        for event in events:
            assert view.entry(event.id) == memories.get(event.id), event.kind
            assert view.ids(event.id) == [event.id]
            assert view.ids(event.id[:16]) == [event.id]
            assert view.at_seq(event.seq) == event.id
            assert ids(view.places([event.id])) == carrying(state, [event])
        assert ids(view.places(event.id for event in events)) == carrying(state, events)
        for entry in memories.values():
            if entry.live:
                same = view.same(entry.memory)
                assert same is not None
                assert memories[same].live
                assert said(memories[same].memory) == said(entry.memory)
        assert view.at_seq(len(events)) is None

    @pytest.fixture
    def world(self, tmp_path: Path) -> World:
        return World(tmp_path)

    # --- following ---

    def test_a_new_ledger_holds_no_memory(self, world: World) -> None:
        """Its genesis is an event like any other."""
        view = self.followed(world)
        assert view.entry(world.genesis) is None
        assert view.ids("") == [world.genesis]
        assert view.at_seq(0) == world.genesis
        assert view.at_seq(1) is None
        assert view.same(Memory("anything")) is None
        assert view.unfinished_erasures() == []
        self.agrees(world, view)

    def test_what_is_unknown_is_none(self, world: World) -> None:
        """Not an error."""
        view = self.followed(world)
        assert view.entry("0" * 64) is None
        assert view.ids("0123456789") == []
        assert view.places(["0" * 64]) == []
        assert view.family(["0" * 64]) == []
        view.erased([])

    def test_following_step_by_step_is_following_at_once(self, world: World) -> None:
        """After each append the view agrees with the fold of all events."""
        stepwise = self.followed(world)
        for tip in lived(world):
            stepwise.follow(world.path, tip)
            self.agrees(world, stepwise)
        self.agrees(world, self.followed(world))

    def test_a_view_stops_at_the_tip(self, world: World) -> None:
        """What stands after it may not be durable yet."""
        world.fill("one")
        tip = tip_of(world)
        [later] = world.fill("two")
        view = self.view(world)
        view.follow(world.path, tip)
        assert (view.entry(later), view.at_seq(2)) == (None, None)
        self.agrees(world, self.followed(world, view))

    def test_applying_what_was_appended_is_following(self, world: World) -> None:
        """The writer hands over what it has just written."""
        view = self.view(world)
        ledger = world.open(view)
        for text in ("one", "two"):
            ledger.create(Memory(text), ADA)
            self.agrees(world, view)
        ledger.create(Memory("long", body=LONG), ADA)
        ledger.delete([ledger.create(Memory("short"), ADA).id], ADA, "wrong")
        ledger.supersede([world.events()[1].id], Memory("three"), ADA)
        self.agrees(world, view)

    def test_applying_with_a_gap_does_nothing_wrong(self, world: World) -> None:
        """Where others appended in between, the next follow takes all of it in."""
        view = self.followed(world)
        world.fill("one")
        with world.open().chain.locked() as held:
            tip = held.tip
        newest = world.events()[-1]
        world.fill("two")
        with world.open().chain.locked() as held:
            later = held.tip
        view.apply([world.events()[-1]], later.link)
        self.agrees(world, self.followed(world, view))
        view.apply([newest], tip.link)
        self.agrees(world, self.followed(world, view))

    def test_a_view_that_was_never_followed_ignores_what_is_applied(self, world: World) -> None:
        """It does not know what stands before."""
        world.fill("one", "two")
        view = self.view(world)
        view.apply([world.events()[-1]], tip_of(world).link)
        self.agrees(world, self.followed(world, view))

    def test_another_process_appends_between(self, world: World) -> None:
        """Two ledgers with a view each take turns, and both stay right."""
        mine, theirs = self.view(world), self.view(world)
        one, two = world.open(mine), world.open(theirs)
        for number in range(6):
            (one, two)[number % 2].create(Memory(f"turn {number}"), ADA)
        self.agrees(world, self.followed(world, mine))
        self.agrees(world, self.followed(world, theirs))

    def test_a_chain_that_went_back_is_forgotten(self, world: World) -> None:
        """After a rollback and a recover nothing of the lost events is left (C-17)."""
        world.fill("one", "two", "three")
        view = self.followed(world)
        lost = world.events()[-1].id
        overwrite(world.path, b"".join(lines_of(world.path)[:3]))
        recover(world.open(), ADA, "")
        world.fill("four", "five", "six")
        self.agrees(world, self.followed(world, view))
        assert view.entry(lost) is None
        assert view.same(Memory("three")) is None

    def test_a_replaced_file_is_read_anew(self, world: World) -> None:
        """Its heads are the same, its payloads need not be: an erased one may be back (C-18, C-20)."""
        [id_, _] = world.fill("one", "two")
        before = world.path.read_bytes()
        ledger = world.open()
        ledger.erase([id_], ADA)
        view = self.followed(world)
        assert view.unfinished_erasures() == []
        copy = world.path.with_name("copy")
        copy.write_bytes(before + lines_of(world.path)[-1])
        copy.rename(world.path)
        assert ids(self.followed(world, view).unfinished_erasures()) == [id_]

    def test_a_damaged_line_stops_the_view_and_mending_it_goes_on(self, world: World) -> None:
        """Nothing of what stands after the damage is taken in, and nothing before it is doubled (C-12)."""
        world.fill("one", "two", "three")
        tip, good = tip_of(world), world.path.read_bytes()
        lines = lines_of(world.path)
        for damaged in (1, 2, 3):
            bad = [flipped(line, 50) if n == damaged else line for n, line in enumerate(lines)]
            overwrite(world.path, b"".join(bad))
            view = self.view(world)
            for _ in range(2):
                with pytest.raises(ChainError, match=f"line {damaged + 1}"):
                    view.follow(world.path, tip)
            overwrite(world.path, good)
            view.follow(world.path, tip)
            self.agrees(world, view)

    def test_what_was_read_before_a_fault_and_then_cut_is_forgotten(self, world: World) -> None:
        """A view must not keep what it took in on the way to a damaged line."""
        world.fill("one")
        view, kept = self.followed(world), world.path.read_bytes()
        world.fill("two", "three", "four")
        tip, lines = tip_of(world), lines_of(world.path)
        overwrite(world.path, b"".join([*lines[:4], flipped(lines[4], 50)]))
        with pytest.raises(ChainError):
            view.follow(world.path, tip)
        overwrite(world.path, kept)
        recover(world.open(), ADA, "")
        world.fill("five", "six", "seven", "eight")
        self.agrees(world, self.followed(world, view))
        assert view.same(Memory("two")) is None

    # --- ids ---

    def test_prefixes_find_at_most_twenty_ids(self, world: World) -> None:
        """Sorted, of events of every kind."""
        ledger = world.open()
        ledger.write([Create(Memory(f"text {n}")) for n in range(40)], ADA)
        view = self.followed(world)
        every = sorted(event.id for event in world.events())
        assert view.ids("") == every[:20]
        for id_ in every[::7]:
            assert view.ids(id_[:1]) == [each for each in every if each[0] == id_[0]][:20]
            assert view.ids(id_[:-1]) == [id_]

    # --- the same statement (S-9, M-8) ---

    def test_only_what_lives_is_the_same(self, world: World) -> None:
        """Superseded, deleted and erased statements may be made again; a candidate counts as made."""
        ledger = world.open()
        view = self.followed(world)
        for end in ("supersede", "delete", "erase"):
            text = Memory(f"said, then {end}d")
            id_ = ledger.create(text, ADA).id
            assert self.followed(world, view).same(text) == id_
            if end == "supersede":
                ledger.supersede([id_], Memory("something else"), ADA)
            elif end == "delete":
                ledger.delete([id_], ADA)
            else:
                ledger.erase([id_], ADA)
            assert self.followed(world, view).same(text) is None
        candidate = ledger.create(Memory("maybe", status="candidate"), ADA).id
        assert self.followed(world, view).same(Memory("maybe")) == candidate

    def test_what_a_statement_is(self, world: World) -> None:
        """Section, topic, tier, text, details, title, body, and in the daily tier the day (M-8)."""
        memory = Memory("text", details=("d",), title="t", body="b", topic="a/b", section="Own", tier="daily")
        id_ = world.open().create(memory, ADA).id
        view = self.followed(world)
        same: dict[str, object] = {"tags": ("x",), "importance": "high", "confidence": 0.5, "type": "note"}
        assert view.same(memory.with_changes(**same, provenance=Provenance(session="s"))) == id_
        other = {
            "text": "Text",
            "details": (),
            "title": "",
            "body": "b\n",
            "topic": "a",
            "section": "",
            "tier": "curated",
            "provenance": Provenance(date="2026-11-20"),
        }
        for name, value in other.items():
            assert view.same(memory.with_changes(**{name: value})) is None, name

    def test_a_section_of_ones_own_and_that_of_the_type_are_the_same(self, world: World) -> None:
        """The section in effect counts (M-6)."""
        id_ = world.open().create(Memory("text", type="preference"), ADA).id
        assert self.followed(world).same(Memory("text", section="User Preferences")) == id_

    def test_a_long_body_is_the_same_as_a_whole(self, world: World) -> None:
        """Not by its first part: two documents may begin alike (M-9)."""
        ledger = world.open()
        view = self.followed(world)
        memory = Memory("document", body=LONG)
        id_ = ledger.create(memory, ADA).id
        assert len(world.events()) > 3
        assert self.followed(world, view).same(memory) == id_
        assert self.followed(world).same(memory) == id_
        assert view.same(memory.with_changes(body=LONG + "and more\n")) is None
        begins = world.events()[1].payload
        assert begins is not None
        assert view.same(memory.with_changes(body=begins["body"])) is None

    def test_the_oldest_that_lives_is_the_same(self, world: World) -> None:
        """Where a supersede has said again what another memory says."""
        ledger = world.open()
        first, second = ledger.create(Memory("a"), ADA).id, ledger.create(Memory("b"), ADA).id
        again = ledger.supersede([second], Memory("a"), ADA).id
        view = self.followed(world)
        assert view.same(Memory("a")) == first
        ledger.delete([first], ADA)
        assert self.followed(world, view).same(Memory("a")) == again

    # --- erasing (C-19, C-20) ---

    def test_a_family_is_all_that_carries_text(self, world: World) -> None:
        """All versions, later parts, and the reasons that were given; from whichever member one begins."""
        ledger = world.open()
        first = ledger.create(Memory("long", body=LONG), ADA).id
        parts = [event.id for event in world.events()[2:]]
        ledger.confirm([first], ADA, "still so")
        ledger.delete([first], ADA, "no longer")
        second = ledger.supersede([first], Memory("short"), ADA).id
        ledger.confirm([second], ADA)  # without a reason it carries nothing
        third = ledger.supersede([second], Memory("shorter"), ADA).id
        said = [event.id for event in world.events() if event.kind in ("confirm", "delete") and event.payload]
        stranger = ledger.create(Memory("another"), ADA).id
        view = self.followed(world)
        everything = [
            event.id for event in world.events() if event.id in {first, second, third, *parts, *said}
        ]
        for member in (first, second, third, parts[-1]):
            assert ids(view.family([member])) == everything
        assert ids(view.family([stranger])) == [stranger]
        assert ids(view.family([world.genesis])) == []

    def test_places_lead_to_the_lines(self, world: World) -> None:
        """Offset and size are those of the file."""
        world.fill("one", "two")
        data = world.path.read_bytes()
        for place in self.followed(world).places(event.id for event in world.events()):
            line = data[place.offset : place.offset + place.size]
            assert line in [each[:-1] for each in lines_of(world.path)]
            assert split_line(line).payload is not None

    def test_what_an_erase_names_is_unfinished_until_it_is_blank(self, world: World) -> None:
        """The event first, the bytes afterwards: whoever follows between the two can finish it."""
        ledger = world.open()
        id_ = ledger.create(Memory("secret"), ADA).id
        before = world.path.read_bytes()
        ledger.erase([id_], ADA)
        after = world.path.read_bytes()
        overwrite(world.path, before + lines_of(world.path)[-1])
        view = self.followed(world)
        assert ids(view.unfinished_erasures()) == [id_]
        entry = view.entry(id_)
        assert entry is not None
        assert (entry.status, entry.memory) == ("erased", Memory(""))
        assert view.places([id_]) == []
        overwrite(world.path, after)
        view.erased([id_])
        assert view.unfinished_erasures() == []
        self.agrees(world, view)
        assert self.followed(world).unfinished_erasures() == []

    @pytest.mark.parametrize("blank", [1, 5, 20, -1])
    def test_a_half_blanked_payload_is_unfinished(self, world: World, blank: int) -> None:
        """Its writer died inside the one write; to a reader the payload looks altered."""
        ledger = world.open()
        id_ = ledger.create(Memory("secret"), ADA).id
        event = world.events()[-1]
        line = lines_of(world.path)[-1][:-1]
        payload = split_line(line).payload
        assert payload is not None
        ledger.erase([id_], ADA)
        at = event.offset + event.size - 1 - len(payload)
        half = blanked(len(payload))[:blank] + payload[blank:]
        data = world.path.read_bytes()
        overwrite(world.path, data[:at] + half + data[at + len(half) :])
        assert ids(self.followed(world).unfinished_erasures()) == [id_]

    def test_an_altered_payload_can_be_erased_and_is_never_shown(self, world: World) -> None:
        """What was not signed is no memory; but its bytes are there."""
        [id_, _] = world.fill("one", "two")
        event = world.events()[1]
        at = event.offset + event.size - 8
        overwrite(world.path, flipped(world.path.read_bytes(), at))
        view = self.followed(world)
        entry = view.entry(id_)
        assert entry is not None
        assert not entry.live
        assert view.same(Memory("one")) is None
        assert ids(view.places([id_])) == [id_]
        assert ids(view.family([id_])) == [id_]

    def test_what_is_erased_has_no_place(self, world: World) -> None:
        """In a view that saw it happen and in one that reads it afterwards."""
        ledger = world.open()
        id_ = ledger.create(Memory("secret"), ADA).id
        watching = self.followed(world)
        ledger.erase([id_], ADA, "it was a secret")
        watching.follow(world.path, tip_of(world))
        watching.erased([id_])
        for view in (watching, self.followed(world)):
            assert view.places([id_]) == []
            assert view.family([id_]) == []
            self.agrees(world, view)

    # --- whatever happens ---

    @given(st.lists(steps(), min_size=1, max_size=12), st.integers(1, 4))
    @limits(
        max_examples=limits().max_examples // 2, suppress_health_check=[HealthCheck.differing_executors]
    )  # each view runs it
    def test_any_history_leaves_the_view_at_the_fold(self, history: Sequence[Step], every: int) -> None:
        """Followed after each few steps, once at the end, and by the writer itself."""
        with tempfile.TemporaryDirectory() as base:
            world = World(Path(base))
            mine = self.view(world)
            ledger = world.open(mine)
            stepwise = self.followed(world)
            for at in range(0, len(history), every):
                carry_out(ledger, history[at : at + every])
                self.followed(world, stepwise)
            carry_out(ledger, history)
            for view in (self.followed(world, mine), self.followed(world, stepwise), self.followed(world)):
                self.agrees(world, view)
            assert world.codes() == []


def tip_of(world: World) -> ChainTip:
    """Return the chain's tip."""
    with world.open().chain.locked() as held:
        return held.tip


def lived(world: World) -> Iterator[ChainTip]:
    """Carry out one of everything; give the tip after each step."""
    ledger, ids = world.open(), dict[str, str]()

    def make(name: str, memory: Memory, *over: str) -> None:
        targets = [ids[each] for each in over]
        done = ledger.supersede(targets, memory, ADA) if over else ledger.create(memory, ADA)
        ids[name] = done.id

    for act in (
        lambda: make("a", Memory("a", details=("x", "y"), tags=("t",), when_to_use=("when",))),
        lambda: make("b", Memory("b", status="candidate", confidence=0.5, source="auto", inferred=True)),
        lambda: make("long", Memory("long", body=LONG, title="Long", topic="a/b")),
        lambda: ledger.confirm([ids["b"]], ADA),
        lambda: make("a2", Memory("a2"), "a"),
        lambda: ledger.delete([ids["b"]], ADA, "wrong"),
        lambda: make("b2", Memory("b"), "b"),
        lambda: make("merged", Memory("a and b"), "a2", "b2"),
        lambda: make("longer", Memory("long", body=LONG * 2, provenance=Provenance(session="s")), "long"),
        lambda: ledger.erase([ids["longer"]], ADA, "too much"),
        lambda: ledger.erase([ids["merged"]], ADA),
        lambda: make("a", Memory("a", tier="daily", unknown={"later": {"member": [1, 2]}})),
    ):
        act()
        yield tip_of(world)


def ids(places: Sequence[LinePlace]) -> list[str]:
    """Return the ids of places, in their order."""
    return [place.id for place in places]


def carrying(state: State, events: Sequence[Event]) -> list[str]:
    """Return the ids of those events whose payload is there, as the fold has it."""
    return [event.id for event in events if state.payload(event) is not None]


def said(memory: Memory) -> tuple[object, ...]:
    """Return what M-8 compares."""
    day = memory.provenance.date[:10] if memory.tier == "daily" else ""
    place = memory.effective_section, memory.topic, memory.tier, day
    return *place, memory.text, memory.details, memory.title, memory.body
