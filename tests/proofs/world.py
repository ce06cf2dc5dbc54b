"""Ledgers whose tree is kept, for tests of proofs: a world with a tree cache and a store of what was signed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ledger import reader
from ledger.chain import Held
from proofs.heads import EventPlace, ScannedLines
from proofs.signed_checkpoints import Signed, SignedStore, StandingChain, sign
from proofs.tree import TreeCache
from tests.ledger.world import World


class Shown(World):
    """A world that can be shown to others."""

    def __init__(self, base: Path, seed: str = "one") -> None:
        super().__init__(base, seed)
        self.store = SignedStore(self.directory, self.state.path, self.identity.id)
        self.tree = TreeCache(self.directory)

    def sign(self, tree: TreeCache | None = None) -> Signed:
        """Sign the chain as it is, as `muniment anchor checkpoint` does."""
        ledger = self.open()
        with ledger.chain.locked() as held:
            standing = standing_of(held)
            lines = ScannedLines(held.fd, held.tip.end)
            key = ledger.signing_key(held.tip.link)
            return sign(self.store, tree or self.tree, standing, lines=lines, key=key)

    @contextmanager
    def lines(self) -> Iterator[tuple[int, EventPlace, ScannedLines]]:
        """Give the chain for reading."""
        with reader.opened(self.path) as fd:
            lines = ScannedLines(fd, self.path.stat().st_size)
            yield fd, lines.tip(), lines

    def keep(self, *texts: str) -> None:
        """Learn these texts with the tree kept, an append each."""
        from ledger.memory import Memory
        from tests.ledger.world import ADA

        ledger = self.open()
        ledger.chain.on_append = self.tree.appended
        for text in texts:
            ledger.create(Memory(text), ADA)

    def roots(self, sizes: Sequence[int]) -> list[bytes]:
        """Return the roots of these sizes, made of the chain's bytes alone."""
        fresh = TreeCache(None)
        try:
            with self.lines() as (fd, tip, _):
                fresh.follow(fd, tip)
                return [fresh.root(size) for size in sizes]
        finally:
            fresh.close()


def standing_of(held: Held) -> StandingChain:
    """Return the locked chain as it is signed."""
    link = held.tip.link
    return StandingChain(
        held.fd, EventPlace(link.seq, link.id, held.tip.start, held.tip.end), link.chain, link.epoch
    )
