"""A backup of a member of a team: the ledger, its rosters and where it syncs come back; a sync brings the others (F-12, F-14)."""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger import location
from ledger.location import Home
from ledger.memory import Memory
from muniment import MemoryLedger
from tests.cli.driver import Result, run
from tests.writers.machines import Machine, joined


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Machine]:
    """A member that is to be backed up: the laptop founded the team, and wrote a memory."""
    laptop, machine = Machine(tmp_path, "laptop"), Machine(tmp_path, "desk", ahead=1_000_000)
    laptop.memory.store(Memory("Use npm"))
    laptop.memory.team.init(f"folder:{tmp_path}/share")
    joined(laptop.memory, machine)
    machine.memory.store(Memory("Answer in French"))
    laptop.close()
    yield machine
    machine.close()


def on(home: Home, *words: object) -> Result:
    """Run a command where the folders of `home` are the user's."""
    env = {"MUNIMENT_HOME": str(home.path), "MUNIMENT_STATE": str(home.state)}
    return run(*words, "--ledger", home.path, env=env)


def test_a_member_goes_on_elsewhere_after_a_restore_and_a_sync(desk: Machine, tmp_path: Path) -> None:
    old = Home(desk.directory, desk.state.path)
    new = Home(tmp_path / "new" / "home", tmp_path / "new" / "state")
    archive = tmp_path / "desk.tar.gz"
    on(old, "backup", archive, "--keys", "--yes").ok()
    with tarfile.open(archive) as tar:
        names = [name for name in tar.getnames() if name.startswith("team/")]
    assert "team/transport.json" in names
    assert len([name for name in names if name.startswith("team/rosters/")]) == 2
    assert not [name for name in names if "chains" in name]

    assert "muniment team sync" in on(new, "restore", archive, "--yes").ok().err
    kept = [sorted(path.name for path in (each.state / "seals").rglob("*")) for each in (old, new)]
    assert kept[0] == kept[1] != [], "the team's keys came along"
    verified = on(new, "verify", "--json").ok().json
    assert (verified["members"]["state"], verified["integrity"]["state"]) == ("not checked", "sound")
    assert [row["text"] for row in on(new, "list", "--json").ok().json_lines] == ["Answer in French"]

    with MemoryLedger(location.explicit(new.path), new) as memory:
        memory.team.sync()
        assert memory.team.is_member
    assert on(new, "verify", "--json").ok().json["members"]["state"] == "sound"
    assert {row["text"] for row in on(new, "list", "--json").ok().json_lines} == {
        "Answer in French",
        "Use npm",
    }


def test_a_restore_in_place_leaves_the_team_as_it_is(desk: Machine, tmp_path: Path) -> None:
    home = Home(desk.directory, desk.state.path)
    archive = tmp_path / "desk.tar.gz"
    on(home, "backup", archive).ok()
    team = {path: path.read_bytes() for path in (desk.directory / "team").rglob("*") if path.is_file()}
    desk.memory.close()
    desk.chain.unlink()
    on(home, "restore", archive, "--yes").ok()
    assert {path: path.read_bytes() for path in team} == team
    assert on(home, "verify", "--json").ok().json["members"]["state"] == "sound"
    assert {row["text"] for row in on(home, "list", "--json").ok().json_lines} == {
        "Answer in French",
        "Use npm",
    }
