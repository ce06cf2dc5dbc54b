"""What tests of commands share: a user's ledger, made by `init`, an empty folder to type them in, and the computers of a team."""

from __future__ import annotations

from pathlib import Path

import pytest

import muniment
from muniment import MemoryLedger
from tests.cli.computers import Computer, with_member, with_team, with_two
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


@pytest.fixture
def laptop(tmp_path: Path, request: pytest.FixtureRequest) -> Computer:
    """A computer with a user's ledger of one memory and a team in a folder, to which `desk` or `agent` belongs where a test asks for it."""
    if "agent" in request.fixturenames:
        return with_member(tmp_path, "ci", "--agent")[0]
    return with_two(tmp_path)[0] if "desk" in request.fixturenames else with_team(tmp_path)


@pytest.fixture
def desk(laptop: Computer, tmp_path: Path) -> Computer:
    """Another computer, an admin of that team."""
    return Computer(tmp_path, "desk")


@pytest.fixture
def agent(laptop: Computer, tmp_path: Path) -> Computer:
    """An agent's machine, a member of that team."""
    return Computer(tmp_path, "ci")
