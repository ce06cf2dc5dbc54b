"""The Merkle tree of RFC 6962 over SHA-256: hashing, roots and proofs; those of inclusion are verified, too.

Implements specs/proofs.md (T-1…T-3). Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256

HASH_BYTES = 32
EMPTY_ROOT = sha256(b"").digest()
TILE_LEVEL = 7
TILE = 1 << TILE_LEVEL
"""So many leaves are one tile."""


def leaf_hash(data: bytes) -> bytes:
    """Return SHA-256(00 ‖ data), the hash of a leaf (RFC 6962, 2.1)."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return SHA-256(01 ‖ left ‖ right), the hash of an inner node (RFC 6962, 2.1)."""
    return sha256(b"\x01" + left + right).digest()


Levels = Sequence[Sequence[bytes]]
"""Hashes of leaves, and level by level that of each complete subtree above them."""


def levels_of(hashes: Sequence[bytes]) -> Levels:
    """Return the levels above these hashes; one without a pair is part of no complete subtree."""
    levels = [hashes]
    while len(below := levels[-1]) > 1:
        pairs = zip(below[::2], below[1::2], strict=False)
        levels.append([node_hash(left, right) for left, right in pairs])
    return levels


class Tree:
    """A tree by the hashes of its tiles, which are its complete subtrees of `TILE` leaves.

    Args:
        tiles: the hash of each tile.
        within: gives the levels of a tile by its number; the last one is what follows all tiles.
    """

    def __init__(self, tiles: Sequence[bytes], within: Callable[[int], Levels]) -> None:
        self._upper, self._within = levels_of(tiles), within

    def root(self, size: int) -> bytes:
        """Return the root of the first `size` leaves."""
        return self._over(0, size)

    def inclusion_proof(self, index: int, size: int) -> list[bytes]:
        """Return the proof that leaf `index` is in the tree of `size` leaves, its sibling first (RFC 6962, 2.1.1)."""
        if not 0 <= index < size:
            raise ValueError(f"leaf {index} is not in a tree of {size}")
        found, start, stop = [], 0, size
        while stop - start > 1:
            middle = start + _split(stop - start)
            if index < middle:
                found.append(self._over(middle, stop))
                stop = middle
            else:
                found.append(self._over(start, middle))
                start = middle
        return found[::-1]

    def consistency_proof(self, old: int, new: int) -> list[bytes]:
        """Return the proof that the tree of `new` leaves begins with that of `old` (RFC 6962, 2.1.2)."""
        if not 0 < old <= new:
            raise ValueError(f"no consistency proof leads from {old} to {new}")
        found, start, stop = [], 0, new
        while stop != old:
            middle = start + _split(stop - start)
            if old <= middle:
                found.append(self._over(middle, stop))
                stop = middle
            else:
                found.append(self._over(start, middle))
                start = middle
        if start > 0:  # else the old root itself, which the verifier has
            found.append(self._over(start, stop))
        return found[::-1]

    def _over(self, start: int, stop: int) -> bytes:
        """Return the hash over the leaves [start, stop), folded of the largest complete subtrees."""
        parts = []
        while start < stop:
            level = (stop - start).bit_length() - 1
            parts.append(self._node(level, start >> level))
            start += 1 << level
        if not parts:
            return EMPTY_ROOT
        root = parts.pop()
        while parts:
            root = node_hash(parts.pop(), root)
        return root

    def _node(self, level: int, number: int) -> bytes:
        """Return the hash of a complete subtree: the one with this number of those over 2^level leaves."""
        if level >= TILE_LEVEL:
            return self._upper[level - TILE_LEVEL][number]
        tile, at = divmod(number, TILE >> level)
        return self._within(tile)[level][at]


def _split(size: int) -> int:
    """Return the largest power of two that is smaller than `size`."""
    return int(1 << ((size - 1).bit_length() - 1))


# --- verifying ---


def root_of_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes]) -> bytes | None:
    """Return the root that an inclusion proof leads to; None if it cannot be one for this index and size."""
    if not 0 <= index < size or any(len(each) != HASH_BYTES for each in (leaf, *proof)):
        return None
    inner = (index ^ (size - 1)).bit_length()
    if len(proof) != inner + (index >> inner).bit_count():
        return None
    root = leaf
    for level, sibling in enumerate(proof):
        left = level >= inner or index >> level & 1
        root = node_hash(sibling, root) if left else node_hash(root, sibling)
    return root


def verify_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> bool:
    """Return whether `proof` shows that the leaf with this hash is number `index` of the tree of `size` under `root`."""
    return root_of_inclusion(leaf, index, size, proof) == root
