"""How often git is started for one command: each question is asked once (specs/editing.md D-93)."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.cli.driver import run_process
from tests.documents.adopting.in_git import GRACE, ME, begun, git

MOST = 8
"""So many processes of git's may answer for one edited line."""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file in which each start of git leaves a line."""
    real = shutil.which("git")
    if real is None:
        pytest.skip("there is no git")
    log, folder = tmp_path / "asked", tmp_path / "bin"
    folder.mkdir()
    wrapper = folder / "git"
    wrapper.write_text(f'#!/bin/sh\necho "$@" >> "{log}"\nexec "{real}" "$@"\n')
    wrapper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return log


def muniment(repository: Path, *words: str, given: str = "", waits: bool = False) -> str:
    """Run a command as a person in a project; return what it prints. With `waits` it says that an edit waits (code 1)."""
    done = run_process(*words, cwd=repository, input=given)
    assert done.code == waits, done.err
    return done.out


def starts(log: Path) -> list[str]:
    """Return what git was asked since the last look."""
    said = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return said


@pytest.fixture
def project(tmp_path: Path, asked: Path) -> Path:
    """Return a project with two memories, committed."""
    repository = tmp_path / "project"
    begun(repository)
    muniment(repository, "init")
    muniment(repository, "add", "Use pnpm, not npm")
    muniment(repository, "add", "Answer in short bullet points")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "one")
    starts(asked)
    return repository


@pytest.mark.parametrize("words", [("adopt",), ("status",)])
def test_an_edited_line_costs_few_processes(project: Path, asked: Path, words: tuple[str, ...]) -> None:
    document = project / ".muniment/MEMORY.md"
    document.write_text(document.read_text().replace("Use pnpm, not npm", "Use pnpm, never npm"))
    muniment(project, *words)
    said = starts(asked)
    assert 0 < len(said) <= MOST, said
    assert len(set(said)) == len(said), said


def test_what_a_pull_brings_costs_few_processes(project: Path, asked: Path) -> None:
    document = project / ".muniment/MEMORY.md"
    document.write_text(f"{document.read_text()}- The tests need Postgres\n")
    git(project, "commit", "--quiet", "--all", "--message", "two")
    git(project, "checkout", "--quiet", "HEAD~1")
    git(project, "checkout", "--quiet", "-")
    starts(asked)
    assert "1 new" in muniment(project, "adopt")
    said = starts(asked)
    assert 0 < len(said) <= MOST, said
    assert len(set(said)) == len(said), said


def few(said: list[str]) -> None:
    """Demand that git was started for few questions, and for none of them twice."""
    assert 0 < len(said) <= MOST, said
    assert len(set(said)) == len(said), said


def pulled(project: Path, old: str, new: str, who: tuple[str, str]) -> None:
    """Have somebody change the document in a clone, and pull it from there."""
    clone = project.parent / "clone"
    git(project, "clone", "--quiet", ".", str(clone))
    document = clone / ".muniment/MEMORY.md"
    assert document.read_text().count(old) == 1
    document.write_text(document.read_text().replace(old, new))
    git(clone, "commit", "--quiet", "--all", "--message", "theirs", who=who)
    git(project, "pull", "--quiet", str(clone), "HEAD")


def test_what_somebody_else_changed_costs_few_processes(project: Path, asked: Path) -> None:
    """D-93, D-25."""
    pulled(project, "Use pnpm, not npm", "Use pnpm, never npm", GRACE)
    starts(asked)
    assert "1 change waits" in muniment(project, "adopt", waits=True)
    few(starts(asked))


def test_what_i_took_out_elsewhere_costs_few_processes(project: Path, asked: Path) -> None:
    """D-93, D-45."""
    pulled(project, "- Use pnpm, not npm\n", "", ME)
    starts(asked)
    assert "1 taken out" in muniment(project, "adopt")
    few(starts(asked))


def test_an_older_commit_that_was_checked_out_costs_few_processes(project: Path, asked: Path) -> None:
    """D-93, D-14."""
    muniment(project, "add", "The port is 5433")
    git(project, "commit", "--quiet", "--all", "--message", "two")
    git(project, "checkout", "--quiet", "HEAD~1")
    starts(asked)
    muniment(project, "adopt")
    few(starts(asked))
    assert "The port is 5433" in muniment(project, "list")


def test_a_session_that_starts_with_an_edited_line_costs_few_processes(project: Path, asked: Path) -> None:
    """D-93, D-81."""
    document = project / ".muniment/MEMORY.md"
    document.write_text(document.read_text().replace("Use pnpm, not npm", "Use pnpm, never npm"))
    event = {"hook_event_name": "SessionStart", "source": "startup", "session_id": "s", "cwd": str(project)}
    assert "never npm" in muniment(project, "hook", "claude", given=json.dumps(event))
    few(starts(asked))
