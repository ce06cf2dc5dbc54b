"""Hooks exchange chains in the background, now and then, and no agent waits for it (specs/team.md TM-80)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import muniment
from ledger.event import By
from muniment import Memory, MemoryLedger
from team.last_sync import last_sync
from tests.agents.hooks.calling import event, faults, hook, settled
from tests.cli.driver import run
from tests.writers.machines import Machine, joined

BY = By("laptop", "user", "cli")
LONG_AGO = 1_700_000_000
FAR_AHEAD = 4_000_000_000


@pytest.fixture
def here(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryLedger:
    """The user's memory on this machine, which has a team at a folder."""
    monkeypatch.chdir(tmp_path)
    run("init", "--scope", "user").ok()
    memory = muniment.open(scope="user", by=BY)
    memory.team.init(f"folder:{tmp_path / 'share'}")
    return memory


def old(memory: MemoryLedger, when: int = LONG_AGO) -> None:
    """Let the last sync be long ago, or at another time."""
    os.utime(memory.workspace.place.directory / "team" / "last-sync.json", (when, when))


def test_a_session_that_starts_brings_what_another_machine_learned(
    here: MemoryLedger, tmp_path: Path
) -> None:
    desk = joined(here, Machine(tmp_path / "other", "desk", identity=here.team.identity))
    desk.memory.store(Memory("The port of Postgres is 5433"))
    desk.memory.team.sync()
    before = last_sync(here.workspace.place.directory)
    hook(event("SessionStart", source="startup"))
    settled()
    assert last_sync(here.workspace.place.directory) == before, "the last one was a moment ago"
    old(here)
    hook(event("SessionStart", source="startup"))
    settled()
    assert "5433" in hook(event("SessionStart", session="s2", source="startup")).out
    assert faults() == []
    desk.close()


def test_a_transport_that_is_gone_is_noted_and_hinders_nothing(here: MemoryLedger, tmp_path: Path) -> None:
    (tmp_path / "share").rename(tmp_path / "away")
    (tmp_path / "share").write_text("no folder")
    old(here, FAR_AHEAD)  # the clock was years ahead
    assert hook(event("SessionStart", source="startup")).code == 0
    settled()
    done = last_sync(here.workspace.place.directory)
    assert done is not None
    assert "share" in done.fault
    here.store(Memory("Use pnpm"))
    (tmp_path / "share").unlink()
    (tmp_path / "away").rename(tmp_path / "share")
    assert here.team.sync().sent == 1


def test_nothing_is_done_in_the_background_with_an_interval_of_0(here: MemoryLedger) -> None:
    (here.workspace.home.path / "config.toml").write_text("[team]\ninterval = 0\n")
    old(here)
    before = last_sync(here.workspace.place.directory)
    hook(event("SessionStart", source="startup"))
    settled()
    assert last_sync(here.workspace.place.directory) == before
