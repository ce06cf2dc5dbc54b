"""Somebody types into a document that git put where it is, before it was taken in; with a real git.

D-77, D-2: what git's version lacked, nobody took out who typed a line into it.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from tests.documents.adopting.machine import Machine, cloned, founded

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")


def typed(machine: Machine, text: str, *, without: str = "") -> None:
    """Put a bullet before the first one, as an editor does; take another one out."""
    lines = machine.read().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if line.startswith("- "))
    lines = [*lines[:at], f"- {text}\n", *lines[at:]]
    (machine.folder / "MEMORY.md").write_text("".join(line for line in lines if line != f"- {without}\n"))


def looked_back(base: Path) -> Machine:
    """Return a machine that pulled, learned Delta at a commit before, and is at the newest without it."""
    one = founded(base / "one" / "house", "Alpha queue rule.", "Beta cache rule.")
    for section in ("Error Patterns", "Workflow"):
        one("add", f"A {section} of old.", "--section", section).ok()
    one.commit()
    two = cloned(one, base / "two")
    two("add", "Zeta billing rule.", "--section", "Workflow").ok()
    two.commit()
    one("add", "Gamma parser rule.").ok()
    one.commit()
    one.git("pull", "-q", "--no-rebase", str(two.root), "main")
    two.git("pull", "-q", "origin", "main")
    two.git("checkout", "-q", "HEAD~1")
    assert "Zeta" not in two.read()
    two("add", "Delta worker rule.").ok()
    two.git("stash", "-q", "--include-untracked")
    two.git("checkout", "-q", "main")
    assert "Zeta" in two.read()
    assert "Delta" not in two.read()
    return two


_ALL = {
    "Alpha queue rule.",
    "Beta cache rule.",
    "Gamma parser rule.",
    "Delta worker rule.",
    "Zeta billing rule.",
}


def test_what_git_put_there_without_a_line_and_somebody_typed_into(tmp_path: Path) -> None:
    """What stands on a commit that lacks a line does not take it out, whatever was typed there besides."""
    here = looked_back(tmp_path)
    typed(here, "Epsilon socket rule.")
    here.git("add", "-A")
    here("adopt").ok()
    assert {text for text in here.texts() if " of old" not in text} == {*_ALL, "Epsilon socket rule."}


def test_what_is_taken_out_there_goes(tmp_path: Path) -> None:
    """What that commit had, and who typed there took out, goes."""
    here = looked_back(tmp_path)
    typed(here, "Epsilon socket rule.", without="Beta cache rule.")
    here("adopt").ok()
    assert {text for text in here.texts() if " of old" not in text} == {*_ALL, "Epsilon socket rule."} - {
        "Beta cache rule."
    }


def test_what_a_stash_brought_back_and_somebody_typed_into(tmp_path: Path) -> None:
    """A stash that is popped says nothing of what was learned meanwhile."""
    here = founded(tmp_path / "house", "Alpha queue rule.", "Beta cache rule.")
    here("add", "Gamma parser rule.").ok()
    typed(here, "Zeta billing rule.")
    here("adopt").ok()
    here.git("stash", "-q")
    time.sleep(1.1)  # HEAD moves then, as git says in seconds
    typed(here, "Delta worker rule.")
    here("adopt").ok()
    here.git("checkout", "-q", "--", ".")
    here.git("stash", "pop", "-q")
    assert "Delta" not in here.read()
    typed(here, "Epsilon socket rule.")
    here("adopt").ok()
    assert {text for text in here.texts() if " of old" not in text} == {*_ALL, "Epsilon socket rule."}


def test_who_takes_a_line_out_after_a_stash_has_seen_it(tmp_path: Path) -> None:
    """What was rendered after a stash was popped is what its reader had before them."""
    here = founded(tmp_path / "house", "Alpha queue rule.", "Beta cache rule.")
    here("add", "Gamma parser rule.").ok()
    here.git("stash", "-q")
    here.git("stash", "pop", "-q")
    here("add", "Delta worker rule.").ok()
    here("add", "Zeta billing rule.").ok()
    (here.folder / "MEMORY.md").write_text(here.read().replace("- Zeta billing rule.\n", ""))
    here("adopt").ok()
    assert {text for text in here.texts() if " of old" not in text} == _ALL - {"Zeta billing rule."}
