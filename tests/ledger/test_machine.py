"""The stateful machine over the in-memory fold."""

from __future__ import annotations

from hypothesis import settings

from tests.ledger.machine import LedgerMachine

TestLedger = LedgerMachine.TestCase
TestLedger.settings = settings(max_examples=settings().max_examples // 2)
