"""Tests cli/commands/init.py and projections/binding.py against specs/cli.md (X-37…X-42) and specs/files.md."""

from __future__ import annotations

import shutil
import stat
import subprocess
import tomllib
from pathlib import Path

import pytest

import muniment
from ledger import reader
from tests.cli.driver import run, run_process

pytestmark = pytest.mark.no_scripts

GIT = ("git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main")


@pytest.fixture
def home(isolated: Path) -> Path:
    """$MUNIMENT_HOME, which does not exist yet."""
    return isolated / ".muniment"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """An empty repository of git's."""
    root = tmp_path / "My House!"
    root.mkdir()
    git(root, "init", "-q")
    return root


def git(cwd: Path, *args: str) -> str:
    return subprocess.run([*GIT, *args], cwd=cwd, check=True, capture_output=True, text=True).stdout


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-qm", "x")


def project_id(root: Path) -> str:
    id_: str = tomllib.loads((root / ".muniment/project.toml").read_text())["id"]
    return id_


# --- where (X-37) ---


def test_a_process_outside_of_git_makes_the_users_ledger(home: Path, tmp_path: Path) -> None:
    done = run_process("init", cwd=tmp_path).ok()
    assert done.out.splitlines()[0] == "made the user ledger memory"
    assert f"  chain      {home / 'chain.jsonl'}\n" in done.out
    (next_key,) = (home / "keys").glob("*.next")
    assert f"the next key is {next_key}" in done.err
    assert "lost or stolen" in done.err
    assert "it gives no protection on the same disk as the key: run muniment key export-next FILE" in done.err
    assert (home / "chain.jsonl").is_file()
    assert (home / "MEMORY.md").read_text() == "# Auto-Memories\n"
    assert not list(tmp_path.iterdir())
    assert run_process("add", "one", cwd=tmp_path).code == 0
    assert run_process("verify", cwd=tmp_path).code == 0


def test_in_a_work_tree_it_is_the_projects_at_the_top(home: Path, repository: Path) -> None:
    below = repository / "src/deep"
    below.mkdir(parents=True)
    done = run("init", "--json", cwd=below).ok().json
    id_ = project_id(repository)
    assert (done["did"], done["scope"], done["name"], done["ledger"]) == ("made", "project", "my-house", id_)
    assert done["root"] == str(repository)
    assert (home / "projects" / id_ / "chain.jsonl").is_file()
    assert run("add", "one", cwd=below).code == 0
    assert "- one" in (repository / ".muniment/MEMORY.md").read_text()


def test_scope_user_in_a_work_tree_leaves_it_alone(home: Path, repository: Path) -> None:
    run("init", "--scope", "user", cwd=repository).ok()
    assert (home / "chain.jsonl").is_file()
    assert not (repository / ".muniment").exists()


def test_scope_project_outside_of_git_takes_the_present_folder(tmp_path: Path) -> None:
    assert run("init", "--scope", "project", "--json", cwd=tmp_path).ok().json["root"] == str(tmp_path)


def test_a_project_inside_of_a_work_tree_keeps_its_own_root(repository: Path) -> None:
    """A monorepo has several."""
    part = repository / "part"
    part.mkdir()
    shutil.rmtree(repository / ".git")
    run("init", "--scope", "project", cwd=part).ok()
    git(repository, "init", "-q")
    assert run("init", cwd=part).code == 11
    assert run("init", "--json", cwd=repository).ok().json["root"] == str(repository)


def test_a_project_above_the_work_tree_is_not_this_one(tmp_path: Path, repository: Path) -> None:
    run("init", "--scope", "project", cwd=tmp_path).ok()
    assert run("init", "--json", cwd=repository).ok().json["root"] == str(repository)


def test_a_local_ledger_lies_beside_the_projects(home: Path, repository: Path) -> None:
    assert run("init", "--scope", "local", cwd=repository).code == 2
    run("init", cwd=repository).ok()
    done = run("init", "--scope", "local", "--json", cwd=repository).ok().json
    assert done["ledger"] != project_id(repository)
    assert done["directory"] == str(home / "projects" / project_id(repository) / "local")
    run("add", "mine alone", "--scope", "local", cwd=repository).ok()
    assert "mine alone" in (repository / ".muniment/local/MEMORY.md").read_text()
    assert ".muniment/local" not in git(repository, "status", "--short", "-uall")
    assert run("init", "--scope", "local", cwd=repository).code == 11
    assert run("verify", "--scope", "local", cwd=repository).code == 0
    assert run("verify", cwd=repository).code == 0


def test_a_directory_of_its_own(home: Path, tmp_path: Path) -> None:
    place = tmp_path / "somewhere"
    run("init", "--ledger", place, cwd=tmp_path).ok()
    assert {path.name for path in place.iterdir()} >= {
        "chain.jsonl",
        "MEMORY.md",
        "config.toml",
        ".gitignore",
    }
    assert len(list((home / "keys").iterdir())) == 2
    assert run("init", "--ledger", place, cwd=tmp_path).code == 11


def test_muniments_own_folder_is_never_a_project(home: Path, isolated: Path) -> None:
    """X-37: a home folder under git, as for dotfiles."""
    git(isolated, "init", "-q")
    assert run("init", "--scope", "project", cwd=isolated).code == 2
    done = run("init", "--json", cwd=isolated).ok()
    assert (done.json["scope"], "your own ledger" in done.err) == ("user", True)
    assert run("init", "--scope", "project", cwd=home).code == 2
    assert not (home / "project.toml").exists()


# --- what stands (X-38) ---


def test_a_ledger_that_stands_is_not_touched(home: Path, repository: Path) -> None:
    run("init", cwd=repository).ok()
    run("add", "one", cwd=repository).ok()
    chain = home / "projects" / project_id(repository) / "chain.jsonl"
    before = chain.read_bytes()
    done = run("init", cwd=repository)
    assert done.code == 11
    assert "nothing was changed" in done.err
    assert chain.read_bytes() == before
    run("init", "--scope", "user", cwd=repository).ok()
    assert run("init", "--scope", "user", cwd=repository).code == 11


def test_a_chain_that_is_gone_is_not_replaced(home: Path, repository: Path) -> None:
    run("init", cwd=repository).ok()
    (home / "projects" / project_id(repository) / "chain.jsonl").unlink()
    done = run("init", cwd=repository)
    assert (done.code, "restore" in done.err) == (11, True)


def test_a_founding_that_failed_leaves_no_project(home: Path, repository: Path) -> None:
    home.mkdir()
    (home / "projects").write_text("a file where a folder must be")
    assert run("init", cwd=repository).code == 9
    assert not (repository / ".muniment/project.toml").exists()
    (home / "projects").unlink()
    assert run("init", "--json", cwd=repository).ok().json["did"] == "made"


def test_a_process_that_died_before_the_binding_is_completed_by_the_next(
    home: Path, repository: Path
) -> None:
    run("init", cwd=repository).ok()
    (home / "projects" / project_id(repository) / "roots.json").unlink()
    assert run("init", "--json", cwd=repository).ok().json["did"] == "bound"
    assert run("add", "one", cwd=repository).code == 0


# --- a clone or a folder that was moved (X-39) ---


def test_a_clone_on_the_same_machine_is_only_bound(home: Path, repository: Path, tmp_path: Path) -> None:
    run("init", cwd=repository).ok()
    run("add", "one", cwd=repository).ok()
    commit(repository)
    run("add", "two", cwd=repository).ok()
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(repository), str(clone))
    assert "is not bound" in run("add", "three", "--scope", "project", cwd=clone).err
    done = run("init", cwd=clone).ok()
    assert "already existed here" in done.out
    assert f"also at    {repository}" in done.out
    assert len(list((home / "keys").iterdir())) == 2
    assert [entry["text"] for entry in run("list", "--json", cwd=clone).json_lines] == ["one", "two"]
    text = (clone / ".muniment/MEMORY.md").read_text()
    assert "- two" in text, "an earlier rendering that came with git is no edit"


def test_a_moved_folder_goes_on(repository: Path, tmp_path: Path) -> None:
    run("init", cwd=repository).ok()
    run("add", "one", cwd=repository).ok()
    moved = tmp_path / "moved"
    repository.rename(moved)
    assert run("init", "--json", cwd=moved).ok().json["did"] == "bound"
    run("add", "two", cwd=moved).ok()
    assert "- one\n- two\n" in (moved / ".muniment/MEMORY.md").read_text()


def test_a_worktree_needs_no_init(repository: Path, tmp_path: Path) -> None:
    run("init", cwd=repository).ok()
    run("add", "one", cwd=repository).ok()
    commit(repository)
    git(repository, "worktree", "add", "-q", str(tmp_path / "worktree"))
    assert run("add", "two", cwd=tmp_path / "worktree").ok().err == ""
    assert "- one\n- two\n" in (tmp_path / "worktree/.muniment/MEMORY.md").read_text()
    assert run("init", cwd=tmp_path / "worktree").code == 11


# --- joining (X-40) ---


@pytest.fixture
def shared(home: Path, repository: Path) -> Path:
    """A repository with a project's documents, on a machine that has never seen its ledger."""
    run("init", "--name", "house", cwd=repository).ok()
    run("add", "Use pnpm", cwd=repository).ok()
    run("add", "Meet at ten", "--tier", "daily", cwd=repository).ok()
    commit(repository)
    shutil.rmtree(home)
    shutil.rmtree(home.parent / ".local")
    return repository


def test_who_joins_gets_a_chain_of_their_own_and_candidates(home: Path, shared: Path) -> None:
    before = (shared / ".muniment/MEMORY.md").read_bytes()
    done = run("init", "--json", cwd=shared).ok()
    assert (done.json["did"], done.json["name"], done.json["candidates"]) == ("joined", "house", 2)
    assert done.json["ledger"] == project_id(shared)
    entries = run("list", "--json", cwd=shared).json_lines
    assert {entry["text"] for entry in entries} == {"Use pnpm", "Meet at ten"}
    assert {(entry["status"], entry["source"], entry["by"]["via"]) for entry in entries} == {
        ("candidate", "auto", "git")
    }
    assert (shared / ".muniment/MEMORY.md").read_bytes() == before
    assert git(shared, "status", "--short") == ""
    assert "muniment review goes through them" in done.err


def test_what_came_with_git_is_taken_in_by_an_import(shared: Path) -> None:
    run("init", cwd=shared).ok()
    before = {path: path.read_bytes() for path in (shared / ".muniment").rglob("*.md")}
    done = run("import", ".muniment", "--json", cwd=shared, terminal=True).ok().json
    assert (done["new"], done["confirmed"]) == (0, 2)
    assert {entry["status"] for entry in run("list", "--json", cwd=shared).json_lines} == {"active"}
    assert set(before) == set((shared / ".muniment").rglob("*.md"))
    assert before[shared / ".muniment/MEMORY.md"] == (shared / ".muniment/MEMORY.md").read_bytes()
    run("add", "mine", cwd=shared).ok()
    assert "- Use pnpm\n- mine\n" in (shared / ".muniment/MEMORY.md").read_text()


def test_a_secret_in_what_came_with_git_is_left_out_and_named(shared: Path) -> None:
    with (shared / ".muniment/MEMORY.md").open("a") as stream:
        stream.write("- password=Tr0ub4dor&3x9\n")
    done = run("init", cwd=shared).ok()
    assert "not recorded, it looks like a secret" in done.err
    assert "Tr0ub4dor" not in done.out + done.err


def test_a_foreign_id_gets_a_chain_of_its_own_and_nothing_of_ours(home: Path, repository: Path) -> None:
    """A hostile clone that names an id: whoever joins gets that id, but no memory of another ledger."""
    run("init", "--scope", "user", cwd=repository).ok()
    run("add", "private", "--scope", "user", cwd=repository).ok()
    (repository / ".muniment").mkdir()
    (repository / ".muniment/project.toml").write_text(f'id = "{"ab" * 16}"\nname = "Bad Name"\n')
    done = run("init", "--json", cwd=repository).ok().json
    assert (done["did"], done["name"]) == ("joined", "my-house")
    assert "private" not in (repository / ".muniment/MEMORY.md").read_text()
    assert "private" not in run("list", cwd=repository).out


@pytest.mark.parametrize("text", ["", 'id = "xyz"', "id = ", f'id = "{"../" * 8}{"a" * 8}"'])
def test_a_project_file_that_is_none_is_refused(repository: Path, text: str) -> None:
    (repository / ".muniment").mkdir()
    (repository / ".muniment/project.toml").write_text(text)
    assert run("init", cwd=repository).code == 10
    assert run("init", "--scope", "user", cwd=repository).code == 0


# --- links (X-41) ---


@pytest.mark.parametrize("name", [".muniment", ".muniment/.gitignore", ".muniment/project.toml"])
def test_through_a_link_nothing_is_written(repository: Path, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    if name == ".muniment":
        outside.mkdir()
    else:
        (repository / ".muniment").mkdir()
        outside.write_text("keep me\n")
    (repository / name).symlink_to(outside)
    assert run("init", cwd=repository).code in {2, 10}
    if outside.is_dir():
        assert not list(outside.iterdir())
    else:
        assert outside.read_text() == "keep me\n"


# --- files beside the chain (X-42) ---


def test_git_gets_what_it_should_and_nothing_else(home: Path, repository: Path) -> None:
    done = run("init", cwd=repository).ok()
    assert "git add .muniment" in done.err
    (repository / ".muniment/keys").mkdir()
    for name in ("memory.db", "memory.db-wal", "chain.jsonl", "chain.jsonl.torn-1", "keys/a.key", "local/x"):
        path = repository / ".muniment" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("secret")
    commit(repository)
    assert git(repository, "ls-files").splitlines() == [
        ".muniment/.gitignore", ".muniment/MEMORY.md", ".muniment/config.toml", ".muniment/project.toml",
    ]  # fmt: skip
    git(home, "init", "-q")
    commit(home)
    assert git(home, "ls-files").splitlines() == [".gitignore"]


def test_what_a_person_has_is_kept(home: Path, repository: Path) -> None:
    folder = repository / ".muniment"
    folder.mkdir()
    (folder / "config.toml").write_text("max_lines_per_file = 100\n")
    (folder / ".gitignore").write_text("local/\nmine")
    (folder / "MEMORY.md").write_text("- my own line\n")
    done = run("init", "--json", cwd=repository).ok()
    assert (folder / "config.toml").read_text() == "max_lines_per_file = 100\n"
    ignores = (folder / ".gitignore").read_text()
    assert ignores.startswith("local/\nmine\n# muniment")
    assert ignores.count("local/") == 1
    assert (folder / "MEMORY.md").read_text() == "- my own line\n"
    assert done.json["to_import"] == [str(folder / "MEMORY.md")]
    assert f"muniment import {folder / 'MEMORY.md'}" in done.err
    run("import", folder / "MEMORY.md", cwd=repository).ok()
    assert "- my own line\n" in (folder / "MEMORY.md").read_text()


def test_keys_and_ledgers_are_private(home: Path, repository: Path) -> None:
    run("init", cwd=repository).ok()
    modes = {
        path: stat.S_IMODE(path.stat().st_mode) for path in [home, home / "keys", *(home / "keys").iterdir()]
    }
    assert all(mode & 0o077 == 0 for mode in modes.values()), modes


def test_the_first_event_names_ledger_and_writer(home: Path, tmp_path: Path) -> None:
    run("init", "--scope", "user", "--name", "ada-s", "--by", "ada", cwd=tmp_path, terminal=True).ok()
    (genesis,) = reader.events(home / "chain.jsonl")
    assert genesis.head["ledger"]["name"] == "ada-s"
    assert (genesis.by.name, genesis.by.role, genesis.by.via) == ("ada", "user", "cli")


def test_a_name_that_is_no_slug_is_refused_before_anything_is_made(home: Path, tmp_path: Path) -> None:
    assert run("init", "--name", "My Ledger", cwd=tmp_path).code == 2
    assert not home.exists()


def test_the_library_makes_a_local_ledger_with_an_id_of_its_own(repository: Path) -> None:
    run("init", cwd=repository).ok()
    with muniment.init(scope="local", start=repository) as memory:
        memory.store(muniment.Memory("one"))
    assert run("verify", cwd=repository).code == 0


# --- from Python ---


def committed(folder: Path) -> list[str]:
    """Return what git would take of a folder that somebody adds whole."""
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    return git(folder, "ls-files").splitlines()


def test_git_takes_no_key_of_a_ledger_that_the_library_made(home: Path, isolated: Path) -> None:
    """F-18: the library's init does what the command's does; a home that is a work tree shows no key."""
    with muniment.init() as memory:
        memory.store(muniment.Memory("one"))
    taken = committed(isolated)
    assert [path for path in taken if not path.startswith(".local/state/")] == [
        ".muniment/.gitignore",
        ".muniment/MEMORY.md",
        ".muniment/config.toml",
    ]


def test_the_library_makes_a_project_in_a_root_that_is_not_bound(home: Path, repository: Path) -> None:
    with muniment.init(scope="project", start=repository) as memory:
        id_ = memory.store(muniment.Memory("one")).id
    assert "one" in run("show", id_[:12], cwd=repository).ok().out
    assert (home / "projects" / project_id(repository) / "chain.jsonl").is_file()
    assert committed(repository) == [
        ".muniment/.gitignore",
        ".muniment/MEMORY.md",
        ".muniment/config.toml",
        ".muniment/project.toml",
    ]
    with pytest.raises(muniment.LedgerExistsError):
        muniment.init(scope="project", start=repository)


def test_the_library_joins_and_binds_as_the_command_does(
    home: Path, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """X-39, X-40: what came with git waits as candidates; a second clone shares the ledger."""
    run("init", cwd=repository).ok()
    run("add", "told by git", cwd=repository).ok()
    commit(repository)
    git(tmp_path, "clone", "-q", str(repository), "clone")
    muniment.init(scope="project", start=tmp_path / "clone").close()
    assert "told by git" in run("list", cwd=tmp_path / "clone").ok().out
    for name, place in (("MUNIMENT_HOME", "another"), ("MUNIMENT_STATE", "elsewhere")):
        monkeypatch.setenv(name, str(tmp_path / place))
    git(tmp_path, "clone", "-q", str(repository), "theirs")
    with muniment.init(scope="project", start=tmp_path / "theirs") as joined:
        assert [entry.status for entry in joined.load_all()] == ["candidate"]


def test_a_gitignore_that_is_gone_comes_back_with_the_next_write(home: Path, isolated: Path) -> None:
    """F-18; one that a person shortened is named by doctor, with what to add."""
    run("init", cwd=isolated).ok()
    (home / ".gitignore").unlink()
    said = run("doctor", cwd=isolated).out
    assert ".gitignore does not keep keys/, " in said
    run("add", "one", cwd=isolated).ok()
    assert "keys/" in (home / ".gitignore").read_text()
    (home / ".gitignore").write_text("mine\n")
    git(isolated, "init", "-q")
    done = run("doctor", "--json", "--scope", "user", cwd=isolated)
    (found,) = [each for each in done.json if each["check"] == "ignored"]
    assert (done.code, found["level"]) == (1, "fault")
    subprocess.run(found["mend"].partition(";")[0], shell=True, check=True)
    assert (home / ".gitignore").read_text().startswith("mine\nkeys/\n")
    assert not [path for path in committed(isolated) if "keys" in path or "chain" in path]


def test_the_end_names_what_connects_an_agent(isolated: Path, tmp_path: Path) -> None:
    """X-42: in the last line; not where the folder was only bound."""
    said = run("init", "--scope", "user").ok().err.splitlines()
    assert (
        "run muniment install claude-code|codex|gemini|copilot|cursor|opencode|windsurf|openclaw|agents-md to connect"
        in said[-1]
    )
    assert "install" not in run("init", "--scope", "user").err
