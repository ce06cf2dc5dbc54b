"""Documents that came with a pull, or that a person made: read before anything is taken out of another one."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

import muniment
from documents.git.committed import MOST
from ledger.command import Create
from ledger.event import By
from muniment import Memory, MemoryLedger
from tests.documents.adopting.in_git import GRACE, ME
from tests.documents.adopting.machine import Machine, brought_back, cloned, founded, write

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")

BULLETS = "".join(f"- Workflow item number {at} says alpha{at}\n" for at in range(20))
MORE = "".join(f"- zzz delta{at} q!\n" for at in range(12))


def full(root: Path, env: Mapping[str, str]) -> Machine:
    """Return a project of mine in git, whose ledger holds 20 memories of one section."""
    machine = founded(root, env=env)
    (machine.folder / "config.toml").write_text("max_lines_per_file = 32\n")
    machine.learn(BULLETS)
    machine.commit("one")
    return machine


@pytest.fixture
def here(isolated: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A full project, with a home of its own."""
    machine = brought_back(full)
    for name, value in (machine.env or {}).items():
        monkeypatch.setenv(name, value)
    return machine


def joined(here: Machine, who: tuple[str, str] = ME, trust: str = "") -> Machine:
    """Clone the project for another machine, and take in what it has."""
    base = here.root.parent / "b"
    there = cloned(here, base, who)
    there("import", there.folder).ok()
    if trust:
        (base / "home" / "config.toml").write_text(f'trust_git = ["{trust}"]\n')
    return there


def grown(here: Machine) -> None:
    """Learn so much that a part of what MEMORY.md showed moves to an overflow file, and commit it."""
    place, _ = muniment.locate("project", start=here.root)
    with MemoryLedger(
        place, muniment.home(), by=By("me", "user", "cli")
    ) as memory:  # above what a document brought
        memory.write([Create(Memory(f"zzz delta{at} q!", section="Workflow")) for at in range(12)])
    here("add", "Auth flow", "--topic", "codebase/auth", "--when", "login bugs").ok()
    assert (here.folder / "memory/workflow.md").is_file()
    here.commit("two")


# --- what moved is not taken out ---


@pytest.mark.parametrize("whose", ["mine", "trusted"])
def test_what_a_pull_moved_to_a_new_overflow_file_is_not_taken_out(here: Machine, whose: str) -> None:
    """D-35: not by any write, nor by adopt; the files that came are read."""
    there = joined(here) if whose == "mine" else joined(here, GRACE, ME[1])
    grown(here)
    there.git("pull", "-q")
    there("add", "An agent's line", "--section", "Workflow").ok()
    assert "delete" not in there.kinds()
    assert there("adopt").code == 0
    texts = there.texts()
    assert sum("alpha" in text for text in texts) == 20
    assert sum("delta" in text for text in texts) == 12
    assert "Auth flow" in texts
    written = "".join(path.read_text() for path in there.folder.rglob("*.md"))
    assert all(f"- Workflow item number {at} says alpha{at}\n" in written for at in range(20))
    assert "## Links" in (there.folder / "MEMORY.md").read_text()
    assert there("verify").code == 0
    assert there("adopt").out == "no document was edited\n"


def test_what_a_stranger_moved_is_not_taken_out_even_if_all_of_theirs_is_accepted(here: Machine) -> None:
    """D-35, D-25: what they added waits, nothing that they moved does."""
    there = joined(here, GRACE)
    grown(here)
    there.git("pull", "-q")
    assert there("adopt").code == 1
    assert sum("delta" in text for text in there.texts("candidate")) == 12
    assert "delete" not in there.kinds()
    there("adopt", "--accept").ok()
    assert "delete" not in there.kinds()
    assert sum("alpha" in text or "delta" in text for text in there.texts()) == 32


def test_it_does_not_matter_which_document_is_taken_in_first(here: Machine) -> None:
    """D-35: also where the one that has the lines now was taken in before."""
    there = joined(here)
    grown(here)
    there.git("pull", "-q")
    there("adopt", "memory/workflow.md")
    there("adopt").ok()
    assert "delete" not in there.kinds()


def test_what_really_vanished_is_taken_out_and_no_more(here: Machine) -> None:
    """D-35, D-16: the guard counts what stands nowhere, and so does --accept."""
    there = joined(here)
    grown(here)
    lines = (here.folder / "MEMORY.md").read_text().splitlines(keepends=True)
    gone = [line for line in lines if line.startswith("- Workflow item")]
    (here.folder / "MEMORY.md").write_text("".join(line for line in lines if line not in gone))
    here.commit("fewer")
    there.git("pull", "-q")
    guarded = there("adopt", "MEMORY.md")
    assert (guarded.code, f"removes or overwrites {len(gone)} of " in guarded.out) == (1, True), guarded.out
    assert "delete" not in there.kinds()
    there("adopt", "--accept").ok()
    assert sum("alpha" in text for text in there.texts()) == 20 - len(gone)


def test_a_stranger_takes_out_one_of_two_lines_that_say_the_same(here: Machine) -> None:
    """D-23, D-25: it waits though the other one still stands, and however many commits follow."""
    for section in ("Workflow", "Tool Usage"):
        here("add", "Run make lint first", "--section", section).ok()
    here.commit()
    there = joined(here, GRACE)
    memory = here.folder / "MEMORY.md"
    memory.write_text(memory.read_text().replace("- Run make lint first\n", "", 1))
    here.commit("one less")
    for turn in range(MOST):
        memory.write_text(f"{memory.read_text().rstrip()}\n{'' if turn % 2 else chr(10)}")
        here.commit(f"a blank line {turn}")
    there.git("pull", "-q")
    assert there("adopt").code == 1
    assert "delete" not in there.kinds()
    assert there.texts().count("Run make lint first") == 2


def test_nothing_is_taken_out_while_a_document_that_came_cannot_be_read(here: Machine) -> None:
    """D-35: what is missing may stand there."""
    there = joined(here)
    grown(here)
    there.git("pull", "-q")
    overflow = there.folder / "memory/workflow.md"
    overflow.write_bytes(overflow.read_bytes() + b"\xff\n")
    there("add", "An agent's line", "--section", "Workflow").ok()
    told = there("adopt", "--accept", "MEMORY.md")
    assert (told.code, "memory/workflow.md cannot be read" in told.out) == (1, True)
    assert "delete" not in there.kinds()


def test_a_memory_that_became_a_topic_elsewhere_is_not_taken_out(here: Machine) -> None:
    """D-35: what stands in another form of document has moved, too."""
    there = joined(here)
    path = here.folder / "MEMORY.md"
    path.write_text(path.read_text().replace("- Workflow item number 7 says alpha7\n", ""))
    (here.folder / "memories").mkdir()
    (here.folder / "memories/seven.md").write_text(
        "---\nwhenToUse:\n  - seventh heaven\n---\n\n## Workflow item number 7 says alpha7\n\n*by ada, 2026-11-20*\n"
    )
    here.commit("moved")
    there.git("pull", "-q")
    there("adopt").ok()
    assert "delete" not in there.kinds()
    assert "alpha7" in there("inject", "--task", "the seventh heaven").ok().out


def test_what_came_in_the_place_of_a_line_that_moved_is_another_memory(here: Machine) -> None:
    """D-35: however alike."""
    line = "- Workflow item number 7 says alpha7\n"
    path = here.folder / "MEMORY.md"
    path.write_text(path.read_text().replace(line, line.replace("alpha", "omega")))
    write(here.folder, {"memory/workflow.md": f"# Auto-Memories\n\n## Workflow\n\n{line}"})
    here("adopt").ok()
    assert {"Workflow item number 7 says alpha7", "Workflow item number 7 says omega7"} <= set(here.texts())


# --- documents that came, or were made ---


FILES = {
    "memories/mine.md": "---\nwhenToUse:\n  - login bugs\ntags: [auth]\n---\n\nThe gate is Keycloak.\n",
    "memory/2026-11-20.md": "# 2026-11-20\n\n- Met Ada about the gate\n",
    "memory/tooling.md": "# Tooling\n\n## Tool Usage\n\n- The gate is run by systemd\n\n1. numbered\n2. gate\n",
}


def test_documents_that_a_person_made_are_named_and_taken_in(here: Machine) -> None:
    """D-36, D-37, X-145: status, doctor and verify name them; adopt makes them memories."""
    write(here.folder, FILES)
    for command in ("status", "doctor"):
        assert all(name in here(command).out for name in FILES), command
    assert here("verify").code == 1
    assert here("adopt", "--dry-run").ok().out.count("1 new") == 2
    here("adopt").ok()
    found = {row["id"]: row for row in here("list", "--json").json_lines if row["by"]["via"] != "import"}
    assert len(found) == 5
    assert {(row["by"]["via"], row["status"]) for row in found.values()} == {("edit", "active")}
    assert "Keycloak" in here("inject", "--task", "login bugs").out
    assert here("search", "systemd").ok().out
    assert here("search", "Ada").ok().out
    everything = "".join(path.read_text() for path in here.folder.rglob("*.md"))
    assert "1. numbered\n2. gate\n" in everything
    assert here("verify").code == 0
    assert here("adopt").ok().out == "no document was edited\n"
    assert "came" not in here("status").out


def test_documents_that_a_stranger_committed_wait(here: Machine) -> None:
    """D-37, D-25: as candidates, the files stay as they are; accepted, they count."""
    there = joined(here, GRACE)
    write(here.folder, FILES)
    here.commit("files")
    there.git("pull", "-q")
    before = {name: (there.folder / name).read_bytes() for name in FILES}
    assert there("adopt").code == 1
    assert {name: (there.folder / name).read_bytes() for name in FILES} == before
    waiting = there.texts("candidate")
    assert len(waiting) == 5
    assert there("adopt").code == 1
    assert there.texts("candidate") == waiting
    assert "Keycloak" not in there("inject", "--task", "login bugs").out
    there("adopt", "--accept").ok()
    assert there.texts("candidate") == []
    assert "Keycloak" in there("inject", "--task", "login bugs").out
    assert there("verify").code == 0


def test_my_own_documents_from_another_machine_count_at_once(here: Machine) -> None:
    """D-37, D-24: via git."""
    there = joined(here)
    write(here.folder, FILES)
    here.commit("files")
    there.git("pull", "-q")
    there("adopt").ok()
    rows = [row for row in there("list", "--json").json_lines if "says" not in row["text"]]
    assert {(row["status"], row["by"]["via"]) for row in rows} == {("active", "git")}


def test_what_was_deleted_here_does_not_come_back_with_a_document_from_git(here: Machine) -> None:
    """D-37: the log has gone on."""
    there = joined(here)
    grown(here)
    (row,) = [row for row in there("list", "--json").json_lines if row["text"].endswith("says alpha19")]
    there("delete", row["id"]).ok()
    there.git("checkout", "-q", ".")
    there.git("pull", "-q")
    assert "says alpha19\n" in (there.folder / "memory/workflow.md").read_text()
    there("adopt").ok()
    assert not any(text.endswith("says alpha19") for text in there.texts())


def test_a_secret_in_a_document_that_was_made_is_held_back(here: Machine) -> None:
    """D-37, D-17: the line stays in the file, the rest is learned."""
    write(here.folder, {"memory/keys.md": f"- token ghp_{'Zx8' * 12}\n- Keys are rotated in May\n"})
    done = here("adopt")
    assert (done.code, "line 1" in done.out) == (1, True)
    assert "Keys are rotated in May" in here.texts()
    assert "ghp_" in (here.folder / "memory/keys.md").read_text()


def test_files_that_are_no_documents_are_only_named(here: Machine) -> None:
    """D-36: README is not even that."""
    names = ("memory/Big Notes.md", "memory/deep/x.md", "memories/Über.md")
    write(here.folder, dict.fromkeys([*names, "memory/README.md", "memory/picture.png"], "- Not read\n"))
    assert here("adopt").ok().out == "no document was edited\n"
    status = here("status").out
    assert all(name in status for name in names)
    assert "README" not in status
    assert "picture" not in status
    refused = here("adopt", here.folder / names[0])
    assert (refused.code, "muniment import" in refused.out) == (1, True)


def test_what_a_link_leads_to_is_not_taken_in(here: Machine, tmp_path: Path) -> None:
    """D-36: whoever committed it must not choose what I sign."""
    secret = tmp_path / "private.md"
    secret.write_text("## Workflow\n\n- My private note\n")
    (here.folder / "memory").mkdir()
    (here.folder / "memory/workflow.md").symlink_to(secret)
    here.commit("link")
    assert here("adopt").ok().out == "no document was edited\n"
    assert here("adopt", "memory/workflow.md").code == 2
    here.learn(MORE)
    here("add", "More").ok()
    assert "My private note" not in here.texts()
    assert secret.read_text() == "## Workflow\n\n- My private note\n"


def test_an_old_branch_brings_no_document_back(here: Machine) -> None:
    """D-36, D-14: what is as we wrote it once is no arrival."""
    here.git("branch", "before")
    grown(here)
    here.git("checkout", "-q", "before")
    here("adopt")
    here.git("stash", "-q", "--include-untracked")
    here.git("checkout", "-q", "main")
    here("adopt").ok()
    assert set(here.kinds()) <= {"genesis", "create"}


# --- joining ---


def test_what_came_by_joining_is_said_in_the_same_words_everywhere(here: Machine) -> None:
    """X-145: status, adopt and add say what waits, and by whom."""
    there = cloned(here, here.root.parent / "b", GRACE)
    said = "20 changes wait for you, by Me <me@example.org> through git"
    assert said in there("status").out
    assert said in there("adopt").out
    assert said in there("add", "Learned there").ok().err
    there("adopt", "--accept").ok()
    assert len(there.texts()) == 21
    assert "- Learned there\n" in (there.folder / "MEMORY.md").read_text()


# --- git revert ---


@pytest.fixture
def house(isolated: Path, tmp_path: Path) -> Machine:
    """A project of mine with two memories, each in a commit, and a third in one that is to be reverted."""
    return founded(tmp_path / "a" / "house", "Use pnpm", "Deploy with make", "Bad line")


@pytest.mark.parametrize("way", [("checkout", "-q", "HEAD~1"), ("reset", "-q", "--hard", "HEAD~1")])
def test_an_older_commit_takes_nothing_out_and_what_comes_back_is_said(
    house: Machine, way: tuple[str, ...]
) -> None:
    """D-39: only a commit that took the line out does."""
    house.git(*way)
    status = house("status").out
    assert "earlier rendering" in status
    assert "muniment delete ID" in status
    done = house("add", "Another").ok()
    assert house.texts() == ["Use pnpm", "Deploy with make", "Bad line", "Another"]
    assert "1 memory is in it again" in done.err
    assert "run muniment delete ID to remove one for good" in done.err


# --- words ---


def test_after_a_merge_adopt_writes_what_was_learned_meanwhile(house: Machine) -> None:
    """X-90: as the message during the merge says."""
    house.git("checkout", "-qb", "side")
    (house.root / "x").write_text("x")
    house.commit("side")
    house.git("checkout", "-q", "main")
    (house.root / "y").write_text("y")
    house.commit("main")
    house.git("merge", "--no-commit", "--no-ff", "side")
    said = house("add", "In the merge").ok().err
    assert "finish it; then the next write, or muniment adopt, writes it" in said
    house.git("commit", "-qm", "merged")
    assert "written again after a pause: MEMORY.md" in house("adopt").ok().err
    assert "- In the merge\n" in (house.folder / "MEMORY.md").read_text()


def test_a_document_that_is_too_large_is_told_how_ours_comes_back(house: Machine) -> None:
    """D-16."""
    with (house.folder / "MEMORY.md").open("a") as stream:
        stream.write("x" * (1 << 20))
    done = house("adopt")
    assert (done.code, "write ours with muniment replay MEMORY.md" in done.out) == (1, True)
