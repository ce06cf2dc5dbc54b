"""How events of other writers are named, and found by these names (TM-2)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.errors import NotFoundError, StateError, UsageError
from ledger.event import event_id, split_line
from ledger.memory import Memory
from projections import rates
from projections.event_names import named, writer_json
from projections.past import between
from projections.query import LogFilter
from tests.writers.machines import Machine, exchange


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Machine, Machine]]:
    both = (Machine(tmp_path, "laptop"), Machine(tmp_path, "desk", ahead=3_600_000_000))
    yield both
    for machine in both:
        machine.close()


def test_each_event_is_found_by_the_name_that_it_is_shown_under(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    laptop.memory.store(Memory("Use npm"))
    desk.memory.store(Memory("Tabs"))
    exchange([laptop, desk])
    rows = laptop.memory.log()
    names = [named(laptop.memory.workspace.index, row) for row in rows]
    other = f"desk/{desk.genesis[:8]}"
    assert sorted(names) == sorted(["@0", "@1", f"{other}@0", f"{other}@1"])
    assert [laptop.memory.recall.resolve(name) for name in names] == [row.id for row in rows]


@pytest.mark.parametrize("form", ["{id:.8}@1", "{id}@1", "desk/{id:.10}@1", "DESK/{id:.8}@1"])
def test_digits_of_the_writer_name_an_event_with_the_name_or_without(
    pair: tuple[Machine, Machine], form: str
) -> None:
    laptop, desk = pair
    tabs = desk.memory.store(Memory("Tabs")).id
    own = laptop.memory.store(Memory("Use npm")).id
    exchange([laptop, desk])
    assert laptop.memory.recall.resolve(form.format(id=desk.genesis)) == tabs
    assert desk.memory.recall.resolve(form.format(id=desk.genesis)) == tabs, "one's own chain has digits too"
    assert laptop.memory.recall.resolve("@1") == own


@pytest.mark.parametrize(
    ("form", "error", "said"),
    [
        ("lap/{id:.8}@1", NotFoundError, "is desk, not lap"),
        ("desk/{id:.8}@99", NotFoundError, "there is no event"),
        ("desk/{id:.7}@1", UsageError, "8 digits or more"),
        ("desk@1", UsageError, "8 digits or more"),
        ("{id:.8}@", UsageError, "the number of an event"),
        ("{id:.8}@1x", UsageError, "the number of an event"),
        ("00000000@1", NotFoundError, "no writer has an id that begins with 00000000"),
    ],
)
def test_what_names_no_event_is_refused_with_the_reason(
    pair: tuple[Machine, Machine], form: str, error: type[Exception], said: str
) -> None:
    laptop, desk = pair
    exchange([laptop, desk])
    with pytest.raises(error, match=said):
        laptop.memory.recall.resolve(form.format(id=desk.genesis))


def test_json_names_the_writer_of_others_alone(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    tabs = desk.memory.store(Memory("Tabs")).id
    laptop.fetch(desk)
    index = laptop.memory.workspace.index
    assert writer_json(index, laptop.memory.entry(tabs)) == {"id": desk.genesis, "name": "desk"}
    assert writer_json(index, desk.memory.entry(tabs)) is None


def test_the_signed_line_is_read_from_the_chain_that_holds_it(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    laptop.memory.store(Memory("Use npm"))
    desk.memory.store(Memory("Tabs"))
    exchange([laptop, desk])
    for row in laptop.memory.log():
        assert event_id(split_line(laptop.memory.recall.line(row.id)).head) == row.id


def test_views_of_several_chains_are_in_the_order_of_time_whatever_came_first(
    pair: tuple[Machine, Machine],
) -> None:
    laptop, desk = pair
    newer = desk.memory.store(Memory("Tabs")).id
    laptop.fetch(desk)
    older = laptop.memory.store(Memory("Use npm")).id
    assert [entry.id for entry in laptop.memory.load_all()] == [older, newer]
    assert [entry.id for entry in laptop.memory.load_all(limit=1)] == [newer]
    assert [row.id for row in laptop.memory.log(LogFilter(kinds=("create",)))] == [older, newer]
    assert [row.id for row in laptop.memory.log(LogFilter(own=True))][1:] == [older]


def test_a_difference_finds_what_another_writer_did_whatever_came_first(
    pair: tuple[Machine, Machine],
) -> None:
    laptop, desk = pair
    old = desk.memory.store(Memory("Use npm")).id
    laptop.fetch(desk)
    own = laptop.memory.store(Memory("Tabs")).id
    laptop.clock.pass_days(1)
    new = desk.memory.supersede(old, Memory("Use pnpm")).id
    desk.clock.pass_days(1)
    laptop.fetch(desk)
    found = between(laptop.memory.workspace, "@1").found
    assert [(change.old[0].id, change.new.id) for change in found.changed] == []
    assert [entry.id for entry in found.learned] == [new]
    assert [entry.id for entry in between(laptop.memory.workspace, "@0").found.learned] == [own, new]


def test_a_limit_an_hour_counts_what_this_machine_wrote(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    auto = Memory("Use npm", source="auto")
    laptop.memory.store(auto, by=laptop.memory.workspace.by._replace(role="agent", via="mcp"))
    desk.memory.store(
        Memory("Tabs", source="auto"), by=desk.memory.workspace.by._replace(role="agent", via="mcp")
    )
    desk.memory.store(Memory("Use make"))
    laptop.fetch(desk)
    index = laptop.memory.workspace.index
    assert rates.automatic_between(index, "2026-01-05T00:00:00.000000Z", "2026-01-06T00:00:00.000000Z") == 1


def test_a_proof_of_another_writers_event_is_made_on_their_machine(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    tabs = desk.memory.store(Memory("Tabs")).id
    laptop.fetch(desk)
    with pytest.raises(StateError, match=f"was written by desk/{desk.genesis[:8]}: run muniment prove there"):
        laptop.memory.proofs.prove(tabs)
    assert desk.memory.proofs.prove(tabs).id == tabs
