"""Tests the command `muniment team` against specs/cli.md (X-340…X-346) and specs/team.md (TM-17…TM-20)."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.computers import Computer, bare, ssh_to, value_of
from tests.cli.driver import ROOT, run
from tests.observing import dying_at

AGENT = {"CLAUDECODE": "1"}


def test_the_example_of_the_specification_does_what_it_says(tmp_path: Path) -> None:
    """The commands at the top of specs/team.md, as they stand there, through a bare git repository on a host of one's own."""
    bare(tmp_path / "host/ada/memory.git")
    computers = {name: Computer(tmp_path, name) for name in ("laptop", "desk")}
    for each in computers.values():
        each.variables |= ssh_to(tmp_path / "host", tmp_path)
    laptop, desk = computers["laptop"], computers["desk"]
    laptop.run("init").ok()
    laptop.run("add", "Use pnpm, not npm").ok()
    example = (ROOT / "specs/team.md").read_text().split("```\n")[1]
    assert f"```sh\n{example}```\n" in (ROOT / "docs/team.md").read_text()
    invitation = ""
    for line in example.splitlines():
        name, _, command = line.partition("$")
        words = shlex.split(command)[1:]
        if words[1] == "join":
            beginning, end = words[2].split("…")
            assert (invitation.startswith(beginning), end) == (True, "")
            words[2] = invitation
        done = computers[name].run(*words).ok()
        invitation = done.out.strip() if words[1] == "invite" else invitation
    assert len(example.splitlines()) == 5
    assert desk.memories() == laptop.memories() != {}
    assert desk.documents == laptop.documents
    desk.run("add", "The port is 5433").ok()
    desk.run("team", "sync").ok()
    assert laptop.run("team", "sync").ok().out == "sent 0 events, received 1 event\n"
    assert list(laptop.memories().values()) == ["Use pnpm, not npm", "The port is 5433"]
    assert desk.documents == laptop.documents


@pytest.mark.parametrize(
    ("address", "code"), [("nonsense", 2), ("git:{}/missing.git", 14), ("ext::sh -c id", 2), ("", 2)]
)
def test_an_address_that_is_none_makes_no_team(tmp_path: Path, address: str, code: int) -> None:
    laptop = Computer(tmp_path, "laptop")
    laptop.run("init").ok()
    done = laptop.run("team", "init", address.format(tmp_path))
    assert (done.code, done.out, len(done.err.splitlines())) == (code, "", 1)
    assert value_of(laptop, "status")["chain"]["events"] == 1
    laptop.run("team", "init", f"folder:{tmp_path / 'share'}").ok()


def test_a_team_that_was_founded_half_is_founded_by_the_same_command(tmp_path: Path) -> None:
    """TM-15: its roster is named before it counts."""
    laptop, desk = Computer(tmp_path, "laptop"), Computer(tmp_path, "desk")
    laptop.run("init").ok()
    found = ("team", "init", f"folder:{tmp_path / 'share'}")
    with dying_at("team.signed"):
        laptop.run(*found)
    assert laptop.run("team", "status").code == 3
    laptop.run(*found).ok()
    laptop.run("add", "Use pnpm").ok()
    laptop.run("team", "sync").ok()
    desk.run("team", "join", laptop.invite("desk")).ok()
    assert desk.memories() == laptop.memories()
    assert laptop.run("verify").code == 0


# --- two computers ---


def test_what_one_computer_adds_the_other_shows_after_a_sync(laptop: Computer, desk: Computer) -> None:
    id_ = desk.run("add", "The port is 5433").ok().id
    desk.run("supersede", next(iter(desk.memories())), "Use pnpm").ok()
    assert desk.run("team", "sync").ok().out == "sent 2 events, received 0 events\n"
    assert value_of(laptop, "team", "sync") == {"sent": 0, "received": 2, "findings": [], "waiting": []}
    laptop.run("show", id_).ok()
    assert sorted(laptop.memories().values()) == ["The port is 5433", "Use pnpm"]
    assert desk.documents == laptop.documents
    assert laptop.run("team", "sync").ok().out == "nothing new\n"


def test_a_conflict_is_named_and_one_memory_ends_it(laptop: Computer, desk: Computer) -> None:
    """TM-32."""
    (old,) = laptop.memories()
    ours = laptop.run("supersede", old, "Use pnpm").ok().id
    theirs = desk.run("supersede", old, "Use yarn").ok().id
    laptop.run("team", "sync").ok()
    assert "1 conflict between machines" in desk.run("team", "sync").ok().err
    (group,) = value_of(desk, "team", "status")["conflicts"]
    assert sorted(id_[:12] for id_ in group) == sorted((ours, theirs))
    assert f"{ours}  Use pnpm" in desk.run("team", "status").ok().out
    assert "muniment team resolve ID" in desk.run("status").ok().out
    assert desk.run("team", "resolve", ours, env=AGENT).code == 15
    desk.run("team", "resolve", ours, "Use pnpm, or yarn").ok()
    desk.run("team", "sync").ok()
    laptop.run("team", "sync").ok()
    for computer in (laptop, desk):
        assert list(computer.memories().values()) == ["Use pnpm, or yarn"]
        assert value_of(computer, "team", "status")["conflicts"] == []
    assert desk.run("team", "resolve", ours).code == 3


def test_an_address_that_does_not_answer_hinders_nothing(
    laptop: Computer, desk: Computer, tmp_path: Path
) -> None:
    """TM-71: a share that is not mounted is not taken for an empty one; the next sync publishes what waits."""
    (tmp_path / "share").rename(tmp_path / "away")
    laptop.run("add", "Learned on a train").ok()
    done = laptop.run("team", "sync")
    assert (done.code, done.out, len(done.err.splitlines())) == (14, "", 1)
    assert not (tmp_path / "share").exists()
    status = value_of(laptop, "team", "status")
    assert [each["there"] for each in status["chains"]] == [None, None]
    assert status["fault"] == status["last_sync"]["fault"] != ""
    assert "failed" in laptop.run("status").ok().out
    (tmp_path / "away").rename(tmp_path / "share")
    assert laptop.run("team", "sync").ok().out == "sent 1 event, received 0 events\n"
    desk.run("team", "sync").ok()
    assert "Learned on a train" in desk.memories().values()


def test_status_shows_what_waits(laptop: Computer, desk: Computer) -> None:
    laptop.run("add", "One").ok()
    desk.run("add", "Two").ok()
    desk.run("team", "sync").ok()
    status = value_of(laptop, "team", "status")
    own, other = status["chains"]
    assert (own["name"], own["own"], own["here"] - own["there"]) == ("laptop", True, 1)
    assert (other["name"], other["own"], other["here"], other["there"]) == ("desk", False, 1, 2)
    said = laptop.run("team", "status").ok().out
    assert re.search(r"laptop/[0-9a-f]{8} +5 events here, 4 there; 1 to send", said)
    assert re.search(r"desk/[0-9a-f]{8} +1 event here, 2 there; 1 to fetch", said)
    assert re.search(r"team +folder:.*share: 2 members; last sync", laptop.run("status").ok().out)
    assert value_of(laptop, "status")["team"]["members"] == 2
    laptop.run("team", "sync").ok()
    assert [each["here"] == each["there"] for each in value_of(laptop, "team", "status")["chains"]] == [
        True,
        True,
    ]


def test_a_ledger_without_a_team_is_told_how_to_get_one(tmp_path: Path) -> None:
    apart = Computer(tmp_path, "apart")
    apart.run("init").ok()
    assert value_of(apart, "status")["team"] is None
    for words in (["sync"], ["sync", "--watch"], ["status"], ["members"], ["invite", "x"]):
        done = apart.run("team", *words)
        assert (done.code, done.out) == (3, ""), words
        assert "muniment team init ADDRESS" in done.err
    assert Computer(tmp_path, "empty").run("team", "sync").code == 3


# --- who joins ---


def test_members_shows_who_waits_and_how_they_are_known(laptop: Computer, tmp_path: Path) -> None:
    """X-344, TM-19: an invitation proves a request, or a person compares fingerprints."""
    desk, phone = Computer(tmp_path, "desk"), Computer(tmp_path, "phone")
    desk.run("team", "join", laptop.invite("desk")).ok()
    line = laptop.invite("phone")
    (laptop.directory / "team/invitations.json").unlink()  # as if another member had made the invitation
    shown = phone.run("team", "join", line, "--name", "phone", "--json").ok().json
    assert shown["member"] is False
    laptop.run("team", "sync").ok()
    found = value_of(laptop, "team", "members")
    assert [(each["name"], each["own"], each["role"]) for each in found["members"]] == [
        ("laptop", True, "admin")
    ]
    waiting = {each["name"]: each for each in found["waiting"]}
    assert waiting["phone"]["invited"] is False
    assert waiting["phone"]["fingerprint"] == shown["fingerprint"]
    assert laptop.run("team", "members", "accept", "phone").code == 4
    wrong = laptop.run("team", "members", "accept", "phone", "--fingerprint", "0" * 16)
    assert (wrong.code, shown["fingerprint"] in wrong.err) == (4, True)
    laptop.run("team", "members", "accept", "phone", "--fingerprint", shown["fingerprint"]).ok()
    phone.run("team", "sync").ok()
    said = phone.run("team", "members").ok().out
    assert re.search(r"phone/[0-9a-f]{8} +person, writer, this machine", said)


def test_an_invitation_that_was_lost_is_made_again(laptop: Computer, tmp_path: Path) -> None:
    """A machine that asked already asks with another secret, which then proves it."""
    desk = Computer(tmp_path, "desk")
    desk.run("team", "join", laptop.invite("desk")).ok()
    (laptop.directory / "team/invitations.json").unlink()
    desk.run("team", "join", laptop.invite("desk")).ok()
    laptop.run("team", "members", "accept", "desk").ok()
    assert value_of(laptop, "team", "members")["waiting"] == []


def test_who_is_accepted_while_the_address_is_away_is_published_later(
    laptop: Computer, tmp_path: Path
) -> None:
    """X-344, X-310."""
    desk = Computer(tmp_path, "desk")
    desk.run("team", "join", laptop.invite("desk")).ok()
    laptop.run("team", "sync").ok()
    (tmp_path / "share").rename(tmp_path / "away")
    done = laptop.run("team", "members", "accept", "desk", "--json").ok()
    assert done.json["published"] is False
    assert "muniment team sync" in done.err
    (tmp_path / "away").rename(tmp_path / "share")
    desk.run("team", "sync").ok()
    assert value_of(desk, "team", "status")["member"] is False
    laptop.run("team", "sync").ok()
    desk.run("team", "sync").ok()
    assert value_of(desk, "team", "status")["member"] is True


def test_two_admins_who_accept_at_once_are_merged_by_the_next_acceptance(
    laptop: Computer, desk: Computer, tmp_path: Path
) -> None:
    """TM-13."""
    prints = {}
    for admin, name in ((laptop, "phone"), (desk, "tablet")):
        asked = Computer(tmp_path, name).run("team", "join", admin.invite(name), "--json").ok()
        prints[name] = asked.json["fingerprint"]
        admin.run("team", "sync").ok()
    (tmp_path / "share").rename(tmp_path / "away")
    laptop.run("team", "members", "accept", "phone").ok()
    desk.run("team", "members", "accept", "tablet").ok()
    (tmp_path / "away").rename(tmp_path / "share")
    laptop.run("team", "sync").ok()
    done = desk.run("team", "sync")
    assert (done.code, "the next change by an admin merges the rosters" in done.err) == (1, True)
    for name, fingerprint in prints.items():
        desk.run("team", "members", "accept", name, "--fingerprint", fingerprint).ok()
    laptop.run("team", "sync").ok()
    found = value_of(laptop, "team", "members")
    assert {each["name"] for each in found["members"]} == {"laptop", "desk", "phone", "tablet"}
    assert found["waiting"] == []


def test_two_admins_who_remove_each_other_leave_a_team_that_nobody_changes(
    laptop: Computer, desk: Computer, tmp_path: Path
) -> None:
    """TM-13."""
    (tmp_path / "share").rename(tmp_path / "away")
    laptop.run("team", "members", "remove", "desk").ok()
    desk.run("team", "members", "remove", "laptop").ok()
    (tmp_path / "away").rename(tmp_path / "share")
    laptop.run("team", "sync")
    for computer in (desk, laptop):
        done = computer.run("team", "sync")
        assert (done.code, "nobody can change this team any more" in done.err) == (1, True)
        assert "merges the rosters" not in done.err


def test_a_member_neither_joins_nor_is_accepted_again(laptop: Computer, desk: Computer) -> None:
    done = desk.run("team", "join", laptop.invite("other"))
    assert (done.code, "a member of that team already, as desk/" in done.err) == (4, True)
    assert laptop.run("team", "join", laptop.invite("third")).code == 4
    assert laptop.run("team", "members", "accept", "desk").code == 4
    assert laptop.run("team", "members", "accept", "nobody").code == 3
    assert laptop.run("team", "invite", "desk").code == 4
    assert laptop.run("team", "init", "folder:elsewhere").code == 4


def test_who_is_no_member_yet_accepts_nobody(laptop: Computer, tmp_path: Path) -> None:
    desk, phone = Computer(tmp_path, "desk"), Computer(tmp_path, "phone")
    desk.run("team", "join", laptop.invite("desk")).ok()
    phone.run("team", "join", laptop.invite("phone")).ok()
    assert desk.run("team", "members", "accept", "phone").code == 4
    assert desk.run("team", "invite", "other").code == 4


@pytest.mark.parametrize("line", ["", "desk", "muniment-team:1:folder:/x#AAAA", "muniment-team:2:x#y"])
def test_a_line_that_is_no_invitation_is_refused(tmp_path: Path, line: str) -> None:
    desk = Computer(tmp_path, "desk")
    done = desk.run("team", "join", line)
    assert (done.code, done.out) == (2, "")
    assert [path.name for path in desk.directory.iterdir()] == ["config.toml"]


def test_a_name_that_is_no_slug_is_refused(laptop: Computer, tmp_path: Path) -> None:
    assert laptop.run("team", "invite", "My Desk").code == 2
    desk = Computer(tmp_path, "desk")
    assert desk.run("team", "join", laptop.invite("desk"), "--name", "My Desk").code == 2
    desk.run("team", "join", laptop.invite("desk")).ok()


def test_another_memory_in_the_place_is_refused_and_stays(laptop: Computer, tmp_path: Path) -> None:
    """TM-20; --ledger gives the team a folder of its own, and an export what this machine knew."""
    desk = Computer(tmp_path, "desk")
    desk.run("init").ok()
    desk.run("add", "Known here alone").ok()
    before = {path: path.read_bytes() for path in desk.home.rglob("*") if path.is_file()}
    done = desk.run("team", "join", laptop.invite("desk"))
    assert (done.code, "--ledger DIR" in done.err) == (11, True)
    chain = desk.directory / "chain.jsonl"
    assert chain.read_bytes() == before[chain]
    assert not (desk.directory / "team").exists()
    desk.run("team", "join", laptop.invite("desk"), "--ledger", desk.home / "apart").ok()
    assert list(desk.memories().values()) == ["Known here alone"]
    assert desk.memories("--ledger", str(desk.home / "apart")) == laptop.memories()


def test_a_transport_that_lacks_the_team_is_told_before_anything_is_made(
    laptop: Computer, tmp_path: Path
) -> None:
    line = laptop.invite("desk")
    (tmp_path / "share").rename(tmp_path / "away")
    desk = Computer(tmp_path, "desk")
    assert desk.run("team", "join", line).code == 14
    (tmp_path / "share").mkdir()
    assert desk.run("team", "join", line).code == 14
    assert not (desk.directory / "chain.jsonl").exists()
    laptop.run("team", "sync").ok()
    desk.run("team", "join", line).ok()
    assert desk.memories() == laptop.memories()


def test_a_folder_may_have_another_path_on_each_machine(laptop: Computer, tmp_path: Path) -> None:
    line = laptop.invite("desk")
    (tmp_path / "share").rename(tmp_path / "elsewhere")
    (tmp_path / "share").symlink_to("elsewhere")  # as the laptop sees it
    desk = Computer(tmp_path, "desk")
    desk.run("team", "join", line, "--address", f"folder:{tmp_path / 'elsewhere'}").ok()
    assert value_of(desk, "team", "status")["address"] == f"folder:{tmp_path / 'elsewhere'}"
    laptop.run("team", "members", "accept", "desk").ok()


# --- who may ---


def test_an_agent_syncs_and_looks_and_changes_no_membership(
    laptop: Computer, desk: Computer, tmp_path: Path
) -> None:
    """X-341."""
    line = laptop.invite("phone")
    phone = Computer(tmp_path, "phone")
    for computer, words in (
        (laptop, ["invite", "other"]),
        (laptop, ["members", "accept", "phone"]),
        (phone, ["join", line]),
        (phone, ["init", "folder:elsewhere"]),
    ):
        done = computer.run("team", *words, env=AGENT)
        assert (done.code, done.out) == (15, ""), words
        assert "only a person" in done.err
    assert not (phone.directory / "chain.jsonl").exists()
    for words in (["sync"], ["status"], ["members"]):
        laptop.run("team", *words, env=AGENT).ok()


@pytest.mark.no_scripts
def test_a_script_that_acts_for_nobody_makes_no_team(isolated: Path, tmp_path: Path) -> None:
    """X-341."""
    run("init", "--scope", "user", cwd=tmp_path).ok()
    assert run("team", "init", "folder:share", cwd=tmp_path).code == 15
    assert not (tmp_path / "share").exists()
    run("team", "init", "folder:share", cwd=tmp_path, terminal=True).ok()


def test_a_team_moves_to_another_address(laptop: Computer, desk: Computer, tmp_path: Path) -> None:
    """X-348: everything is there, also what the other machine wrote; and what was not moved yet goes on meanwhile."""
    desk.run("add", "The port is 5433").ok()
    desk.run("team", "sync").ok()
    laptop.run("team", "sync").ok()
    new = bare(tmp_path / "memory.git")
    assert laptop.run("team", "move", str(tmp_path / "memory.git")).ok().out.startswith("moved to git:")
    assert desk.run("team", "move", str(tmp_path / "memory.git"), env=AGENT).code == 15
    desk.run("add", "Use pnpm").ok()
    desk.run("team", "move", str(tmp_path / "memory.git")).ok()
    laptop.run("team", "sync").ok()
    assert laptop.memories() == desk.memories()
    assert len(laptop.memories()) == 3, new
    third = Computer(tmp_path, "tablet")
    third.run("team", "join", laptop.invite("tablet")).ok()
    assert third.memories() == laptop.memories()


def test_a_stolen_key_takes_members_with_it_and_says_so(laptop: Computer, desk: Computer) -> None:
    """TM-11: the roster that accepted the other machine was signed from then on; who founded the team still belongs to it."""
    rows = laptop.run("log", "--json").ok().json_lines
    founded = [row["seq"] for row in rows if row["kind"] == "anchor"]
    done = laptop.run("key", "rotate", "--stolen", "--first", f"@{founded[0] + 1}").ok()
    assert "desk/" in done.err
    assert "accept them again" in done.err
    laptop.run("team", "sync").ok()
    desk.run("team", "sync")
    print_ = value_of(desk, "team", "status")["id"][:16]
    laptop.run("team", "sync")
    laptop.run("team", "members", "accept", "desk", "--fingerprint", print_).ok()
    desk.run("team", "sync").ok()
    assert desk.memories() == laptop.memories()
