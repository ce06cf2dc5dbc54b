"""Tests of ledger/pin_check.py: which pin and which mark a chain is held against (C-14, C-15, V-8, V-9, V-13)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from ledger.errors import NoLedgerError, UsageError
from ledger.pin_check import known_of, verify_known
from ledger.verify import Expectation
from tests.ledger.world import World, lines_of, overwrite

OTHER = "f" * 64


def test_a_chain_in_its_place_is_held_against_pin_and_mark(world: World) -> None:
    world.fill("one")
    mark = world.mark.read()
    assert mark is not None
    assert known_of(world.path, world.state) == Expectation(world.genesis, None, mark)
    assert known_of(world.path, world.state, OTHER) == Expectation(world.genesis, None, mark)


def test_a_copy_under_another_name_has_no_pin(world: World, tmp_path: Path) -> None:
    """Whose it is, it says itself; the mark of that ledger names the genesis."""
    world.fill("one", "two")
    copy = Path(shutil.copy(world.path, tmp_path / "copy.jsonl"))
    mark = world.mark.read()
    assert mark is not None
    assert known_of(copy, world.state) == Expectation(mark.genesis, None, mark)
    overwrite(copy, b"".join(lines_of(copy)[:2]))
    report = verify_known(copy, world.state)
    assert [finding.code for finding in report.completeness.findings] == ["rollback"]


def test_a_file_that_says_nothing_of_itself_is_held_against_nothing(world: World, tmp_path: Path) -> None:
    """Neither one that is missing."""
    broken = tmp_path / "broken.jsonl"
    assert known_of(broken, world.state) == Expectation()
    with pytest.raises(NoLedgerError):
        verify_known(broken, world.state)
    broken.write_bytes(b"nonsense\n")
    assert known_of(broken, world.state) == Expectation()


def test_a_chain_that_is_gone_is_still_known_by_its_pin(world: World) -> None:
    """So verify says what is lost."""
    world.fill("one")
    world.path.unlink()
    report = verify_known(world.path, world.state)
    assert [finding.code for finding in report.completeness.findings] == ["rollback"]


def test_only_what_is_newer_than_the_mark_needs_one(world: World) -> None:
    """And says what to do without."""
    world.fill("one")
    assert verify_known(world.path, world.state, since_mark=True).sound
    world.mark.remove()
    with pytest.raises(UsageError, match="no high-water mark here for this chain: leave out --since-mark"):
        verify_known(world.path, world.state, since_mark=True)
