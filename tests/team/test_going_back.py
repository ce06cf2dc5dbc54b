"""A machine whose chain went back gets its newer events from the team (specs/team.md TM-44)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.computers import Computer


def test_what_a_restored_machine_lacks_comes_back_from_the_transport(tmp_path: Path) -> None:
    laptop, file = Computer(tmp_path, "laptop"), tmp_path / "old.tar.gz"
    laptop.run("init").ok()
    laptop.run("add", "Use npm").ok()
    laptop.run("team", "init", f"folder:{tmp_path / 'share'}").ok()
    laptop.run("backup", "--keys", str(file), "--yes").ok()
    laptop.run("add", "The port is 5433").ok()
    laptop.run("team", "sync").ok()
    again = Computer(tmp_path, "again")
    assert "before anything is added" in again.run("restore", str(file), "--yes").ok().err
    told = again.run("team", "sync")
    assert told.code == 1
    path = again.directory / "team" / "own-chain-there.jsonl"
    assert f"muniment recover --from {path}" in told.err
    again.run("recover", "--from", str(path), "-m", "the disk died", "--yes").ok()
    assert "The port is 5433" in again.memories().values()
    again.run("add", "Answer in French").ok()
    again.run("team", "sync").ok()
    again.run("verify").ok()


def test_recover_asks_the_team_for_what_is_missing(tmp_path: Path) -> None:
    laptop = Computer(tmp_path, "laptop")
    laptop.run("init").ok()
    laptop.run("team", "init", f"folder:{tmp_path / 'share'}").ok()
    laptop.run("add", "The port is 5433").ok()
    laptop.run("team", "sync").ok()
    chain = laptop.directory / "chain.jsonl"
    chain.write_bytes(b"".join(chain.read_bytes().splitlines(keepends=True)[:-1]))
    told = laptop.run("recover", "-m", "the disk lost a line", "--yes")
    path = laptop.directory / "team" / "own-chain-there.jsonl"
    assert told.code != 0
    assert f"muniment recover --from {path}" in told.err
    laptop.run("recover", "--from", str(path), "-m", "the disk lost a line", "--yes").ok()
    laptop.run("add", "Use pnpm").ok()
    laptop.run("team", "sync").ok()
    assert sorted(laptop.memories().values()) == ["The port is 5433", "Use pnpm"]


@pytest.mark.parametrize("left", [0, 200, -200])
def test_half_a_file_in_the_folder_is_written_again(tmp_path: Path, left: int) -> None:
    """A disk that was full, or a share that went away, left a file of so many bytes, or without so many."""
    laptop = Computer(tmp_path, "laptop")
    laptop.run("init").ok()
    laptop.run("team", "init", f"folder:{tmp_path / 'share'}").ok()
    laptop.run("add", "The host is db").ok()
    laptop.run("add", "The port is 5433").ok()
    laptop.run("team", "sync").ok()
    newest = max((tmp_path / "share").rglob("chains/*/*.jsonl"))
    newest.write_bytes(newest.read_bytes()[:left])
    laptop.run("team", "sync").ok()
    laptop.run("add", "Use pnpm").ok()
    laptop.run("team", "sync").ok()
    desk = Computer(tmp_path, "desk")
    desk.run("team", "join", laptop.invite("desk")).ok()
    assert sorted(desk.memories().values()) == ["The host is db", "The port is 5433", "Use pnpm"]
