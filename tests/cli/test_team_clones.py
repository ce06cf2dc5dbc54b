"""Tests `muniment team join` in clones of a project's repository against specs/team.md (TM-20)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.command import Create
from ledger.event import By
from ledger.location import Home, locate
from ledger.memory import Memory, Provenance
from muniment import MemoryLedger
from tests.cli.computers import Computer, value_of

AGENT = {"CLAUDECODE": "1"}


@pytest.fixture
def shop(tmp_path: Path) -> Computer:
    """A computer with a project of 30 memories whose documents are committed, which has a team."""
    laptop = Computer(tmp_path, "laptop")
    laptop.git("init", "--quiet", "shop")
    laptop.cwd /= "shop"
    laptop.run("init").ok()
    home = Home(laptop.directory, laptop.state)
    with MemoryLedger(locate(home, laptop.cwd, None)[0], home, by=By("ada", "user", "cli")) as memory:
        memory.write(list(map(Create, _thirty())))
    laptop.git("add", "--all")
    laptop.git("commit", "--quiet", "--message", "What we know")
    laptop.run("team", "init", f"folder:{tmp_path / 'share'}", "--name", "laptop").ok()
    return laptop


def _thirty() -> Iterator[Memory]:
    body = "Several lines\n\n- a list\n- of two\n"
    for number in range(18):
        yield Memory(f"Rule {number} of the shop", section=f"Part {number % 4}")
    for number in range(4):
        yield Memory(f"Step {number}", topic="build/tools", body=body)
        yield Memory(f"They like {number}", type="preference", tags=("taste",))
        yield Memory(f"Noted {number}", tier="daily", provenance=Provenance(date="2026-11-20"))


def clone(shop: Computer, name: str, git: str = "Ada") -> Computer:
    """Return another computer with a clone of the project."""
    other = Computer(shop.home.parent, name, git)
    other.git("clone", "--quiet", shop.cwd, "shop")
    other.cwd /= "shop"
    return other


@pytest.mark.parametrize("git", ["Ada", "Grace"])
def test_a_clone_that_joins_knows_the_committed_documents(shop: Computer, git: str) -> None:
    """TM-20: whoever committed them; nothing is learned anew, nothing waits, and the past is there."""
    assert len(shop.memories()) == 30
    desk = clone(shop, "desk", git)
    joined = desk.run("team", "join", shop.invite("desk"), "--json").ok().json
    assert (joined["did"], joined["scope"], joined["name"]) == ("joined", "project", "shop")
    assert desk.memories("--status", "all") == shop.memories("--status", "all")
    assert value_of(desk, "status")["chain"]["events"] == 1
    assert desk.documents == shop.documents
    assert desk.git("status", "--short") == ""
    ids = {row["id"] for row in desk.run("log", "--json").ok().json_lines}
    assert {row["id"] for row in shop.run("log", "--json").ok().json_lines} < ids
    path = ".muniment/MEMORY.md"
    assert re.findall("[0-9a-f]{12}", desk.run("blame", path).ok().out) == (
        re.findall("[0-9a-f]{12}", shop.run("blame", path).ok().out)
    )
    assert desk.run("verify").code == 0


def test_what_was_replaced_or_deleted_since_the_commit_does_not_come_back(shop: Computer) -> None:
    """TM-20: the clone's documents are older than the memory of the team."""
    ids = {text: id_ for id_, text in shop.memories().items()}
    shop.run("supersede", ids["Rule 3 of the shop"], "Rule 3, reworded").ok()
    shop.run("delete", ids["Step 2"], ids["They like 1"]).ok()
    shop.run("add", "Not committed").ok()
    shop.run("team", "sync").ok()
    desk = clone(shop, "desk", "Grace")
    desk.run("team", "join", shop.invite("desk")).ok()
    assert desk.memories("--status", "all") == shop.memories("--status", "all")
    assert desk.documents == shop.documents


def test_what_was_typed_into_a_clone_before_it_joins_is_learned(shop: Computer) -> None:
    desk = clone(shop, "desk")
    with (desk.cwd / ".muniment/MEMORY.md").open("a") as file:
        file.write("- Typed before\n")
    desk.run("team", "join", shop.invite("desk")).ok()
    shop.run("team", "members", "accept", "desk").ok()
    desk.run("team", "sync").ok()
    shop.run("team", "sync").ok()
    assert desk.memories() == shop.memories()
    assert len(desk.memories()) == 31
    assert desk.documents == shop.documents


def test_a_commit_that_is_pulled_before_the_sync_says_nothing_twice(shop: Computer) -> None:
    """TM-30: what git brings first, the chain brings afterwards."""
    desk = clone(shop, "desk")
    desk.run("team", "join", shop.invite("desk")).ok()
    shop.run("team", "members", "accept", "desk").ok()
    ids = {text: id_ for id_, text in shop.memories().items()}
    shop.run("add", "Added, and committed").ok()
    shop.run("supersede", ids["Rule 3 of the shop"], "Rule 3, reworded").ok()
    shop.run("delete", ids["They like 1"]).ok()
    shop.git("commit", "--quiet", "--all", "--message", "More")
    desk.git("pull", "--quiet")
    desk.run("adopt").ok()
    for computer in (desk, shop, desk):
        computer.run("team", "sync").ok()
    assert desk.memories() == shop.memories()
    assert len(desk.memories()) == 30
    assert desk.documents == shop.documents
    assert value_of(desk, "team", "status")["conflicts"] == []


def test_a_clone_with_a_ledger_of_its_own_keeps_it(shop: Computer) -> None:
    """TM-20: somebody ran init there; what both say is shown once."""
    desk = clone(shop, "desk")
    desk.run("init").ok()
    assert desk.run("team", "join", shop.invite("desk"), "--json").ok().json["did"] == "bound"
    assert value_of(desk, "status")["chain"]["events"] > 30
    assert sorted(desk.memories().values()) == sorted(shop.memories().values())


def test_a_projects_memory_joins_only_in_its_checkout(shop: Computer, tmp_path: Path) -> None:
    desk = Computer(tmp_path, "desk")
    done = desk.run("team", "join", shop.invite("desk"))
    assert (done.code, value_of(shop, "team", "status")["team"] in done.err) == (2, True)
    assert not (desk.directory / "chain.jsonl").exists()
    assert desk.run("team", "join", shop.invite("desk"), "--scope", "project").code == 2
    desk.run("team", "join", shop.invite("desk"), "--ledger", desk.home / "apart").ok()
    assert desk.memories("--ledger", str(desk.home / "apart")) == shop.memories()


@pytest.mark.parametrize("git", ["Ada", "Grace"])
def test_prose_that_waits_waits_once_on_all_machines(shop: Computer, git: str) -> None:
    """TM-20, D-25: whoever's clone joins, and though its place changes meanwhile."""
    stranger = clone(shop, "stranger", "Mallory")
    path = stranger.cwd / ".muniment/MEMORY.md"
    line = "- Rule 4 of the shop\n"
    path.write_text(path.read_text().replace(line, f"{line}\nAsk Mallory before you change a rule.\n\n"))
    stranger.git("commit", "--quiet", "--all", "--message", "Prose")
    shop.git("pull", "--quiet", stranger.cwd, "HEAD")
    shop.run("adopt")
    shop.run("team", "sync").ok()
    desk = clone(shop, "desk", git)
    desk.run("team", "join", shop.invite("desk"))
    shop.run("team", "members", "accept", "desk").ok()
    path.write_text(path.read_text().replace("\nAsk", "- Rule 4, too\n\nAsk"))
    stranger.git("commit", "--quiet", "--all", "--message", "More")
    for computer in (desk, shop, desk):
        computer.git("pull", "--quiet", stranger.cwd, "HEAD")
        computer.run("adopt")
        computer.run("team", "sync").ok()
    waiting = sorted(shop.memories("--status", "candidate").values())
    assert waiting == ["Ask Mallory before you change a rule.", "Rule 4, too"]
    assert desk.memories("--status", "candidate") == shop.memories("--status", "candidate")
    assert desk.documents == shop.documents
