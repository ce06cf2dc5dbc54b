"""The verifier's bundle, made once for each process that tests; and a ledger with a viewer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import muniment
from ledger.event import By
from ledger.memory import Memory
from muniment import MemoryLedger
from report.viewer import Viewer, viewing
from tests.report.verifier import Ask, built, in_node


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("bundle"))


@pytest.fixture(scope="session")
def ask_node(bundle: Path) -> Ask:
    return in_node(bundle)


@pytest.fixture
def memory(isolated: Path) -> Iterator[MemoryLedger]:
    """A user's ledger with one memory, written by a person through the command line."""
    muniment.init().close()
    place, _ = muniment.locate("user", None)
    with MemoryLedger(place, muniment.home(), by=By("ada", "user", "cli")) as opened:
        opened.store(Memory("Postgres listens on 5433"))
        yield opened


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def viewer(memory: MemoryLedger, said: list[str]) -> Iterator[Viewer]:
    with viewing(memory, 0, said.append) as started:
        yield started
