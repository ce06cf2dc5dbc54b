"""Tests cli/commands/uninstall.py against specs/cli.md (X-240, X-241, X-243) and specs/doors.md (G-20, G-27, G-28)."""

from __future__ import annotations

from pathlib import Path

import pytest

import muniment
from tests.cli.driver import run


@pytest.fixture
def settings(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's settings, seen from a folder beside their home."""
    monkeypatch.chdir(tmp_path)
    path = isolated / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "notify"}]}]}}')
    return path


def test_a_dry_run_shows_what_would_go(settings: Path) -> None:
    run("install", "claude-code", "--yes").ok()
    once = settings.read_bytes()
    result = run("uninstall", "claude-code", "--dry-run").ok()
    skill = settings.parent / "skills/muniment/SKILL.md"
    assert f"would be written: {settings}\nwould be removed: {skill}\n" in result.out
    assert settings.read_bytes() == once
    assert skill.is_file()


def test_what_others_put_in_since_stays(settings: Path) -> None:
    run("install", "claude-code", "--yes").ok()
    settings.write_text(settings.read_text().replace("notify", "notify loudly"))
    run("uninstall", "claude-code", "--yes").ok()
    assert settings.read_text() == (
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "notify loudly"}]}]}}'
    )


def test_without_yes_nothing_goes(settings: Path) -> None:
    run("install", "claude-code", "--yes").ok()
    once = settings.read_bytes()
    result = run("uninstall", "claude-code")
    assert result.code == 2
    assert "uninstall Claude Code: change" in result.err
    assert settings.read_bytes() == once


@pytest.mark.parametrize(
    ("host", "named"),
    [
        ("claude-code", "claude mcp remove --scope user muniment"),
        ("openclaw", "hooks.internal.entries.muniment"),
    ],
)
def test_what_install_did_not_write_is_named(settings: Path, host: str, named: str) -> None:
    """G-27: the other program's own file is left to its own command."""
    run("install", host, "--yes").ok()
    assert named in run("uninstall", host, "--yes").ok().err


def test_memories_stay(settings: Path) -> None:
    with muniment.init() as memory:
        chain = memory.workspace.chain
    run("add", "Use pnpm").ok()
    before = chain.read_bytes()
    run("install", "claude-code", "--yes").ok()
    run("uninstall", "claude-code", "--yes").ok()
    assert settings.is_file()
    assert chain.read_bytes() == before
