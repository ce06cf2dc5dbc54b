"""On a file system that is really read-only what asks works, and what was to be stored says that it was not.

Tests specs/files.md (F-23).
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents.hooks.calling import context, event, hook
from tests.cli.driver import run, run_process, user_ledger
from tests.conftest import PLACES
from tests.proofs.erasing.test_finishing import killed_at


def _mount(*words: object) -> None:
    try:
        done = subprocess.run(["mount", *map(str, words)], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("there is no mount here")
    if done.returncode:
        pytest.skip(f"nothing can be mounted here: {done.stderr.strip()}")


@pytest.fixture
def disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file system of its own, with a home on it; tests mount it read-only."""
    mounted = tmp_path / "disk"
    mounted.mkdir()
    _mount("-t", "tmpfs", "-o", "size=64m,mode=700", "tmpfs", mounted)
    try:
        for name, place in PLACES.items():
            monkeypatch.setenv(name, str(mounted / place))
        (mounted / PLACES["MUNIMENT_HOME"]).mkdir(parents=True, mode=0o700)
        monkeypatch.chdir(tmp_path)
        yield mounted
    finally:
        monkeypatch.chdir("/")
        subprocess.run(["umount", "-l", mounted], check=True)


@pytest.mark.parametrize("killed", [False, True], ids=["closed", "with a log beside the databases"])
def test_what_asks_works_and_what_writes_says_why_not(disk: Path, *, killed: bool) -> None:
    """F-23: and no byte is changed."""
    directory = user_ledger("Use pnpm", "Postgres listens on 5433")
    if killed:
        killed_at("index.committed", "add", "Deploys are on Mondays")
        assert any(path.stat().st_size for path in directory.glob("*.db-wal"))
    before = {path: path.read_bytes() for path in disk.rglob("*") if path.is_file()}
    _mount("-o", "remount,ro", disk)
    for words in (["list"], ["search", "pnpm"], ["inject"]):
        assert "Use pnpm" in run_process(*words).ok().out, words
    if killed:
        assert "Deploys" in run_process("list").ok().out
    for words in (["verify"], ["status"]):
        run_process(*words).ok()
    done = run_process("add", "Lint first")
    assert done.code == 9
    assert "read-only" in done.err
    assert "Use pnpm" in context(hook(event("SessionStart", source="startup")))
    said = "Remember that the port is 5433."
    told = context(hook(event("UserPromptSubmit", prompt_id="p1", prompt=said, transcript_path="")))
    assert "not stored" in told
    assert "read-only" in told
    assert {path: path.read_bytes() for path in disk.rglob("*") if path.is_file()} == before
    _mount("-o", "remount,rw", disk)
    run("add", "Lint first").ok()
    run("verify").ok()
