"""The index keeps the contract of the View port."""

from __future__ import annotations

import itertools

from ledger.view import View
from projections.index import Index
from tests.ledger.view_contract import ViewContract
from tests.ledger.world import World

_numbers = itertools.count()


class TestIndexAsView(ViewContract):
    def view(self, world: World) -> View:
        folder = world.directory / f"index-{next(_numbers)}"
        folder.mkdir()
        return Index(folder)
