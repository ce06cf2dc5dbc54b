"""One memory from many chains: in whatever order events come, every machine shows the same (S-1, TM-7)."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.drift import index_findings
from ledger import signature_worker
from ledger.command import Command, Confirm, Create, Delete, Erase, Supersede
from ledger.errors import LedgerError
from ledger.fold import Entry
from ledger.memory import Memory
from ledger.reader import events
from ledger.rotation import rotate
from tests.ledger.reference import fold
from tests.writers.machines import Machine, exchange

HOUR = 3_600_000_000


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Machine, Machine]]:
    both = (Machine(tmp_path, "laptop"), Machine(tmp_path, "desk", ahead=HOUR))
    yield both
    for machine in both:
        machine.close()


def shown(machine: Machine) -> list[Entry]:
    """Return all memories as a machine's index has them, but for what depends on whose index it is."""
    index = machine.memory.workspace.index
    ids = index.connection().execute("SELECT id FROM memories ORDER BY order_ts, order_id, ts, id").fetchall()
    entries = [entry for (id_,) in ids if (entry := index.entry(id_))]
    return [entry._replace(n=0, writer=0) for entry in entries]


def modelled(machines: list[Machine], waits: Mapping[str, int] | None = None) -> list[Entry]:
    """Return what the model says of all their chains, some of which wait from a seq on (TM-25)."""
    every = itertools.chain.from_iterable(events(machine.chain) for machine in machines)
    return [entry._replace(n=0, writer=0) for entry in fold(every, waits=waits).entries()]


def test_what_one_machine_learns_the_other_shows(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    old = laptop.memory.store(Memory("Use npm")).id
    desk.fetch(laptop)
    assert desk.memory.entry(old).memory.text == "Use npm"
    new = desk.memory.supersede(old, Memory("Use pnpm")).id
    laptop.fetch(desk)
    assert (laptop.memory.entry(old).status, laptop.memory.entry(new).status) == ("superseded", "active")
    assert [hit.entry.id for hit in laptop.memory.search("pnpm")] == [new]
    assert shown(laptop) == shown(desk) == modelled([laptop, desk])


def test_an_event_names_what_was_seen_of_the_others_once(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    laptop.memory.store(Memory("Use npm"))
    tip = laptop.memory.store(Memory("Answer in French")).id
    desk.fetch(laptop)
    desk.memory.store(Memory("Tabs"))
    desk.memory.store(Memory("Spaces in Python"))
    seen = [event.seen for event in events(desk.chain)]
    assert seen == [(), (tip,), ()]


def test_a_clock_of_the_far_future_moves_nobody_elses(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    desk.clock.now = 253_402_300_000_000_000  # late in 9999
    wrong = desk.memory.store(Memory("Use npm")).id
    laptop.fetch(desk)
    at = laptop.clock.now
    right = laptop.memory.supersede(wrong, Memory("Use pnpm")).id
    entry = laptop.memory.entry(right)
    newest = list(events(laptop.chain))[-1]
    assert (entry.status, newest.ts[:4]) == ("active", "2026")
    assert newest.at < newest.ts, "the target raised it, within bounds"
    assert laptop.clock.now - at < HOUR


def test_an_erase_of_its_own_chain_blanks_the_copy(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    secret = laptop.memory.store(Memory("The plan is called Bluebird")).id
    desk.fetch(laptop)
    assert desk.memory.entry(secret).status == "active"
    laptop.memory.erasures.erase([secret], "wrong place")
    desk.fetch(laptop)
    assert desk.memory.entry(secret).status == "erased"
    assert b"Bluebird" not in desk.copies.path(laptop.genesis).read_bytes()
    assert index_findings(desk.directory, desk.chain) == []
    assert shown(laptop) == shown(desk) == modelled([laptop, desk])


@pytest.mark.parametrize("worthwhile", [1, 1 << 30])
def test_of_a_damaged_copy_counts_what_stands_before_the_damage(
    tmp_path: Path, worthwhile: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever checks the signatures (V-11), and whatever other chains are folded with it (TM-6)."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)
    monkeypatch.setattr(signature_worker, "WORTHWHILE", worthwhile)
    laptop, *others = [Machine(tmp_path, name) for name in ("laptop", "desk", "phone")]
    for machine in others:
        for number in range(3):
            machine.memory.store(Memory(f"{machine.name} {number}"))
        laptop.fetch(machine)
    copy = laptop.copies.path(others[0].genesis)
    lines = copy.read_bytes().splitlines(keepends=True)
    before, here = (line.split(b'"sig":"')[1][:86] for line in lines[-2:])
    copy.write_bytes(b"".join(lines).replace(here, before))
    index = laptop.memory.workspace.index
    index.rebuild(laptop.chain)
    texts = [entry.memory.text for entry in shown(laptop)]
    assert sorted(texts) == ["desk 0", "desk 1", "phone 0", "phone 1", "phone 2"]
    for machine in (laptop, *others):
        machine.close()


def test_what_two_machines_say_alike_stands_once_and_goes_once(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    first = laptop.memory.store(Memory("Use pnpm")).id
    second = desk.memory.store(Memory("Use pnpm")).id
    exchange([laptop, desk])
    for machine in pair:
        machine.memory.documents.bring_up_to_date()
        assert (machine.directory / "MEMORY.md").read_text().count("Use pnpm") == 1
        assert [each.id for each in machine.memory.load_all()] == [first]
    desk.memory.delete([first], "wrong")
    exchange([laptop, desk])
    assert {laptop.memory.entry(id_).status for id_ in (first, second)} == {"deleted"}
    assert shown(laptop) == shown(desk) == modelled([laptop, desk])


def test_what_is_said_alike_is_shown_again_when_the_other_is_erased(pair: tuple[Machine, Machine]) -> None:
    laptop, desk = pair
    first = laptop.memory.store(Memory("Use pnpm")).id
    second = desk.memory.store(Memory("Use pnpm")).id
    exchange([laptop, desk])
    assert desk.memory.entry(second).status == "superseded"
    laptop.memory.erasures.erase([first], "mine alone")
    exchange([laptop, desk])
    for machine in pair:
        assert machine.memory.entry(second).status == "active"
        machine.memory.documents.bring_up_to_date()
        assert (machine.directory / "MEMORY.md").read_text().count("Use pnpm") == 1


TEXT = st.sampled_from(["tabs", "spaces", "pnpm", "port 5432", "größe"])
STEP = st.tuples(
    st.sampled_from(
        [
            "create",
            "create",
            "supersede",
            "supersede",
            "delete",
            "confirm",
            "erase",
            "rotate",
            "fetch",
            "fetch",
        ]
    ),
    st.integers(0, 2),
    st.integers(0, 30),
    st.builds(
        Memory,
        TEXT,
        topic=st.sampled_from(["", "a"]),
        status=st.sampled_from(["active", "candidate"]),
        body=st.sampled_from(["", "", "a long line of a body\n" * 3000]),
    ),
)
_numbers = itertools.count()


@settings(max_examples=settings().max_examples // 3)
@given(
    steps=st.lists(STEP, min_size=4, max_size=24),
    waits=st.sampled_from([{}, {}, {2: 0}, {2: 3}, {1: 0, 2: 0}]),
)
def test_all_machines_come_to_the_same_in_whatever_order_events_came(
    tmp_path_factory: pytest.TempPathFactory,
    steps: list[tuple[str, int, int, Memory]],
    waits: dict[int, int],
) -> None:
    """Also where what some of them write waits for a person (TM-21)."""
    root = tmp_path_factory.getbasetemp() / "many" / str(next(_numbers))
    machines = [Machine(root, name, ahead) for name, ahead in (("a", 0), ("b", 10 * HOUR), ("c", -HOUR))]
    for machine, (agent, since) in itertools.product(machines, waits.items()):
        machine.know_that(machines[agent], since)
    for verb, who, number, memory in steps:
        machine = machines[who]
        with contextlib.suppress(LedgerError):  # a target that is gone is refused, which other tests look at
            if verb == "fetch":
                machine.fetch(machines[(who + 1 + number % 2) % 3])
            elif verb == "rotate":
                rotate(machine.memory.workspace.ledger, machine.memory.workspace.by, since=1 + number % 4)
            else:
                _do(machine, verb, number, memory)
    exchange(machines)
    wanted = modelled(machines, {machines[agent].genesis: since for agent, since in waits.items()})
    for machine in machines:
        machine.memory.documents.bring_up_to_date()
        assert shown(machine) == wanted
        assert index_findings(machine.directory, machine.chain) == []
        machine.memory.workspace.index.rebuild(machine.chain)
        assert shown(machine) == wanted
        machine.close()


def _do(machine: Machine, verb: str, number: int, memory: Memory) -> None:
    entries = shown(machine)
    targets = (entries[number % len(entries)].id,) if entries else ()
    commands: dict[str, Command] = {
        "create": Create(memory),
        "supersede": Supersede(targets, memory, restore=True),
        "delete": Delete(targets, "why"),
        "confirm": Confirm(targets, "still"),
        "erase": Erase(targets, "out", family=False),
    }
    machine.memory.workspace.append([commands[verb]])
