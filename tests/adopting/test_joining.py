"""Joins a project on a second machine: two homes, two keys, one repository; with a real git."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.adopting.in_git import GRACE, git
from tests.adopting.machine import Machine, cloned, founded, write
from tests.projections.house import tree

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")

SECTIONS = ("Workflow", "Tool Usage", "Error Patterns", "Corrections", "Own heading", "Another one")


def busy(root: Path) -> Machine:
    """Return a project with more than fits: sections, topics, notes, placed and changed lines, prose."""
    here = founded(root)
    (here.folder / "config.toml").write_text("max_lines_per_file = 40\n")
    number = 0
    for round_ in range(6):
        for section in SECTIONS:
            for _ in range(2):
                number += 1
                here("add", f"Rule {number} of {section.lower()}", "--section", section).ok()
        here("add", f"Meet at {round_}", "--tier", "daily").ok()
        here("add", f"Tokens {round_} expire", "--topic", "code/auth", "--tag", "auth", "--importance", "high").ok()
        if round_ == 2:
            path = here.folder / "MEMORY.md"
            text = path.read_text()
            line = next(each for each in text.splitlines() if "of tool usage" in each)
            path.write_text(text.replace(line, f"{line}\n\nSome prose\nof mine.\n\n- Typed between\n"))
            here("adopt").ok()
        if round_ == 4:
            row = next(row for row in here("list", "--json").json_lines if row["text"] == "Rule 3 of tool usage")
            here("supersede", row["id"], "Rule 3 of tool usage, changed").ok()
        here.commit(f"round {round_}")
    return here


@pytest.fixture
def here(tmp_path: Path) -> Machine:
    """My project, on my first machine."""
    return busy(tmp_path / "a" / "house")


def both(here: Machine, base: Path) -> Machine:
    """Join the project on a second machine of mine."""
    return cloned(here, base / "b")


def test_my_second_machine_shows_my_documents(here: Machine, tmp_path: Path) -> None:
    """D-62, D-64: byte by byte, without a word from me."""
    before = tree(here.folder)
    assert any(path.startswith("memory/") and "2026" not in path for path in before)
    there = both(here, tmp_path)
    assert tree(there.folder) == before
    assert there.git("status", "--short") == ""
    assert sorted(there.texts()) == sorted(here.texts())
    assert there.texts("candidate") == []
    there("replay").ok()
    assert there.git("status", "--short") == ""


def sync(one: Machine, other: Machine, said: str) -> list[str]:
    """Commit on one machine, pull on the other and have it look; return the lines that the commit changed."""
    one.commit(said)
    changed = one.git("show", "--format=", "-U0", "HEAD").splitlines()
    other.git("pull", "-q", "--no-rebase", str(one.root), "main")
    other("adopt").ok()
    assert other.git("status", "--short") == "", other.git("diff")
    other("replay").ok()
    assert other.git("status", "--short") == "", other.git("diff")
    return [line for line in changed if line[:1] in "+-" and line[:3] not in ("+++", "---")]


def test_two_machines_add_by_turns_and_nothing_else_changes(here: Machine, tmp_path: Path) -> None:
    """D-64: neither writes anew what the other wrote, at the limit either."""
    there = both(here, tmp_path)
    for turn in range(8):
        one, other = (here, there) if turn % 2 == 0 else (there, here)
        one("add", f"Turn {turn} is over", "--section", SECTIONS[turn % 4]).ok()
        changed = sync(one, other, f"turn {turn}")
        assert f"+- Turn {turn} is over" in changed
        assert tree(here.folder) == tree(there.folder)
