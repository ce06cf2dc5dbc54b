"""Copies of other chains: what is kept of lines that a transport gives (specs/team.md TM-6)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.event import blanked, split_line
from ledger.memory import Memory
from tests.writers.machines import Machine


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[Machine, Machine]]:
    both = (Machine(tmp_path, "laptop"), Machine(tmp_path, "desk"))
    yield both
    for machine in both:
        machine.close()


def test_a_blanked_line_is_kept_only_with_the_erase_that_says_why(pair: tuple[Machine, Machine]) -> None:
    """Else whoever moves lines could take a text away for good."""
    laptop, desk = pair
    secret = laptop.memory.store(Memory("The plan is called Bluebird")).id
    genesis, line = laptop.chain.read_bytes().splitlines(keepends=True)
    payload = split_line(line.rstrip(b"\n")).payload
    assert payload is not None
    taken = genesis + line.replace(payload, blanked(len(payload)))
    added = desk.copies.add(laptop.genesis, 0, taken)
    assert (added.next, added.waits) == (1, True)
    assert desk.copies.add(laptop.genesis, 1, line).next == 2
    laptop.memory.erasures.erase([secret], "wrong place")
    third = Machine(desk.directory.parent.parent, "third")
    added = third.copies.add(laptop.genesis, 0, laptop.chain.read_bytes())
    assert (added.next, added.waits) == (3, False)
    third.close()


def test_a_document_is_put_in_order_when_an_ancestor_comes_late(pair: tuple[Machine, Machine]) -> None:
    """A process that remembered a memory must not go on with the order that it had before (S-7)."""
    laptop, desk = pair
    old = laptop.memory.store(Memory("Use npm")).id
    desk.fetch(laptop)
    desk.clock.pass_days(1)
    desk.memory.store(Memory("Answer in French"))
    desk.memory.supersede([old], Memory("Use pnpm"))
    third = Machine(desk.directory.parent.parent, "third")
    for other in (desk, laptop):
        third.fetch(other)
        third.memory.documents.bring_up_to_date()
    documents = [(each.directory / "MEMORY.md").read_bytes() for each in (third, desk)]
    assert documents[0] == documents[1]
    third.close()


def test_a_copy_that_lost_its_tail_is_fetched_anew(pair: tuple[Machine, Machine]) -> None:
    """TM-6: by the next sync, whether or not its writer has something new."""
    laptop, desk = pair
    laptop.memory.store("Use pnpm")
    desk.fetch(laptop)
    path = desk.copies.path(laptop.genesis)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    assert desk.copies.next(laptop.genesis) == 0
    desk.fetch(laptop)
    assert [each.memory.text for each in desk.memory.load_all()] == ["Use pnpm"]
