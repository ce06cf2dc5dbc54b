"""Three machines of a project live through anything that git can do, and nothing is lost; with a real git."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.documents.adopting.lives import Life

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")


def live(base: Path, seed: int, people: int, steps: int, editing: int = 0) -> None:
    """Live a life of so many steps."""
    life = Life(base, seed, people, editing)
    for _ in range(steps):
        life.step()
    if people == 1:
        life.settle()


@pytest.mark.parametrize("people", [1, 2])
def test_nothing_that_git_does_takes_out_what_nobody_did(tmp_path: Path, people: int) -> None:
    """D-35, D-45, P-195: short lives."""
    live(tmp_path, 12, people, 9 * people)


@pytest.mark.soak
@pytest.mark.parametrize("people", [1, 2])
@pytest.mark.parametrize("seed", range(8))
def test_nothing_does_in_long_lives(tmp_path: Path, seed: int, people: int) -> None:
    """The same for longer."""
    live(tmp_path, seed, people, 150)


@pytest.mark.soak
@pytest.mark.parametrize("people", [1, 2])
@pytest.mark.parametrize("seed", range(304, 308))
def test_nothing_does_in_lives_with_edits(tmp_path: Path, seed: int, people: int) -> None:
    """D-77: lines are joined, split, nested, wrapped, changed, cut and pasted, confirmed and merged besides."""
    live(tmp_path, seed, people, 30, 4)
