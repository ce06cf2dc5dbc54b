"""Tests projections/checkout.py against specs/projections.md (P-147): it sees the root, nothing outside, and says what it cannot know."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from projections import checkout
from projections.checkout import Checkout


def write(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small project beside something that is not its own."""
    write(tmp_path / "outside/secret.py")
    root = tmp_path / "root"
    write(root / "src/auth/session.ts")
    write(root / "packages/web/src/page.tsx")
    return root


def test_a_path_is_known_from_any_folder(root: Path) -> None:
    seen = Checkout(root)
    assert seen.has("src/auth/session.ts")
    assert seen.has("auth/session.ts")
    assert seen.has("src/auth")
    assert seen.has("web/src/page.tsx")
    assert seen.has("uth/session.ts") is False
    assert seen.has("src/auth/login.ts") is False
    assert seen.whole


def test_the_last_file_of_a_folder_is_missed(root: Path) -> None:
    """An empty folder is what a deletion leaves."""
    (root / "src/auth/session.ts").unlink()
    assert Checkout(root).has("src/auth/session.ts") is False


def test_no_link_is_followed_and_what_lies_behind_one_is_not_known(root: Path, tmp_path: Path) -> None:
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "loop").symlink_to(root)
    seen = Checkout(root)
    assert seen.has("link/secret.py") is None
    assert seen.has("loop/src/never.ts") is None
    assert seen.has("outside/secret.py") is False


def test_a_root_that_is_a_link_is_the_root(root: Path, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(root)
    assert Checkout(tmp_path / "alias").has("src/auth/session.ts")


def test_submodules_ignored_and_installed_things_are_not_known(root: Path) -> None:
    write(root / ".gitmodules", '[submodule "x"]\n\tpath = third/party\n\turl = y\n')
    write(root / ".gitignore", "# made\n/generated/\n*.local.json\nbuild-*/\n")
    (root / "third/party").mkdir(parents=True)
    write(root / "node_modules/left/index.js")
    seen = Checkout(root)
    for path in (
        "third/party/a.c",
        "generated/api.ts",
        "conf/a.local.json",
        "build-x/a.txt",
        "node_modules/b/c.js",
    ):
        assert seen.has(path) is None, path
    assert seen.has("third/other/a.c") is False


def test_too_large_a_tree_and_a_sparse_one_are_not_known(root: Path) -> None:
    small = Checkout(root, most=3)
    assert small.has("src/auth/login.ts") is None
    assert not small.whole
    write(root / ".git/info/sparse-checkout", "/src/")
    sparse = Checkout(root)
    assert (sparse.has("docs/a.md"), sparse.whole) == (None, False)


def test_what_is_no_small_regular_file_is_not_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pipe does not hang it, and a large file says nothing."""
    os.mkfifo(root / "packages/.gitignore")
    write(root / ".gitignore", "gone.py\n" + " " * 50)
    monkeypatch.setattr(checkout, "MOST_BYTES", 40)
    assert Checkout(root).has("src/gone.py") is False


def test_a_root_that_is_gone_is_not_known(tmp_path: Path) -> None:
    seen = Checkout(tmp_path / "never")
    assert (seen.has("src/a.py"), seen.whole) == (None, False)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_folder_that_cannot_be_read_is_not_known(root: Path) -> None:
    (root / "src/auth").chmod(0)
    assert Checkout(root).has("src/auth/login.ts") is None
    (root / "src/auth").chmod(0o700)


def test_what_any_gitignore_names_is_not_missed(tmp_path: Path) -> None:
    for path in ("src/app/main.ts", "web/.gitignore", ".git/info/exclude"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    (tmp_path / "web/.gitignore").write_text("local.json\n")
    (tmp_path / ".git/info/exclude").write_text("notes.md\n")
    project = Checkout(tmp_path)
    assert project.has("app/other") is False
    assert project.has("web/local.json") is None
    assert project.has("docs/notes.md") is None


def test_of_a_sparse_linked_worktree_nobody_can_tell(tmp_path: Path) -> None:
    git = tmp_path / "main" / ".git" / "worktrees" / "w"
    (git / "info").mkdir(parents=True)
    (git / "info" / "sparse-checkout").write_text("/src\n")
    root = tmp_path / "w"
    root.mkdir()
    (root / ".git").write_text(f"gitdir: {git}\n")
    assert Checkout(root).has("docs/a.md") is None
