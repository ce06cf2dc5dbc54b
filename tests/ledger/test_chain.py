"""Tests of ledger/chain.py: what one append does, and how a chain is made and erased in (C-5…C-19)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ledger import durable
from ledger.chain import Chain, ChainTip
from ledger.command import Create
from ledger.draft import Draft
from ledger.errors import (
    ChainError,
    LedgerExistsError,
)
from ledger.event import split_line
from ledger.ledger import Ledger
from ledger.mark import Mark
from ledger.memory import Memory
from ledger.signing import SigningKey
from tests.ledger.world import (
    ADA,
    START,
    World,
    lines_of,
    memories,
    overwrite,
    spied,
)
from tests.observing import observed


@pytest.fixture
def world(world: World) -> World:
    """A ledger of four events: genesis and three memories."""
    world.fill("one", "two", "three")
    return world


# --- one append ---


def test_an_append_is_one_write_and_one_sync(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it holds one event or twenty (C-5, C-6)."""
    ledger = world.open()
    ledger.create(Memory("warm"), ADA)
    calls: list[tuple[str, int]] = []
    spied(monkeypatch, os, "write", lambda _, data: calls.append(("write", len(data))))
    spied(monkeypatch, durable, "sync_data", lambda _: calls.append(("sync", 0)))
    for count in (1, 20):
        calls.clear()
        size = world.path.stat().st_size
        ledger.write([Create(memory) for memory in memories(*(f"{count} {n}" for n in range(count)))], ADA)
        assert calls == [("write", world.path.stat().st_size - size), ("sync", 0)]


def test_the_mark_moves_after_the_sync(world: World) -> None:
    """What is not durable yet is never remembered as acknowledged (C-5, C-14)."""
    marks: list[int] = []
    reached: list[str] = []
    ledger = world.open()

    def look(step: str) -> None:
        mark = world.mark.read()
        marks.append(mark.seq if mark else -1)
        reached.append(step)

    with observed(look):
        ledger.create(Memory("four"), ADA)
    assert reached == ["append.locked", "append.read", "append.written", "append.synced", "append.marked"]
    assert marks == [3, 3, 3, 3, 4]


def test_an_append_reads_a_bounded_number_of_bytes(tmp_path: Path) -> None:
    """With the mark there, the 100,000 lines before it are not looked at: here they are not even events."""
    world = World(tmp_path)
    costs = []
    for lines in (100, 100_000):
        filler = b"this line is no event and nobody may read it\n" * lines
        genesis, tip = lines_of(world.path)[0], world.open()
        with tip.chain.locked() as held:
            link = held.tip.link._replace(seq=lines)
            _, line = tip.build(_draft("the last of them"), link, ADA, tip.signing_key())
        overwrite(world.path, genesis + filler + line.raw + b"\n")
        start = len(genesis) + len(filler)
        mark = world.mark.read()
        assert mark is not None
        world.mark.write(mark._replace(seq=lines + 1, id=line.id, start=start, end=start + len(line.raw) + 1))
        ledger = world.open()
        before = _read_so_far()
        with ledger.chain.locked() as held:
            link, line = ledger.build(_draft("one more"), held.tip.link, ADA, ledger.signing_key())
            held.append([line], [link])
        costs.append(_read_so_far() - before)
        assert world.path.read_bytes().endswith(line.raw + b"\n")
        overwrite(world.path, genesis)
        world.mark.write(mark)
    assert costs[1] <= costs[0] + 1024
    assert costs[1] < 16_384


def _draft(text: str) -> Draft:
    return Draft("create", {}, {"text": text})


def _read_so_far() -> int:
    path = Path("/proc/self/io")
    if not path.exists():
        pytest.skip("needs /proc/self/io to count what a process reads")
    return int(path.read_text().split()[1])


def test_two_open_ledgers_see_each_others_events(world: World) -> None:
    """Each append begins with what the other one wrote."""
    one, two = world.open(), world.open()
    for number in range(6):
        (one, two)[number % 2].create(Memory(f"turn {number}"), ADA)
    assert [event.seq for event in world.events()] == list(range(10))
    assert world.codes() == []


def test_a_batch_larger_than_a_block_is_read_back_whole(world: World) -> None:
    """Lines that straddle the blocks of the reader are lines like any other."""
    ledger = world.open()
    ledger.write([Create(Memory(f"number {n}", body="x" * 9990)) for n in range(150)], ADA)
    assert world.path.stat().st_size > 1 << 20
    other = world.open()
    other.create(Memory("after"), ADA)
    assert len(world.events()) == 4 + 150 + 1
    assert world.codes() == []


@pytest.mark.parametrize("shift", [-400 * 86_400_000_000, -1, 0])
def test_a_clock_set_back_refuses_nothing(world: World, shift: int) -> None:
    """`ts` goes on rising, by a microsecond if it must; `at` holds the clock (E-16)."""
    before = world.events()[-1].ts
    world.clock.now, world.clock.step = START + shift, 0
    ledger = world.open()
    for text in ("four", "five"):
        ledger.create(Memory(text), ADA)
    four, five = world.events()[-2:]
    assert before < four.ts < five.ts
    assert four.at == five.at < before
    assert world.codes() == []


def test_a_clock_that_runs_ahead_leaves_no_at(world: World) -> None:
    """Where the clock orders by itself it is not written twice."""
    assert ["at" in event.head for event in world.events()] == [False] * 4


def test_a_mark_holds_what_the_next_append_needs(world: World) -> None:
    """Offsets, keys in force and genesis: without them the chain would have to be read (C-14)."""
    mark, last = world.mark.read(), world.events()[-1]
    key = world.keys.load(world.identity.id)
    following = world.events()[0].head["next"]
    end = world.path.stat().st_size
    assert mark == Mark(3, last.id, 0, world.genesis, key.public.hex(), following, last.offset, end)


# --- making, erasing, replacing ---


def test_a_chain_is_never_made_over_another(world: World) -> None:
    """Not even by a genesis that is as good (C-16)."""
    before = world.path.read_bytes()
    genesis = World(world.directory.parent / "twin", "three").events()[0]
    assert genesis.seq == 0
    line = world.open().build(_draft("x"), _tip(world.open()).link, ADA, KEY)[1]
    with pytest.raises(LedgerExistsError, match="it was not changed"):
        Chain.place(world.directory, (line.raw + b"\n",))
    assert world.path.read_bytes() == before
    assert sorted(path.name for path in world.directory.iterdir()) == ["chain.jsonl"]


KEY = SigningKey(bytes(32))


def _tip(ledger: Ledger) -> ChainTip:
    with ledger.chain.locked() as held:
        return held.tip


def test_erasing_touches_payload_bytes_and_nothing_else(world: World) -> None:
    """Length, offsets, heads and every other line stay; of the payload nothing is left (C-19)."""
    before = lines_of(world.path)
    ledger = world.open()
    target = world.events()[2]
    with ledger.chain.locked() as held:
        place = (target.id, target.offset, target.size)
        assert held.erase([place]) == 1
        assert held.erase([place]) == 0
    after = lines_of(world.path)
    assert [line for n, line in enumerate(after) if n != 2] == [
        line for n, line in enumerate(before) if n != 2
    ]
    old, new = split_line(before[2][:-1]), split_line(after[2][:-1])
    assert new.head == old.head
    assert old.payload is not None
    assert new.payload == b"null".ljust(len(old.payload))


def test_erasing_checks_the_id_before_it_writes(world: World) -> None:
    """At another event's offset, or inside a line, nothing is blanked."""
    ledger, events = world.open(), world.events()
    before = world.path.read_bytes()
    wrong = [
        (events[2].id, events[1].offset, events[1].size),
        (events[2].id, events[2].offset + 1, events[2].size - 1),
        (events[2].id, events[2].offset, events[2].size - 1),
        (events[2].id, len(before) + 5, 300),
    ]
    with ledger.chain.locked() as held:
        for place in wrong:
            with pytest.raises(ChainError, match="cannot erase"):
                held.erase([place])
    assert world.path.read_bytes() == before


def test_erasing_in_a_file_that_was_swapped_under_the_lock_is_refused(world: World) -> None:
    """The lock is that of another file then."""
    ledger, event = world.open(), world.events()[1]
    with ledger.chain.locked() as held:
        copy = world.path.with_name("copy")
        copy.write_bytes(world.path.read_bytes())
        copy.rename(world.path)
        with pytest.raises(ChainError, match="was replaced while it was locked"):
            held.erase([(event.id, event.offset, event.size)])
    assert world.codes() == []
