"""What tests of the adapters share: a user's ledger, mem0's adapter on it, and a secret."""

from __future__ import annotations

import pytest

from frameworks.mem0 import Memory
from muniment import MemoryLedger
from tests.cli.conftest import memory as memory  # noqa: PLC0414 - a fixture

SECRET = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"


@pytest.fixture
def mem0(memory: MemoryLedger) -> Memory:
    return Memory(ledger=memory)
