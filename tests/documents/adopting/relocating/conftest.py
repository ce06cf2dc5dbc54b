"""A ledger whose documents lie in a folder of somebody else's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import MemoryLedger
from tests.documents.adopting.relocating.relocated import made_ledger, made_workspace, point
from tests.projections.house import reopen


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder in which another program keeps memories and files of its own."""
    return made_workspace(tmp_path / "workspace")


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """The directory of a ledger with three conventions, rendered there."""
    return made_ledger(tmp_path / "ledger")


@pytest.fixture
def opened(ledger: Path, workspace: Path) -> Iterator[MemoryLedger]:
    """The ledger with its documents named to lie in the workspace; nothing was rendered there yet."""
    point(ledger, workspace)
    memory, _ = reopen(ledger)
    yield memory
    memory.close()
