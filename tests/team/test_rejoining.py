"""A machine whose chain forked goes on with a new one: nothing that it said is lost, and nothing else is believed (TM-41)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.computers import Computer, with_team, with_two
from tests.observing import STEPS, dying_at


def standing(machine: Computer) -> dict[str, str]:
    """Return the texts of the memories with their status."""
    return {row["text"]: row["status"] for row in machine.run("list", "--json").ok().json_lines}


def accepted(machine: Computer, name: str, by: Computer) -> None:
    """Let a machine that rejoined be accepted under a name."""
    by.run("team", "sync")
    print_ = machine.run("team", "status", "--json").ok().json["id"][:16]
    by.run("team", "members", "accept", name, "--fingerprint", print_).ok()
    machine.run("team", "sync").ok()


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Computer, Computer]:
    """A laptop, and a desk machine in its team that knows all that the laptop wrote."""
    return with_two(tmp_path)


@pytest.fixture
def back(pair: tuple[Computer, Computer]) -> tuple[Computer, Computer]:
    """The laptop as an older image of its disk has it, which then wrote on; and the desk machine, which knows what is not there."""
    laptop, desk = pair
    image = laptop.copied("image")
    [common] = laptop.memories()
    laptop.run("add", "The port is 5433").ok()
    laptop.run("supersede", common, "Use npm 11").ok()
    laptop.run("team", "sync").ok()
    desk.run("team", "sync").ok()
    image.run("add", "Answer in French").ok()
    image.run("team", "sync")
    desk.run("team", "sync")
    return image, desk


def test_a_key_on_two_machines_ends_with_two_keys(pair: tuple[Computer, Computer]) -> None:
    laptop, desk = pair
    twin = laptop.copied("twin")
    common = next(iter(laptop.memories()))
    laptop.run("add", "Use pnpm").ok()
    changed = laptop.run("supersede", common, "Use npm 11").ok()
    twin.run("add", "Use yarn").ok()
    for machine in (laptop, desk, twin):
        machine.run("team", "sync")
    done = twin.run("team", "rejoin", "--json").ok().json
    assert "no member accepted" in twin.run("team", "status").ok().out
    desk.run("team", "sync")
    desk.run("team", "members", "accept", "twin", "--fingerprint", done["fingerprint"]).ok()
    twin.run("team", "sync").ok()
    yarn = {"Use npm": "active", "Use yarn": "active", "Use pnpm": "candidate", "Use npm 11": "candidate"}
    assert standing(twin) == yarn
    desk.run("team", "sync").ok()
    assert standing(desk) == yarn
    done = laptop.run("team", "rejoin", "--json").ok().json
    desk.run("team", "sync")
    desk.run("team", "members", "accept", "laptop-2", "--fingerprint", done["fingerprint"]).ok()
    for machine in (laptop, twin):
        machine.run("team", "sync").ok()
    desk.run("team", "sync").ok()
    assert standing(desk) == {"Use npm 11": "active", "Use yarn": "active", "Use pnpm": "active"}
    assert laptop.memories() == twin.memories() == desk.memories()
    assert laptop.documents == twin.documents == desk.documents
    assert changed.id not in desk.memories()
    for machine in (laptop, desk, twin):
        done = machine.run("verify")
        assert done.code == 0, done.out


def test_a_disk_that_went_back_loses_nothing(back: tuple[Computer, Computer]) -> None:
    laptop, desk = back
    assert standing(desk) == {"Use npm": "active"}, "neither branch counts"
    laptop.run("team", "rejoin").ok()
    accepted(laptop, "again", desk)
    desk.run("team", "sync").ok()
    for machine in (laptop, desk):
        assert standing(machine) == {
            "Use npm": "active",
            "Answer in French": "active",
            "The port is 5433": "candidate",
            "Use npm 11": "candidate",
        }
    assert laptop.documents == desk.documents
    late = Computer(desk.home.parent, "late")
    late.run("team", "join", desk.invite("late")).ok()
    assert standing(late) == standing(desk)


def test_until_an_admin_accepts_it_everybody_is_told_by_which_command(
    back: tuple[Computer, Computer],
) -> None:
    laptop, desk = back
    laptop.run("team", "rejoin").ok()
    words = ["team", "members", "accept", "laptop", "--fingerprint"]
    words += [laptop.run("team", "status", "--json").ok().json["id"][:16], "--role", "admin"]
    for machine in (laptop, desk):
        for done in (machine.run("team", "sync"), machine.run("team", "status"), machine.run("verify")):
            said = " ".join((done.out + done.err).split())
            assert " ".join(words) in said
            assert "rejoin" not in said
    desk.run(*words).ok()
    assert laptop.run("team", "sync").ok().err == ""


def test_the_only_admin_accepts_its_new_chain_itself(tmp_path: Path) -> None:
    laptop, bob = with_team(tmp_path), Computer(tmp_path, "bob")
    line = laptop.run("team", "invite", "bob", "--json").ok().json["line"]
    bob.run("team", "join", line).ok()
    laptop.run("team", "members", "accept", "bob").ok()
    bob.run("team", "sync").ok()
    twin = laptop.copied("twin")
    laptop.run("add", "The port is 5433").ok()
    laptop.run("team", "sync").ok()
    bob.run("team", "sync").ok()
    twin.run("add", "Answer in French").ok()
    for step in STEPS:
        if step.startswith("rejoin."):
            with dying_at(step):
                twin.run("team", "rejoin")
    twin.run("team", "rejoin").ok()
    for machine in (bob, laptop):
        machine.run("team", "sync")
    wanted = {"Use npm": "active", "Answer in French": "active", "The port is 5433": "candidate"}
    assert standing(bob) == standing(twin) == wanted
    assert [machine.run("verify").code for machine in (bob, twin)] == [0, 0]
    done = laptop.run("team", "rejoin", "--json").ok().json
    assert not done["member"], "another machine came first, and judges it"
    twin.run("team", "members", "accept", "laptop", "--fingerprint", done["fingerprint"]).ok()
    twin.run("key", "rotate").ok()
    for machine in (laptop, twin, bob):
        machine.run("team", "sync").ok()
        assert standing(machine) == dict.fromkeys(wanted, "active")
    roles = [
        (each["role"], each["until"] is None)
        for each in twin.run("team", "members", "--json").json["members"]
    ]
    assert sorted(roles) == [("admin", False), ("admin", True), ("writer", True), ("writer", True)]


def test_of_two_admins_who_both_must_sign_one_may_fork(pair: tuple[Computer, Computer]) -> None:
    laptop, desk = pair
    laptop.run("team", "policy", "threshold=2").ok()
    desk.run("team", "sync").ok()
    desk.run("team", "members", "sign").ok()
    laptop.run("team", "sync").ok()
    image = laptop.copied("image")
    laptop.run("add", "The port is 5433").ok()
    laptop.run("team", "sync").ok()
    desk.run("team", "sync").ok()
    image.run("add", "Answer in French").ok()
    image.run("team", "rejoin").ok()
    assert "1 change of the team waiting for signatures" in desk.run("team", "sync").err
    desk.run("team", "members", "sign").ok()
    for machine in (image, desk, image):
        machine.run("team", "sync").ok()
    wanted = {"Use npm": "active", "Answer in French": "active", "The port is 5433": "candidate"}
    assert standing(desk) == standing(image) == wanted


def test_a_run_that_died_anywhere_is_completed_by_the_next(back: tuple[Computer, Computer]) -> None:
    laptop, desk = back
    for step in STEPS:
        if step.startswith("rejoin.") and step != "rejoin.signed":  # there is another admin
            with dying_at(step):
                laptop.run("team", "rejoin")
        if step == "rejoin.planned":
            laptop.run("add", "Use tabs").ok()
    laptop.run("team", "rejoin").ok()
    accepted(laptop, "again", desk)
    desk.run("team", "sync").ok()
    wanted = {"Use npm", "Answer in French", "The port is 5433", "Use npm 11", "Use tabs"}
    assert set(standing(desk)) == wanted
    assert laptop.documents == desk.documents
    done = laptop.run("verify")
    assert done.code == 0, done.out
    assert not (laptop.directory / "team" / "rejoin").exists()
    assert not list(laptop.directory.rglob("keys/*rejoin*"))


def test_what_was_done_to_earlier_memories_is_done_again(pair: tuple[Computer, Computer]) -> None:
    laptop, desk = pair
    npm, port = next(iter(desk.memories())), desk.run("add", "The port is 5433").ok().id
    desk.run("team", "sync").ok()
    laptop.run("team", "sync").ok()
    twin = laptop.copied("twin")
    laptop.run("add", "Use yarn").ok()
    laptop.run("team", "sync").ok()
    pnpm = twin.run("supersede", npm, "Use pnpm").ok().id
    twin.run("supersede", pnpm, "Use pnpm 9").ok()
    twin.run("delete", port).ok()
    twin.run("team", "rejoin").ok()
    accepted(twin, "twin", desk)
    assert standing(twin) == {"Use pnpm 9": "active", "Use yarn": "candidate"}


def test_a_chain_with_one_history_is_left_alone(pair: tuple[Computer, Computer]) -> None:
    laptop, _ = pair
    before = (laptop.directory / "chain.jsonl").read_bytes()
    done = laptop.run("team", "rejoin")
    assert done.code == 4
    assert "one history" in done.err
    assert (laptop.directory / "chain.jsonl").read_bytes() == before


def test_a_recovery_that_gives_up_what_others_have_forks_the_chain(pair: tuple[Computer, Computer]) -> None:
    """TM-40."""
    laptop, desk = pair
    laptop.run("add", "The port is 5433").ok()
    laptop.run("team", "sync").ok()
    desk.run("team", "sync").ok()
    chain = laptop.directory / "chain.jsonl"
    chain.write_bytes(b"".join(chain.read_bytes().splitlines(keepends=True)[:-1]))
    share = laptop.home.parent / "share"
    share.rename(share.with_name("away"))
    laptop.run("recover", "-m", "the disk lost a line", "--yes").ok()
    share.with_name("away").rename(share)
    assert "muniment team rejoin" in laptop.run("team", "sync").err
    laptop.run("team", "rejoin").ok()
    assert standing(laptop) == {"Use npm": "active", "The port is 5433": "candidate"}


def test_who_was_removed_comes_back_with_a_new_chain(pair: tuple[Computer, Computer]) -> None:
    laptop, desk = pair
    desk.run("add", "The port is 5433").ok()
    desk.run("team", "sync").ok()
    laptop.run("team", "members", "remove", "desk").ok()
    desk.run("add", "Answer in French").ok()
    assert "muniment team rejoin" in desk.run("team", "sync").err
    assert "muniment team rejoin" in desk.run("team", "join", laptop.invite("desk")).err
    assert "a new key that this machine does not have" in desk.run("team", "sync").err
    desk.run("team", "rejoin").ok()
    accepted(desk, "desk", laptop)
    laptop.run("add", "Use tabs").ok()
    for machine in (laptop, desk):
        machine.run("team", "sync").ok()
        assert set(standing(machine)) == {"Use npm", "The port is 5433", "Answer in French", "Use tabs"}
        assert set(standing(machine).values()) == {"active"}
        assert machine.run("verify").code == 0
    assert laptop.documents == desk.documents


def test_of_whom_nothing_counts_says_everything_again(pair: tuple[Computer, Computer]) -> None:
    laptop, desk = pair
    desk.run("add", "The port is 5433").ok()
    desk.run("team", "sync").ok()
    laptop.run("team", "members", "remove", "desk", "--stolen").ok()
    desk.run("team", "rejoin").ok()
    accepted(desk, "desk", laptop)
    laptop.run("team", "sync").ok()
    assert standing(laptop) == standing(desk) == {"Use npm": "active", "The port is 5433": "active"}


def test_an_agent_does_not_rejoin(back: tuple[Computer, Computer]) -> None:
    laptop, _ = back
    (laptop.directory / "config.toml").write_text("")
    assert laptop.run("team", "rejoin").code == 15


def test_the_other_branch_may_have_rotated_its_key(pair: tuple[Computer, Computer]) -> None:
    laptop, desk = pair
    image = laptop.copied("image")
    laptop.run("key", "rotate").ok()
    laptop.run("add", "The port is 5433").ok()
    laptop.run("team", "sync").ok()
    desk.run("team", "sync").ok()
    image.run("add", "Answer in French").ok()
    image.run("team", "rejoin").ok()
    assert standing(image) == {
        "Use npm": "active",
        "Answer in French": "active",
        "The port is 5433": "candidate",
    }
    accepted(image, "again", desk)
    assert standing(desk) == standing(image)


def test_the_next_sync_asks_if_the_address_did_not_answer(back: tuple[Computer, Computer]) -> None:
    laptop, desk = back
    with dying_at("rejoin.said"):
        laptop.run("team", "rejoin")
    share = laptop.home.parent / "share"
    share.rename(share.with_name("away"))
    assert "run muniment team sync to continue" in laptop.run("team", "rejoin").ok().err
    share.with_name("away").rename(share)
    assert not (laptop.directory / "team" / "rejoin").exists()
    laptop.run("team", "sync")
    accepted(laptop, "again", desk)
    desk.run("team", "sync").ok()
    assert standing(desk) == standing(laptop)
