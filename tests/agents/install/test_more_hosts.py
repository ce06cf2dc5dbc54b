"""Tests what install writes for Copilot CLI, Cursor, OpenCode and Windsurf (specs/doors.md G-85…G-89)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from agents.install import agents_md, cursor, settings_list
from agents.install.host import InstallPlace
from agents.install.hosts import HOSTS
from agents.install.installing import apply, installing, uninstalling
from agents.install.settings_json import put, take
from ledger.errors import RecordError
from tests.agents.install.written import comments, files, value

PROGRAM = "/usr/bin/muniment"


def place(home: Path, scope: str = "user", **more: Any) -> InstallPlace:
    (home / "repo" / ".git").mkdir(parents=True, exist_ok=True)
    return InstallPlace(scope, home, home / "repo", {}, PROGRAM, **{"has_mcp": True, **more})


def installed(name: str, where: InstallPlace) -> dict[str, str]:
    """Install for a host; return the texts of its files by their names."""
    changes = installing(HOSTS[name], where)
    for change in changes:
        apply(change)
    return {change.path.name: (change.after or b"").decode() for change in changes}


SERVERS: dict[str, tuple[str, dict[str, dict[str, Any]]]] = {
    "copilot": (
        "mcp-config.json",
        {"mcpServers": {"type": "local", "command": PROGRAM, "args": ["mcp"], "tools": ["*"]}},
    ),
    "cursor": ("mcp.json", {"mcpServers": {"type": "stdio", "command": PROGRAM, "args": ["mcp"]}}),
    "opencode": ("opencode.json", {"mcp": {"type": "local", "command": [PROGRAM, "mcp"], "enabled": True}}),
    "windsurf": ("mcp_config.json", {"mcpServers": {"command": PROGRAM, "args": ["mcp"]}}),
}


@pytest.mark.parametrize("name", SERVERS)
def test_the_server_goes_where_it_can_start(name: str, tmp_path: Path) -> None:
    """G-85: not without the extra, and not into a project."""
    file, said = SERVERS[name]
    ((key, server),) = said.items()
    without = installed(name, place(tmp_path, has_mcp=False))
    assert key not in without[file]
    assert json.loads(installed(name, place(tmp_path))[file])[key] == {"muniment": server}
    if "project" in HOSTS[name].scopes:
        told = installed(name, place(tmp_path, "project"))
        assert file not in told
        assert "/usr/bin" not in "".join(told.values())


@pytest.mark.parametrize("name", SERVERS)
def test_somebody_elses_server_of_our_name_is_refused_with_its_line(name: str, tmp_path: Path) -> None:
    """G-85, G-20: then none of the files changes."""
    ((key, _),) = SERVERS[name][1].items()
    path = next(
        change.path
        for change in installing(HOSTS[name], place(tmp_path))
        if change.path.name == SERVERS[name][0]
    )
    path.parent.mkdir(parents=True)
    path.write_text(f'{{\n  "{key}": {{\n    "muniment": {{"command": "notify"}}}}}}')
    with pytest.raises(RecordError, match=rf"{path.name}, line 3: {key}.muniment is somebody else's"):
        installing(HOSTS[name], place(tmp_path))
    assert [each for each in tmp_path.rglob("*") if each.is_file()] == [path]


def test_copilot_has_a_file_of_hooks_of_its_own(tmp_path: Path) -> None:
    """G-89: by the path for a person, by the name for a project; the variable moves the folder."""
    said = json.loads(installed("copilot", place(tmp_path))["muniment.json"])
    assert said["version"] == 1
    assert list(said["hooks"]) == [
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUse",
        "PreCompact",
        "Stop",
        "SessionEnd",
    ]
    (handler,) = said["hooks"]["PostToolUse"]
    assert (handler["type"], handler["matcher"], handler["timeoutSec"]) == ("command", "Write|Edit", 5)
    assert f"{PROGRAM} hook copilot" in handler["bash"]
    where = InstallPlace("user", tmp_path, tmp_path, {"COPILOT_HOME": str(tmp_path / "moved")}, has_mcp=True)
    assert {
        change.path.relative_to(tmp_path).as_posix() for change in installing(HOSTS["copilot"], where)
    } == {
        "moved/hooks/muniment.json",
        "moved/mcp-config.json",
    }


def test_cursor_keeps_the_hooks_of_others(tmp_path: Path) -> None:
    """G-88, G-28: an older form of ours is brought up to date, and all of ours goes again."""
    path = tmp_path / ".cursor" / "hooks.json"
    path.parent.mkdir()
    mine = {"command": "./audit.sh", "loop_limit": 3}
    old = {"command": "muniment hook cursor"}
    path.write_text(json.dumps({"version": 1, "hooks": {"stop": [mine, old], "sessionStart": [mine, old]}}))
    said = json.loads(installed("cursor", place(tmp_path))["hooks.json"])
    handler = cursor.hooks(PROGRAM)["sessionStart"]
    assert said == {
        "version": 1,
        "hooks": {
            "stop": [mine],
            "sessionStart": [mine, handler],
            "afterFileEdit": [handler],
            "sessionEnd": [handler],
        },
    }
    for change in uninstalling(HOSTS["cursor"], place(tmp_path)):
        apply(change)
    assert json.loads(path.read_text()) == {"version": 1, "hooks": {"stop": [mine], "sessionStart": [mine]}}


@given(files())
def test_handlers_without_groups_leave_what_a_person_wrote(text: str) -> None:
    """G-21, G-88: in twice is once; taken out, the file says what it said, with all its comments."""
    if not text.strip("\ufeff \t\r\n"):
        return
    wanted = cursor.hooks(PROGRAM)
    once = put(text.encode(), wanted, {"version": 1})
    assert put(once, wanted, {"version": 1}) == once
    before = value(text)
    hooks = value(once.decode())["hooks"]
    assert {event: hooks[event] for event in wanted} == {event: [each] for event, each in wanted.items()}
    left = take(once)
    after = value(left.decode()) if left else {}
    assert after.pop("hooks", {}) == before.pop("hooks", {})
    assert after == before
    assert comments(left.decode() if left else "") == comments(text)


def test_rules_have_the_heads_that_make_them_always_apply(tmp_path: Path) -> None:
    """G-87, G-88: in a project; the text is that of AGENTS.md."""
    for name, file, head in (
        ("cursor", "muniment.mdc", "alwaysApply: true"),
        ("windsurf", "muniment.md", "trigger: always_on"),
    ):
        said = installed(name, place(tmp_path, "project"))[file]
        begin, inside, text = said.split("---\n", 2)
        assert begin == ""
        assert head in inside.splitlines()
        assert text == f"\n{agents_md.TEXT}"


def test_opencode_has_ours_once_whichever_file_it_reads(tmp_path: Path) -> None:
    """G-86: in the file that is there; a file that came since does not hide ours from uninstall."""
    folder = tmp_path / "moved" / "opencode"
    folder.mkdir(parents=True)
    where = InstallPlace(
        "user", tmp_path / "home", tmp_path, {"XDG_CONFIG_HOME": str(tmp_path / "moved")}, has_mcp=True
    )
    (folder / "opencode.jsonc").write_text('{\n  // mine\n  "instructions": ["a.md"]\n}\n')
    said = installed("opencode", where)
    assert list(said) == ["opencode.jsonc", "muniment.md", "muniment.js"]
    assert "// mine" in said["opencode.jsonc"]
    assert value(said["opencode.jsonc"])["instructions"] == ["a.md", str(folder / "muniment.md")]
    assert said["muniment.md"] == agents_md.TEXT
    (folder / "opencode.json").write_text("{}")
    for change in uninstalling(HOSTS["opencode"], where):
        apply(change)
    assert (folder / "opencode.json").read_text() == "{}"
    assert value((folder / "opencode.jsonc").read_text()) == {"instructions": ["a.md"]}
    assert not (folder / "muniment.md").exists()
    assert not (folder / "plugins").exists()


def test_opencodes_plugin_names_the_program_and_is_never_lost(tmp_path: Path) -> None:
    """G-86, G-22, G-21: what a person wrote into it is kept, under a name that OpenCode does not load."""
    text = installed("opencode", place(tmp_path))["muniment.js"]
    assert f'const MUNIMENT = "{PROGRAM}";' in text
    path = tmp_path / ".config" / "opencode" / "plugins" / "muniment.js"
    path.write_text(f"{text}// mine\n")
    for change in uninstalling(HOSTS["opencode"], place(tmp_path)):
        apply(change)
    assert [each.name for each in path.parent.iterdir()] == ["muniment.js.muniment-backup"]
    assert path.with_name("muniment.js.muniment-backup").read_text().endswith("// mine\n")


def test_opencode_names_the_file_by_the_home_folder(tmp_path: Path) -> None:
    """G-86: so that settings that a person shares between machines lead to it on each."""
    said = json.loads(installed("opencode", place(tmp_path))["opencode.json"])
    assert said["instructions"] == ["~/.config/opencode/muniment.md"]


def test_instructions_that_are_no_list_are_refused(tmp_path: Path) -> None:
    path = tmp_path / ".config" / "opencode" / "opencode.json"
    path.parent.mkdir(parents=True)
    path.write_text('{\n  "instructions": "a.md"}')
    with pytest.raises(RecordError, match=r"opencode.json, line 2: instructions is not a list"):
        installing(HOSTS["opencode"], place(tmp_path))


@given(files())
def test_an_entry_of_a_list_leaves_what_a_person_wrote(text: str) -> None:
    """G-21, G-86: in twice is once; taken out, the file says what it said, with all its comments."""
    if not text.strip("\ufeff \t\r\n"):
        return
    once = settings_list.put(text.encode(), "instructions", "a.md")
    assert settings_list.put(once, "instructions", "a.md") == once
    before = value(text)
    assert value(once.decode()) == {**before, "instructions": ["a.md"]}
    left = settings_list.take(once, "instructions", "a.md")
    assert (value(left.decode()) if left else {}) == before
    assert comments(left.decode() if left else "") == comments(text)
