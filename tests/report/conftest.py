"""The verifier's bundle, made once for each process that tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.verifier import Ask, built, in_node


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("bundle"))


@pytest.fixture(scope="session")
def ask_node(bundle: Path) -> Ask:
    return in_node(bundle)
