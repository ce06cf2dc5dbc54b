"""A machine whose chain went back gets its newer events from the team (specs/team.md TM-44)."""

from __future__ import annotations

from pathlib import Path

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
