"""What a ledger signs, and what it never does: a root of other heads, or one that contradicts an earlier one.

Tests specs/proofs.md (T-22, T-23, T-33, T-36).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ledger.errors import ChainError, RollbackError
from ledger.note import NoteKey
from proofs import checkpoint, completeness, signed_checkpoints
from proofs.checkpoint import Checkpoint
from proofs.signed_checkpoints import Stored
from tests.ledger.world import ADA, lines_of, overwrite
from tests.proofs.world import Shown


@pytest.fixture
def world(tmp_path: Path) -> Shown:
    return Shown(tmp_path)


def key_of(world: Shown) -> NoteKey:
    public = world.keys.load(world.identity.id).public
    return NoteKey(f"muniment/{world.genesis}/0", public)


def test_a_checkpoint_is_of_the_whole_chain_and_signed_by_its_key(world: Shown) -> None:
    world.fill("one", "two")
    done = world.sign()
    assert done.new
    assert checkpoint.signatures(done.data, [key_of(world)])
    assert checkpoint.parse(done.data)[0] == Checkpoint(f"muniment/{world.genesis}/0", 3, world.roots([3])[0])
    assert done.path == world.directory / "anchors" / "0-3.checkpoint"
    assert done.path.read_bytes() == done.data
    assert done.path.stat().st_mode & 0o777 == 0o600


def test_the_same_chain_gets_the_same_checkpoint(world: Shown) -> None:
    world.fill("one")
    first = world.sign()
    again = world.sign()
    assert (again.data, again.path, again.new) == (first.data, first.path, False)
    first.path.unlink()
    assert world.sign().data == first.data
    assert first.path.read_bytes() == first.data  # the state directory remembered it


def test_each_checkpoint_goes_on_from_the_last(world: Shown) -> None:
    for number in range(6):
        world.fill(f"memory {number}")
        assert world.sign().checkpoint.root == world.roots([number + 2])[0]
    assert [each.checkpoint.size for each in world.store.stored()] == [2, 3, 4, 5, 6, 7]


def test_a_chain_that_is_not_linked_is_not_signed(world: Shown) -> None:
    """T-33: an event before the tip was changed, and whoever signs has not verified the chain."""
    world.fill("one", "two", "three")
    lines = lines_of(world.path)
    changed = lines[2].replace(b'"name":"ada"', b'"name":"eve"')
    assert changed != lines[2]
    overwrite(world.path, b"".join([*lines[:2], changed, lines[3]]))
    with pytest.raises(ChainError, match="not linked"):
        world.sign()


def test_a_chain_that_was_cut_is_not_signed(world: Shown) -> None:
    """Not even where the mark is cut with it."""
    world.fill("one", "two", "three")
    world.sign()
    overwrite(world.path, b"".join(lines_of(world.path)[:2]))
    with pytest.raises(RollbackError):
        world.sign()
    world.mark.remove()
    with pytest.raises(ChainError, match="a checkpoint of 4 events was signed in this epoch"):
        world.sign()


def test_a_chain_that_was_rewritten_with_the_key_is_not_signed(world: Shown) -> None:
    """Neither shorter nor longer nor of the same length, whichever copy of the checkpoint is left."""
    world.fill("one", "two")
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


def test_a_checkpoint_of_a_key_before_a_rotation_that_was_made_again_counts(world: Shown) -> None:
    """T-23, N-19: in the new history another key was in force at its end."""
    from ledger.rotation import rotate

    world.fill("one", "two", "three", "four")
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

    world.fill("one", "two")
    first = world.sign()
    overwrite(world.path, b"".join(lines_of(world.path)[:2]))
    recovery.recover(world.open(), ADA, "it was cut")
    done = world.sign()
    assert done.checkpoint.origin == f"muniment/{world.genesis}/1"
    assert done.checkpoint.size == first.checkpoint.size == 3
    with world.reading() as chain:
        found = completeness.compared(world.store.stored(), chain)
    assert (len(found.reached), found.findings) == (1, [])


def test_what_lies_in_the_folder_and_is_no_checkpoint_of_ours_is_not_believed(world: Shown) -> None:
    world.fill("one")
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


def differing(world: Shown, data: bytes) -> list[str]:
    brought = Stored(Path("brought"), data, checkpoint.parse(data)[0])
    with world.reading() as chain:
        found = completeness.compared_with(brought, chain)
    return [finding.message for finding in found.findings]


def test_a_chain_is_compared_with_a_checkpoint_that_somebody_brings(world: Shown, tmp_path: Path) -> None:
    world.fill("one", "two")
    data = world.sign().data
    world.fill("three")
    assert differing(world, data) == []
    other = Shown(tmp_path / "other", "two")
    other.fill("one")
    assert "of another ledger" in differing(world, other.sign().data)[0]
    made, _ = checkpoint.parse(data)
    key = world.keys.load(world.identity.id)
    wrong = Checkpoint(made.origin, 3, b"\x07" * 32)
    assert "the chain has other events" in differing(world, checkpoint.sign(wrong, key))[0]
    late = Checkpoint(made.origin, 9, made.root)
    assert "the chain ends at @3" in differing(world, checkpoint.sign(late, key))[0]
    forged = checkpoint.sign(made, other.keys.load(other.identity.id))
    assert "no key of this chain" in differing(world, forged)[0]


def test_a_rewritten_chain_does_not_pass_for_the_old_one(world: Shown) -> None:
    """T-36."""
    world.fill("one", "two")
    data = world.sign().data
    overwrite(world.path, b"".join(lines_of(world.path)[:1]))
    world.mark.remove()
    world.fill("forged", "two")
    assert "the chain has other events" in differing(world, data)[0]


def test_the_key_in_force_at_its_end_must_have_signed_it(world: Shown) -> None:
    world.fill("one")
    with world.reading() as chain:
        keys = signed_checkpoints.keys_of(chain)
    assert keys == [(0, world.keys.load(world.identity.id).public)]
    data = world.sign().data
    made, _ = checkpoint.parse(data)
    other = (1, b"\x01" * 32)
    assert signed_checkpoints.is_opened(data, made, keys)
    assert signed_checkpoints.is_opened(data, made, [*keys, (2, b"\x01" * 32)])
    assert signed_checkpoints.is_opened(data, made, [*keys, other]) is False
