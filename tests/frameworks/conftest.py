"""What tests of the adapters share: a user's ledger."""

from __future__ import annotations

from tests.cli.conftest import memory as memory  # noqa: PLC0414 - a fixture
