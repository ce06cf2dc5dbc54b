"""What tests of commands share: a user's ledger, made by `init`, and an empty folder to type them in."""

from __future__ import annotations

from pathlib import Path

import pytest

import muniment
from muniment import MemoryLedger
from tests.cli.driver import run, user_ledger


@pytest.fixture
def ledger(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of a user's ledger, seen from an empty folder."""
    monkeypatch.chdir(tmp_path)
    run("init", "--scope", "user").ok()
    return isolated / ".muniment"


@pytest.fixture
def memory(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryLedger:
    """A user's empty ledger, opened, and seen from an empty folder."""
    monkeypatch.chdir(tmp_path)
    return muniment.init()


@pytest.fixture
def home() -> Path:
    """The directory of a user's ledger of two memories."""
    return user_ledger("one", "two")
