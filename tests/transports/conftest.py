"""Servers, each started when the first test asks for it, and once for all tests of a process."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.transports import servers
from tests.transports.nats_server import Nats
from tests.transports.postgres_server import Postgres
from tests.transports.s3_server import Bucket


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A PostgreSQL server."""
    with servers.scratch(servers.NOBODY) as folder:
        made = Postgres(folder)
        with made.running():
            yield made


@pytest.fixture(scope="session")
def nats() -> Iterator[Nats]:
    """A NATS server."""
    with servers.scratch() as folder:
        made = Nats(folder)
        with made.running():
            yield made


@pytest.fixture(scope="session")
def s3() -> Iterator[Bucket]:
    """An S3 server."""
    with servers.scratch() as folder:
        made = Bucket(folder)
        with made.server.running():
            yield made
