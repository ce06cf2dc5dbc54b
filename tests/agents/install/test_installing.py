"""Tests agents/install/installing.py against specs/doors.md (G-20, G-21, G-27): real files, links, modes, copies."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.install.host import Host, InstallPlace
from agents.install.hosts import HOSTS
from agents.install.installing import BACKUP, apply, backup_of, installing, uninstalling
from ledger.errors import RecordError, StateError, StorageError, UsageError
from tests.agents.install.written import files

FOUND: Mapping[str, str] = {
    ".claude/settings.json": '{\r\n\t"model": "opus", // mine\r\n\t"hooks": {"Stop": []},\r\n}',
    ".codex/hooks.json": '{"hooks":{}}',
    ".codex/config.toml": 'model = "x" # mine',
    ".gemini/settings.json": '{\n  "mcpServers": {"other": {"command": "x"}}, // mine\n  "hooks": {"AfterAgent": []}\n}\n',
    ".copilot/mcp-config.json": '{"mcpServers": {}}',
    ".cursor/hooks.json": '{"version": 1, "hooks": {"stop": [{"command": "./x.sh"}], "sessionEnd": []}}',
    ".cursor/mcp.json": '{\n  "mcpServers": {"other": {"url": "http://localhost:1"}}\n}\n',
    ".config/opencode/opencode.jsonc": '{\n  "instructions": [ "a.md" ], // mine\n  "mcp": {},\n}',
    ".codeium/windsurf/mcp_config.json": "",
    ".codeium/windsurf/memories/global_rules.md": "Be brief.\n",
    "repo/.cursor/hooks.json": '{"version": 1}',
    "repo/.gemini/settings.json": '{"ui": {"theme": "x"}}',
    "repo/.claude/settings.json": "",
    "repo/.claude/settings.local.json": "{}\n\n",
    "repo/AGENTS.md": "# Rules\n\n- one",
}
"""What stands there before, by path from the home folder."""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    (folder / "repo" / ".git").mkdir(parents=True)
    return folder


def place(home: Path, scope: str, **more: object) -> InstallPlace:
    return InstallPlace(scope, home, home / "repo", {}, "/usr/bin/muniment", has_mcp=True, **more)  # type: ignore[arg-type]


def installed(host: Host, where: InstallPlace) -> list[str]:
    changes = installing(host, where)
    for change in changes:
        apply(change)
    return [change.did for change in changes]


def uninstalled(host: Host, where: InstallPlace) -> list[str]:
    changes = uninstalling(host, where)
    for change in changes:
        apply(change)
    return [change.did for change in changes]


def everything(folder: Path) -> dict[str, bytes | None]:
    """Return all files and folders below one, but git's."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


WAYS = [(host, scope) for host in HOSTS.values() for scope in host.scopes]


@pytest.mark.parametrize(("host", "scope"), WAYS, ids=lambda each: getattr(each, "name", each))
@pytest.mark.parametrize("found", [False, True], ids=["nothing there", "settings there"])
def test_in_twice_and_out_again_is_the_home_of_before(
    home: Path, host: Host, scope: str, found: bool
) -> None:
    """Every file, every folder, every byte; in between twice is the same as once."""
    for name, text in FOUND.items() if found else ():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(text.encode())
    before, where = everything(home), place(home, scope)
    assert "unchanged" not in installed(host, where)
    once = everything(home)
    assert once != before
    assert set(installed(host, where)) == {"unchanged"}
    assert everything(home) == once
    uninstalled(host, where)
    assert everything(home) == before
    assert set(uninstalled(host, where)) == {"unchanged"}
    assert everything(home) == before


def test_a_plugin_goes_in_and_out(home: Path) -> None:
    before, where = everything(home), place(home, "user", folder=home / "plugins" / "muniment")
    (home / "plugins").mkdir()
    installed(HOSTS["claude-code"], where)
    assert (home / "plugins/muniment/.claude-plugin/plugin.json").is_file()
    uninstalled(HOSTS["claude-code"], where)
    assert everything(home) == before | {"plugins": None}


@settings(max_examples=settings().max_examples // 3)
@given(text=files())
def test_any_settings_are_as_before_byte_for_byte(
    text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """By the backup also where empty lists or a missing last line end do not tell."""
    home = tmp_path_factory.mktemp("home")
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(text.encode())
    host, where = HOSTS["claude-code"], place(home, "user")
    installed(host, where)
    assert backup_of(path).read_bytes() == text.encode()
    uninstalled(host, where)
    assert everything(home) == {".claude": None, ".claude/settings.json": text.encode()}


@settings(max_examples=settings().max_examples // 3)
@given(first=files(), second=files(ours=True))
def test_the_first_backup_stays(first: str, second: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What a person had before muniment ever came is what is kept, and no later file takes its place."""
    home = tmp_path_factory.mktemp("home")
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(first.encode())
    host, where = HOSTS["claude-code"], place(home, "user")
    installed(host, where)
    path.write_bytes(second.encode())
    installed(host, where)
    assert backup_of(path).read_bytes() == first.encode()


def test_an_edit_of_a_person_since_is_kept(home: Path) -> None:
    """Uninstall takes ours out of what stands there now; the copy of before stays beside it, since it differs."""
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text('{\n  "model": "opus"\n}\n')
    host, where = HOSTS["claude-code"], place(home, "user")
    installed(host, where)
    path.write_text(path.read_text().replace("opus", "sonnet"))
    uninstalled(host, where)
    assert path.read_text() == '{\n  "model": "sonnet"\n}\n'
    assert backup_of(path).read_text() == '{\n  "model": "opus"\n}\n'


def test_a_skill_that_a_person_changed_is_kept_beside_before_it_goes(home: Path) -> None:
    host, where = HOSTS["claude-code"], place(home, "user")
    installed(host, where)
    skill = home / ".claude/skills/muniment/SKILL.md"
    changed = f"{skill.read_text()}\nmy own words\n"
    skill.write_text(changed)
    uninstalled(host, where)
    assert not skill.exists()
    assert backup_of(skill).read_text() == changed


FILES_OF_OURS = {
    ("opencode", "user"): ".config/opencode/muniment.md",
    ("windsurf", "project"): "repo/.windsurf/rules/muniment.md",
    ("cursor", "project"): "repo/.cursor/rules/muniment.mdc",
    ("claude-code", "user"): ".claude/skills/muniment/SKILL.md",
    ("openclaw", "user"): ".openclaw/hooks/muniment/handler.js",
    ("agents-md", "project"): "repo/AGENTS.md",
}


@pytest.mark.parametrize(("name", "scope"), FILES_OF_OURS)
def test_no_note_in_a_file_or_block_of_ours_is_ever_lost(home: Path, name: str, scope: str) -> None:
    """G-21: each time, not only the first; nor at the end, nor by what a person had in its place."""
    host, where, path = HOSTS[name], place(home, scope), home / FILES_OF_OURS[name, scope]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("mine\n")
    installed(host, where)
    ours = path.read_text()
    for note in ("N1", "N2", "N2", "N3"):
        path.write_text(ours.replace("command", f"{note} command", 1))
        (uninstalled if note == "N3" else installed)(host, where)
    kept = [data for data in everything(home).values() if data]
    assert [sum(note in data for data in kept) for note in (b"N1", b"N2", b"N3")] == [1, 1, 1]
    assert b"mine\n" in kept


def test_a_skill_of_a_persons_own_in_that_place_comes_back_and_is_never_taken_out(home: Path) -> None:
    """G-20, G-27: uninstall takes out what install put in, and nothing else."""
    skill = home / ".claude" / "skills" / "muniment" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("my own\n")
    before = everything(home)
    uninstalled(HOSTS["claude-code"], place(home, "user"))
    assert everything(home) == before
    installed(HOSTS["claude-code"], place(home, "user"))
    assert skill.read_text() != "my own\n"
    uninstalled(HOSTS["claude-code"], place(home, "user"))
    assert everything(home) == before


def test_every_whole_file_of_ours_names_muniment(home: Path, tmp_path: Path) -> None:
    """G-27: by which it is known."""
    for name, folder in (("openclaw", None), ("claude-code", tmp_path / "plugin"), ("claude-code", None)):
        for change in installing(HOSTS[name], place(home, "user", folder=folder)):
            assert b"muniment" in (change.after or b""), change.path


def test_from_another_path_it_is_taken_out_all_the_same(home: Path) -> None:
    """Whoever runs muniment from elsewhere, or has it on another PATH now: nothing of it is left, no copy either."""
    before = everything(home)
    for host in HOSTS.values():
        installed(host, place(home, "user") if "user" in host.scopes else place(home, "project"))
    for host in HOSTS.values():
        uninstalled(host, replace(place(home, "user"), program="/another/muniment", has_mcp=False))
    assert everything(home) == before


def test_a_block_that_a_person_changed_is_kept_beside_before_it_goes(home: Path) -> None:
    host, where = HOSTS["agents-md"], place(home, "project")
    installed(host, where)
    path = home / "repo" / "AGENTS.md"
    path.write_text(path.read_text().replace("## Memory", "## My own heading"))
    uninstalled(host, where)
    assert not path.exists()
    assert "## My own heading" in backup_of(path).read_text()


def test_a_file_keeps_its_mode_and_so_does_its_copy(home: Path) -> None:
    path = home / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text("a = 1\n")
    path.chmod(0o640)
    host, where = HOSTS["codex"], place(home, "user")
    installed(host, where)
    assert path.stat().st_mode & 0o777 == backup_of(path).stat().st_mode & 0o777 == 0o640
    uninstalled(host, where)
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("dangling", [False, True])
def test_a_link_is_written_through(home: Path, dangling: bool) -> None:
    """Settings that lie in a folder of their own, with a link to them, stay there."""
    real, path = home / "dotfiles" / "settings.json", home / ".claude" / "settings.json"
    real.parent.mkdir()
    path.parent.mkdir()
    path.symlink_to("../dotfiles/settings.json")
    if not dangling:
        real.write_text('{"a": 1}')
    installed(HOSTS["claude-code"], place(home, "user"))
    assert path.is_symlink()
    assert "muniment" in real.read_text()
    assert [each.name for each in real.parent.iterdir()] == ["settings.json"]
    uninstalled(HOSTS["claude-code"], place(home, "user"))
    assert path.is_symlink()
    assert not real.exists() if dangling else real.read_text() == '{"a": 1}'
    assert list(real.parent.iterdir()) == ([] if dangling else [real])


def test_what_is_refused_leaves_every_file_as_it_is(home: Path) -> None:
    """Also the files that would have come before it."""
    path = home / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text("a = \n")
    before = everything(home)
    for plan in (installing, uninstalling):
        with pytest.raises(RecordError, match=f"{path}, line 1: is not TOML .*; the file is left as it is"):
            plan(HOSTS["codex"], place(home, "user"))
    assert everything(home) == before


def test_a_change_meanwhile_is_not_written_over(home: Path) -> None:
    path = home / ".claude" / "settings.json"
    changes = installing(HOSTS["claude-code"], place(home, "user"))
    path.parent.mkdir()
    path.write_text('{"new": 1}')
    with pytest.raises(StateError, match="was changed meanwhile"):
        apply(changes[0])
    assert path.read_text() == '{"new": 1}'


def test_a_full_disk_leaves_the_file_as_it_is(home: Path) -> None:
    """Nothing is left beside it either."""
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_text("{}")
    change = installing(HOSTS["claude-code"], place(home, "user"))[0]
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, old[1]))
    try:
        with pytest.raises(StorageError, match=r"settings\.json\); the file is as it was"):
            apply(change)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
    assert path.read_text() == "{}"
    assert {each.name for each in path.parent.iterdir()} <= {path.name, backup_of(path).name}


def test_a_folder_in_the_place_of_a_file_is_named(home: Path) -> None:
    (home / ".claude" / "settings.json").mkdir(parents=True)
    with pytest.raises(RecordError, match=r"settings\.json cannot be read"):
        installing(HOSTS["claude-code"], place(home, "user"))


@pytest.mark.parametrize("verb", [installing, uninstalling])
@pytest.mark.parametrize(
    ("name", "path"), [("claude-code", ".claude/settings.json"), ("codex", ".codex/config.toml")]
)
def test_a_pipe_in_the_place_of_a_file_is_refused_and_not_waited_for(
    home: Path, name: str, path: str, verb: Callable[[Host, InstallPlace], object]
) -> None:
    """G-21: nobody may ever write into it."""
    (home / path).parent.mkdir()
    os.mkfifo(home / path)
    with pytest.raises(RecordError, match="it is a pipe, not a regular file; it is left as it is"):
        verb(HOSTS[name], place(home, "user"))


def test_links_in_a_ring_are_refused_in_a_line(home: Path) -> None:
    """G-21: as what cannot be read."""
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.symlink_to("settings.json")
    with pytest.raises(RecordError, match="cannot be read: Too many levels of symbolic links"):
        installing(HOSTS["claude-code"], place(home, "user"))


def test_a_scope_that_a_host_lacks_is_refused(home: Path) -> None:
    with pytest.raises(UsageError, match="Codex has no scope 'local': use user or project"):
        installing(HOSTS["codex"], place(home, "local"))


def test_codex_gets_the_tools_only_where_they_can_start(home: Path) -> None:
    """Without muniment[mcp] it would tell of a server that fails; one that is there is left (G-24)."""
    bare = replace(place(home, "user"), has_mcp=False)
    assert installed(HOSTS["codex"], bare) == ["written", "unchanged"]
    assert not (home / ".codex" / "config.toml").exists()
    assert installed(HOSTS["codex"], place(home, "user")) == ["unchanged", "written"]
    assert installed(HOSTS["codex"], bare) == ["unchanged", "unchanged"]


def test_hosts_have_their_folders_moved_by_their_own_variables(home: Path) -> None:
    where = InstallPlace("user", home, home, {"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x"})
    paths = [
        str(part.path) for name in ("claude-code", "codex", "agents-md") for part in HOSTS[name].parts(where)
    ]
    assert [path for path in paths if not path.startswith(("/c/", "/x/"))] == []


def test_a_diff_shows_line_ends(home: Path) -> None:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(b'{\r\n "a": 1\r\n}')
    diff = list(installing(HOSTS["claude-code"], place(home, "user"))[0].diff())
    assert diff[:2] == [f"--- {path}", f"+++ {path}"]
    assert '- "a": 1^M' in diff


def test_copies_are_named_after_their_files() -> None:
    assert backup_of(Path("/a/settings.json")) == Path(f"/a/settings.json{BACKUP}")


SHARED = st.sampled_from(["project", "local"])


@given(scope=SHARED)
def test_what_lies_in_a_work_tree_is_guarded(scope: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """So are a person's own settings, where they lie in a repository of theirs (G-22)."""
    home = tmp_path_factory.mktemp("home")
    (home / "repo" / ".git").mkdir(parents=True)
    host = HOSTS["claude-code"]
    guarded = installing(host, place(home, scope))[0].after or b""
    assert b"command -v muniment" in guarded
    assert b'"args"' not in guarded
    mine = installing(host, place(home, "user"))[0].after or b""
    assert b"command -v /usr/bin/muniment" in mine
    (home / ".git").mkdir()
    assert b"/usr/bin/muniment" not in (installing(host, place(home, "user"))[0].after or b"")
