"""The Merkle tree of RFC 6962 over SHA-256: hashing, dense order, roots and proofs, made and verified.

Implements specs/proofs.md (T-1…T-5). Pure: stored hashes come from a reader that the caller passes. Dense
order, as in Go's tlog: the hashes in the order in which appends complete them, so that the n-th append
writes 1 + (trailing one bits of n) hashes at the end, and nothing that stands is ever written again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from itertools import pairwise
from operator import itemgetter

Read = Callable[[Sequence[int]], Sequence[bytes]]
"""Returns the stored hashes at these places of the dense order."""

HASH_BYTES = 32
EMPTY_ROOT = sha256(b"").digest()


def leaf_hash(data: bytes) -> bytes:
    """Return SHA-256(00 ‖ data), the hash of a leaf (RFC 6962, 2.1)."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return SHA-256(01 ‖ left ‖ right), the hash of an inner node (RFC 6962, 2.1)."""
    return sha256(b"\x01" + left + right).digest()


def leaf_hashes(datas: Sequence[bytes]) -> list[bytes]:
    """Return `leaf_hash` of each."""
    begun, hashes = _LEAF.copy, []
    for data in datas:
        hashing = begun()
        hashing.update(data)
        hashes.append(hashing.digest())
    return hashes


def _node_hashes(level: Sequence[bytes]) -> list[bytes]:
    """Return `node_hash` of each pair of a level."""
    begun, hashes = _NODE.copy, []
    pairs = iter(level)
    for left, right in zip(pairs, pairs, strict=True):
        hashing = begun()
        hashing.update(left)
        hashing.update(right)
        hashes.append(hashing.digest())
    return hashes


# A copy of what has taken in the first byte costs less than joining that byte to the rest.
_LEAF, _NODE = sha256(b"\x00"), sha256(b"\x01")


# --- dense order ---


def stored_index(level: int, number: int) -> int:
    """Return the place in dense order of the hash over leaves [number·2^level, (number+1)·2^level)."""
    for _ in range(
        level
    ):  # the hash is written right after its right child, so the place is that child's + 1…
        number = 2 * number + 1
    # …counted from the place of the last leaf below it.
    return stored_count(number) + level


def stored_count(size: int) -> int:
    """Return how many hashes a tree of `size` leaves stores: Σ (size >> i) = 2·size less the one bits of size."""
    return 2 * size - size.bit_count()


def dense(leaves: Sequence[bytes], frontier: list[bytes], size: int) -> list[bytes]:
    """Return the stored hashes of many appends, in order, and keep `frontier` up to date.

    Args:
        leaves: the hashes of the leaves from number `size` on.
        frontier: the roots of the complete subtrees of the first `size` leaves, largest first.
        size: how many leaves there are already.
    """
    stored: list[bytes] = []
    at = min(len(leaves), -size % _CHUNK)
    _one_by_one(leaves[:at], frontier, size, stored)
    while at + _CHUNK <= len(leaves):
        stored += _chunk(leaves[at : at + _CHUNK])
        _climb(stored, frontier, stored.pop(), (size + at) >> _CHUNK_LEVELS)
        at += _CHUNK
    _one_by_one(leaves[at:], frontier, size + at, stored)
    return stored


def _one_by_one(leaves: Sequence[bytes], frontier: list[bytes], size: int, stored: list[bytes]) -> None:
    for number, leaf in enumerate(leaves, size):
        _climb(stored, frontier, leaf, number)


def _climb(stored: list[bytes], frontier: list[bytes], hashed: bytes, number: int) -> None:
    """Store a hash, number `number` of its level, and the nodes above that it completes."""
    stored.append(hashed)
    while number & 1:
        hashed = sha256(b"\x01" + frontier.pop() + hashed).digest()
        stored.append(hashed)
        number >>= 1
    frontier.append(hashed)


def _chunk(leaves: Sequence[bytes]) -> list[bytes]:
    """Return the stored hashes over `_CHUNK` leaves, the first of which is number 0 of them, level by level made."""
    level, every = leaves, list(leaves)
    while len(level) > 1:
        level = _node_hashes(level)
        every += level
    return list(_in_order()(every))


@cache
def _in_order() -> Callable[[Sequence[bytes]], tuple[bytes, ...]]:
    return itemgetter(*_places_in_order(_CHUNK_LEVELS))


def _places_in_order(levels: int) -> list[int]:
    """Return, for the hashes over 2^levels leaves listed level by level, in which order dense order has them."""
    found: list[int] = []
    first = [2 * ((1 << levels) - (1 << (levels - level))) for level in range(levels + 1)]
    for number in range(1 << levels):
        found += [first[level] + (number >> level) for level in range(_trailing_ones(number) + 1)]
    return found


def _trailing_ones(number: int) -> int:
    return (~number & (number + 1)).bit_length() - 1


_CHUNK_LEVELS = 8
_CHUNK = 1 << _CHUNK_LEVELS
"""So many leaves at once are hashed level by level, which costs a third less than one by one."""


def frontier_places(size: int) -> list[int]:
    """Return the places of the complete subtrees that a tree of `size` leaves consists of, largest first."""
    return _complete(0, size)


def fold(frontier: Sequence[bytes]) -> bytes:
    """Return the root of a tree by the roots of its complete subtrees, largest first."""
    if not frontier:
        return EMPTY_ROOT
    root = frontier[-1]
    for left in reversed(frontier[:-1]):
        root = node_hash(left, root)
    return root


def tree_root(size: int, read: Read) -> bytes:
    """Return the root of the first `size` leaves."""
    return fold(read(frontier_places(size)))


# --- making proofs ---


def inclusion_proof(index: int, size: int, read: Read) -> list[bytes]:
    """Return the proof that leaf `index` is in the tree of `size` leaves, its sibling first (RFC 6962, 2.1.1)."""
    if not 0 <= index < size:
        raise ValueError(f"leaf {index} is not in a tree of {size}")
    return _read_stretches(_path(index, 0, size), read)


def consistency_proof(old: int, new: int, read: Read) -> list[bytes]:
    """Return the proof that the tree of `new` leaves begins with that of `old` (RFC 6962, 2.1.2)."""
    if not 0 < old <= new:
        raise ValueError(f"no consistency proof leads from {old} to {new}")
    return _read_stretches(_subproof(old, 0, new, whole=True), read)


def _read_stretches(stretches: Sequence[tuple[int, int]], read: Read) -> list[bytes]:
    """Return the hash of each stretch [start, stop) of leaves, all of it in one read."""
    places = [_complete(start, stop) for start, stop in stretches]
    stored = list(read([place for group in places for place in group]))
    cuts = [0]
    for group in places:
        cuts.append(cuts[-1] + len(group))
    return [fold(stored[start:stop]) for start, stop in pairwise(cuts)]


def _path(index: int, start: int, stop: int) -> list[tuple[int, int]]:
    found = []
    while stop - start > 1:
        middle = start + _split(stop - start)
        if index < middle:
            found.append((middle, stop))
            stop = middle
        else:
            found.append((start, middle))
            start = middle
    return found[::-1]


def _subproof(old: int, start: int, stop: int, *, whole: bool) -> list[tuple[int, int]]:
    """SUBPROOF of RFC 6962 over the leaves [start, stop), of which those before `old` are the old tree's."""
    found = []
    while stop != old:
        middle = start + _split(stop - start)
        if old <= middle:
            found.append((middle, stop))
            stop = middle
        else:
            found.append((start, middle))
            start, whole = middle, False
    if not whole:
        found.append((start, stop))
    return found[::-1]


def _split(size: int) -> int:
    """Return the largest power of two that is smaller than `size`."""
    return int(1 << ((size - 1).bit_length() - 1))


def _complete(start: int, stop: int) -> list[int]:
    """Return the places of the largest complete subtrees that [start, stop) consists of, left to right."""
    found = []
    while start < stop:
        level = (stop - start).bit_length() - 1
        found.append(stored_index(level, start >> level))
        start += 1 << level
    return found


# --- verifying ---


def root_of_inclusion(leaf: bytes, index: int, size: int, proof: Sequence[bytes]) -> bytes | None:
    """Return the root that an inclusion proof leads to; None where it cannot be one for this index and size."""
    if not 0 <= index < size or not _hashes((leaf, *proof)):
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
    """Say whether `proof` shows that the leaf with this hash is number `index` of the tree of `size` under `root`."""
    return root_of_inclusion(leaf, index, size, proof) == root


def verify_consistency(old: int, new: int, proof: Sequence[bytes], old_root: bytes, new_root: bytes) -> bool:
    """Say whether `proof` shows that the tree of `new` leaves under `new_root` begins with that of `old`.

    An empty old tree begins every tree, so that nothing could be shown of it: that is False. The roots are 32
    bytes each, as a checkpoint's are (T-20).
    """
    return old > 0 and verify_subtree_consistency((0, old), new, proof, old_root, new_root)


def verify_subtree_consistency(
    subtree: tuple[int, int], size: int, proof: Sequence[bytes], node: bytes, root: bytes
) -> bool:
    """Say whether `proof` shows that the tree of `size` leaves under `root` has `node` over `subtree`.

    The leaves of a subtree are [start, stop).

    Source: RFC 9162, 2.1.4.2, widened to subtrees as draft-ietf-plants-merkle-tree-certs does. The empty
    subtree has the empty root and needs no proof.
    """
    start, stop = subtree
    if 0 <= start == stop <= size:
        return not proof and node == EMPTY_ROOT
    if not is_subtree(start, stop) or stop > size or not _hashes(proof):
        return False
    first, last, end = start, stop - 1, size - 1
    while first != last if last == end else first != last and last & 1:
        first, last, end = first >> 1, last >> 1, end >> 1
    rest = list(proof)
    if first == last:
        node_seen = root_seen = node
    elif rest:
        node_seen = root_seen = rest.pop(0)
    else:
        return False
    for each in rest:
        if end == 0:
            return False
        if last & 1 or last == end:
            if first < last:
                node_seen = node_hash(each, node_seen)
            root_seen = node_hash(each, root_seen)
            while not last & 1:
                first, last, end = first >> 1, last >> 1, end >> 1
        else:
            root_seen = node_hash(root_seen, each)
        first, last, end = first >> 1, last >> 1, end >> 1
    return end == 0 and node_seen == node and root_seen == root


def is_subtree(start: int, stop: int) -> bool:
    """Say whether the leaves [start, stop) are those of one node, or of a part of one that begins with it."""
    return 0 <= start < stop and start % (1 << (stop - start - 1).bit_length()) == 0


def _hashes(values: Sequence[bytes]) -> bool:
    return all(len(value) == HASH_BYTES for value in values)
