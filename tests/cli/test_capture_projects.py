"""What capture learns of projects (specs/cli.md X-150, X-157, X-200)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.driver import run
from tests.cli.test_capture import TALK
from tests.learning.transcripts.writing import jsonl, person


@pytest.fixture(autouse=True)
def ledger(ledger: Path) -> Path:
    """The same, seen from a folder with one transcript."""
    Path("talk.jsonl").write_bytes(TALK)
    return ledger


def test_what_belongs_to_a_project_goes_there(tmp_path: Path) -> None:
    """X-150, K-70."""
    root = tmp_path / "root"
    root.mkdir()
    run("init", "--scope", "project", cwd=root).ok()
    (root / "talk.jsonl").write_bytes(
        TALK + jsonl(person("Always use pnpm in this project, never npm", uuid="m9"))
    )
    run("capture", "talk.jsonl", cwd=root).ok()
    assert "pnpm" in run("list", "--scope", "project", cwd=root).out
    assert "Luna" in run("list", "--scope", "user", cwd=root).out


def test_what_a_limit_refused_of_a_projects_files_is_learned_by_project_again(tmp_path: Path) -> None:
    """X-200: no file is named of which there is none."""
    root = tmp_path / "work"
    root.mkdir()
    run("init", "--scope", "project", cwd=root).ok()
    config = Path.home() / ".muniment" / "config.toml"
    config.write_text(f"{config.read_text()}\n[limits]\nper_hour = 1\n")
    (root / "package.json").write_text(
        '{"packageManager": "pnpm@9.1.0", "engines": {"node": ">=20"}, "scripts": {"test": "vitest run"}}'
    )
    done = run("capture", "--project", cwd=root).ok()
    assert "refused" in done.out
    assert "muniment capture --project when there is room again" in done.err
    assert "--anew" not in done.err


def test_a_projects_files_say_how_it_is_worked_on(tmp_path: Path) -> None:
    """X-157: from any folder of it; twice is once, and what belongs to the project goes there."""
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    run("init", "--scope", "project", cwd=root).ok()
    (root / "package.json").write_text('{"packageManager": "pnpm@9.1.0", "scripts": {"test": "vitest run"}}')
    done = run("capture", "--project", cwd=root / "src").ok()
    assert "created" in done.out
    assert "pnpm" in done.out
    assert "pnpm" in run("list", "--scope", "project", cwd=root).out
    again = run("capture", "--project", "--json", cwd=root).ok()
    assert not [line for line in again.json_lines if line["written"]]
    both = run("capture", "--project", root.parent / "talk.jsonl", cwd=root).ok()
    assert "Luna" in both.out
    pnpm = next(line["id"] for line in again.json_lines if "packages" in line["text"])
    run("delete", pnpm, cwd=root).ok()
    deleted = run("capture", "--project", "--json", cwd=root).ok()
    assert not [line for line in deleted.json_lines if line["written"]], "K-225"
    (root / "package.json").write_text('{"packageManager": "yarn@4.0.0"}')
    changed = run("capture", "--project", "--json", cwd=root).ok()
    assert next(line["text"] for line in changed.json_lines if line["written"]).startswith("Use yarn")


def test_a_repository_that_is_not_bound_is_read_from_its_root(tmp_path: Path) -> None:
    """X-157, K-70: as candidates."""
    root = tmp_path / "root"
    (root / ".git").mkdir(parents=True)
    (root / "src").mkdir()
    (root / "package.json").write_text('{"packageManager": "pnpm@9.1.0"}')
    done = run("capture", "--project", cwd=root / "src").ok()
    assert done.out.startswith("candidate")
    assert "not bound" in done.out
