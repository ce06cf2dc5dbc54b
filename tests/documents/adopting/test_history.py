"""What git's history explains is no edit: an older commit takes nothing out, my own commit does; with a real git."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from tests.documents.adopting.machine import Machine, cloned, founded, write

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")


@pytest.fixture
def here(isolated: Path, tmp_path: Path) -> Machine:
    """A project of mine with one memory."""
    return founded(tmp_path / "a" / "house", "Use pnpm")


@pytest.fixture
def there(here: Machine, tmp_path: Path) -> Machine:
    """The same project on another machine of mine."""
    machine = cloned(here, tmp_path / "b")
    machine("adopt", "--accept").ok()
    return machine


# --- an older commit whose bytes are no rendering of this copy ---


def test_an_older_commit_that_another_machine_rendered_takes_nothing_out(
    here: Machine, there: Machine
) -> None:
    """D-45: it was made before the lines that it lacks were learned."""
    for text in ("Deploy with make", "Gate is Keycloak"):
        there("add", text).ok()
        there.commit(text)
    here.git("pull", "-q", str(there.root), "main")
    here("adopt").ok()
    here("add", "Node is at 20").ok()
    here.commit("here")
    here.git("checkout", "-q", "HEAD~2")
    assert "without 1 newer memory" in here("status").out
    done = here("add", "Another").ok()
    assert "delete" not in here.kinds()
    assert "without 1 newer memory, added to it" in done.err
    assert set(here.texts()) == {
        "Use pnpm",
        "Deploy with make",
        "Gate is Keycloak",
        "Node is at 20",
        "Another",
    }
    assert "- Gate is Keycloak\n" in here.read()


def test_an_older_text_that_another_machine_rendered_changes_nothing_back(
    here: Machine, there: Machine
) -> None:
    """D-45: nor does the older version of a line."""
    there("add", "Deploy with make").ok()
    there.commit("b1")
    here.git("pull", "-q", str(there.root), "main")
    here("adopt").ok()
    (row,) = [row for row in there("list", "--json").json_lines if row["text"] == "Deploy with make"]
    there("supersede", row["id"], "Deploy with make ship").ok()
    there.commit("b2")
    here.git("pull", "-q", str(there.root), "main")
    here("adopt").ok()
    here("supersede", here("list", "--json").json_lines[1]["id"], "Deploy with make ship, twice").ok()
    here.commit("here")
    here.git("checkout", "-q", "HEAD~2")
    here("add", "Another").ok()
    assert set(here.texts()) == {"Use pnpm", "Deploy with make ship, twice", "Another"}


def test_a_line_that_my_commit_on_another_machine_took_out_is_taken_out(
    here: Machine, there: Machine
) -> None:
    """D-45: HEAD's history has the commit."""
    here("add", "Deploy with make").ok()
    here.commit("two")
    there.git("pull", "-q", str(here.root), "main")
    there("adopt").ok()
    (row,) = [row for row in there("list", "--json").json_lines if row["text"] == "Deploy with make"]
    there("delete", row["id"]).ok()
    there("add", "Node is at 20").ok()
    there.commit("less")
    here.git("pull", "-q", str(there.root), "main")
    here("add", "Another").ok()
    assert set(here.texts()) == {"Use pnpm", "Node is at 20", "Another"}


def test_what_moved_between_documents_that_git_set_back_is_not_taken_out(here: Machine) -> None:
    """D-35, D-45: a document that git set back says what it says, not what we wrote there last."""
    (here.folder / "config.toml").write_text("max_lines_per_file = 12\n")
    for at in range(9):
        section = ("Workflow", "Tool Usage")[at % 2]
        here("add", f"Service number {at} listens behind proxy {at * 7}", "--section", section).ok()
        here.commit(str(at))
    for _ in range(8):
        here.git("checkout", "-q", "HEAD~1")
        here("status").ok()
        here("add", "An agent's line", "--section", "Workflow")
        here.git("add", "-A")
        here.git("reset", "-q", "--hard")
    assert "delete" not in here.kinds()
    assert sum("Service" in text for text in here.texts()) == 9


# --- a line that says what was deleted ---


@pytest.mark.parametrize("later", [True, False])
def test_a_line_that_i_committed_after_the_delete_is_learned_and_an_older_one_is_named(
    here: Machine, later: bool
) -> None:
    """D-46: who says it again means it; what git had before does not."""
    here("add", "Deploy on Fridays only").ok()
    here.commit("two")
    said = "# Deploy\n\n- Deploy on Fridays only\n- Ask Ada first\n"
    row = here("list", "--json").json_lines[1]
    if later:
        here("delete", row["id"]).ok()
        time.sleep(1.1)  # git counts in seconds
    write(here.folder, {"memory/deploy.md": said})
    here.commit("mine")
    if not later:
        (here.folder / "memory/deploy.md").unlink()
        here("delete", row["id"]).ok()
        here.git("checkout", "-q", "--", ".muniment/memory")
    out = here("adopt").out
    assert ("Deploy on Fridays only" in here.texts()) == later
    assert ('left out, deleted or replaced here before ("Deploy on Fridays only")' in out) != later
    assert "Ask Ada first" in here.texts()


def test_what_a_revert_says_that_was_deleted_is_named_when_it_goes(here: Machine) -> None:
    """D-39: the delete stands in the log; how it is undone is said."""
    id_ = here("add", "Gamma rule three").ok().out.strip()
    here.commit("two")
    here("delete", id_).ok()
    here.commit("less")
    here.git("revert", "--no-edit", "HEAD")
    assert "- Gamma rule three\n" in here.read()
    done = here("add", "Delta rule four").ok()
    assert "1 deleted memory is out of it again" in done.err
    named = done.err.partition("muniment revert ")[2].split()[0]
    here("revert", named).ok()
    assert "Gamma rule three" in here.texts()
