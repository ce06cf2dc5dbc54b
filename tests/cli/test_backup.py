"""muniment backup makes one archive that restore takes, and never a second one in its place."""

from __future__ import annotations

import stat
import tarfile
from pathlib import Path

import muniment
from tests.cli.driver import run, run_process
from tests.ledger.world import flipped, overwrite


def _names(path: Path) -> list[str]:
    with tarfile.open(path) as tar:
        return tar.getnames()


def test_one_archive_holds_chain_local_state_and_settings(home: Path, tmp_path: Path) -> None:
    """F-12: keys only where they are asked for."""
    (home / "config.toml").write_text("[gc]\nthreshold = 0.3\n")
    target = tmp_path / "b.tar.gz"
    result = run_process("backup", target).ok()
    assert _names(target) == ["manifest.json", "chain.jsonl", "config.toml", "local.db"]
    assert result.out.startswith(f"{target}  ")
    assert "3 events up to @2" in result.out
    assert "without the private keys" in result.err
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_keys_are_asked_about(home: Path, tmp_path: Path) -> None:
    """F-12: whoever has them can write as this ledger."""
    target = tmp_path / "b.tar.gz"
    assert run("backup", target, "--keys").code == 2
    assert run("backup", target, "--keys", input="n\n", terminal=True).code == 130
    assert not target.exists()
    result = run("backup", target, "--keys", input="y\n", terminal=True).ok()
    assert "can write as this ledger" in result.err
    assert [name.rpartition(".")[2] for name in _names(target) if name.startswith("keys/")] == ["key", "next"]


def test_json_is_the_manifest(home: Path, tmp_path: Path) -> None:
    """X-8: with file and size."""
    value = run("backup", tmp_path / "b", "--json").ok().json
    assert (value["tip"]["seq"], value["bytes"]) == (2, (tmp_path / "b").stat().st_size)


def test_a_backup_that_is_there_stays_unless_forced(home: Path, tmp_path: Path) -> None:
    """F-12: exit code 2."""
    target = tmp_path / "b.tar.gz"
    run("backup", target).ok()
    before = target.read_bytes()
    run("add", "three").ok()
    assert run("backup", target).code == 2
    assert target.read_bytes() == before
    assert "@3" in run("backup", target, "--force").ok().out


def test_a_chain_that_no_restore_would_take_is_refused(home: Path, tmp_path: Path) -> None:
    """F-12: exit code 7, and the good backup of yesterday stays."""
    target = tmp_path / "b.tar.gz"
    run("backup", target).ok()
    before = target.read_bytes()
    chain = home / "chain.jsonl"
    overwrite(chain, flipped(chain.read_bytes(), 900))
    assert run("backup", target, "--force").code == 7
    assert target.read_bytes() == before


def test_missing_keys_are_said_and_nothing_is_made(home: Path, tmp_path: Path) -> None:
    """F-12: exit code 8."""
    for path in (home / "keys").iterdir():
        path.unlink()
    assert run("backup", tmp_path / "b", "--keys", "--yes").code == 8
    assert not (tmp_path / "b").exists()


def test_nothing_of_the_ledger_is_changed(home: Path, tmp_path: Path) -> None:
    """F-12: a backup only reads."""
    chain = home / "chain.jsonl"
    before = (chain.read_bytes(), chain.stat().st_mtime_ns, chain.stat().st_ino)
    run("backup", tmp_path / "b").ok()
    assert (chain.read_bytes(), chain.stat().st_mtime_ns, chain.stat().st_ino) == before


def test_a_chain_that_is_gone_is_no_missing_ledger(home: Path, tmp_path: Path) -> None:
    """X-84: code 7 and the sentence of every other command."""
    (home / "chain.jsonl").unlink()
    done = run("backup", tmp_path / "b")
    assert (done.code, done.err) == (7, run("list").err)
    assert "chain.jsonl is gone, but event @2 was acknowledged here: copy chain.jsonl back" in done.err


def test_the_library_makes_the_same_archive(home: Path, tmp_path: Path) -> None:
    """F-12: names, order and content; `made` apart."""
    run("backup", tmp_path / "b", "--keys", "--yes").ok()
    with muniment.open() as memory:
        made = memory.upkeep.backup(tmp_path / "c", keys=True)
    assert _names(tmp_path / "c") == _names(tmp_path / "b")
    assert made.seq == 2
