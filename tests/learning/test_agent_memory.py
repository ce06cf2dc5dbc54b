"""Tests learning/agent_memory.py against specs/doors.md (G-26, G-63…G-66)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import muniment
from learning.agent_memory import BY, claude_memory, take_in
from learning.agent_memory_records import followed
from ledger.command import Delete, Supersede
from muniment import Memory, MemoryLedger
from tests.cli.driver import run
from tests.documents.adopting.editing import texts
from tests.learning.agents_folder import make, memory_of, write
from tests.observing import dying_at


@pytest.fixture
def shop(isolated: Path) -> Path:
    """A project's folder, of which Claude Code has a memory."""
    return make(isolated / "shop")


@pytest.fixture
def house(shop: Path) -> MemoryLedger:
    """A user's ledger that has taken the memory in."""
    memory = muniment.init()
    done = take_in(memory.scope, memory_of(shop))
    assert [(each.path.name, each.new) for each in done.files] == [
        ("MEMORY.md", 3),
        ("feedback_testing.md", 1),
    ]
    return memory


def counts(memory: MemoryLedger, shop: Path) -> tuple[int, int, int, int]:
    """Take it in again: new, changed, known, changed or taken out here."""
    files = take_in(memory.scope, memory_of(shop)).files
    return (
        sum(each.new for each in files),
        sum(each.changed for each in files),
        sum(each.known for each in files),
        sum(each.away for each in files),
    )


def named(memory: MemoryLedger, word: str) -> str:
    """Return the id of the memory that says a word."""
    (found,) = [entry.id for entry in memory.load_all() if word in entry.memory.text]
    return found


def test_what_claude_changed_replaces_what_it_said(house: MemoryLedger, shop: Path) -> None:
    """G-64: in place; and back again, since nobody but the agent had a hand in it."""
    old = named(house, "Postgres")
    write(shop, "5433", "5434")
    assert counts(house, shop) == (0, 1, 3, 0)
    (entry,) = [each for each in house.load_all() if "5434" in each.memory.text]
    assert (entry.supersedes, entry.by) == ((old,), BY)
    write(shop, "5434", "5433")
    assert counts(house, shop) == (0, 1, 3, 0)
    assert "Postgres listens on 5433" in texts(house)
    write(shop, "a broken migration", "the migration of March", "feedback_testing.md")
    assert counts(house, shop) == (0, 1, 3, 0)


def test_what_contradicts_a_person_is_a_candidate(house: MemoryLedger, shop: Path) -> None:
    """G-64, K-63: it stands beside what they wrote, and what the agent said before stays until they decide."""
    house.store(Memory("The cache listens on port 6380"))
    place = memory_of(shop) / "MEMORY.md"
    place.write_text(place.read_text() + "- The cache listens on port 6379\n")
    done = take_in(house.scope, memory_of(shop))
    assert sum(each.new for each in done.files) == sum(each.waiting for each in done.files) == 1
    statuses = {entry.memory.text: entry.status for entry in house.load_all()}
    assert statuses["The cache listens on port 6380"] == "active"
    assert statuses["The cache listens on port 6379"] == "candidate"
    assert counts(house, shop) == (0, 0, 5, 0)


def test_what_a_person_did_here_stays(house: MemoryLedger, shop: Path) -> None:
    """G-64: what they replaced or took out does not come back, and no agent's words replace theirs."""
    person = muniment.By("ada", "user", "cli")
    house.write([Delete((named(house, "make ship"),))], person)
    house.write([Supersede((named(house, "Postgres"),), Memory("Postgres listens on 6000"))], person)
    assert counts(house, shop) == (0, 0, 2, 2)
    write(shop, "5433", "5434")
    assert counts(house, shop) == (1, 0, 2, 1)
    assert {"Postgres listens on 6000", "Postgres listens on 5434"} <= {*texts(house)}
    assert "Run `make ship` to deploy" not in texts(house)


def test_what_claude_forgets_stands_here_and_is_named(house: MemoryLedger, shop: Path) -> None:
    """G-65: a tool that drops its own lines drops none of ours; a file that is gone likewise."""
    write(shop, "- Run `make ship` to deploy\n", "")
    (memory_of(shop) / "feedback_testing.md").unlink()
    gone = take_in(house.scope, memory_of(shop)).gone
    assert {entry.memory.text for entry in gone} == {
        "Run `make ship` to deploy",
        "Integration tests must hit a real database",
    }
    assert {"Run `make ship` to deploy", "Postgres listens on 5433"} <= {*texts(house)}


def test_what_stands_already_is_no_second_memory(house: MemoryLedger, shop: Path) -> None:
    """G-26: also where it was learned by another way, under another heading."""
    house.store(Memory("Deploys go through the queue", section="Workflow"))
    write(shop, "- Postgres", "- Deploys go  through the queue\n- Postgres")
    assert counts(house, shop) == (0, 0, 5, 0)


def test_a_file_that_cannot_be_read_takes_nothing_from_the_others(house: MemoryLedger, shop: Path) -> None:
    """G-65: what stands in it is not gone."""
    (memory_of(shop) / "feedback_testing.md").write_bytes(b"\xff\xfe")
    write(shop, "5433", "5434")
    done = take_in(house.scope, memory_of(shop))
    assert (done.gone, len(done.errors)) == ([], 1)
    assert run("sync", "--from", "claude-code").code != 0


def test_a_dry_run_and_a_death_change_nothing_of_it(house: MemoryLedger, shop: Path) -> None:
    """G-26: what was written before a death is known the next time."""
    write(shop, "5433", "5434")
    out = run("sync", "--from", "claude-code", "--dry-run").ok().out
    assert "1 changed" in out
    assert "Postgres listens on 5433" in texts(house)
    house.close()
    memory = muniment.open(scope="user")
    with dying_at("append.synced"):
        take_in(memory.scope, memory_of(shop))
    memory.close()
    memory = muniment.open(scope="user")
    assert counts(memory, shop) == (0, 0, 4, 0)
    assert counts(memory, shop) == (0, 0, 4, 0)
    assert [text for text in texts(memory) if "Postgres" in text] == ["Postgres listens on 5434"]
    memory.close()


def test_the_documents_of_the_ledger_itself_are_refused(house: MemoryLedger) -> None:
    """G-66: they are adopted."""
    with pytest.raises(muniment.UsageError, match="own documents"):
        take_in(house.scope, house.workspace.place.documents)


def test_folders_are_followed_and_found(house: MemoryLedger, shop: Path, tmp_path: Path) -> None:
    """G-66: of the project, from below it and from a worktree; `sync` knows those that were taken in."""
    assert followed(house.workspace) == [memory_of(shop)]
    subprocess.run(["git", "init", "-q", "-b", "main", shop], check=True)
    who = ("-c", "user.name=me", "-c", "user.email=me@example.org")
    subprocess.run(["git", "-C", shop, *who, "commit", "-qm", "x", "--allow-empty"], check=True)
    subprocess.run(["git", "-C", shop, "worktree", "add", "-q", tmp_path / "tree"], check=True)
    (shop / "below").mkdir()
    assert {claude_memory(each) for each in (shop, shop / "below", tmp_path / "tree")} == {memory_of(shop)}
    assert claude_memory(tmp_path) is None
    assert run("import", "--from", "claude-code", cwd=tmp_path).code == 2
    assert "4 known" in run("sync", "--from", "claude-code", cwd=tmp_path).ok().out


def test_python_syncs_the_folders_that_were_imported(house: MemoryLedger, shop: Path, tmp_path: Path) -> None:
    """G-66: without a folder those that were imported; where nothing was, and there is none, it says so."""
    write(shop, "5433", "5434")
    (dry,) = house.learning.sync(start=tmp_path, dry_run=True)
    (done,) = house.learning.sync(start=tmp_path)
    assert [sum(each.changed for each in one.files) for one in (dry, done)] == [1, 1]
    assert "Postgres listens on 5434" in texts(house)
    with (
        muniment.init(tmp_path / "other") as other,
        pytest.raises(muniment.UsageError, match="no memory of this folder"),
    ):
        other.learning.sync(start=tmp_path)
