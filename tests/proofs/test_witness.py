"""A witness on loopback that follows c2sp.org/tlog-witness, and others that do not.

Tests specs/anchors.md (W-50…W-53).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import pytest

from ledger import note
from ledger.errors import OutsideError, UsageError
from ledger.note import NoteKey
from ledger.signing import SigningKey
from proofs import checkpoint, merkle, witness
from proofs.checkpoint import Checkpoint
from tests.loopback import Reply, Request, serving
from tests.proofs.fake_witness import KEY, NAME, VKEY, Witness, cosign, serve
from tests.proofs.world import tree_of

ORIGIN = f"muniment/{'ab' * 32}/0"
LOG = SigningKey(b"\x01" * 32)
NOW = 1_790_000_000


@dataclass
class Tree:
    """A tree of `size` leaves that others can be compared with."""

    salt: bytes = b""
    size: int = 0

    @property
    def tree(self) -> merkle.Tree:
        return tree_of([merkle.leaf_hash(self.salt + b"%d" % at) for at in range(self.size)])

    def grow(self, to: int) -> Tree:
        self.size = max(self.size, to)
        return self

    def signed(self, size: int, key: SigningKey = LOG) -> bytes:
        return checkpoint.sign(Checkpoint(ORIGIN, size, self.tree.root(size)), key)

    def prove(self, size: int) -> object:
        return lambda old: self.tree.consistency_proof(old, size)


def ask(address: str, tree: Tree, size: int, old: int = 0, **more: object) -> bytes:
    """Return the checkpoint with what the witness cosigned."""
    keys = more.get("keys", [VKEY])
    own = tree.signed(size)
    lines = witness.cosign(address, own, size, old=old, prove=tree.prove(size), keys=keys, now=NOW)  # type: ignore[arg-type]
    return witness.added(own, lines)


def cosigned_at(data: bytes) -> list[int | None]:
    """When witnesses cosigned; None for the log's own signature."""
    return [each.time for each in checkpoint.signatures(data, [NoteKey(ORIGIN, LOG.public)], [VKEY])]


def test_a_first_checkpoint_is_cosigned_from_nothing() -> None:
    tree, one = Tree().grow(5), Witness(NoteKey(ORIGIN, LOG.public))
    with serve(one) as address:
        done = ask(address + "/", tree, 5)
    assert one.asked == [b"old 0\n\n" + tree.signed(5)]
    assert cosigned_at(done) == [None, NOW]


def test_a_later_one_is_cosigned_by_a_proof_from_what_it_knows() -> None:
    tree, one = Tree().grow(13), Witness(NoteKey(ORIGIN, LOG.public))
    with serve(one) as address:
        ask(address, tree, 5)
        ask(address, tree, 13, 5)
    assert len(one.asked) == 2
    assert one.size == 13


@pytest.mark.parametrize("old", [0, 3, 9])
def test_a_stale_size_is_tried_once_more_with_the_one_that_it_says(old: int) -> None:
    tree, one = Tree().grow(13), Witness(NoteKey(ORIGIN, LOG.public))
    with serve(one) as address:
        ask(address, tree, 7)
        ask(address, tree, 13, old)
    assert [body.split(b"\n")[0] for body in one.asked[1:]] == [b"old %d" % old, b"old 7"]
    assert one.size == 13


def test_the_same_checkpoint_is_cosigned_again() -> None:
    tree, one = Tree().grow(5), Witness(NoteKey(ORIGIN, LOG.public))
    with serve(one) as address:
        ask(address, tree, 5)
        one.time += 60
        done = ask(address, tree, 5)
    assert cosigned_at(done) == [None, NOW + 60]


def test_a_witness_that_knows_more_betrays_a_rollback() -> None:
    tree, one = Tree().grow(9), Witness(NoteKey(ORIGIN, LOG.public))
    with serve(one) as address:
        ask(address, tree, 9)
        with pytest.raises(OutsideError, match="has cosigned 9 events of this ledger, but 4 are here"):
            ask(address, tree, 4)
    assert len(one.asked) == 2


def test_a_witness_that_knows_another_history_refuses() -> None:
    """The same key, a rewritten chain: nothing that we could answer makes it cosign."""
    one, other = Witness(NoteKey(ORIGIN, LOG.public)), Tree(b"other").grow(9)
    with serve(one) as address:
        ask(address, Tree().grow(5), 5)
        with pytest.raises(OutsideError, match="knows another history of this ledger"):
            ask(address, other, 9, 5)
        with pytest.raises(OutsideError, match="knows another history of this ledger"):
            ask(address, other, 9)
        with pytest.raises(OutsideError, match="another tree of 5 events"):
            ask(address, other, 5, 5)
    assert one.size == 5


def test_an_unknown_ledger_and_a_foreign_key_are_told_with_what_helps() -> None:
    tree = Tree().grow(3)
    unknown = Witness(NoteKey("other.example", LOG.public))
    said = r"does not know this ledger: .* answered 404 \(unknown log\)"
    with serve(unknown) as address, pytest.raises(OutsideError, match=said):
        ask(address, tree, 3)
    with serve(Witness(NoteKey(ORIGIN, KEY.public))) as address, pytest.raises(OutsideError, match="403"):
        ask(address, tree, 3)


def _own(text: bytes, key: SigningKey = KEY, name: str = NAME, time: int = NOW) -> bytes:
    return cosign(text, name, key, time).line()


TREE = Tree().grow(4)
TEXT = note.parse(TREE.signed(4)).text
OTHER_TEXT = note.parse(TREE.signed(3)).text
FOREIGN = _own(TEXT, SigningKey(b"\x03" * 32), "elsewhere.example")
FORGED = NoteKey(NAME, KEY.public, note.COSIGNATURE).key_id


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "no cosignature"),
        (b"<html>cosigned</html>\n", "no cosignature"),
        (FOREIGN, "none of the given witness keys signed it"),
        (_own(OTHER_TEXT), "does not match"),
        (note.NoteSignature(NAME, FORGED, b"\0" * 72).line(), "does not match"),
        (note.NoteSignature(NAME, FORGED, b"\0" * 64).line(), "does not match"),
        (note.sign(TEXT, NAME, KEY).line(), "none of the given witness keys"),
        (_own(TEXT) + _own(OTHER_TEXT), "does not match"),
        (_own(TEXT)[:-1], "line feed"),
        (_own(TEXT) + b"\n", "no cosignature"),
        (b"\xff" + _own(TEXT), "no cosignature"),
        (_own(TEXT, time=NOW + 3600), "in the future"),
        (FOREIGN * 100, "more than 64"),
        (FOREIGN * 1000, "more than 65536"),
    ],
)
def test_what_is_no_cosignature_of_this_checkpoint_is_refused(body: bytes, why: str) -> None:
    with serving(lambda _: (200, body)) as address, pytest.raises(OutsideError, match=why) as refused:
        ask(address, TREE, 4)
    assert str(refused.value).endswith("nothing was stored")
    assert "\n" not in str(refused.value)


def test_lines_of_others_are_not_taken_over() -> None:
    with serving(lambda _: (200, FOREIGN + _own(TEXT))) as address:
        done = ask(address, TREE, 4)
    assert len(note.parse(done).signatures) == len(cosigned_at(done)) == 2


SIZE = {"Content-Type": "text/x.tlog.size"}


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ((409, b""), "not which"),
        ((409, b"7\n"), "not which"),
        ((409, b"07\n", SIZE), "not which"),
        ((409, b"-1\n", SIZE), "not which"),
        ((409, b"9" * 40 + b"\n", SIZE), "not which"),
        ((409, b"9007199254740991\n", SIZE), "has cosigned 9007199254740991 events"),
        ((409, b"2\n", SIZE), "of 2 events"),
        ((400, b""), "malformed"),
        ((500, b"\x1b]0;x\x07"), "did not cosign"),
        ((301, b""), "301"),
    ],
)
def test_other_answers_are_errors_of_one_line(reply: Reply, why: str) -> None:
    asked: list[Request] = []

    def answer(request: Request) -> Reply:
        asked.append(request)
        return reply

    with serving(answer) as address, pytest.raises(OutsideError, match=why) as refused:
        ask(address, TREE, 4)
    assert len(asked) <= 2
    assert str(refused.value).isprintable()


def test_what_is_no_address_is_not_asked() -> None:
    with pytest.raises(UsageError):
        ask("witness.example", TREE, 4)


def test_a_newer_line_of_a_key_takes_the_place_of_its_older_one() -> None:
    once = witness.added(TREE.signed(4), [note.parse_signatures(_own(TEXT))[0]])
    twice = witness.added(once, [note.parse_signatures(_own(TEXT, time=NOW + 1))[0]])
    assert len(note.parse(twice).signatures) == 2
    assert hashlib.sha256(note.parse(twice).text).digest() == hashlib.sha256(TEXT).digest()
