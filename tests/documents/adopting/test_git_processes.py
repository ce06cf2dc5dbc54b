"""How often git is started for one command: each question is asked once (specs/editing.md D-26)."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents.adopting.in_git import ME, git

ROOT = Path(__file__).resolve().parents[3]
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


def muniment(repository: Path, *words: str) -> str:
    """Run a command as a person in a project; return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "cli", *words], cwd=repository, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def starts(log: Path) -> list[str]:
    """Return what git was asked since the last look."""
    said = log.read_text().splitlines() if log.exists() else []
    log.unlink(missing_ok=True)
    return said


@pytest.fixture
def project(tmp_path: Path, asked: Path) -> Path:
    """Return a project with two memories, committed."""
    repository = tmp_path / "project"
    repository.mkdir()
    git(repository, "init", "--quiet")
    git(repository, "config", "user.email", ME[1])
    muniment(repository, "init")
    muniment(repository, "add", "Use pnpm, not npm")
    muniment(repository, "add", "Answer in short bullet points")
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", "one")
    starts(asked)
    return repository


@pytest.mark.parametrize(
    "words", [("adopt",), ("adopt", "--dry-run"), ("add", "The port is 5433"), ("status",)]
)
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
