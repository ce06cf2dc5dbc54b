"""What tests of one ledger share: its world, and the ledger opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.ledger import Ledger
from tests.ledger.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def ledger(world: World) -> Ledger:
    return world.open()
