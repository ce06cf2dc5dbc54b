"""The stateful machine over the production view: two writers that share one index on disk."""

from __future__ import annotations

from hypothesis import settings

from ledger.view import View
from projections.index import Index
from tests.ledger.machine import LedgerMachine
from tests.ledger.world import World


class IndexedMachine(LedgerMachine):
    def view(self, world: World) -> View:
        return Index(world.directory)


TestIndexedLedger = IndexedMachine.TestCase
TestIndexedLedger.settings = settings(max_examples=settings().max_examples // 3)
