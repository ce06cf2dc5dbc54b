"""The stateful machine over the in-memory fold."""

from __future__ import annotations

import pytest
from hypothesis import settings

from tests.ledger.machine import LedgerMachine

TestLedger = LedgerMachine.TestCase
TestLedger.settings = settings(max_examples=40, stateful_step_count=25)


@pytest.mark.soak
class TestLongLives(LedgerMachine.TestCase):  # type: ignore[misc, valid-type]
    """More and longer lives."""

    settings = settings(max_examples=600, stateful_step_count=60)
