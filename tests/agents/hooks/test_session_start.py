"""What an agent is told at the start of a session (specs/doors.md G-3…G-5)."""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from agents.hooks import folder_scopes, user_folders
from tests.agents.hooks.calling import context, event, faults, hook, settled, spool
from tests.cli.driver import run


@pytest.fixture(autouse=True)
def ledger(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's ledger with one memory, seen from an empty folder."""
    monkeypatch.chdir(tmp_path)
    run("init", "--scope", "user").ok()
    run("add", "Use pnpm, not npm", "--scope", "user").ok()
    return isolated / ".muniment"


def started(**more: Any) -> str:
    return context(hook(event("SessionStart", source="startup", **more)))


def test_the_section_is_that_of_inject(tmp_path: Path) -> None:
    """G-3, G-4: of the scopes of the session's folder, whatever folder the hook runs in."""
    work = tmp_path / "work"
    work.mkdir()
    run("init", "--scope", "project", cwd=work).ok()
    run("add", "Run make lint before a commit", cwd=work).ok()
    told = started(cwd=str(work))
    assert "make lint" in told
    assert "pnpm" in told
    assert told == run("inject", cwd=work).ok().out.strip()
    assert "make lint" not in started()


@pytest.mark.parametrize("name", ["project.toml", "config.toml"])
@pytest.mark.parametrize("broken", ["deep", "endless", "large", "pipe"])
def test_no_file_of_a_clone_holds_it_up_or_costs_a_memory(tmp_path: Path, name: str, broken: str) -> None:
    """G-1, F-4, F-9: what a pull brought into a project that is bound, be it a link to a device, is not waited for."""
    work = tmp_path / "work"
    work.mkdir()
    run("init", "--scope", "project", cwd=work).ok()
    file = work / ".muniment" / name
    file.unlink()
    if broken == "endless":
        file.symlink_to("/dev/zero")
    elif broken == "pipe":
        os.mkfifo(file)
    else:
        file.write_text(f"x = {'[' * 5000}" if broken == "deep" else f"a{'.a' * 100_000} = 1")
    assert "pnpm" in started(cwd=str(work))
    assert not faults()


def test_it_never_has_more_than_a_program_takes_whole(ledger: Path) -> None:
    """G-4: whole entries are left out, and the last line says how many; in the units that programs count."""
    (ledger / "config.toml").write_text("injection_token_budget = 100000\n")
    settings = Path("settings.md")
    settings.write_text("".join(f"- Setting {n} \U0001f680 is {'very ' * 60}important\n" for n in range(40)))
    run("import", settings).ok()
    told = started()
    assert 8000 < len(told.encode("utf-16-le")) // 2 <= 9500
    assert " more are left out; " in told.splitlines()[-1]
    assert all(line.endswith("important") for line in told.splitlines() if "Setting" in line)


def test_what_was_shown_counts_as_used_once_a_worker_runs() -> None:
    """G-3, X-60."""
    started()
    assert [json.loads(path.read_text())["kind"] for path in spool()] == ["shown"]
    settled()
    assert run("archive", "unused", "--dry-run", "--json").code == 0
    with closing(sqlite3.connect(Path(user_folders.home()) / "local.db")) as db:
        assert db.execute("SELECT injections FROM uses").fetchall() == [(1,)]


def test_the_worker_records_which_session_saw_what(ledger: Path) -> None:
    """H-40, H-42, H-46: also topics that a prompt matched; a day that is over is anchored where that is asked for."""
    run("add", "Tokens live for 15 minutes", "--topic", "auth/tokens", "--when", "login timeout").ok()
    started()
    hook(event("UserPromptSubmit", prompt="fix the login timeout"))
    assert run("log", "--seen").ok().out == ""
    settled()
    topic, start = run("log", "--seen", "--json").ok().json_lines
    assert [start[name] for name in ("agent", "session", "door", "why")] == [
        "claude-code", "s1", "hook SessionStart", "session start (startup)",
    ]  # fmt: skip
    assert (topic["session"], topic["door"], topic["why"]) == ("s1", "hook UserPromptSubmit", "topics")
    assert len(start["ids"]) == len(topic["ids"]) == 1
    assert start["ids"] != topic["ids"]
    assert start["tokens"] > 0
    assert start["at"] < topic["at"]
    with closing(sqlite3.connect(ledger / "local.db")) as db, db:
        db.execute("UPDATE seen SET day = '2026-01-01'")
    (ledger / "config.toml").write_text('seen = "anchored"\n')
    hook(event("Stop"))
    settled()
    assert [each["what"] for each in run("log", "--kind", "anchor", "--json").json_lines] == [
        "seen 2026-01-01"
    ]
    assert not faults()


def test_an_index_that_is_behind_is_caught_up(ledger: Path) -> None:
    """G-5: also one that is gone; one that somebody writes is told as it is."""
    (ledger / "memory.db").unlink()
    assert "pnpm" in started()
    old = (ledger / "memory.db").read_bytes()
    run("add", "Answer in French").ok()
    for name in ("memory.db-wal", "memory.db-shm"):
        (ledger / name).unlink(missing_ok=True)
    (ledger / "memory.db").write_bytes(old)
    with closing(sqlite3.connect(ledger / "memory.db", isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        told = started()
        assert "pnpm" in told
        assert "French" not in told
        db.execute("ROLLBACK")
    assert "French" in started()
    settled()
    assert not faults()


def test_an_index_far_behind_tells_what_it_has_and_is_caught_up_by_the_worker(
    ledger: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G-5."""
    old = (ledger / "memory.db").read_bytes()
    run("add", "Answer in French").ok()
    for name in ("memory.db-wal", "memory.db-shm"):
        (ledger / name).unlink(missing_ok=True)
    (ledger / "memory.db").write_bytes(old)
    monkeypatch.setattr(folder_scopes, "BEHIND", 0)
    (scope,) = folder_scopes.told(folder_scopes.home(), "")
    scope.catch_up()
    assert scope.late


def test_a_chain_that_another_process_holds_is_not_waited_for(ledger: Path) -> None:
    """G-1."""
    with (ledger / "chain.jsonl").open("rb") as chain:
        fcntl.flock(chain, fcntl.LOCK_EX)
        assert "pnpm" in started()


def test_a_scope_that_cannot_be_read_costs_no_other(tmp_path: Path) -> None:
    """X-88: by the same rule as inject."""
    work = tmp_path / "work"
    work.mkdir()
    run("init", "--scope", "project", cwd=work).ok()
    run("add", "Run make lint before a commit", cwd=work).ok()
    for chain in Path(user_folders.home()).glob("projects/*/chain.jsonl"):
        chain.write_bytes(b"damaged\n")
    assert "pnpm" in started(cwd=str(work))
    (work / ".muniment" / "project.toml").write_text("no TOML [")
    assert "pnpm" in started(cwd=str(work))
