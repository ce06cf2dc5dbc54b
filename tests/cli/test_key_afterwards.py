"""After a rotation everything goes on: backups, recovery, worktrees, edited documents, what was set aside.

Tests specs/keys.md (N-8, N-19, N-28, N-29).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger import passphrase
from tests.cli.driver import run
from tests.documents.adopting.in_git import begun, git
from tests.ledger.world import flipped, lines_of, overwrite

RIGHT = "correct horse"


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    passphrase.forget()
    yield
    passphrase.forget()


def texts() -> list[str]:
    return [row["text"] for row in run("list", "--json").ok().json_lines]


def sound() -> bool:
    done = run("verify", "--json")
    return done.code == 0 and all(
        done.json[name]["state"] == "sound" for name in ("integrity", "completeness")
    )


def test_a_backup_of_sealed_keys_is_restored_without_the_passphrase(ledger: Path, tmp_path: Path) -> None:
    """N-8: which key it is stands in the open; signing takes the passphrase there too."""
    run("key", "passphrase", env={passphrase.NEW_VARIABLE: RIGHT}).ok()
    run("key", "rotate", env={passphrase.VARIABLE: RIGHT}).ok()
    run("add", "one", env={passphrase.VARIABLE: RIGHT}).ok()
    passphrase.forget()
    run("backup", "b.tar.gz", "--keys", "--yes").ok()
    shutil.rmtree(ledger)
    shutil.rmtree(Path.home() / ".local/state/muniment", ignore_errors=True)
    run("restore", "b.tar.gz", "--yes").ok()
    assert texts() == ["one"]
    assert sound()
    assert run("add", "two").code == 8
    run("add", "two", env={passphrase.VARIABLE: RIGHT}).ok()
    assert sound()


def test_a_backup_from_before_the_rotation_is_gone_on_from(ledger: Path) -> None:
    """N-19: the rotation is made again, before the recover event that names what was lost."""
    run("add", "one").ok()
    run("backup", "b.tar.gz").ok()
    run("key", "rotate").ok()
    run("add", "two").ok()
    (ledger / "chain.jsonl").unlink()
    run("restore", "b.tar.gz", "-m", "the disk died", "--yes").ok()
    assert [row["kind"] for row in run("log", "--json").ok().json_lines][-2:] == ["rotate", "recover"]
    assert texts() == ["one"]
    run("add", "three").ok()
    run("key", "rotate").ok()
    assert sound()


def test_damage_after_a_rotation_is_recovered_from_a_copy(ledger: Path, tmp_path: Path) -> None:
    """C-17, C-18 with another key in force than the genesis has."""
    run("add", "one").ok()
    run("key", "rotate").ok()
    run("add", "two").ok()
    chain = ledger / "chain.jsonl"
    copy = tmp_path / "copy.jsonl"
    shutil.copy(chain, copy)
    lines = lines_of(chain)
    overwrite(chain, b"".join([*lines[:2], flipped(lines[2], 40), *lines[3:]]))
    assert run("verify").code == 1
    run("recover", "--from", copy, "-m", "a bad block", "--yes").ok()
    assert texts() == ["one", "two"]
    assert sound()


def test_an_old_chain_is_recovered_where_its_key_is_gone(ledger: Path, tmp_path: Path) -> None:
    """N-19: as after a file system's snapshot came back."""
    run("add", "one").ok()
    old = (ledger / "chain.jsonl").read_bytes()
    run("key", "rotate").ok()
    run("add", "two").ok()
    overwrite(ledger / "chain.jsonl", old)
    assert run("add", "x").code == 7
    run("recover", "-m", "the snapshot came back", "--yes").ok()
    run("add", "three").ok()
    assert texts() == ["one", "three"]
    assert sound()


@pytest.mark.parametrize(
    ("how", "new"), [([], 1), (["--stolen", "--first", "@1"], 0)], ids=["rotated", "stolen"]
)
def test_what_was_set_aside_comes_back_but_for_a_thiefs_words(
    ledger: Path, tmp_path: Path, how: list[str], new: int
) -> None:
    """N-28: lines by any key that the owner stands by; none by one that was stolen."""
    run("add", "one").ok()
    fork = tmp_path / "fork"
    shutil.copytree(ledger, fork)
    elsewhere = {"MUNIMENT_HOME": str(fork), "MUNIMENT_STATE": str(tmp_path / "state")}
    run("add", "by the first key", env=elsewhere).ok()
    torn = Path("chain.jsonl.torn-1")
    torn.write_bytes(lines_of(fork / "chain.jsonl")[-1])
    run("key", "rotate", *how).ok()
    done = run("import", torn, "--json").ok().json
    assert done["new"] == new
    assert ("by the first key" in texts()) == bool(new)
    assert sound()


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not here")
def test_worktrees_and_edited_documents_know_the_new_key(isolated: Path, tmp_path: Path) -> None:
    """D-2, D-7: what is adopted after a rotation is signed by the key in use."""
    root = tmp_path / "house"
    begun(root)
    run("init", cwd=root).ok()
    run("add", "Use pnpm", cwd=root).ok()
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    git(root, "worktree", "add", "-q", str(tmp_path / "tree"), "-b", "side")
    run("key", "rotate", cwd=tmp_path / "tree").ok()
    path = tmp_path / "tree/.muniment/MEMORY.md"
    path.write_text(path.read_text() + "- Typed after the rotation\n")
    run("adopt", cwd=tmp_path / "tree").ok()
    rows = run("list", "--json", cwd=root).ok().json_lines
    assert {row["text"] for row in rows} == {"Use pnpm", "Typed after the rotation"}
    assert run("verify", cwd=root).ok().out.startswith("integrity     sound")
    run("key", "rotate", "--stolen", "--first", "@3", cwd=root).ok()
    assert "[?] Typed after the rotation" in (root / ".muniment/MEMORY.md").read_text()
