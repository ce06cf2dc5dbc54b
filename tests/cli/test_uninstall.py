"""Tests cli/commands/uninstall.py against specs/cli.md (X-240, X-241, X-243) and specs/doors.md (G-20, G-27, G-28)."""

from __future__ import annotations

import json
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


_CLAUDES_OWN = {
    "numStartups": 3,
    "mcpServers": {
        "other": {"type": "stdio", "command": "other", "args": ["mcp"]},
        "muniment": {"type": "stdio", "command": "/opt/bin/muniment", "args": ["mcp"], "env": {}},
    },
    "projects": {
        "/home/p/shop": {
            "allowedTools": [],
            "mcpServers": {"muniment": {"type": "stdio", "command": "muniment", "args": ["mcp"], "env": {}}},
        },
        "/home/p/other": {
            "mcpServers": {"muniment": {"type": "stdio", "command": "wrapper", "args": ["mcp"]}}
        },
    },
}


@pytest.mark.parametrize("moved", [False, True])
def test_the_mcp_server_that_was_added_as_advised_goes(
    settings: Path, isolated: Path, tmp_path: Path, moved: bool
) -> None:
    """G-27: as `claude mcp add` wrote it, for all folders and for one; all else in Claude Code's own file stays."""
    folder = tmp_path / "moved" if moved else isolated
    folder.mkdir(exist_ok=True)
    own = folder / ".claude.json"
    own.write_text(json.dumps(_CLAUDES_OWN, indent=2))
    env = {"CLAUDE_CONFIG_DIR": str(folder)} if moved else {}
    run("install", "claude-code", "--yes", env=env).ok()
    assert json.loads(own.read_text()) == _CLAUDES_OWN
    run("uninstall", "claude-code", "--yes", env=env).ok()
    left = json.loads(own.read_text())
    assert left["mcpServers"] == {"other": {"type": "stdio", "command": "other", "args": ["mcp"]}}
    assert left["projects"]["/home/p/shop"] == {"allowedTools": [], "mcpServers": {}}
    assert left["projects"]["/home/p/other"] == _CLAUDES_OWN["projects"]["/home/p/other"]  # type: ignore[index]
    assert sorted(each.name for each in folder.glob(".claude.json*")) == [".claude.json"]
    own.write_text("{no json")
    run("uninstall", "claude-code", "--yes", env=env).ok()
    assert own.read_text() == "{no json"


def test_the_hook_that_was_enabled_as_advised_goes(isolated: Path, settings: Path) -> None:
    """G-27: as `openclaw hooks enable` wrote it into OpenClaw's own file."""
    run("install", "openclaw", "--yes").ok()
    own = isolated / ".openclaw" / "openclaw.json"
    entries = {"session-memory": {"enabled": True}, "muniment": {"enabled": True}}
    said = {"hooks": {"internal": {"enabled": True, "entries": entries}}, "meta": {"lastTouchedVersion": "1"}}
    own.write_text(json.dumps(said, indent=2))
    done = run("uninstall", "openclaw", "--yes").ok()
    assert "schedule --format openclaw --remove" in done.err
    del entries["muniment"]
    assert json.loads(own.read_text()) == said
    assert [each.name for each in own.parent.iterdir()] == [own.name]


def test_memories_stay(settings: Path) -> None:
    with muniment.init() as memory:
        chain = memory.workspace.chain
    run("add", "Use pnpm").ok()
    before = chain.read_bytes()
    run("install", "claude-code", "--yes").ok()
    run("uninstall", "claude-code", "--yes").ok()
    assert settings.is_file()
    assert chain.read_bytes() == before
