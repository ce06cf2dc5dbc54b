"""What tests of the agents' doors share with those of commands."""

from __future__ import annotations

from tests.cli.conftest import home as home  # noqa: PLC0414 - a fixture
from tests.cli.conftest import ledger as ledger  # noqa: PLC0414 - a fixture
from tests.cli.conftest import memory as memory  # noqa: PLC0414 - a fixture
