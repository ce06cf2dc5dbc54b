"""Tests agents/install/settings_server.py and gemini.py against specs/doors.md (G-21, G-28, G-81)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from agents.install.host import InstallPlace, UnreadableError
from agents.install.hosts import HOSTS
from agents.install.installing import apply, installing, uninstalling
from agents.install.settings_server import put, take
from tests.agents.install.written import comments, files, value

SERVER = {"command": "/usr/bin/muniment", "args": ["mcp"]}


def place(home: Path, scope: str = "user", **more: Any) -> InstallPlace:
    return InstallPlace(scope, home, home / "repo", {}, "/usr/bin/muniment", **{"has_mcp": True, **more})


@given(files())
def test_what_a_person_wrote_stays(text: str) -> None:
    """In twice is once; taken out, the file says what it said, with all its comments."""
    if not text.strip("\ufeff \t\r\n"):
        return
    once = put(text.encode(), SERVER)
    assert put(once, SERVER) == once
    said, before = value(once.decode()), value(text)
    assert said == {**before, "mcpServers": {"muniment": SERVER}}
    left = take(once)
    assert (value(left.decode()) if left else {}) == before
    assert comments(left.decode() if left else "") == comments(text)


@pytest.mark.parametrize(
    "mine",
    [
        {"command": "muniment", "args": ["mcp", "--scope", "project"], "trust": True},
        {"command": "muniment mcp"},
    ],
)
def test_a_server_of_ours_is_left_as_it_is_and_taken_out(mine: dict[str, Any]) -> None:
    text = json.dumps({"mcpServers": {"other": {"command": "x"}, "muniment": mine}}).encode()
    assert put(text, SERVER) == text
    left = take(text)
    assert left is not None
    assert json.loads(left) == {"mcpServers": {"other": {"command": "x"}}}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            '{\n  "mcpServers": {\n    "muniment": {"command": "notify"}}}',
            "line 3: mcpServers.muniment is some",
        ),
        ('{\n  "mcpServers": []}', "line 2: mcpServers is not an object"),
        ("[]", "line 1: is not an object"),
        ('{"mcpServers": {}, "mcpServers": {}}', "is twice in one object"),
    ],
)
def test_what_is_somebody_elses_is_refused(text: str, why: str) -> None:
    with pytest.raises(UnreadableError, match=why):
        put(text.encode(), SERVER)


def test_somebody_elses_server_stays_on_the_way_out() -> None:
    for text in (b'{"mcpServers": {"muniment": {"command": "notify"}}}', b"{}", b"", b'{"mcpServers": {}}'):
        assert take(text) == text


def test_gemini_gets_hooks_and_the_server_beside_what_stands_there(tmp_path: Path) -> None:
    """G-81: hooks by the path, with names and milliseconds; a person's own hooks and servers stay, and stay behind."""
    path = tmp_path / ".gemini" / "settings.json"
    path.parent.mkdir()
    mine = {"hooks": [{"type": "command", "command": "notify"}]}
    path.write_text(json.dumps({"hooks": {"AfterAgent": [mine]}, "mcpServers": {"x": {"command": "x"}}}))
    before = json.loads(path.read_text())
    for change in installing(HOSTS["gemini"], place(tmp_path)):
        apply(change)
    said = json.loads(path.read_text())
    assert list(said["hooks"]) == ["AfterAgent", "SessionStart", "BeforeAgent", "PreCompress", "SessionEnd"]
    assert said["hooks"]["AfterAgent"][0] == mine
    (ours,) = said["hooks"]["PreCompress"]
    assert ours["matcher"] == "manual"
    (handler,) = ours["hooks"]
    assert (handler["type"], handler["name"], handler["timeout"]) == ("command", "muniment", 5000)
    assert "/usr/bin/muniment hook gemini" in handler["command"]
    assert said["mcpServers"] == {"x": {"command": "x"}, "muniment": SERVER}
    path.write_text(json.dumps({**said, "ui": {"theme": "mine"}}))
    for change in uninstalling(HOSTS["gemini"], place(tmp_path)):
        apply(change)
    assert json.loads(path.read_text()) == {**before, "ui": {"theme": "mine"}}


def test_gemini_gets_no_server_where_it_could_not_start(tmp_path: Path) -> None:
    """G-81: without the extra, and in a project's file, which names muniment by its name."""
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    for where in (place(tmp_path, has_mcp=False), place(tmp_path, "project")):
        (change,) = installing(HOSTS["gemini"], where)
        assert change.after is not None
        said = json.loads(change.after)
        assert list(said) == ["hooks"]
        assert ("/usr/bin" in json.dumps(said)) is (where.scope == "user")


def test_gemini_has_its_folder_where_its_variable_says(tmp_path: Path) -> None:
    where = InstallPlace("user", tmp_path, tmp_path, {"GEMINI_CLI_HOME": str(tmp_path / "moved")})
    (change,) = installing(HOSTS["gemini"], where)
    assert change.path == tmp_path / "moved" / ".gemini" / "settings.json"
