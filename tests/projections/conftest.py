"""What tests of projections share: an empty ledger, and the clock that the test moves."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment import MemoryLedger
from tests.projections.house import Clock, build


@pytest.fixture
def house(tmp_path: Path) -> tuple[MemoryLedger, Clock]:
    """An empty ledger, and the clock that the test moves."""
    return build(tmp_path / "ledger")


@pytest.fixture
def ledger(house: tuple[MemoryLedger, Clock]) -> MemoryLedger:
    """An empty ledger."""
    return house[0]
