"""What tests of edits share: a ledger whose MEMORY.md there is to edit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import Memory, MemoryLedger
from tests.projections.house import build


@pytest.fixture
def house(tmp_path: Path) -> Iterator[MemoryLedger]:
    """A ledger with three conventions and a preference, rendered."""
    memory, _ = build(tmp_path / "ledger")
    for text in ("Use pnpm, not npm", "Postgres listens on 5433", "Deploy with make ship"):
        memory.store(Memory(text))
    memory.store(Memory("Prefers short answers", type="preference"))
    yield memory
    memory.close()
