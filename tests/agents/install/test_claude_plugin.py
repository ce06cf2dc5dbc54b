"""Tests the plugin with the real Claude Code (specs/doors.md G-83), which `make extras` installs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import muniment
from agents.install.claude_code import PLUGIN
from tests.agents.claude_program import INSTALLED, claude, messages_api
from tests.agents.hooks.calling import faults, settled
from tests.cli.driver import ROOT, run, user_ledger

pytestmark = INSTALLED

PLUGIN_ID = "muniment@muniment"


@pytest.mark.parametrize("what", [ROOT, PLUGIN, PLUGIN / ".claude-plugin" / "plugin.json"])
def test_it_finds_no_fault_in_the_manifests(isolated: Path, what: Path) -> None:
    """Of a folder with a marketplace it judges that, not the plugin; a warning is a fault."""
    assert "Validation passed" in claude("plugin", "validate", "--strict", what, cwd=isolated)


@pytest.mark.parametrize("source", ["the checkout", "a folder of its own"])
def test_one_command_installs_hooks_server_and_skill(on_path: Path, tmp_path: Path, source: str) -> None:
    """From either marketplace; a session is then told what is known, and the server answers."""
    user_ledger("Use pnpm, not npm")
    folder = ROOT if source == "the checkout" else tmp_path / "plugins of mine"
    if folder != ROOT:
        run("install", "claude-code", "--plugin", folder, "--yes").ok()
    claude("plugin", "install", "muniment", "--marketplace", folder, cwd=tmp_path)

    listed = {each["id"]: each for each in json.loads(claude("plugin", "list", "--json", cwd=tmp_path))}
    assert listed[PLUGIN_ID]["enabled"] is True
    assert listed[PLUGIN_ID]["version"] == muniment.__version__
    (server,) = [line for line in claude("mcp", "list", cwd=tmp_path).splitlines() if "muniment" in line]
    assert server.endswith("Connected")
    with messages_api() as (address, asked):
        claude("-p", "How do I install it?", cwd=tmp_path, ANTHROPIC_BASE_URL=address)
    told = json.dumps(asked)
    assert "- Use pnpm, not npm" in told
    assert "- muniment:muniment: When to save, confirm and forget memories" in told
    settled()
    assert faults() == []


def test_it_goes_as_it_came(isolated: Path) -> None:
    """`uninstall` names the command."""
    claude("plugin", "install", "muniment", "--marketplace", ROOT, cwd=isolated)
    said = run("uninstall", "claude-code", "--yes").ok().err
    (command,) = [line.partition("claude ")[2] for line in said.splitlines() if "plugin" in line]
    claude(*command.split(), cwd=isolated)
    assert PLUGIN_ID not in claude("plugin", "list", cwd=isolated)
