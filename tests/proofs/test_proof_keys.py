"""Proofs over a chain whose key changes: which key must stand behind an event, and which key events a file needs.

Tests specs/proofs.md (T-40…T-52).
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import replace

import pytest

from ledger import note
from ledger.check import LineChecker
from ledger.draft import Draft
from ledger.event import ROTATE_PREFIX, Built, build_line, next_key_commitment, split_line
from ledger.note import NoteKey
from ledger.signing import SigningKey
from proofs import checkpoint, merkle
from proofs.checkpoint import Checkpoint, Origin
from proofs.proof import Included, Proof
from proofs.proof_judgement import WRONG, VerifierTrust
from tests.proofs.fake_witness import cosign
from tests.proofs.test_proof import judged, states, wrong
from tests.proofs.world import tree_of


class Rotating:
    """Heads of a chain whose key changes, made by hand: the events are those that a ledger would write."""

    def __init__(self) -> None:
        self.keys = [SigningKey(bytes([number]) * 32) for number in range(1, 6)]
        self.now = 0
        self.epoch = 0
        self.lines: list[Built] = []
        self._write("genesis", {"key": self.keys[0].public.hex(), "next": self._next(1), **_GENESIS})

    def _next(self, number: int) -> str:
        return next_key_commitment(self.keys[number].public)

    def _write(self, kind: str, members: dict[str, object], payload: dict[str, object] | None = None) -> None:
        draft = Draft(kind, members, payload)
        seq = len(self.lines)
        event = {
            "v": 1,
            "seq": seq,
            "prev": self.lines[-1].id if self.lines else None,
            "ts": f"2026-11-20T15:00:{seq:02d}.000000Z",
            "kind": draft.kind,
            "epoch": self.epoch,
            "by": {"name": "ada", "role": "user", "via": "cli"},
            **members,
        }
        self.lines.append(build_line(event, payload, b"\1" * 16, self.keys[self.now].sign))

    def create(self, text: str) -> None:
        self._write("create", {}, {"text": text})

    def recover(self) -> None:
        self.epoch += 1
        self._write("recover", {"lost": None, "cut": None}, {"reason": "the disk died"})

    def rotate(self, **members: object) -> None:
        self.now += 1
        key = self.keys[self.now].public.hex()
        self._write("rotate", {"key": key, "next": self._next(self.now + 1), **members})

    def proof(
        self,
        index: int,
        key_events: tuple[int, ...],
        signer: SigningKey | None = None,
        *,
        genesis: str = "",
        epoch: int | None = None,
        order: Sequence[int] = (),
    ) -> Proof:
        """A proof under a checkpoint of this chain; with `order`, of a tree in which its events stand so."""
        leaves = [split_line(self.lines[at].raw).head for at in order or range(len(self.lines))]
        tree = tree_of([*map(merkle.leaf_hash, leaves)])

        def included(at: int) -> Included:
            return Included(leaves[at], tuple(tree.inclusion_proof(at, len(leaves))))

        origin = Origin(genesis or self.lines[0].id, self.epoch if epoch is None else epoch)
        under = Checkpoint(str(origin), len(leaves), tree.root(len(leaves)))
        data = checkpoint.sign(under, signer or self.keys[self.now])
        return Proof(index, included(index), None, tuple(map(included, key_events)), data)


_GENESIS: dict[str, object] = {
    "nonce": "AAAAAAAAAAAAAAAAAAAAAA",
    "ledger": {"id": "0" * 32, "name": "work", "scope": "user"},
}


@pytest.fixture
def rotated() -> Rotating:
    """Genesis, two creates, a rotate at 3, a create, a rotate at 5, a create."""
    chain = Rotating()
    chain.create("one")
    chain.create("two")
    chain.rotate()
    chain.create("three")
    chain.rotate()
    chain.create("four")
    return chain


def test_the_chain_made_by_hand_is_a_good_one(rotated: Rotating) -> None:
    checker = LineChecker()
    assert all(checker.take(line.raw) for line in rotated.lines)


@pytest.mark.parametrize("index", range(7))
def test_each_event_is_judged_by_the_key_in_force_at_it(rotated: Rotating, index: int) -> None:
    told = judged(rotated.proof(index, (0, 3, 5)))
    assert not told.wrong, told.items
    assert "2 rotations lead to the present one" in str(told.items)


def test_a_key_that_the_verifier_learned_earlier_leads_to_the_present_one(rotated: Rotating) -> None:
    named = NoteKey(f"muniment/{rotated.lines[0].id}/0", rotated.keys[0].public)
    told = judged(rotated.proof(6, (0, 3, 5)), VerifierTrust((named,)))
    assert not told.wrong
    assert "of the ledger whose earlier key you named" in str(told.items)


def test_a_key_that_came_after_the_checkpoint_is_no_other_ledgers(rotated: Rotating) -> None:
    """T-49: wrong, since the file does not lead to it, and said why."""
    named = NoteKey(f"muniment/{rotated.lines[0].id}/0", b"\x07" * 32)
    told = judged(rotated.proof(6, (0, 3, 5)), VerifierTrust((named,)))
    assert told.wrong
    assert "it came later" in str(told.items)


@pytest.mark.parametrize("key_events", [(0, 5), (0, 3), (0,), (3, 5), (0, 5, 3), (0, 3, 3, 5)])
def test_no_rotation_can_be_left_out(rotated: Rotating, key_events: tuple[int, ...]) -> None:
    assert wrong(rotated.proof(6, key_events)) & {"keys", "checkpoint", "event"}


@pytest.mark.parametrize("key_events", [(0, 1, 1, 2), (0, 2, 1)])
def test_events_that_bring_keys_stand_in_rising_order(key_events: tuple[int, ...]) -> None:
    """T-45: also where a key commits to itself, so that the commitments fit in any order."""
    chain = Rotating()
    chain.keys[2:] = [chain.keys[1]] * 3
    chain.rotate()
    chain.rotate()
    assert not judged(chain.proof(0, (0, 1, 2))).wrong
    assert states(judged(chain.proof(0, key_events)))["keys"] == WRONG


def test_an_old_key_signs_no_checkpoint_after_a_rotation(rotated: Rotating) -> None:
    assert wrong(rotated.proof(6, (0, 3, 5), rotated.keys[1])) == {"checkpoint"}


def test_a_tree_of_another_genesis_is_not_the_one_that_the_checkpoint_names(rotated: Rotating) -> None:
    assert wrong(rotated.proof(1, (0, 3, 5), genesis="ab" * 32)) == {"keys", "checkpoint", "event"}


def test_an_event_stands_at_its_own_number(rotated: Rotating) -> None:
    """The owner signed a tree in which events stand elsewhere than in the chain."""
    shuffled = rotated.proof(2, (0, 3, 5), order=(0, 2, 1, 3, 4, 5, 6))
    assert wrong(shuffled) == {"event"}


def test_what_a_stolen_key_signed_is_said_to_be_that() -> None:
    chain = Rotating()
    chain.create("mine")
    chain.create("the thief's")
    chain.rotate(since=2)
    assert not judged(chain.proof(1, (0, 3))).wrong
    told = judged(chain.proof(2, (0, 3)))
    assert told.wrong
    assert states(told)["signer"] == WRONG
    assert not judged(chain.proof(3, (0, 3))).wrong


def test_a_disowned_rotate_still_brings_its_key() -> None:
    """T-45, T-50: the succession goes through it, and it is itself said to be disowned."""
    chain = Rotating()
    chain.create("mine")
    chain.rotate()
    chain.create("the thief's")
    chain.rotate(since=2)
    keys = (0, 2, 4)
    assert not judged(chain.proof(1, keys)).wrong
    for disowned in (2, 3):
        assert wrong(chain.proof(disowned, keys)) == {"signer"}
    assert not judged(chain.proof(4, keys)).wrong
    assert "keys" in wrong(chain.proof(1, (0, 4)))


def test_the_epoch_of_the_origin_fits_the_events_in_the_file() -> None:
    """T-53: the ledger's own key signed each of these checkpoints."""
    chain = Rotating()
    chain.create("before")
    chain.recover()
    chain.create("after")
    assert wrong(chain.proof(3, (0,))) == wrong(chain.proof(1, (0,))) == set()
    assert wrong(chain.proof(3, (0,), epoch=0)) == {"checkpoint"}
    assert wrong(chain.proof(2, (0,), epoch=0)) == {"checkpoint"}
    assert wrong(chain.proof(3, (0,), epoch=2)) == {"checkpoint"}
    assert wrong(chain.proof(1, (0,), epoch=0)) == wrong(chain.proof(1, (0,), epoch=2)) == set()
    chain.rotate()
    assert wrong(chain.proof(1, (0, 4), epoch=0)) == {"checkpoint"}


def test_only_the_lines_of_the_newest_key_and_of_named_witnesses_count(rotated: Rotating) -> None:
    """T-48, T-14: a line by an older key, or under another epoch's name, says nothing, whether it holds or not."""
    made = rotated.proof(1, (0, 3, 5))
    under, parsed = checkpoint.parse(made.note)
    old, new = rotated.keys[0], rotated.keys[rotated.now]
    other = str(Origin(rotated.lines[0].id, 7))
    said_nothing = (
        note.sign(parsed.text, under.origin, old),
        note.sign(b"another text\n", under.origin, old),
        note.sign(b"another text\n", other, new),
        cosign(b"another text\n", under.origin, new, 1),
    )
    more = note.Note(parsed.text, (*said_nothing, *parsed.signatures)).encode()
    assert not judged(replace(made, note=more)).wrong
    alone = note.Note(parsed.text, said_nothing).encode()
    assert wrong(replace(made, note=alone)) == {"checkpoint"}
    false = note.sign(b"another text\n", under.origin, new)
    both = note.Note(parsed.text, (*parsed.signatures, false)).encode()
    assert wrong(replace(made, note=both)) == {"checkpoint"}


def test_a_proof_of_the_old_key_that_does_not_hold_is_wrong(rotated: Rotating) -> None:
    """E-21: the checker of chains judges here too."""
    chain = Rotating()
    bad = base64.urlsafe_b64encode(rotated.keys[0].sign(ROTATE_PREFIX + b"{}")).decode().rstrip("=")
    chain.rotate(proof=bad)
    assert "keys" in wrong(chain.proof(1, (0, 1)))
