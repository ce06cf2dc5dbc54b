"""What a commit took out of one document and has in another was moved, and is not taken out; with a real git."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.documents.adopting.in_git import git
from tests.documents.adopting.machine import Machine, brought_back, cloned, founded, write

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")


def crowded(root: Path, env: Mapping[str, str]) -> Machine:
    """Return a project of mine whose MEMORY.md has room for two lines; the others stand in overflow files."""
    machine = founded(root, "Use pnpm", env=env)
    (machine.folder / "config.toml").write_text("max_lines_per_file = 14\n")
    for at in range(12):
        machine("add", f"Service number {at} listens behind proxy {at * 7}", "--section", "Tool Usage").ok()
    machine.commit("services")
    time.sleep(1.1)  # git counts in seconds
    return machine


@pytest.fixture
def here(isolated: Path) -> Machine:
    """That project."""
    return brought_back(crowded)


def test_what_my_commit_moved_to_another_document_is_not_taken_out(here: Machine) -> None:
    """D-52: where git sets one of the two documents back to it."""
    for row in here("list", "--json").json_lines[-2:]:
        here("delete", row["id"]).ok()
    moved = [f"Service number {at} listens behind proxy {at * 7}" for at in (5, 6)]
    assert all(f"- {text}\n" in here.read() for text in moved)
    here.commit("room")
    for text in ("Clusters are named after rivers", "Gateways restart on Mondays"):
        here("add", text, "--section", "Tool Usage").ok()
    assert not any(text in here.read() for text in moved)
    here.git("checkout", "-q", "HEAD", "--", ".muniment/memory/tool-usage.md")
    here("adopt").ok()
    assert set(moved) <= set(here.texts())
    here("add", "Another").ok()
    assert all(f"- {text}\n" in here.read("memory/tool-usage.md") for text in moved)


def waiting(machine: Machine) -> str:
    """Make MEMORY.md one that cannot be read; return what it said."""
    old = machine.read()
    (machine.folder / "MEMORY.md").write_bytes(old.encode() + b"\xff\n")
    return old


def test_no_line_leaves_all_documents_while_the_one_that_it_would_move_to_waits(here: Machine) -> None:
    """P-195: whoever commits them then takes nothing out."""
    old = waiting(here)
    rows = here("list", "--json").json_lines
    for row in rows[-2:]:
        here("delete", row["id"]).ok()
    said = here("add", "Clusters are named after rivers", "--section", "Tool Usage").ok().err
    assert "memory/tool-usage.md was not rewritten: lines of it would move to MEMORY.md, which cannot" in said
    stood = old + here.read("memory/tool-usage.md")
    assert all(row["text"] in stood for row in rows[1:])
    (here.folder / "MEMORY.md").write_text(old)
    here("adopt").ok()
    written = here.written()
    assert all(f"- {text}\n" in written for text in here.texts())
    assert here("verify").code == 0


def test_no_file_goes_while_its_lines_would_move_to_one_that_waits(here: Machine) -> None:
    """P-195: nor does the last line of an overflow file, and then the file."""
    assert here.read("memory/project-conventions.md").endswith("- Use pnpm\n")
    waiting(here)
    for row in here("list", "--json").json_lines[4:]:
        here("delete", row["id"]).ok()
    assert here.read("memory/project-conventions.md").endswith("- Use pnpm\n")


def test_what_was_erased_does_not_wait(here: Machine) -> None:
    """P-195, P-58: whatever else a document would lose."""
    waiting(here)
    rows = here("list", "--json").json_lines
    for row in rows[-2:]:
        here("delete", row["id"]).ok()
    assert rows[3]["text"] in here.read("memory/tool-usage.md")
    here("erase", rows[3]["id"], "--yes", "--reason", "private").ok()
    assert rows[3]["text"] not in here.read("memory/tool-usage.md")


def test_a_file_that_git_set_back_gets_the_lines_that_leave_another(here: Machine) -> None:
    """D-15, P-195: though nothing in the log has changed for it."""
    for text in ("Clusters are named after rivers", "Gateways restart on Mondays"):
        here("add", text, "--section", "Tool Usage").ok()
    here.git("stash", "-q")
    here("add", "Rivers are named after ships", "--topic", "names").ok()
    here("add", "Ships carry coal", "--section", "Error Patterns").ok()
    written = here.written()
    assert all(f"{text}\n" in written for text in here.texts())


def test_a_line_typed_into_what_the_stash_had_takes_nothing_out(here: Machine) -> None:
    """D-2: what moved into the document since was written by nobody."""
    write(here.folder, {"memory/more.md": "## Workflow\n\n- Ask before a deploy\n"})
    here("adopt").ok()
    here("add", "Rivers are named after ships").ok()
    here.git("stash", "-q")
    here("add", "Ships carry coal").ok()
    here.git("checkout", "-q", "--", ".")
    here.git("stash", "pop", "-q")
    path = here.folder / "MEMORY.md"
    path.write_text(path.read_text().replace("- Rivers", "- Typed here\n- Rivers"))
    here("adopt").ok()
    assert "delete" not in here.kinds()
    assert {"Typed here", "Ships carry coal", "Rivers are named after ships"} <= set(here.texts())


def test_what_a_merge_lost_comes_back_also_where_other_lines_moved(here: Machine, tmp_path: Path) -> None:
    """D-52, D-35: who took one side of a conflict took nothing out, and one document lacks more than that."""
    there = cloned(here, tmp_path / "b")
    there("adopt", "--accept").ok()
    for text in ("Clusters are named after rivers", "Gateways restart on Mondays"):
        there("add", text, "--section", "Tool Usage").ok()
    there.commit("theirs")
    here("add", "Rivers carry ships", "--section", "Tool Usage").ok()
    here.commit("mine")
    git(here.root, "pull", "-q", str(there.root), "main", "--no-rebase", fails=True)
    here.git("checkout", "--theirs", "--", ".")
    here.commit("merge")
    assert "Rivers carry ships" not in here.written()
    here("adopt", "--accept")
    assert "delete" not in here.kinds()
    assert {"Rivers carry ships", "Service number 8 listens behind proxy 56"} <= set(here.texts())


def test_a_file_that_my_other_machine_no_longer_needs_is_no_deleted_one(
    isolated: Path, tmp_path: Path
) -> None:
    """D-52: its lines stand in MEMORY.md since, or were taken out there; nothing pauses."""
    here = founded(tmp_path / "a" / "house")
    (here.folder / "config.toml").write_text("max_lines_per_file = 14\n")
    texts = [f"Service number {at} listens behind proxy {at * 7}" for at in range(12)]
    for text in texts:
        here("add", text, "--section", "Tool Usage").ok()
    here.commit("services")
    there = cloned(here, tmp_path / "b")
    here.git("pull", "-q", str(there.root), "main")
    here("adopt").ok()
    file = "memory/tool-usage.md"
    assert there.read(file)
    assert here.read(file)
    for row in here("list", "--json").json_lines:
        if row["text"] in texts[:3] + texts[6:8]:
            here("delete", row["id"]).ok()
    assert not here.read(file)
    left = here.texts()
    here.commit("room")
    there.git("pull", "-q", str(here.root), "main")
    assert not there.read(file)
    there("adopt").ok()
    assert sorted(there.texts()) == sorted(left)
    there("add", "Another").ok()
    assert all(f"- {text}\n" in there.written() for text in there.texts())
