"""What tests of learning share: an empty ledger of a user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment import MemoryLedger
from tests.learning.taking_in import ledger


@pytest.fixture
def memory(isolated: Path, tmp_path: Path) -> MemoryLedger:
    """An empty ledger."""
    return ledger(tmp_path)
