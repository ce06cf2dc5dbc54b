"""A HOME whose name is not UTF-8 is a HOME like others. Tests specs/files.md (F-24)."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ledger.path_names import name_of, path_of
from tests.agents.hooks.calling import context, event, hook
from tests.cli.driver import Result, run_at_terminal, run_process
from tests.conftest import PLACES


@pytest.fixture
def latin(isolated: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in ISO 8859-1, which holds the settings of the test's own."""
    home = Path(os.fsdecode(os.fsencode(isolated) + b"/caf\xe9"))
    try:
        home.mkdir()
    except OSError:
        pytest.skip("this file system takes no name that is not UTF-8")
    for name, place in PLACES.items():
        monkeypatch.setenv(name, str(home / Path(place).relative_to("home")))
    (home / ".muniment").mkdir()
    (home / ".muniment" / "config.toml").write_text("scripts = true\n")
    monkeypatch.chdir(home)
    return home


def _run(*words: object) -> Result:
    return run_process(*words).ok()


def test_all_works_in_a_home_that_is_not_utf_8(latin: Path, tmp_path: Path) -> None:
    """F-24: what is learned, asked, checked, rebuilt, edited, kept and erased, and what a hook hears and tells."""
    _run("init", "--scope", "user")
    id_ = _run("add", "Use pnpm").id
    _run("add", "The code is 4921")
    document = latin / ".muniment" / "MEMORY.md"
    document.write_text(document.read_text() + "- Lint first\n")
    assert run_at_terminal("adopt").code == 0
    hook(event("SessionStart", source="startup"))
    said = hook(
        event(
            "UserPromptSubmit", prompt_id="p1", prompt="Remember that the port is 5433.", transcript_path=""
        )
    )
    assert "remembered" in context(said)
    for words in (["list"], ["search", "port"], ["inject"]):
        assert "port is 5433" in _run(*words).out
    _run("erase", "--match", "4921", "--yes", "-m", "not ours")
    assert "4921" not in document.read_text()
    _run("backup", tmp_path / "backup.tar.gz")
    for words in (["verify"], ["doctor"], ["status"], ["export"], ["upkeep", "run"]):
        _run(*words, "--json")
    assert json.loads(_run("show", id_, "--json").out)["text"] == "Use pnpm"


def test_a_project_in_such_a_home_is_bound(latin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = latin / "project"
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)
    _run("init", "--scope", "project")
    _run("add", "Tests need a database")
    assert "Tests need" in (project / ".muniment" / "MEMORY.md").read_text()
    assert "not bound" not in _run("list").err
    _run("doctor")
    _run("status")


@pytest.mark.parametrize(
    "path", [b"/caf\xe9", b"/\xe9", b"//\xe9/x", b"/a/\xff\xfe/b", "/café".encode(), b"/e9/x", b"//e9/x"]
)
def test_a_path_comes_back_from_its_name(path: bytes) -> None:
    """F-24: and is its own name where it is UTF-8."""
    given = Path(os.fsdecode(path))
    name = name_of(given)
    assert name.encode()
    assert path_of(name) == given
    assert (name.encode() == path) is (path.decode("utf-8", "ignore").encode() == path)
