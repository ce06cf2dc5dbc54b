"""What a ledger signs, and what it never does: a root of other heads, or one that contradicts an earlier one.

Tests specs/proofs.md (T-22, T-23, T-33, T-36).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.errors import ChainError, RollbackError
from ledger.memory import Memory
from proofs import checkpoint, completeness, signed_checkpoints
from proofs.checkpoint import Checkpoint
from proofs.heads import ScannedLines
from proofs.note import NoteKey
from proofs.signed_checkpoints import Stored
from proofs.tree import TreeCache
from tests.ledger.world import ADA, flipped, lines_of, overwrite
from tests.proofs.world import Shown, standing_of


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Shown]:
    world = Shown(tmp_path)
    yield world
    world.tree.close()


def key_of(world: Shown) -> NoteKey:
    public = world.keys.load(world.identity.id).public
    return NoteKey(f"muniment/{world.genesis}/0", public)


def test_a_checkpoint_is_of_the_whole_chain_and_signed_by_its_key(world: Shown) -> None:
    world.keep("one", "two")
    done = world.sign()
    assert done.new
    opened = checkpoint.open_signed(done.data, [key_of(world)])
    assert opened.checkpoint == Checkpoint(f"muniment/{world.genesis}/0", 3, world.roots([3])[0])
    assert done.path == world.directory / "anchors" / "0-3.checkpoint"
    assert done.path.read_bytes() == done.data
    assert done.path.stat().st_mode & 0o777 == 0o600


def test_the_same_chain_gets_the_same_checkpoint(world: Shown) -> None:
    world.keep("one")
    first = world.sign()
    again = world.sign()
    assert (again.data, again.path, again.new) == (first.data, first.path, False)
    first.path.unlink()
    assert world.sign().data == first.data
    assert first.path.read_bytes() == first.data  # the state directory remembered it


def test_each_checkpoint_goes_on_from_the_last(world: Shown) -> None:
    for number in range(6):
        world.keep(f"memory {number}")
        assert world.sign().checkpoint.root == world.roots([number + 2])[0]
    assert [each.checkpoint.size for each in world.store.stored()] == [2, 3, 4, 5, 6, 7]


def test_no_flipped_byte_in_the_cache_leads_to_a_wrong_root(world: Shown) -> None:
    """T-33: bytes of the header and of every hash, with and without a checkpoint before."""
    world.keep(*(f"memory {number}" for number in range(6)))
    right = world.roots([7])[0]
    good = world.tree.path.read_bytes()
    for before in (False, True):
        for at in (*range(104), *range(128, len(good), 9)):
            overwrite(world.tree.path, flipped(good, at))
            tree = TreeCache(world.directory)
            assert world.sign(tree).checkpoint.root == right
            tree.close()
            if not before:
                forget(world)
        if before:
            break
        world.sign()


def forget(world: Shown) -> None:
    for path in (*world.store.folder.glob("*"), *(world.state.path / "signed").glob("*")):
        path.unlink()


@given(data=st.data())
def test_no_cache_of_another_chain_leads_to_a_wrong_root(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """A forged cache with a good checksum: any hashes of it are others."""
    from proofs import merkle

    base = tmp_path_factory.mktemp("forged")
    world = Shown(base)
    world.keep(*(f"memory {number}" for number in range(data.draw(st.integers(1, 6)))))
    if data.draw(st.booleans()):
        world.sign()
        world.keep(*(f"more {number}" for number in range(data.draw(st.integers(1, 5)))))
    size = world.tree.tip.seq + 1
    for place in data.draw(st.sets(st.integers(0, merkle.stored_count(size) - 1), min_size=1)):
        with world.tree.path.open("r+b") as file:
            file.seek(128 + 32 * place)
            file.write(os.urandom(32))
    tree = TreeCache(world.directory)
    assert world.sign(tree).checkpoint.root == world.roots([size])[0]
    tree.close()
    world.tree.close()


def test_a_chain_that_is_not_linked_is_not_signed(world: Shown) -> None:
    """T-33: an event before the tip was changed, and whoever signs has not verified the chain."""
    world.keep("one", "two", "three")
    lines = lines_of(world.path)
    changed = lines[2].replace(b'"name":"ada"', b'"name":"eve"')
    assert changed != lines[2]
    overwrite(world.path, b"".join([*lines[:2], changed, lines[3]]))
    with pytest.raises(ChainError, match="not linked"):
        world.sign()
    with pytest.raises(ChainError, match="not linked"):
        world.sign(TreeCache(None))


def test_a_root_is_of_the_newest_event_that_is_known(world: Shown) -> None:
    """T-33: where the last line is another one, though the cache is of the right one."""
    world.keep("one", "two")
    ledger = world.open()
    with ledger.chain.locked() as held:
        standing = standing_of(held)
        lines = lines_of(world.path)
        overwrite(world.path, b"".join([*lines[:2], lines[2].replace(b'"name":"ada"', b'"name":"eve"')]))
        tree = TreeCache(world.directory)
        known = ScannedLines(held.fd, held.tip.end)
        with pytest.raises(ChainError):
            signed_checkpoints.sign(world.store, tree, standing, lines=known, key=ledger.signing_key())
        tree.close()


def test_a_chain_that_was_cut_is_not_signed(world: Shown) -> None:
    """Not even where the mark is cut with it."""
    world.keep("one", "two", "three")
    world.sign()
    overwrite(world.path, b"".join(lines_of(world.path)[:2]))
    with pytest.raises(RollbackError):
        world.sign()
    world.mark.remove()
    with pytest.raises(ChainError, match="a checkpoint of 4 events was signed in this epoch"):
        world.sign()


def test_a_chain_that_was_rewritten_with_the_key_is_not_signed(world: Shown) -> None:
    """Neither shorter nor longer nor of the same length, whichever copy of the checkpoint is left."""
    world.keep("one", "two")
    lines = lines_of(world.path)
    world.sign()
    for count in (1, 2, 3):
        overwrite(world.path, b"".join(lines[:1]))
        world.mark.remove()
        world.fill(*(f"forged {count} {number}" for number in range(count)))
        for gone in ("anchors", "signed"):
            kept = {path: path.read_bytes() for path in world.directory.glob("anchors/*")}
            state = {path: path.read_bytes() for path in (world.state.path / "signed").glob("*")}
            for path in kept if gone == "anchors" else state:
                path.unlink()
            with pytest.raises(ChainError, match="nothing is signed"):
                world.sign()
            for path, data in {**kept, **state}.items():
                path.write_bytes(data)


def test_a_cache_that_holds_both_histories_hides_neither(world: Shown) -> None:
    """T-33: its frontier is the chain's, and what lies inside is what the signed checkpoint was made of."""
    from proofs import merkle

    world.keep("one", "two", "three", "four")
    world.sign()
    places = merkle.frontier_places(5)
    old = world.tree.read(places)
    overwrite(world.path, b"".join(lines_of(world.path)[:1]))
    world.mark.remove()
    world.fill(*(f"forged {number}" for number in range(9)))
    tree = TreeCache(world.directory)
    with world.lines() as (fd, tip, _):
        tree.follow(fd, tip, anew=True)
    with tree.path.open("r+b") as file:
        for place, hashed in zip(places, old, strict=True):
            file.seek(128 + 32 * place)
            file.write(hashed)
    with pytest.raises(ChainError, match="these are others"):
        world.sign(tree)
    tree.close()


def test_a_checkpoint_of_a_key_before_a_rotation_that_was_made_again_counts(world: Shown) -> None:
    """T-23, N-19: in the new history another key was in force at its end."""
    from ledger.rotation import rotate

    world.keep("one", "two", "three", "four")
    world.sign()
    rotate(world.open(), ADA)
    overwrite(world.path, b"".join(lines_of(world.path)[:3]))
    world.mark.remove()
    rotate(world.open(), ADA, lost=True)
    for more in ([], ["forged", "forged too", "and more"]):
        world.fill(*more)
        with pytest.raises(ChainError, match="a checkpoint of 5 events was signed in this epoch"):
            world.sign()


def test_after_a_recover_it_is_another_log(world: Shown) -> None:
    """T-20: what was signed may be gone, so the epoch is in the origin."""
    from ledger import recovery

    world.keep("one", "two")
    first = world.sign()
    overwrite(world.path, b"".join(lines_of(world.path)[:2]))
    recovery.recover(world.open(), ADA, "it was cut")
    done = world.sign()
    assert done.checkpoint.origin == f"muniment/{world.genesis}/1"
    assert done.checkpoint.size == first.checkpoint.size == 3
    with world.lines() as (fd, tip, lines):
        found = completeness.compared(world.store.stored(), lines, world.tree, fd, tip)
    assert (len(found.reached), found.given_up, found.findings) == (1, 1, [])


def test_what_lies_in_the_folder_and_is_no_checkpoint_of_ours_is_not_believed(world: Shown) -> None:
    world.keep("one")
    from ledger.signing import SigningKey

    thief = SigningKey(b"\x09" * 32)
    forged = Checkpoint(f"muniment/{world.genesis}/0", 100, b"\x01" * 32)
    world.store.folder.mkdir(mode=0o700)
    (world.store.folder / "0-100.checkpoint").write_bytes(checkpoint.sign(forged, thief))
    (world.store.folder / "x.checkpoint").write_bytes(b"hello")
    (world.store.folder / "y.checkpoint").symlink_to(world.store.folder / "0-100.checkpoint")
    os.mkfifo(world.store.folder / "z.checkpoint")
    assert world.sign().checkpoint.size == 2
    assert [each.checkpoint.size for each in world.store.stored()] == [2, 100]
    assert [path.name for path in world.store.unreadable] == [f"{name}.checkpoint" for name in "xyz"]


def differing(world: Shown, data: bytes) -> list[str]:
    brought = Stored(None, data, checkpoint.parse(data)[0])
    with world.lines() as (fd, tip, lines):
        found = completeness.compared_with(brought, lines, world.tree, fd, tip)
    return [finding.message for finding in found.findings]


def test_a_chain_is_compared_with_a_checkpoint_that_somebody_brings(world: Shown, tmp_path: Path) -> None:
    world.keep("one", "two")
    data = world.sign().data
    world.keep("three")
    assert differing(world, data) == []
    other = Shown(tmp_path / "other", "two")
    other.fill("one")
    assert "of another ledger" in differing(world, other.sign().data)[0]
    made, _ = checkpoint.parse(data)
    key = world.keys.load(world.identity.id)
    wrong = Checkpoint(made.origin, 3, b"\x07" * 32)
    assert "other events stand in the chain" in differing(world, checkpoint.sign(wrong, key))[0]
    late = Checkpoint(made.origin, 9, made.root)
    assert "the chain ends at @3" in differing(world, checkpoint.sign(late, key))[0]
    forged = checkpoint.sign(made, other.keys.load(other.identity.id))
    assert "no key of this chain" in differing(world, forged)[0]


def test_a_damaged_cache_is_no_reason_to_accuse_the_chain(world: Shown) -> None:
    world.keep("one", "two", "three")
    data = world.sign().data
    good = world.tree.path.read_bytes()
    for at in range(128, len(good), 7):
        overwrite(world.tree.path, flipped(good, at))
        assert differing(world, data) == []


def test_a_rewritten_chain_does_not_pass_for_the_cache_of_the_old_one(world: Shown) -> None:
    """T-36: the cache is right for the old chain, and the chain is another."""
    world.keep("one", "two")
    data = world.sign().data
    overwrite(world.path, b"".join(lines_of(world.path)[:1]))
    world.mark.remove()
    cached = world.tree.path.read_bytes()
    world.fill("forged", "two")
    overwrite(world.tree.path, cached)
    assert "other events stand in the chain" in differing(world, data)[0]


def test_the_key_in_force_at_its_end_must_have_signed_it(world: Shown) -> None:
    world.keep("one")
    with world.lines() as (_, _, lines):
        keys = signed_checkpoints.keys_of(lines)
    assert keys == [(0, world.keys.load(world.identity.id).public)]
    data = world.sign().data
    made, _ = checkpoint.parse(data)
    stored = Stored(None, data, made)
    other = (1, b"\x01" * 32)
    assert signed_checkpoints.opened(stored, keys)
    assert signed_checkpoints.opened(stored, [*keys, (2, b"\x01" * 32)])
    assert signed_checkpoints.opened(stored, [*keys, other]) is None


def test_memory_is_learned_the_same_with_and_without_a_tree(world: Shown) -> None:
    world.keep("one")
    world.open().create(Memory("two"), ADA)
    world.goes_on("one", "two")


@pytest.mark.parametrize("name", ["0-3 copy.checkpoint", "monday.checkpoint"])
def test_a_copy_under_another_name_hides_no_receipt(world: Shown, name: str) -> None:
    """T-22, W-3: with the same bytes, or as it was before somebody cosigned it."""
    world.keep("one", "two")
    done = world.sign()
    assert done.path is not None
    copy = done.path.with_name(name)
    copy.write_bytes(done.data)
    assert [each.path for each in world.store.stored()] == [done.path]
    done.path.write_bytes(
        done.data + done.data.splitlines(keepends=True)[-1].replace(b"muniment/", b"other/")
    )
    assert {each.path for each in world.store.stored()} == {copy, done.path}
    assert world.store.stored()[-1].path == done.path
