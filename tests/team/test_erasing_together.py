"""What one machine erases is gone on every machine, and where the chains travel (specs/team.md TM-83)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.memory import Memory
from tests.writers.machines import Machine, joined

SECRET = "bluebird"


@pytest.fixture(params=["folder", "git"])
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Machine, Machine]]:
    """Two machines of a team, which both know a secret in one of three memories."""
    share = tmp_path / ("share.git" if request.param == "git" else "share")
    if request.param == "git":
        subprocess.run(["git", "init", "--quiet", "--bare", share], check=True)
    laptop = Machine(tmp_path / "machines", "laptop")
    laptop.memory.store(Memory("Use pnpm"))
    laptop.memory.store(Memory(f"The plan is called {SECRET}", topic="plans"))
    laptop.memory.store(Memory("Answer in French"))
    laptop.memory.team.init(f"{request.param}:{share}")
    desk = joined(laptop.memory, Machine(tmp_path / "machines", "desk"))
    laptop.memory.team.sync()
    desk.memory.documents.bring_up_to_date()
    yield laptop, desk
    for machine in (laptop, desk):
        machine.close()


def holding(folder: Path) -> list[str]:
    """Return the files that hold the secret."""
    files = (Path(where) / name for where, _, names in os.walk(folder) for name in names)
    return [str(path.relative_to(folder)) for path in files if SECRET.encode() in path.read_bytes().lower()]


def erased(machine: Machine) -> None:
    (entry,) = [hit.entry for hit in machine.memory.search(SECRET)]
    machine.memory.erasures.erase([entry.id], "wrong place")


def synced(*machines: Machine) -> None:
    for machine in machines:
        machine.memory.team.sync()


def test_no_file_of_another_machine_holds_it(pair: tuple[Machine, Machine], tmp_path: Path) -> None:
    """Neither of one that knew it, nor of a newcomer."""
    laptop, desk = pair
    assert holding(desk.directory)
    erased(laptop)
    synced(laptop, desk)
    desk.close()
    assert holding(desk.directory) == []
    assert desk.memory.upkeep.verify().sound
    tablet = joined(laptop.memory, Machine(tmp_path / "machines", "tablet"))
    assert sorted(each.memory.text for each in tablet.memory.load_all()) == ["Answer in French", "Use pnpm"]
    tablet.close()
    assert holding(tablet.directory) == []


@pytest.mark.parametrize("pair", ["folder"], indirect=True)
def test_whoever_takes_the_erase_in_blanks_what_was_put_there_again(
    pair: tuple[Machine, Machine], tmp_path: Path
) -> None:
    """A copy of the share from before the erase is put back, as a backup would be; a git remote keeps what it replaced."""
    laptop, desk = pair
    share = tmp_path / "share"
    before = {path: path.read_bytes() for path in share.rglob("*.jsonl")}
    erased(laptop)
    synced(laptop)
    for path, data in before.items():
        path.write_bytes(data)
    synced(desk)
    assert holding(share) == []
