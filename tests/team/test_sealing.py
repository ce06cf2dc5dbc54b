"""A team whose lines are sealed: its host reads nothing, and its members read everything that is for them.

Tests specs/team.md (TM-60…TM-63).
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.memory import Memory
from ledger.rotation import rotate
from tests.cli.computers import bare
from tests.writers.machines import Machine, joined
from writers.invitation import invitation_of

TEXTS = ("Postgres listens on 5433", "Größe in Metern", "Use pnpm in the shop")


@pytest.fixture(params=["folder", "git"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    """An address, and the folder with all that stands there."""
    if request.param == "git":
        repository = bare(tmp_path / "memory.git")
        return f"git:{repository}", repository
    return f"folder:{tmp_path / 'share'}", tmp_path / "share"


@pytest.fixture
def laptop(tmp_path: Path) -> Iterator[Machine]:
    """A machine with a memory."""
    machine = Machine(tmp_path, "laptop")
    machine.memory.store(Memory(TEXTS[0], body="the vault is in Kiel"))
    yield machine
    machine.close()


def everything(place: Path) -> bytes:
    """Return all bytes that stand there; of a git repository, all objects unpacked."""
    found = b"".join(path.read_bytes() for path in sorted(place.rglob("*")) if path.is_file())
    if (place / "objects").is_dir():
        git = ["git", "-C", str(place), "cat-file", "--batch-all-objects", "--batch"]
        found += subprocess.run(git, check=True, capture_output=True).stdout
    return found


def texts(machine: Machine) -> list[str]:
    return sorted(each.memory.text for each in machine.memory.load_all())


def test_no_byte_of_a_text_stands_where_it_travels(laptop: Machine, place: tuple[str, Path]) -> None:
    address, there = place
    laptop.memory.team.init(address)
    desk = joined(laptop.memory, Machine(laptop.directory.parents[1], "desk"))
    desk.memory.store(Memory(TEXTS[1]))
    old = laptop.memory.store(Memory("Use npm")).id
    laptop.memory.supersede([old], Memory(TEXTS[2]))
    erased = laptop.memory.store(Memory("The room is 4711")).id
    laptop.memory.team.sync()
    laptop.memory.erasures.erase([erased], "a secret")
    for machine in (desk, laptop, desk):
        machine.memory.team.sync()
    assert texts(laptop) == texts(desk) == sorted(TEXTS)
    found = everything(there)
    assert laptop.genesis.encode() in found, "it is looked for where the chains are"
    for each in (*TEXTS, "Kiel", "Use npm", "room is", "Größe"):
        assert each.encode() not in found
        assert each.encode("unicode_escape") not in found
    desk.close()


def test_an_open_team_is_read_by_its_host(laptop: Machine, tmp_path: Path) -> None:
    laptop.memory.team.init(f"folder:{tmp_path / 'share'}", sealed=False)
    desk = joined(laptop.memory, Machine(tmp_path, "desk"))
    assert texts(desk) == [TEXTS[0]]
    assert TEXTS[0].encode() in everything(tmp_path / "share")
    desk.close()


def test_who_is_invited_reads_before_they_are_accepted(laptop: Machine, tmp_path: Path) -> None:
    laptop.memory.team.init(f"folder:{tmp_path / 'share'}")
    desk = Machine(tmp_path, "desk")
    desk.memory.team.ask(invitation_of(laptop.memory.team.members.invite("desk")))
    assert texts(desk) == [TEXTS[0]]
    assert not desk.memory.team.is_member
    desk.close()


def test_who_has_no_key_reads_once_accepted(laptop: Machine, tmp_path: Path) -> None:
    """The note with the key was lost on the way; the newcomer shows its first event alone, and waits."""
    laptop.memory.team.init(f"folder:{tmp_path / 'share'}")
    line = invitation_of(laptop.memory.team.members.invite("desk"))
    for note in (tmp_path / "share").rglob("notes/key/*"):
        note.unlink()
    desk = Machine(tmp_path, "desk")
    desk.memory.store(Memory(TEXTS[1]))
    desk.memory.team.ask(line)
    before = desk.memory.team.keys.is_awaited
    assert before
    assert texts(desk) == [TEXTS[1]]
    laptop.memory.team.sync()
    laptop.memory.team.members.accept("desk")
    desk.memory.team.ask(line)
    assert not desk.memory.team.keys.is_awaited
    for machine in (desk, laptop):
        machine.memory.team.sync()
    assert texts(desk) == texts(laptop) == sorted(TEXTS[:2])
    assert TEXTS[1].encode() not in everything(tmp_path / "share")
    desk.close()


def test_what_is_new_after_a_removal_has_another_key(laptop: Machine, tmp_path: Path) -> None:
    laptop.memory.team.init(f"folder:{tmp_path / 'share'}")
    desk, thief = (joined(laptop.memory, Machine(tmp_path, name)) for name in ("desk", "thief"))
    laptop.memory.team.members.remove("thief")
    laptop.memory.store(Memory(TEXTS[2]))
    laptop.memory.team.sync()
    done = thief.memory.team.sync()
    assert any("a new key that this machine does not have" in each for each in done.findings)
    assert texts(thief) == [TEXTS[0]]
    desk.memory.team.sync()
    tablet = joined(laptop.memory, Machine(tmp_path, "tablet"))
    assert texts(desk) == texts(tablet) == sorted((TEXTS[0], TEXTS[2]))
    for machine in (desk, thief, tablet):
        machine.close()


def test_a_member_whose_box_does_not_open_is_invited_again(laptop: Machine, tmp_path: Path) -> None:
    """The desk rotated its key before it heard that the team has a new one."""
    laptop.memory.team.init(f"folder:{tmp_path / 'share'}")
    desk, thief = (joined(laptop.memory, Machine(tmp_path, name)) for name in ("desk", "thief"))
    rotate(desk.memory.workspace.ledger, desk.memory.workspace.by)
    laptop.memory.team.members.remove("thief")
    laptop.memory.store(Memory(TEXTS[2]))
    laptop.memory.team.sync()
    desk.memory.store(Memory(TEXTS[1]))
    assert desk.memory.team.sync().findings
    desk.memory.team.ask(invitation_of(laptop.memory.team.members.invite("desk-again")))
    for machine in (desk, laptop):
        assert machine.memory.team.sync().findings == []
    assert texts(laptop) == texts(desk) == sorted(TEXTS)
    for machine in (desk, thief):
        machine.close()
