"""Tests `muniment team members` and `team policy` against specs/cli.md (X-343, X-344, X-350) and specs/team.md (TM-14, TM-21, TM-24)."""

from __future__ import annotations

import pytest

from tests.cli.computers import Computer, joined, value_of


def synced(*computers: Computer) -> None:
    for computer in (*computers, *computers[:-1]):
        computer.run("team", "sync").ok()


def status_of(computer: Computer, id_: str) -> str:
    status: str = value_of(computer, "show", id_)["status"]
    return status


# --- what an agent's machine writes ---


def test_what_an_agents_machine_adds_waits_everywhere_until_a_person_confirms_it(
    laptop: Computer, agent: Computer
) -> None:
    desk = joined(laptop, "desk")
    added = agent.run("add", "The port is 5433").ok()
    assert "waits for a person" in added.err
    assert "waits for a person" not in desk.run("add", "Answer in French").ok().err
    synced(agent, laptop, desk)
    everybody = (agent, laptop, desk)
    assert {status_of(each, added.id) for each in everybody} == {"candidate"}
    assert agent.documents == laptop.documents == desk.documents
    assert all(b"5433" not in text for text in laptop.documents.values())
    desk.run("confirm", added.id).ok()
    synced(desk, laptop, agent)
    assert {status_of(each, added.id) for each in everybody} == {"active"}
    assert agent.documents == laptop.documents == desk.documents
    assert any(b"5433" in text for text in agent.documents.values())
    assert [each.run("verify").code for each in everybody] == [0, 0, 0]


def test_what_an_agents_machine_replaces_stays_until_a_person_confirms_the_new_one(
    laptop: Computer, agent: Computer
) -> None:
    (old,) = laptop.memories()
    first = agent.run("supersede", old, "Use pnpm").ok().id
    second = agent.run("supersede", first, "Use pnpm 9").ok().id
    synced(agent, laptop)
    assert [status_of(each, old) for each in (agent, laptop)] == ["active", "active"]
    assert [status_of(laptop, each) for each in (first, second)] == ["superseded", "candidate"], "its own"
    (waiting,) = laptop.run("review", "--candidates", "--json").ok().json_lines
    assert waiting["id"].startswith(second)
    laptop.run("confirm", second).ok()
    synced(laptop, agent)
    for each in (agent, laptop):
        assert [status_of(each, id_) for id_ in (old, first, second)] == [
            "superseded",
            "superseded",
            "active",
        ]
    assert value_of(laptop, "team", "status")["conflicts"] == []


def test_what_an_agents_machine_deletes_waits_in_review(laptop: Computer, agent: Computer) -> None:
    (old,) = laptop.memories()
    said = agent.run("delete", old, "-m", "nobody needs it").ok()
    assert said.out.startswith(f"asked to delete {old[:12]}")
    assert agent.run("delete", old, "--json").ok().json["deleted"] == []
    refused = agent.run("confirm", old)
    assert (refused.code, "so it cannot confirm" in refused.err) == (4, True)
    synced(agent, laptop)
    assert (status_of(laptop, old), agent.memories()) == ("active", laptop.memories())
    (asked,) = laptop.run("review", "--json").ok().json_lines
    assert (asked["why"], asked["id"], asked["wished_by"][:3]) == ("forget", old, "ci/")
    assert laptop.run("--json").ok().json["requests"] == 1
    laptop.run("confirm", old).ok()
    assert laptop.run("review", "--json").ok().json_lines == []
    agent.run("delete", old, "-m", "really").ok()
    synced(agent, laptop)
    assert [each["id"] for each in laptop.run("review", "--json").ok().json_lines] == [old]
    laptop.run("delete", old, "-m", "so be it").ok()
    synced(laptop, agent)
    assert laptop.run("review", "--json").ok().json_lines == []
    assert status_of(agent, old) == "deleted"


def test_an_agents_machine_takes_back_what_it_proposed(laptop: Computer, agent: Computer) -> None:
    ids = [agent.run("add", text).ok().id for text in ("The port is 5433", "Answer in French")]
    synced(agent, laptop)
    laptop.run("confirm", ids[1]).ok()
    synced(laptop, agent)
    agent.run("delete", *ids, "-m", "wrong").ok()
    synced(agent, laptop)
    for each in (laptop, agent):
        assert [status_of(each, id_) for id_ in ids] == ["deleted", "active"]


def test_what_an_agent_asks_for_on_its_own_machine_travels(laptop: Computer, agent: Computer) -> None:
    """TM-26, X-291: there no person answers it."""
    (old,) = laptop.memories()
    shell = {"CLAUDECODE": "1"}
    port = laptop.run("add", "The port is 5433").ok().id
    synced(laptop, agent)
    agent.run("delete", port, env=shell)
    agent.run("supersede", old, "Use pnpm", env=shell)
    synced(agent, laptop)
    assert sorted(laptop.memories().values())[:2] == ["The port is 5433", "Use npm"]
    wish, candidate = laptop.run("review", "--json").ok().json_lines
    assert (wish["why"], wish["id"][:12]) == ("forget", port)
    assert [each["text"] for each in candidate["replaces"] if each["id"] == old] == ["Use npm"]
    laptop.run("confirm", candidate["id"]).ok()
    laptop.run("delete", port).ok()
    synced(laptop, agent)
    assert list(laptop.memories().values()) == list(agent.memories().values()) == ["Use pnpm"]
    assert (
        laptop.run("review", "--json").ok().json_lines == agent.run("review", "--json").ok().json_lines == []
    )


def test_under_the_other_policy_what_agents_write_stands(laptop: Computer, agent: Computer) -> None:
    added = agent.run("add", "The port is 5433").ok().id
    synced(agent, laptop)
    assert value_of(laptop, "team", "policy") == {"agent": "waits", "threshold": 1}
    laptop.run("team", "policy", "agent=stands").ok()
    synced(laptop, agent)
    assert [status_of(each, added) for each in (agent, laptop)] == ["active", "active"]
    assert b"5433" in agent.documents["MEMORY.md"] == laptop.documents["MEMORY.md"]
    laptop.run("team", "policy", "agent=waits").ok()
    synced(laptop, agent)
    assert [status_of(each, added) for each in (agent, laptop)] == ["candidate", "candidate"]
    assert b"5433" not in agent.documents["MEMORY.md"] == laptop.documents["MEMORY.md"]
    assert agent.run("team", "policy", "agent=stands").code == 4, "it is no admin"
    assert laptop.run("team", "policy", "agent=never").code == 2


# --- roles and removal ---


def test_a_writer_accepts_nobody_until_an_admin_makes_them_one(laptop: Computer) -> None:
    bob = joined(laptop, "bob")
    assert bob.run("team", "invite", "eve").code == 4
    laptop.run("team", "members", "set", "bob", "--role", "admin").ok()
    bob.run("team", "sync").ok()
    bob.run("team", "invite", "eve").ok()
    laptop.run("team", "members", "set", "bob", "--role", "reader").ok()
    bob.run("add", "The port is 5433").ok()
    synced(bob, laptop)
    assert list(laptop.memories().values()) == ["Use npm"], "nothing of a reader counts"
    assert "a reader: what it writes does not count on other machines" in bob.run("team", "status").ok().out
    assert laptop.run("team", "members", "set", "laptop", "--role", "writer").code == 4, (
        "an admin must be left"
    )


def test_what_is_written_after_a_removal_does_not_count_whatever_its_date(laptop: Computer) -> None:
    bob, desk = joined(laptop, "bob"), joined(laptop, "desk")
    bob.run("add", "The port is 5433").ok()
    synced(bob, laptop)
    done = laptop.run("team", "members", "remove", "bob").ok()
    assert done.out.startswith("removed bob/")
    bob.run("add", "The port is 6000").ok()
    refused = bob.run("team", "sync")
    assert (refused.code, "this machine is no longer a member of the team" in refused.err) == (1, True)
    synced(desk, laptop)
    for each in (laptop, desk):
        assert sorted(each.memories().values()) == ["The port is 5433", "Use npm"]
        assert each.run("verify").code == 0
    assert laptop.run("team", "members", "remove", "bob").code == 4
    assert laptop.run("team", "members", "remove", "nobody").code == 3
    assert laptop.run("team", "members", "remove", "bob", "--last", "@99").code == 3


@pytest.mark.parametrize(("option", "left"), [(["--last", "@1"], 2), (["--stolen"], 1)])
def test_a_removal_names_the_last_event_that_counts(laptop: Computer, option: list[str], left: int) -> None:
    bob = joined(laptop, "bob")
    for text in ("The port is 5433", "Answer in French"):
        bob.run("add", text).ok()
    synced(bob, laptop)
    assert len(laptop.memories()) == 3
    laptop.run("team", "members", "remove", "bob", *option).ok()
    assert len(laptop.memories()) == left


def test_who_was_removed_is_told_that_they_do_not_come_back(laptop: Computer) -> None:
    """X-350: what was sent stays, though it was not fetched yet."""
    bob = joined(laptop, "bob")
    bob.run("add", "The port is 5433").ok()
    bob.run("team", "sync").ok()
    assert laptop.run("team", "members", "remove", "bob").ok().out.strip().endswith("@1")
    assert "The port is 5433" in laptop.memories().values()
    bob.run("team", "sync")
    again = bob.run("team", "join", laptop.invite("bob"))
    assert (again.code, "this machine was removed from that team" in again.err) == (4, True)
    elsewhere = bob.run("team", "join", laptop.invite("bob"), "--ledger", bob.home / "elsewhere")
    assert (elsewhere.code, "a chain on this machine already, in another folder" in elsewhere.err) == (
        11,
        True,
    )
    for change in (["accept", "bob"], ["set", "bob", "--role", "admin"]):
        refused = laptop.run("team", "members", *change)
        assert (refused.code, "invite another machine" in refused.err) == (4, True)


def test_one_admin_after_the_other_changes_the_team_without_a_sync_between(
    laptop: Computer, desk: Computer
) -> None:
    """TM-13; an invitation says role and kind."""
    bob = joined(laptop, "bob")
    joined(laptop, "ci", "--agent")
    found = value_of(laptop, "team", "members")["members"]
    assert {each["name"]: (each["kind"], each["role"]) for each in found} == {
        "laptop": ("person", "admin"),
        "desk": ("person", "admin"),
        "bob": ("person", "writer"),
        "ci": ("agent", "writer"),
    }
    desk.run("team", "policy", "agent=stands").ok()
    laptop.run("team", "members", "set", "bob", "--role", "reader").ok()
    for each in (laptop, desk, bob):
        each.run("team", "sync").ok()
        assert value_of(each, "team", "policy")["agent"] == "stands"
        roles = {one["name"]: one["role"] for one in value_of(each, "team", "members")["members"]}
        assert roles == {"laptop": "admin", "desk": "admin", "bob": "reader", "ci": "writer"}


# --- several signatures ---


def test_a_change_that_waits_is_void_after_another_and_that_is_said(laptop: Computer, desk: Computer) -> None:
    """X-350."""
    laptop.run("team", "policy", "threshold=2").ok()
    done = desk.run("team", "policy", "agent=stands").ok()
    assert "1 change that waited for signatures can no longer count" in done.err
    assert value_of(desk, "team", "members")["pending"] == []


def test_a_change_that_another_admin_voids_is_named_until_the_team_changes_again(
    laptop: Computer, desk: Computer
) -> None:
    bob = joined(laptop, "bob")
    joined(laptop, "spare", "--role", "admin")
    laptop.run("team", "policy", "threshold=2").ok()
    synced(desk)
    desk.run("team", "members", "sign").ok()
    laptop.run("team", "members", "set", "bob", "--role", "reader").ok()
    desk.run("team", "sync").ok()
    agents = desk.run("team", "policy", "agent=stands").ok()
    assert "another admin" in agents.err
    spare = Computer(laptop.home.parent, "spare")
    spare.run("team", "sync").ok()
    both = value_of(spare, "team", "members")["pending"]
    wanted = next(each for each in both if "agent=stands" in each["changes"][0])
    spare.run("team", "members", "sign", wanted["hash"][:8]).ok()
    for each in (laptop, desk, bob):
        assert "1 change of the team no longer counts" in each.run("team", "sync").ok().err
        assert "makes bob" in each.run("team", "members").ok().out
        (void,) = value_of(each, "team", "members")["void"]
        assert void["changes"][0].startswith("makes bob/")
        assert value_of(each, "team", "status")["void"] == 1
    laptop.run("team", "policy", "threshold=1").ok()
    synced(desk)
    desk.run("team", "members", "sign").ok()
    laptop.run("team", "sync").ok()
    assert value_of(laptop, "team", "members")["void"] == []


def test_with_a_threshold_of_two_a_change_waits_for_the_second_admin(
    laptop: Computer, desk: Computer
) -> None:
    bob = joined(laptop, "bob")
    assert laptop.run("team", "policy", "threshold=3").code == 4, "there are two admins"
    assert "another admin" in laptop.run("team", "policy", "threshold=2").ok().err
    assert value_of(laptop, "team", "policy")["threshold"] == 1
    assert "1 change of the team waiting" in desk.run("team", "sync").ok().err
    assert "2 admins must sign a change, in place of 1" in desk.run("team", "members").ok().out
    assert "2 admins" in desk.run("team", "members", "sign").ok().out
    synced(desk, laptop)
    assert value_of(laptop, "team", "policy")["threshold"] == 2
    laptop.run("team", "members", "remove", "bob").ok()
    assert laptop.run("team", "members", "sign").code == 4, "it signed already"
    assert (
        len([each for each in value_of(laptop, "team", "members")["members"] if each["until"] is None]) == 3
    )
    synced(laptop, bob, desk)
    assert bob.run("team", "members", "sign").code == 4, "it is no admin"
    (change,) = value_of(desk, "team", "members")["pending"]
    assert change["changes"][0].startswith("ends the membership of bob/")
    desk.run("team", "members", "sign", change["hash"][:8]).ok()
    synced(desk, laptop)
    for each in (laptop, desk):
        assert value_of(each, "team", "members")["pending"] == []
        assert len([one for one in value_of(each, "team", "members")["members"] if one["until"]]) == 1
    assert laptop.run("team", "members", "sign").code == 3, "nothing waits"
    assert laptop.run("team", "members", "set", "desk", "--role", "writer").code == 4, "two must be left"


def test_only_a_person_changes_who_belongs_to_a_team(laptop: Computer) -> None:
    """X-341."""
    joined(laptop, "bob")
    for words in (
        ("members", "remove", "bob"),
        ("members", "set", "bob", "--role", "reader"),
        ("members", "sign"),
        ("policy", "agent=stands"),
    ):
        assert laptop.run("team", *words, env={"CLAUDECODE": "1"}).code == 15
    assert value_of(laptop, "team", "policy")["agent"] == "waits"
