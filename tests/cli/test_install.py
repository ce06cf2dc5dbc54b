"""Tests cli/commands/install.py and uninstall.py against specs/cli.md (X-240…X-243) and specs/doors.md (G-20…G-24)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.install.host import guarded
from agents.install.hosts import HOSTS
from tests.cli.driver import run, run_at_terminal, run_process, uncolored


@pytest.fixture
def home(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The person's home folder, seen from a repository beside it."""
    repository = tmp_path / "repo"
    (repository / ".git").mkdir(parents=True)
    (repository / "src").mkdir()
    monkeypatch.chdir(repository / "src")
    return isolated


@pytest.fixture
def settings(home: Path) -> Path:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{\n  // mine\n  "model": "opus"\n}\n')
    return path


def test_a_dry_run_shows_a_diff_and_writes_nothing(settings: Path) -> None:
    before = settings.read_text()
    result = run("install", "claude-code", "--dry-run").ok()
    assert f"+++ {settings}" in result.out
    assert '\n-  "model": "opus"\n+  "model": "opus",\n+  "hooks": {\n' in result.out
    assert f"would be written: {settings}" in result.out
    assert settings.read_text() == before
    assert [each.name for each in settings.parent.iterdir()] == [settings.name]


def test_install_and_uninstall_as_processes(settings: Path) -> None:
    """Real ones: with --yes, twice, and out again to the byte."""
    before = settings.read_bytes()
    first = run_process("install", "claude-code", "--yes").ok()
    assert f"written: {settings}" in first.out
    once = settings.read_bytes()
    again = run_process("install", "claude-code", "--yes").ok()
    assert again.out == "nothing to install: Claude Code is as it should be\n"
    assert settings.read_bytes() == once
    out = run_process("uninstall", "claude-code", "--yes").ok()
    assert f"written: {settings}" in out.out
    assert settings.read_bytes() == before
    assert [each.name for each in settings.parent.iterdir()] == [settings.name]
    assert run_process("uninstall", "claude-code").ok().out.startswith("nothing to uninstall")


@pytest.mark.parametrize("host", HOSTS)
def test_who_has_no_ledger_yet_is_told_so(home: Path, host: str) -> None:
    """X-242: hooks do nothing then, and no word of it is said anywhere else."""
    assert home.is_dir()
    assert "run muniment init --scope user to create yours" in run("install", host, "--yes").ok().err
    run("init", "--scope", "user").ok()
    assert "muniment init" not in run("install", host, "--yes").ok().err


def test_without_a_terminal_and_yes_nothing_is_written(settings: Path) -> None:
    before = settings.read_text()
    result = run("install", "claude-code")
    assert result.code == 2
    assert "add --yes to say yes" in result.err
    assert "+++ " in result.out
    assert settings.read_text() == before


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("n", 130), ("", 130)])
def test_a_person_is_asked_at_a_terminal(settings: Path, answer: str, code: int) -> None:
    before = settings.read_text()
    result = run_at_terminal("install", "claude-code", answers=[answer])
    shown = uncolored(result.out)
    assert result.code == code
    assert f"install Claude Code: change {settings}" in shown.replace("\n", "")
    assert "\x1b[32m+" in result.out
    assert (settings.read_text() == before) is bool(code)


def test_json_says_what_became_of_each_file(settings: Path) -> None:
    result = run("install", "claude-code", "--json", "--yes").ok().json
    assert [result["host"], result["scope"], result["dry_run"]] == ["claude-code", "user", False]
    assert [Path(each["path"]).name for each in result["files"]] == ["settings.json", "SKILL.md"]
    assert {each["did"] for each in result["files"]} == {"written"}
    assert result["files"][0]["diff"].startswith(f"--- {settings}")
    again = run("install", "claude-code", "--json").ok().json
    assert [(each["did"], each["diff"]) for each in again["files"]] == [("unchanged", "")] * 2


def test_a_project_is_its_repository(home: Path) -> None:
    """From any folder of it; what goes there says how to commit it."""
    for host, path in (
        ("claude-code", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
        ("copilot", ".github/hooks/muniment.json"),
        ("cursor", ".cursor/hooks.json"),
        ("windsurf", ".windsurf/rules/muniment.md"),
    ):
        result = run("install", host, "--scope", "project", "--yes").ok()
        assert f"written: {Path.cwd().parent / path}\n" in result.out
        assert f"commit {path}" in result.err
    run("install", "claude-code", "--scope", "local", "--yes").ok()
    assert (Path.cwd().parent / ".claude/settings.local.json").is_file()
    run("install", "agents-md", "--yes").ok()
    assert "muniment: begin" in (Path.cwd().parent / "AGENTS.md").read_text()
    assert [each.name for each in home.iterdir()] == [".muniment"]


def test_a_program_on_path_is_started_by_its_path(settings: Path, tmp_path: Path) -> None:
    """So that an agent with another PATH finds it; a link stays one, since it outlives what it leads to."""
    real, folder = tmp_path / "real", tmp_path / "bin"
    folder.mkdir()
    real.write_text("#!/bin/sh\n")
    real.chmod(0o755)
    (folder / "muniment").symlink_to(real)
    result = run("install", "claude-code", "--yes", env={"PATH": str(folder)}).ok()
    handler = json.loads(settings.read_text().replace("// mine", ""))["hooks"]["Stop"][0]["hooks"][0]
    assert handler["command"] == guarded("hook", "claude", program=str(folder / "muniment"))
    assert str(real) not in handler["command"]
    assert "is not on PATH" not in result.err
    assert "is not on PATH" in run("install", "claude-code", "--yes", env={"PATH": "/nowhere"}).ok().err


def test_codex_is_told_of_trust(home: Path) -> None:
    """G-24: nothing else would say why nothing happens."""
    for scope in ("user", "project"):
        said = run("install", "codex", "--scope", scope, "--yes").ok().err
        assert "until you trust them: start codex, and trust each in /hooks" in said
        assert ("where you trusted the project" in said) is (scope == "project")


def test_a_plugin_folder(home: Path, tmp_path: Path) -> None:
    result = run("install", "claude-code", "--plugin", "p", "--yes").ok()
    assert f"claude plugin install muniment --marketplace {Path.cwd() / 'p'}" in result.err
    found = sorted(each.relative_to("p").as_posix() for each in Path("p").rglob("*") if each.is_file())
    assert found == [
        ".claude-plugin/marketplace.json",
        ".claude-plugin/plugin.json",
        ".mcp.json",
        "hooks/hooks.json",
        "skills/muniment/SKILL.md",
    ]
    run("uninstall", "claude-code", "--plugin", "p", "--yes").ok()
    assert not Path("p").exists()
    assert [each.name for each in home.iterdir()] == [".muniment"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["emacs"], "'emacs' is not one of"),
        (["codex", "--scope", "local"], "Codex has no scope 'local'"),
        (["codex", "--plugin", "x"], "--plugin goes with claude-code"),
        (["claude-code", "--plugin", "x", "--scope", "user"], "--plugin goes with claude-code"),
        (["codex", "--ledger", "x"], "leave out --ledger"),
        ([], "missing argument 'HOST'"),
    ],
)
@pytest.mark.parametrize("verb", ["install", "uninstall"])
def test_a_wrong_request_is_refused(home: Path, verb: str, arguments: list[str], said: str) -> None:
    result = run(verb, *arguments, "--yes")
    assert result.code == 2
    assert said in result.err
    assert [each.name for each in home.iterdir()] == [".muniment"]


def test_the_home_folder_is_no_project(home: Path) -> None:
    result = run("install", "claude-code", "--scope", "project", "--yes", cwd=home)
    assert result.code == 2
    assert "is your home folder, no project" in result.err


def test_what_cannot_be_read_is_refused_and_left(settings: Path) -> None:
    settings.write_text('{\n  "model": opus\n}\n')
    for verb in ("install", "uninstall"):
        result = run(verb, "claude-code", "--yes")
        assert result.code == 5
        assert (
            result.err
            == f"muniment: {settings}, line 2: is not JSON (Expecting value); the file is left as it is\n"
        )
    assert settings.read_text() == '{\n  "model": opus\n}\n'
    assert [each.name for each in settings.parent.iterdir()] == [settings.name]


def test_the_list_says_what_each_host_gets_and_where_it_is(home: Path) -> None:
    """G-84: of a file that is not what it must be, the reason."""
    rows = run("install", "--list").ok().out.splitlines()
    assert [row.split()[0] for row in rows] == list(HOSTS)
    assert all(row.endswith(" not installed") for row in rows)
    assert "context, requests, learning, tools" in next(row for row in rows if row.startswith("copilot"))
    run("install", "cursor", "--yes").ok()
    run("install", "cursor", "--yes", "--scope", "project").ok()
    run("install", "opencode", "--yes").ok()
    (home / ".codex").mkdir()
    (home / ".codex" / "hooks.json").write_text("{\n  x}")
    done = run("install", "--list").ok()
    found = {row.split()[0]: row.rpartition("  ")[2] for row in done.out.splitlines()}
    assert found.pop("cursor").strip() == "installed: user, project"
    assert found.pop("opencode").strip() == "installed: user"
    assert found.pop("codex").strip() == "unknown"
    assert {each.strip() for each in found.values()} == {"not installed"}
    assert "hooks.json, line 2: is not JSON" in done.err
    told = {row["host"]: row for row in run("install", "--list", "--json").ok().json}
    assert told["cursor"] == {
        "host": "cursor",
        "title": "Cursor",
        "gives": ["context", "tools", "rules"],
        "scopes": ["user", "project"],
        "installed": ["user", "project"],
        "fault": None,
    }
    assert told["codex"]["installed"] is None
    assert "line 2" in told["codex"]["fault"]


def test_it_says_where_the_words_are_that_a_person_wrote_into_a_file_of_ours(home: Path) -> None:
    """G-21: each time."""
    run("install", "opencode", "--yes").ok()
    path = home / ".config" / "opencode" / "muniment.md"
    for number, verb in (("", "install"), ("-2", "install"), ("-3", "uninstall")):
        with path.open("a") as file:
            file.write(f"note{number}\n")
        copy = path.with_name(f"muniment.md.muniment-backup{number}")
        assert f"{path}: its previous text is kept in {copy}\n" in run(verb, "opencode", "--yes").ok().err
        assert copy.read_text().endswith(f"note{number}\n")
    assert "is kept in" not in run("install", "opencode", "--yes").ok().err


def test_the_list_of_one_host_is_refused(home: Path) -> None:
    """G-84: instead of showing all of them."""
    done = run("install", "--list", "codex")
    assert (done.code, done.out) == (2, "")
    assert "--list shows every host: leave codex out" in done.err


def test_the_list_in_the_home_folder_is_of_the_person(home: Path) -> None:
    """G-84: that folder is no project."""
    run("install", "agents-md", "--scope", "user", "--yes").ok()
    rows = run("install", "--list", cwd=home).ok().out.splitlines()
    assert rows[-1].endswith("installed: user")


def test_names_of_files_and_settings_cannot_talk_to_the_terminal(home: Path) -> None:
    path = home / ".codex" / "hooks.json"
    path.parent.mkdir()
    path.write_text('{"\x7fa": "\u202e"}')
    shown = run("install", "codex", "--dry-run").ok().out
    assert "\x7f" not in shown
    assert "\u202e" not in shown
