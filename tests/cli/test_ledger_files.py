"""No command writes its output over what a ledger is made of."""

from __future__ import annotations

import itertools
import subprocess
from pathlib import Path

import pytest

import muniment
from tests.cli.driver import run


@pytest.fixture
def ledger(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's ledger with a memory and its documents, seen from an empty folder; its directory."""
    monkeypatch.chdir(tmp_path)
    run("init", "--scope", "user").ok()
    run("add", "one").ok()
    run("add", "two", "--topic", "a/b").ok()
    return isolated / ".muniment"


def own_files(ledger: Path) -> list[Path]:
    home = muniment.home()
    found = [path for folder in (ledger, home.state) for path in folder.rglob("*") if path.is_file()]
    return sorted(
        {*found, ledger / "memory.db-wal", ledger / "keys/another.key", ledger / "MEMORY.md.edited-1"}
    )


def test_no_output_takes_the_place_of_a_file_of_a_ledger(ledger: Path) -> None:
    """X-64, X-84: keys, marks and pins, documents, configuration and databases."""
    run("anchor", "checkpoint").ok()
    names = [path.name for path in own_files(ledger)]
    assert {
        "chain.jsonl",
        "memory.db",
        "local.db",
        "0-3.checkpoint",
        "config.toml",
        "MEMORY.md",
        "b.md",
    } <= set(names)
    assert sum(name.endswith((".key", ".next", ".json")) for name in names) >= 3
    commands = itertools.cycle((("backup", "--force"), ("export", "-o"), ("prove", "@1", "-o")))
    for command, path in zip(commands, [each for each in own_files(ledger) for _ in range(2)], strict=False):
        before = path.read_bytes() if path.exists() else None
        done = run(*command, path)
        assert (done.code, "a ledger's own folder" in done.err) == (2, True), path
        assert (path.read_bytes() if path.exists() else None) == before


def test_the_files_of_another_ledger_and_of_a_project_are_safe_too(ledger: Path, tmp_path: Path) -> None:
    """X-84: of a ledger that --ledger names, of a project's folder, and through a link to it."""
    run("init", "--ledger", "other").ok()
    root = tmp_path / "house"
    root.mkdir()
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    run("init", cwd=root).ok()
    (tmp_path / "link").symlink_to(root / ".muniment")
    for path in ("other/MEMORY.md", "other/config.toml", "house/.muniment/project.toml", "link/MEMORY.md"):
        (tmp_path / path).touch()
        before = (tmp_path / path).read_bytes()
        assert run("backup", path, "--force").code == 2, path
        assert (tmp_path / path).read_bytes() == before


def test_other_places_are_free(ledger: Path, tmp_path: Path) -> None:
    (tmp_path / "chain.jsonl").write_text("a copy beside them")
    (tmp_path / "memories").mkdir()
    run("backup", tmp_path / "memories" / "b.tar.gz").ok()
    run("backup", tmp_path / "memories" / "b.tar.gz", "--force").ok()
