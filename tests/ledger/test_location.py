"""Tests of ledger/location.py: which ledger a folder means, and who gets none (specs/files.md F-1…F-8)."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from ledger.errors import LedgerError, StorageError, UsageError
from ledger.location import (
    PROJECT_FILE,
    PROJECT_FOLDER,
    Home,
    Location,
    begin_joining,
    bind,
    bound_roots,
    explicit,
    find_project,
    git_common_directory,
    git_root,
    in_project,
    is_bound,
    is_joining,
    locate,
    read_project_id,
    user,
)

ID = "0123456789abcdef" * 2
OTHER = "fedcba9876543210" * 2


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home" / ".muniment", tmp_path / "state")


def project(root: Path, id_: str = ID) -> Path:
    """Make a folder that names a project ledger, as a checkout of someone's repository would."""
    folder = root / PROJECT_FOLDER
    folder.mkdir(parents=True)
    (folder / PROJECT_FILE).write_text(f'id = "{id_}"\n')
    return root


def git(root: Path, *arguments: str) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@localhost", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)


def repository(root: Path) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    git(root, "init")
    git(root, "commit", "--allow-empty", "-m", "first")
    return root


# --- the user's folders -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environ", "path", "state"),
    [
        ({"HOME": "/h"}, "/h/.muniment", "/h/.local/state/muniment"),
        ({"HOME": "/h", "XDG_STATE_HOME": "/x"}, "/h/.muniment", "/x/muniment"),
        ({"HOME": "/h", "MUNIMENT_HOME": "/m"}, "/m", "/h/.local/state/muniment"),
        ({"HOME": "/h", "MUNIMENT_STATE": "/s", "XDG_STATE_HOME": "/x"}, "/h/.muniment", "/s"),
        (
            {"HOME": "/h", "MUNIMENT_HOME": "", "XDG_STATE_HOME": ""},
            "/h/.muniment",
            "/h/.local/state/muniment",
        ),
    ],
)
def test_the_environment_names_the_users_folders(environ: dict[str, str], path: str, state: str) -> None:
    """An empty variable counts as none."""
    home = Home.from_environment(environ)
    assert (str(home.path), str(home.state)) == (path, state)
    assert home.keys == home.path / "keys"


def test_relative_folders_are_taken_from_where_the_process_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are made absolute at once, so that a later chdir changes nothing."""
    monkeypatch.chdir(tmp_path)
    home = Home.from_environment({"HOME": "/h", "MUNIMENT_HOME": "here"})
    assert home.path == tmp_path / "here"


def test_each_scope_has_its_place(home: Home, tmp_path: Path) -> None:
    """Chain and documents lie apart for projects, together for the user and for a named directory."""
    root = tmp_path / "work"
    ledger = home.path / "projects" / ID
    assert user(home) == Location("user", home.path, home.path)
    assert in_project(home, root, ID) == Location("project", ledger, root / ".muniment", root, ID)
    assert in_project(home, root, ID, "local") == Location(
        "local", ledger / "local", root / ".muniment" / "local", root, ID
    )
    assert explicit(tmp_path / "dir") == Location("user", tmp_path / "dir", tmp_path / "dir")


# --- finding a project --------------------------------------------------------------------------------------


def test_a_project_is_found_from_inside(home: Home, tmp_path: Path) -> None:
    """From any folder below its root, also through a link; the innermost one counts."""
    outer = project(tmp_path / "outer")
    inner = project(outer / "deep" / "inner", OTHER)
    (inner / "src").mkdir()
    (tmp_path / "link").symlink_to(inner / "src")
    for start, root, id_ in ((outer, outer, ID), (outer / "deep", outer, ID), (inner / "src", inner, OTHER)):
        found = find_project(home, start)
        assert found is not None
        assert (found.root, found.id, found.bound) == (root, id_, False)
    through = find_project(home, tmp_path / "link")
    assert through is not None
    assert through.root == inner


def test_outside_of_any_project_there_is_none(home: Home, tmp_path: Path) -> None:
    """The default is then the user's own ledger."""
    assert find_project(home, tmp_path) is None
    assert locate(home, tmp_path, None) == (user(home), "")


@pytest.mark.parametrize("place", [".muniment", "store"])
def test_the_users_own_folder_is_no_project(tmp_path: Path, place: str) -> None:
    """Neither what holds it nor itself, even where someone puts a project file there."""
    home = Home(tmp_path / place, tmp_path / "state")
    project(tmp_path) if place == ".muniment" else project(home.path)
    (home.path / "sub").mkdir(parents=True, exist_ok=True)
    assert find_project(home, home.path / "sub") is None
    if place == ".muniment":
        assert find_project(home, tmp_path) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        f"id = {'[' * 5000}",
        f'id = "{ID}"\n{"#" * (1 << 15)}',
        "id = 7",
        'id = "short"',
        f'id = "{ID.upper()}"',
        f'id = "{ID}/../x"',
        "id =",
        "\x00",
    ],
)
def test_a_project_file_that_holds_no_id_is_an_error(tmp_path: Path, text: str) -> None:
    """An id becomes part of a path, so nothing else is taken for one."""
    file = tmp_path / PROJECT_FILE
    file.write_text(text)
    with pytest.raises(LedgerError, match="restore it from git"):
        read_project_id(file)


def test_a_broken_project_file_does_not_lock_the_user_out(home: Home, tmp_path: Path) -> None:
    """In a folder where someone else left one, the user scope still works when it is asked for."""
    root = project(tmp_path / "trap", "no id")
    with pytest.raises(LedgerError, match="holds no id"):
        locate(home, root, None)
    assert locate(home, root, "user") == (user(home), "")


# --- who gets the project's ledger --------------------------------------------------------------------------


def test_a_cloned_project_with_a_foreign_id_is_not_bound(home: Home, tmp_path: Path) -> None:
    """It gets the user's ledger and a hint; project and local scope are refused until init."""
    mine, clone = project(tmp_path / "mine"), project(tmp_path / "clone")
    bind(home, mine, ID)
    location, hint = locate(home, clone, None)
    assert location == user(home)
    assert "muniment init there" in hint
    for scope in ("project", "local"):
        with pytest.raises(UsageError, match="not bound"):
            locate(home, clone, scope)
    assert locate(home, mine, None) == (in_project(home, mine, ID), "")
    assert locate(home, mine, "local") == (in_project(home, mine, ID, "local"), "")


def test_binding_is_by_root_and_id(home: Home, tmp_path: Path) -> None:
    """A bound root whose file comes to name another ledger is not bound to that one."""
    root = project(tmp_path / "root")
    bind(home, root, ID)
    assert is_bound(home, root, ID)
    assert not is_bound(home, root, OTHER)
    (root / PROJECT_FOLDER / PROJECT_FILE).write_text(f'id = "{OTHER}"\n')
    assert locate(home, root, None)[0] == user(home)


def test_binding_twice_is_binding_once(home: Home, tmp_path: Path) -> None:
    """Through a link as well: the real path counts."""
    root = project(tmp_path / "root")
    (tmp_path / "link").symlink_to(root)
    bind(home, root, ID)
    bind(home, tmp_path / "link", ID)
    assert bound_roots(home.project(ID)) == [root]
    assert is_bound(home, tmp_path / "link", ID)


def test_a_root_that_is_being_joined_is_not_bound(home: Home, tmp_path: Path) -> None:
    """D-80: whichever root is bound then, joining is done with that."""
    root, other = project(tmp_path / "root"), project(tmp_path / "other")
    directory = home.project(ID)
    begin_joining(home, root, ID)
    assert is_joining(directory)
    assert not is_bound(home, root, ID)
    assert bound_roots(directory) == []
    assert locate(home, root, None)[0] == user(home)
    assert is_joining(directory)
    bind(home, other, ID)
    assert not is_joining(directory)
    assert bound_roots(directory) == [other]


def test_scopes_outside_of_a_project_are_refused(home: Home, tmp_path: Path) -> None:
    """With the command that makes one."""
    with pytest.raises(UsageError, match="muniment init --scope project"):
        locate(home, tmp_path, "project")


@pytest.mark.parametrize("damage", ["", "{}", "[1]", '[{"path": 7}', "\x00"])
def test_a_damaged_registry_binds_nobody(home: Home, tmp_path: Path, damage: str) -> None:
    """It is derived from what init was told; init again mends it."""
    root = project(tmp_path / "root")
    bind(home, root, ID)
    (home.project(ID) / "roots.json").write_text(damage)
    assert not is_bound(home, root, ID)
    bind(home, root, ID)
    assert is_bound(home, root, ID)


def test_an_unwritable_registry_is_an_error(home: Home, tmp_path: Path) -> None:
    """The message says what failed and where."""
    home.path.mkdir(parents=True)
    (home.path / "projects").write_text("a file where a folder must be")
    with pytest.raises(StorageError, match="binding the project failed"):
        bind(home, tmp_path, ID)


# --- git ----------------------------------------------------------------------------------------------------


def test_a_worktree_of_a_bound_repository_is_bound(home: Home, tmp_path: Path) -> None:
    """git itself made it, and the repository knows it."""
    main = project(repository(tmp_path / "main"))
    git(main, "worktree", "add", str(tmp_path / "tree"), "-b", "side")
    tree = project(tmp_path / "tree")
    assert git_common_directory(tree) == git_common_directory(main) == main / ".git"
    assert not is_bound(home, tree, ID)
    bind(home, main, ID)
    assert is_bound(home, tree, ID)
    assert git_root(tree / PROJECT_FOLDER) == tree


def test_a_repository_that_is_bound_through_its_worktree_is_bound(home: Home, tmp_path: Path) -> None:
    """They share one ledger whichever was there first."""
    main = project(repository(tmp_path / "main"))
    git(main, "worktree", "add", str(tmp_path / "tree"), "-b", "side")
    bind(home, project(tmp_path / "tree"), ID)
    assert is_bound(home, main, ID)


def test_a_clone_is_no_worktree(home: Home, tmp_path: Path) -> None:
    """It has a git directory of its own, so it is bound by init there or not at all."""
    main = project(repository(tmp_path / "main"))
    git(tmp_path, "clone", str(main), "clone")
    bind(home, main, ID)
    assert not is_bound(home, project(tmp_path / "clone"), ID)


def test_a_folder_that_only_claims_to_be_a_worktree_is_not_bound(home: Home, tmp_path: Path) -> None:
    """An unpacked archive can hold any `.git` file; the repository's own record of its worktrees decides."""
    main = project(repository(tmp_path / "main"))
    git(main, "worktree", "add", str(tmp_path / "tree"), "-b", "side")
    bind(home, main, ID)
    forged = project(tmp_path / "forged")
    inside = forged / "gitdir"
    inside.mkdir()
    (inside / "commondir").write_text(str(main / ".git"))
    (inside / "gitdir").write_text(str(forged / ".git"))
    for claim in (inside, main / ".git" / "worktrees" / "tree", main / ".git"):
        (forged / ".git").write_text(f"gitdir: {claim}\n")
        assert git_common_directory(forged) is None
        assert not is_bound(home, forged, ID)


def test_a_folder_that_links_to_someones_git_directory_is_not_bound(home: Home, tmp_path: Path) -> None:
    """A symbolic link named `.git` proves nothing about who put it there."""
    main = project(repository(tmp_path / "main"))
    bind(home, main, ID)
    forged = project(tmp_path / "forged")
    (forged / ".git").symlink_to(main / ".git")
    assert not is_bound(home, forged, ID)


@pytest.mark.parametrize("text", ["", "gitdir:", "nonsense", "gitdir: /nowhere", "gitdir: \x00"])
def test_a_git_file_that_leads_nowhere_is_no_repository(tmp_path: Path, text: str) -> None:
    """Whatever it holds, nothing is raised."""
    (tmp_path / ".git").write_text(text)
    assert git_common_directory(tmp_path) is None


def test_without_git_there_is_neither_root_nor_directory(tmp_path: Path) -> None:
    """Nothing above a temporary directory is a repository."""
    assert git_common_directory(tmp_path) is None
    if not any((folder / ".git").exists() for folder in tmp_path.parents):
        assert git_root(tmp_path) is None


def test_a_folder_whose_path_is_no_text_is_bound(home: Home, tmp_path: Path) -> None:
    """F-5, F-24."""
    root = tmp_path / os.fsdecode(b"caf\xe9")
    try:
        root.mkdir()
    except OSError:
        pytest.skip("this file system takes UTF-8 alone")
    bind(home, root, ID)
    assert bound_roots(home.project(ID)) == [root]
    assert is_bound(home, root, ID)
