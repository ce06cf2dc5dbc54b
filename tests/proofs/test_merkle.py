"""The tree of RFC 6962: its vectors, and what holds for every tree.

Tests specs/proofs.md (T-1…T-3), with the public vectors of transparency-dev/merkle where they are at hand, and
some of our own beside this file.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs import merkle
from tests.proofs.consistency import verify_consistency
from tests.proofs.world import tree_of

PUBLIC = Path(__file__).resolve().parents[3] / "shared" / "data" / "vectors" / "transparency-dev__merkle"
OWN = Path(__file__).parent / "data" / "merkle.json"
COUNTS = {"inclusion": 98, "consistency": 98}


def unb64(value: str | None) -> bytes:
    return base64.b64decode(value or "")


def verdict(family: str, case: dict[str, Any]) -> bool:
    """What we say of one public vector."""
    proof = [unb64(each) for each in case.get("proof") or ()]
    match family:
        case "inclusion":
            leaf, root = unb64(case["leafHash"]), unb64(case["root"])
            return merkle.verify_inclusion(leaf, case["leafIdx"], case["treeSize"], proof, root)
        case "consistency":
            roots = unb64(case["root1"]), unb64(case["root2"])
            return verify_consistency(case["size1"], case["size2"], proof, *roots)
    raise AssertionError(family)


def cases(family: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted((PUBLIC / "testdata" / family).rglob("*.json")):
        yield str(path.relative_to(PUBLIC)), json.loads(path.read_text("utf-8"))


@pytest.mark.parametrize("family", COUNTS)
def test_all_public_vectors_are_judged_as_they_say(family: str) -> None:
    if not PUBLIC.exists():
        pytest.skip("the public vectors of transparency-dev/merkle are not at hand")
    found = list(cases(family))
    assert len(found) == COUNTS[family]
    wrong = [name for name, case in found if verdict(family, case) == case["wantErr"]]
    assert not wrong, wrong


def leaves(size: int) -> list[bytes]:
    return [merkle.leaf_hash(b"leaf %d" % number) for number in range(size)]


def plain_root(hashes: Sequence[bytes]) -> bytes:
    """MTH of RFC 6962, 2.1, written as it stands there."""
    if not hashes:
        return sha256(b"").digest()
    if len(hashes) == 1:
        return hashes[0]
    split = 1
    while split * 2 < len(hashes):
        split *= 2
    return sha256(b"\x01" + plain_root(hashes[:split]) + plain_root(hashes[split:])).digest()


def test_kept_vectors() -> None:
    """Roots and proofs that were computed once, and must never come out otherwise."""
    kept = json.loads(OWN.read_text("utf-8"))
    tree = tree_of(leaves(kept["leaves"]))
    assert {str(size): tree.root(size).hex() for size in range(12)} == kept["roots"]
    for case in kept["inclusion"]:
        proof = tree.inclusion_proof(case["index"], case["size"])
        assert [each.hex() for each in proof] == case["proof"]
    for case in kept["consistency"]:
        proof = tree.consistency_proof(case["old"], case["new"])
        assert [each.hex() for each in proof] == case["proof"]


@given(st.integers(0, 130), st.integers(0, 40))
def test_the_root_is_that_of_rfc_6962(size: int, more: int) -> None:
    hashes = leaves(size + more)
    assert tree_of(hashes).root(size) == plain_root(hashes[:size])


@given(st.data())
def test_every_inclusion_proof_verifies_and_no_other_index_size_or_leaf_does(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 130))
    index = data.draw(st.integers(0, size - 1))
    tree = tree_of(hashes := leaves(size))
    proof = tree.inclusion_proof(index, size)
    root = plain_root(hashes)
    assert merkle.verify_inclusion(hashes[index], index, size, proof, root)
    other = data.draw(st.integers(0, 130))
    assert not merkle.verify_inclusion(hashes[index], other, size, proof, root) or other == index
    assert not merkle.verify_inclusion(merkle.leaf_hash(b"x"), index, size, proof, root)
    assert not merkle.verify_inclusion(hashes[index], index, size, [*proof, root], root)
    if proof:
        at = data.draw(st.integers(0, len(proof) - 1))
        changed = [*proof[:at], merkle.leaf_hash(proof[at]), *proof[at + 1 :]]
        assert not merkle.verify_inclusion(hashes[index], index, size, changed, root)
        assert not merkle.verify_inclusion(hashes[index], index, size, proof[:-1], root)


@given(st.data())
def test_every_consistency_proof_verifies_and_no_other_tree_does(data: st.DataObject) -> None:
    new = data.draw(st.integers(1, 130))
    old = data.draw(st.integers(1, new))
    tree = tree_of(hashes := leaves(new))
    proof = tree.consistency_proof(old, new)
    roots = plain_root(hashes[:old]), plain_root(hashes)
    assert verify_consistency(old, new, proof, *roots)
    forked = [*hashes[: old - 1], merkle.leaf_hash(b"rewritten")]
    assert not verify_consistency(old, new, proof, plain_root(forked), roots[1])
    assert not verify_consistency(old, new, proof, roots[0], plain_root([*hashes, hashes[0]]))
    assert not verify_consistency(old, new, [*proof, roots[0]], *roots)
    if proof:
        assert not verify_consistency(old, new, proof[:-1], *roots)


@pytest.mark.parametrize(("index", "size"), [(0, 0), (3, 3), (-1, 4)])
def test_no_proof_is_made_of_a_leaf_that_is_not_there(index: int, size: int) -> None:
    with pytest.raises(ValueError, match="is not in a tree"):
        tree_of(leaves(8)).inclusion_proof(index, size)


@pytest.mark.parametrize(("old", "new"), [(0, 4), (5, 4)])
def test_no_consistency_is_made_from_nothing_or_backwards(old: int, new: int) -> None:
    with pytest.raises(ValueError, match="no consistency proof"):
        tree_of(leaves(8)).consistency_proof(old, new)


def test_a_leaf_behind_the_last_is_in_no_tree() -> None:
    """T-2: whatever proof is given for it."""
    assert merkle.root_of_inclusion(bytes(32), 1, 1, [bytes(32)]) is None
    assert merkle.root_of_inclusion(bytes(32), 0, 1, []) == bytes(32)
