"""Tests what is written into other programs' files by running it (specs/doors.md G-22…G-24)."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

import muniment
from agents.hooks.dispatch import ROOMS
from agents.install import agents_md, claude_code, codex, gemini
from agents.install.host import NAME, InstallPlace, guarded, runs_muniment
from agents.install.hosts import HOSTS
from agents.install.installing import apply, installing
from cli.main import cli
from tests.cli.driver import ROOT

EVENT = '{"hook_event_name": "Stop", "session_id": "x"}'


def commands(said: Any) -> Iterator[list[str]]:
    """Give the arguments by which a program starts each command of a settings file: by a shell, or directly."""
    if isinstance(said, dict):
        if isinstance(said.get("bash"), str):
            yield ["/bin/sh", "-c", said["bash"]]
        if isinstance(said.get("command"), str):
            yield [said["command"], *said["args"]] if "args" in said else ["/bin/sh", "-c", said["command"]]
        for each in said.values():
            yield from commands(each)
    elif isinstance(said, list):
        for each in said:
            yield from commands(each)


@pytest.fixture
def committed(tmp_path: Path) -> list[list[str]]:
    """All commands that install writes into what is committed: a project's files, and a plugin's folder."""
    root = tmp_path / "repo"
    (root / ".git").mkdir(parents=True)
    for host in HOSTS.values():
        if "project" in host.scopes:
            for change in installing(
                host, InstallPlace("project", tmp_path, root, {}, "/usr/bin/muniment", has_mcp=True)
            ):
                apply(change)
    for change in installing(
        HOSTS["claude-code"], InstallPlace("user", tmp_path, root, {}, folder=root / "plugin")
    ):
        apply(change)
    found = [each for file in root.rglob("*.json") for each in commands(json.loads(file.read_text()))]
    events = [len(ROOMS[name]) for name in ("claude", "codex", "gemini", "copilot", "cursor")]
    assert len(found) == sum(events) + len(ROOMS["claude"]) + 1
    return [list(each) for each in dict.fromkeys(map(tuple, found))]


def run(command: list[str], path: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, input=EVENT, capture_output=True, text=True, env={"PATH": path}, check=False
    )


def test_on_a_machine_without_muniment_nothing_happens(committed: list[list[str]], tmp_path: Path) -> None:
    """The very commands, with no PATH, an empty one, and one that leads nowhere: code 0, not a word."""
    for command in committed:
        for path in ("", "/nowhere", str(tmp_path)):
            done = run(command, path)
            assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_on_a_machine_with_muniment_it_runs(committed: list[list[str]], tmp_path: Path) -> None:
    """With its arguments, and the event on stdin."""
    program = tmp_path / "bin with blank" / NAME
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nread -r line\necho "$@" "$line"\n')
    program.chmod(0o755)
    said = {run(command, str(program.parent)).stdout.strip() for command in committed}
    programs = ("claude", "codex", "gemini", "copilot", "cursor")
    assert said == {*(f"hook {each} {EVENT}" for each in programs), f"mcp {EVENT}"}


def test_a_release_that_does_not_know_the_command_stops_no_agent(
    committed: list[list[str]], tmp_path: Path
) -> None:
    """Code 2 would block a prompt: a hook's command ends with 0 whatever muniment says."""
    program = tmp_path / NAME
    program.write_text("#!/bin/sh\nexit 2\n")
    program.chmod(0o755)
    for command in committed:
        assert run(command, str(tmp_path)).returncode == (2 if command[-1].endswith("mcp; exit 0") else 0)


def test_the_command_of_codex_is_what_it_ever_was() -> None:
    """Codex trusts a hook by the hash of its definition: whoever changes this line has every person asked again."""
    assert codex.COMMAND == "command -v muniment >/dev/null 2>&1 && muniment hook codex; exit 0"
    assert {each["hooks"][0]["command"] for each in codex.HOOKS.values()} == {codex.COMMAND}


def test_the_plugin_says_what_the_settings_say() -> None:
    """hooks/hooks.json is the table of claude_code.py, guarded; the names are those that Claude Code looks for."""
    hooks = json.loads((claude_code.PLUGIN / "hooks" / "hooks.json").read_text())
    assert hooks.keys() == {"description", "hooks"}
    assert hooks["hooks"] == {event: [group] for event, group in claude_code.hooks().items()}
    manifest = json.loads((claude_code.PLUGIN / ".claude-plugin" / "plugin.json").read_text())
    assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", manifest["name"])
    assert manifest["version"] == muniment.__version__
    server = json.loads((claude_code.PLUGIN / ".mcp.json").read_text())["mcpServers"][NAME]
    command = guarded("mcp").replace("&& muniment", "&& exec muniment")
    assert server == {"command": "/bin/sh", "args": ["-c", command]}


def test_the_checkout_and_the_plugin_are_the_same_marketplace() -> None:
    """G-83: but for where the plugin is, seen from each."""
    told = {}
    for folder in (ROOT, claude_code.PLUGIN):
        told[folder] = json.loads((folder / ".claude-plugin" / "marketplace.json").read_text())
        (plugin,) = told[folder]["plugins"]
        assert (folder / plugin.pop("source")).resolve() == claude_code.PLUGIN.resolve()
    assert told[ROOT] == told[claude_code.PLUGIN]


def test_every_event_has_a_timeout_and_those_that_end_a_turn_do_not_wait() -> None:
    """SessionEnd's hooks share 1.5 seconds where none states more."""
    handlers = {event: group["hooks"][0] for event, group in claude_code.hooks("/usr/bin/muniment").items()}
    assert all(handler["timeout"] <= 10 for handler in handlers.values())
    assert {event for event, handler in handlers.items() if handler.get("async")} == {"Stop", "SubagentStop"}
    assert {handler["command"] for handler in handlers.values()} == {
        guarded("hook", "claude", program="/usr/bin/muniment")
    }
    told = {event: group["hooks"][0]["timeout"] for event, group in codex.HOOKS.items()}
    assert told.pop("SessionEnd") == 3, "Codex complains of more"
    assert set(told.values()) == {5}
    for group in gemini.hooks().values():
        assert group["hooks"][0]["timeout"] == 5000, "Gemini CLI counts milliseconds"


def test_hooks_of_a_program_that_is_gone_are_silent(tmp_path: Path) -> None:
    """G-22: a person's own settings, which name it by its path; with it they run."""
    program = tmp_path / "a bin" / NAME
    (command,) = commands(claude_code.hooks(str(program))["Stop"])
    done = run(command, "/usr/bin:/bin")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    program.parent.mkdir()
    program.write_text('#!/bin/sh\nread -r line\necho "$@" "$line"\n')
    program.chmod(0o755)
    assert run(command, "/usr/bin:/bin").stdout == f"hook claude {EVENT}\n"


TAUGHT = {
    "skill": (claude_code.PLUGIN / claude_code.SKILL).read_text("utf-8"),
    "AGENTS.md": agents_md.TEXT,
}


@pytest.mark.parametrize("name", TAUGHT)
def test_what_agents_are_taught_is_what_the_command_line_takes(name: str) -> None:
    """Each command that is named exists, and takes the options that are shown."""
    shown = re.findall(r"`muniment ([^`]+)`", TAUGHT[name])
    assert len(shown) >= 4
    for line in shown:
        verb, *arguments = shlex.split(line)
        context = click.Context(cli, info_name=NAME)
        command = cli.get_command(context, verb)
        assert command is not None, line
        if arguments:
            command.make_context(verb, arguments, parent=context)


def test_the_skill_has_the_head_that_makes_it_found() -> None:
    head, _, body = TAUGHT["skill"].removeprefix("---\n").partition("\n---\n")
    said = dict(line.split(": ", 1) for line in head.splitlines())
    assert said["name"] == claude_code.SKILL.parent.name
    assert 40 < len(said["description"]) <= 1024
    for heading in ("## Save", "## Confirm", "## Forget"):
        assert heading in body


@pytest.mark.parametrize(
    ("command", "arguments", "ours"),
    [
        ("muniment hook claude", None, True),
        ("/opt/x y/muniment", ["hook", "claude"], True),
        ("'/opt/x y/muniment' hook codex", [], True),
        ("command -v muniment >/dev/null 2>&1 || exit 0; exec muniment hook claude", None, True),
        ("/bin/sh", ["-c", "muniment hook claude"], False),
        ("command -v '/x y/muniment' >/dev/null 2>&1 && '/x y/muniment' hook claude; exit 0", None, True),
        ("command -v notify >/dev/null 2>&1 && muniment hook claude; exit 0", None, False),
        ("muniment", ["mcp"], False),
        ("muniment", ["hook", 3], False),
        ("muniment mcp", None, False),
        ("notify; muniment hook claude", None, False),
        ("muniment hook claude && notify", None, False),
        ("muniment-old hook claude", None, False),
        ("grep 'muniment hook' x", None, False),
        ("echo muniment hook claude", None, False),
        ("muniment hook 'claude", None, False),
        ("exec", None, False),
        ("", None, False),
        (None, None, False),
        (["muniment", "hook"], None, False),
    ],
)
def test_ours_is_what_runs_muniment_and_nothing_else(command: object, arguments: object, ours: bool) -> None:
    """So that uninstall takes nothing of a person's with it (G-28)."""
    assert runs_muniment(command, arguments, "hook") is ours
