"""Readers look whether the chain is the one that this machine knows before they answer from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.chain_identity import check_standing
from ledger.errors import ForeignChainError, NoLedgerError, RollbackError
from tests.ledger.world import World


def test_a_chain_that_reaches_its_mark_stands(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.fill("one", "two")
    check_standing(world.path, world.state)


@pytest.mark.parametrize("keep", [0, 1, 2])
def test_a_chain_that_was_cut_or_emptied_does_not(tmp_path: Path, keep: int) -> None:
    world = World(tmp_path)
    world.fill("one", "two")
    lines = world.path.read_bytes().splitlines(keepends=True)
    world.path.write_bytes(b"".join(lines[:keep]))
    with pytest.raises(RollbackError, match="recover"):
        check_standing(world.path, world.state)


def test_a_lost_line_feed_at_the_end_is_no_rollback(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.fill("one")
    world.path.write_bytes(world.path.read_bytes().removesuffix(b"\n"))
    check_standing(world.path, world.state)


def test_another_ledgers_chain_is_foreign(tmp_path: Path) -> None:
    ours, theirs = World(tmp_path / "a"), World(tmp_path / "b", seed="two")
    ours.fill("one")
    theirs.fill("evil", "more", "and more")
    ours.path.write_bytes(theirs.path.read_bytes())
    with pytest.raises(ForeignChainError):
        check_standing(ours.path, ours.state)


def test_a_chain_that_is_gone_is_lost_and_one_that_never_was_is_not(tmp_path: Path) -> None:
    """Whatever this machine knows of it is said: the mark, else that it was founded here."""
    world = World(tmp_path)
    world.fill("one")
    world.path.unlink()
    with pytest.raises(
        RollbackError, match=r"is gone, but event @1 was acknowledged here: .*muniment restore"
    ):
        check_standing(world.path, world.state)
    world.mark.remove()
    with pytest.raises(RollbackError, match=r"is gone, but a ledger was founded here: .*muniment restore"):
        check_standing(world.path, world.state)
    with pytest.raises(NoLedgerError, match="muniment init"):
        check_standing(tmp_path / "elsewhere" / "chain.jsonl", world.state)
