"""Tests `muniment team checkpoint` against specs/cli.md (X-359) and specs/team.md (TM-50, TM-51)."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.computers import Computer, value_of, with_team, with_two


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Computer, Computer]:
    """Two computers of one team that hold the same."""
    return with_two(tmp_path)


def signed_by(computer: Computer, name: str = "signed") -> Path:
    path = computer.home.parent / name
    computer.run("team", "checkpoint", "-o", path).ok()
    return path


def checked(computer: Computer, path: Path, code: int) -> dict[str, Any]:
    done = computer.run("team", "checkpoint", "--check", path, "--json")
    assert done.code == code
    found: dict[str, Any] = done.json
    return found


def states(found: dict[str, Any]) -> dict[str, str]:
    return {each["name"]: each["state"] for each in found["chains"]}


def test_machines_that_hold_the_same_sign_the_same_text(pair: tuple[Computer, Computer]) -> None:
    laptop, desk = pair
    path = signed_by(laptop)
    printed = desk.run("team", "checkpoint").ok().out
    assert printed.split("\n\n")[0] == path.read_text().split("\n\n")[0]
    assert "npm" not in printed
    found = checked(desk, path, 0)
    assert (found["state"], found["rosters"]) == ("same", "same")
    assert (found["signer"][:7], states(found)) == ("laptop/", {"laptop": "same", "desk": "same"})
    assert value_of(laptop, "team", "checkpoint")["path"] is None
    assert "muniment team checkpoint --check" in laptop.run("verify", path).err


def test_who_has_more_is_ahead_and_who_has_less_behind(pair: tuple[Computer, Computer]) -> None:
    laptop, desk = pair
    before = signed_by(laptop)
    desk.run("add", "The port is 5433").ok()
    found = checked(desk, before, 0)
    assert (found["state"], states(found)) == ("ahead", {"laptop": "same", "desk": "ahead"})
    found = checked(laptop, signed_by(desk, "later"), 1)
    assert (found["state"], states(found)) == ("behind", {"laptop": "same", "desk": "behind"})
    done = laptop.run("team", "checkpoint", "--check", laptop.home.parent / "later")
    assert "muniment team sync" in done.out.splitlines()[0]


def test_a_roster_that_is_not_known_here_yet_is_behind(
    pair: tuple[Computer, Computer], tmp_path: Path
) -> None:
    laptop, desk = pair
    phone = Computer(tmp_path, "phone")
    phone.run("team", "join", laptop.invite("phone"), "--name", "phone").ok()
    laptop.run("team", "members", "accept", "phone").ok()
    assert checked(desk, signed_by(laptop), 1)["rosters"] == "behind"
    assert checked(laptop, signed_by(desk, "older"), 0)["rosters"] == "ahead"


def test_a_chain_that_was_shown_otherwise_is_named(pair: tuple[Computer, Computer], tmp_path: Path) -> None:
    """The same key on two machines writes two histories, of which the desk has the other one."""
    laptop, desk = pair
    twin = Computer(tmp_path, "twin")
    for own in (".muniment", ".local"):
        shutil.rmtree(twin.home / own, ignore_errors=True)
        shutil.copytree(laptop.home / own, twin.home / own)
    laptop.run("add", "The port is 5433").ok()
    laptop.run("team", "sync").ok()
    desk.run("team", "sync").ok()
    twin.run("add", "The port is 1").ok()
    found = checked(desk, signed_by(twin), 1)
    assert (found["state"], states(found)) == ("differs", {"laptop": "differs", "desk": "same"})


def test_a_checkpoint_that_was_changed_or_is_anothers_counts_for_nothing(
    pair: tuple[Computer, Computer], tmp_path: Path
) -> None:
    laptop, desk = pair
    path = signed_by(laptop)
    text = path.read_text()
    other = with_team(tmp_path / "elsewhere")
    for changed in (
        text.replace("\n2\n", "\n3\n", 1),
        text.replace("chain ", "chains ", 1),
        text.replace("chain ", "chain 0", 1),
        text.replace(f"— muniment/{text.split('— muniment/')[1][:64]}", f"— muniment/{'0' * 64}"),
        signed_by(other).read_text(),
        "",
    ):
        (tmp_path / "changed").write_text(changed)
        done = desk.run("team", "checkpoint", "--check", tmp_path / "changed")
        assert (done.code, done.out, len(done.err.splitlines())) == (5, "", 1), changed


def test_who_is_no_member_yet_compares_and_signs_nothing(laptop_and_guest: tuple[Computer, Computer]) -> None:
    laptop, guest = laptop_and_guest
    assert guest.run("team", "checkpoint").code == 4
    assert checked(guest, signed_by(laptop), 0)["state"] == "same"


@pytest.fixture
def laptop_and_guest(tmp_path: Path) -> tuple[Computer, Computer]:
    """A computer with a team, and one that asked to join it."""
    laptop, guest = with_team(tmp_path), Computer(tmp_path, "guest")
    guest.run("team", "join", laptop.invite("guest")).ok()
    return laptop, guest
