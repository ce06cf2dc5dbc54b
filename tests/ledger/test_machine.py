"""The stateful machine over the in-memory fold."""

from __future__ import annotations

from tests.ledger.machine import LedgerMachine

TestLedger = LedgerMachine.TestCase
