"""A verifier of consistency proofs, as a witness is one: the product makes them, and others check them.

Implements specs/proofs.md (T-3) by RFC 9162, 2.1.4.2.
"""

from __future__ import annotations

from collections.abc import Sequence

from proofs.merkle import HASH_BYTES, node_hash


def verify_consistency(old: int, new: int, proof: Sequence[bytes], old_root: bytes, new_root: bytes) -> bool:
    """Say whether `proof` shows that the tree of `new` leaves under `new_root` begins with that of `old` leaves.

    An empty old tree begins every tree, so that nothing could be shown of it: that is False.
    """
    if not 0 < old <= new or any(len(each) != HASH_BYTES for each in proof):
        return False
    last, end = old - 1, new - 1
    while last and (last == end or last & 1):
        last, end = last >> 1, end >> 1
    rest = [*proof] if last else [old_root, *proof]
    if not rest:
        return False
    old_seen = new_seen = rest.pop(0)
    for each in rest:
        if end == 0:
            return False
        if last & 1 or last == end:
            if last:
                old_seen = node_hash(each, old_seen)
            new_seen = node_hash(each, new_seen)
            while not last & 1:
                last, end = last >> 1, end >> 1
        else:
            new_seen = node_hash(new_seen, each)
        last, end = last >> 1, end >> 1
    return end == 0 and (old_seen, new_seen) == (old_root, new_root)
