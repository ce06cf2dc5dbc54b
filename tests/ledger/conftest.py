"""What tests of one ledger share: its world, and the ledger opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger import passphrase
from ledger.ledger import Ledger
from tests.ledger.world import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def ledger(world: World) -> Ledger:
    return world.open()


@pytest.fixture
def light_sealing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seal with the least work and memory that Argon2id takes, so that a passphrase opens at once."""
    monkeypatch.setattr(passphrase, "OPS", 1)
    monkeypatch.setattr(passphrase, "MEMORY", 8192)
