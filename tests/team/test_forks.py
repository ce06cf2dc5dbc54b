"""A chain with two histories: it is proved, named everywhere, and nothing of it counts from there (specs/team.md TM-40)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.computers import Computer, with_team


@pytest.fixture
def three(tmp_path: Path) -> tuple[Computer, Computer, Computer]:
    """A laptop, a desk machine in its team that knows all that the laptop wrote, and a copy of the laptop's disk."""
    laptop = with_team(tmp_path)
    desk = Computer(tmp_path, "desk")
    desk.run("team", "join", laptop.invite("desk"), "--name", "desk").ok()
    laptop.run("team", "members", "accept", "desk").ok()
    desk.run("team", "sync").ok()
    return laptop, desk, laptop.copied("twin")


def test_a_key_on_two_machines_is_named_on_all(three: tuple[Computer, Computer, Computer]) -> None:
    laptop, desk, twin = three
    before = desk.memories()
    laptop.run("add", "Use pnpm").ok()
    twin.run("add", "Use yarn").ok()
    laptop.run("team", "sync").ok()
    desk.run("team", "sync").ok()
    assert "Use pnpm" in desk.memories().values()
    for machine, named in ((twin, "own chain"), (laptop, "own chain"), (desk, "laptop/")):
        done = machine.run("team", "sync")
        assert done.code == 1
        assert named in done.err
        assert "muniment team rejoin" in done.err
    assert desk.memories() == before
    for machine in (laptop, desk, twin):
        verified = machine.run("verify", "--json")
        assert [each["code"] for each in verified.json["members"]["findings"]] == ["chain-forked"]
        assert "two histories" in machine.run("team", "status").ok().out
    late = Computer(desk.home.parent, "late")
    line = desk.run("team", "invite", "late", "--json")
    late.run("team", "join", line.ok().json["line"])
    assert late.memories() == before, "whichever branch it met"
