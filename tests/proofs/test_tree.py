"""The tree cache: follows the chain, comes back when it is gone, and is never believed.

Tests specs/proofs.md (T-4, T-30…T-32, T-35).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.command import Create
from ledger.errors import ChainError
from ledger.memory import Memory
from proofs import merkle
from proofs.heads import EventPlace
from proofs.tree import TreeCache
from tests.ledger.world import ADA, flipped, lines_of, overwrite
from tests.proofs.world import Shown


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Shown]:
    world = Shown(tmp_path)
    yield world
    world.tree.close()


def followed(world: Shown, tree: TreeCache) -> bytes:
    with world.lines() as (fd, tip, _):
        tree.follow(fd, tip)
        return tree.root(tip.seq + 1)


def plain_root(world: Shown) -> bytes:
    """The root of all lines, cut by hand: a head ends with the quote after `sig`."""
    frontier: list[bytes] = []
    leaves = []
    for line in lines_of(world.path):
        cut = line.index(b',"sig":"') + len(b',"sig":"') + 87
        leaves.append(merkle.leaf_hash(line[:cut]))
    merkle.dense(leaves, frontier, 0)
    return merkle.fold(frontier)


def test_an_append_keeps_the_tree_current(world: Shown) -> None:
    """T-31: what the cache holds after each append is what a rebuild makes."""
    for number in range(9):
        world.keep(f"memory {number}")
        assert world.tree.tip.seq == number + 1
        assert world.tree.root(number + 2) == plain_root(world)
    kept = world.tree.path.read_bytes()
    world.tree.path.unlink()
    assert followed(world, world.tree) == plain_root(world)
    assert world.tree.path.read_bytes() == kept


def test_a_batch_is_taken_in_at_once(world: Shown) -> None:
    ledger = world.open()
    ledger.chain.on_append = world.tree.appended
    ledger.write([Create(Memory(f"memory {number}")) for number in range(100)], ADA)
    assert world.tree.tip.seq == 100
    assert world.tree.root(101) == plain_root(world)


def test_an_existing_chain_gets_its_cache_when_it_is_needed(world: Shown) -> None:
    world.fill("one", "two", "three")
    assert not world.tree.path.exists()
    assert followed(world, world.tree) == plain_root(world)
    assert world.tree.path.stat().st_mode & 0o777 == 0o600


def test_a_cache_that_lies_a_little_behind_is_caught_up_by_an_append(world: Shown) -> None:
    world.keep("one")
    world.fill("two", "three")
    world.keep("four")
    assert world.tree.tip.seq == 4
    assert world.tree.root(5) == plain_root(world)


def test_a_cache_that_lies_far_behind_is_left_for_who_needs_it(
    world: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.keep("one")
    ledger = world.open()
    monkeypatch.setattr("proofs.tree.NEAR", 1000)
    for at in range(3):
        ledger.create(Memory(f"long {at}", body="x" * 1000), ADA)
    world.keep("last")
    assert world.tree.tip.seq == 1
    assert followed(world, world.tree) == plain_root(world)


def test_two_processes_keep_one_cache(world: Shown) -> None:
    other = TreeCache(world.directory)
    world.keep("one")
    ledger = world.open()
    ledger.chain.on_append = other.appended
    ledger.create(Memory("two"), ADA)
    world.keep("three")
    assert (other.tip.seq, world.tree.tip.seq) == (2, 3)
    assert followed(world, other) == plain_root(world)
    other.close()


def test_another_process_reads_no_more_of_the_chain_than_the_cache_lacks(world: Shown) -> None:
    """T-31: a hash that the file has is kept as it is, which a cache that is made anew would not do."""
    world.keep("one", "two", "three")
    forged = flipped(world.tree.path.read_bytes(), 128)
    overwrite(world.tree.path, forged)
    other = TreeCache(world.directory)
    followed(world, other)
    assert world.tree.path.read_bytes() == forged
    ledger = world.open()
    ledger.chain.on_append = other.appended
    ledger.create(Memory("four"), ADA)
    assert world.tree.path.read_bytes()[128:160] == forged[128:160]
    other.close()


def test_an_erase_leaves_the_tree_as_it_is(world: Shown) -> None:
    """T-1: payloads are not in it."""
    ids = world.fill("a secret of mine", "another")
    before = world.roots([3])
    world.open().erase([ids[0]], ADA)
    assert b"a secret of mine" not in world.path.read_bytes()
    assert world.roots([3]) == before


def test_a_chain_that_was_replaced_is_taken_in_anew(world: Shown, tmp_path: Path) -> None:
    world.keep("one", "two")
    other = Shown(tmp_path / "other", "two")
    other.fill("three", "four", "five")
    overwrite(world.path, other.path.read_bytes())
    assert followed(world, world.tree) == plain_root(other)


def test_a_chain_that_was_cut_is_taken_in_anew(world: Shown) -> None:
    world.keep("one", "two", "three")
    overwrite(world.path, b"".join(lines_of(world.path)[:2]))
    assert followed(world, world.tree) == plain_root(world)
    assert world.tree.tip.seq == 1


@pytest.mark.parametrize("at", [0, 20, 30, 45, 80])
def test_a_damaged_header_means_a_new_cache(world: Shown, at: int) -> None:
    world.keep("one", "two")
    overwrite(world.tree.path, flipped(world.tree.path.read_bytes(), at))
    assert followed(world, TreeCache(world.directory)) == plain_root(world)


@pytest.mark.parametrize("size", [0, 1, 127, 128, 150, 200])
def test_a_cache_that_is_cut_off_is_made_anew(world: Shown, size: int) -> None:
    world.keep("one", "two", "three", "four")
    whole = world.tree.path.read_bytes()
    os.truncate(world.tree.path, size)
    for tree in (world.tree, TreeCache(world.directory)):  # one that knew it, and one that did not
        assert followed(world, tree) == plain_root(world)
        assert world.tree.path.read_bytes() == whole
        os.truncate(world.tree.path, size)
        tree.close()


def test_where_no_file_can_be_written_the_process_has_its_own(world: Shown) -> None:
    world.fill("one")
    tree = TreeCache(world.directory / "missing")
    assert followed(world, tree) == plain_root(world)
    assert followed(world, tree) == plain_root(world)
    tree.close()
    assert not (world.directory / "missing").exists()


def test_nothing_is_written_through_a_link_in_its_place(world: Shown, tmp_path: Path) -> None:
    """T-30: a ledger that somebody else made may have one that leads to a file of the person's."""
    mine = tmp_path / "mine"
    mine.write_bytes(b"kept")
    world.keep("one")
    world.tree.path.unlink()
    world.tree.path.symlink_to(mine)
    world.keep("two")
    assert world.sign(TreeCache(world.directory)).checkpoint.root == plain_root(world)
    assert mine.read_bytes() == b"kept"
    world.tree.path.unlink()
    os.mkfifo(world.tree.path)
    world.keep("three")
    assert world.sign(TreeCache(world.directory)).checkpoint.root == plain_root(world)


def test_an_append_never_fails_for_the_cache(world: Shown) -> None:
    world.tree.path.mkdir()
    world.keep("one")
    assert world.texts() == ["one"]


def test_a_tip_that_the_chain_does_not_reach_is_an_error(world: Shown) -> None:
    world.fill("one")
    with world.lines() as (fd, tip, _), pytest.raises(ChainError, match="changed while it was read"):
        world.tree.follow(fd, tip._replace(id="ab" * 32))
    with world.lines() as (fd, tip, _), pytest.raises(ChainError, match="changed while it was read"):
        world.tree.follow(fd, EventPlace(tip.seq + 1, tip.id, tip.start, tip.end))
    assert followed(world, world.tree) == plain_root(world)


def test_a_forked_child_has_a_lock_of_its_own(world: Shown) -> None:
    world.keep("one")
    child = os.fork()
    if child == 0:
        try:
            world.keep("two")
        finally:
            os._exit(0)
    os.waitpid(child, 0)
    world.keep("three")
    assert world.tree.root(4) == plain_root(world)
