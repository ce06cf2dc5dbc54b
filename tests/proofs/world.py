"""Ledgers that are shown to others, for tests of proofs: a world with a store of what was signed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ledger import reader
from proofs.checkpoint import Origin
from proofs.heads import ReadChain
from proofs.merkle import TILE, TILE_LEVEL, Tree, levels_of
from proofs.signed_checkpoints import SignedStore, Stored, sign
from tests.ledger.world import World


def tree_of(leaves: Sequence[bytes]) -> Tree:
    """Return the tree over leaves, given by their hashes."""
    tiles = [leaves[at : at + TILE] for at in range(0, len(leaves) + 1, TILE)]
    return Tree(
        [levels_of(each)[TILE_LEVEL][0] for each in tiles[:-1]], lambda number: levels_of(tiles[number])
    )


class Shown(World):
    """A world that can be shown to others."""

    def __init__(self, base: Path, seed: str = "one") -> None:
        super().__init__(base, seed)
        self.store = SignedStore(self.directory, self.state.path, self.identity.id)

    def sign(self) -> Stored:
        """Sign the chain as it is, as `muniment anchor checkpoint` does."""
        ledger = self.open()
        with ledger.chain.locked() as held:
            link = held.tip.link
            key = ledger.signing_key(link)
            return sign(self.store, ReadChain(held.fd), Origin(link.chain, link.epoch), key)

    @contextmanager
    def reading(self) -> Iterator[ReadChain]:
        """Give the chain for reading."""
        with reader.opened(self.path) as fd:
            yield ReadChain(fd)

    def roots(self, sizes: Sequence[int]) -> list[bytes]:
        """Return the roots of these sizes."""
        with self.reading() as chain:
            return [chain.tree.root(size) for size in sizes]
