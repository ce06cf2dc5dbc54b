"""Tests `muniment restore --as second-machine` against specs/team.md (TM-82)."""

from __future__ import annotations

from pathlib import Path

from tests.cli.computers import Computer


def backup(laptop: Computer, into: Path) -> str:
    """Return a backup of its memory."""
    path = into / "laptop.tar.gz"
    laptop.run("backup", str(path)).ok()
    return str(path)


def test_both_machines_go_on(laptop: Computer, tmp_path: Path) -> None:
    file = backup(laptop, tmp_path)
    later = laptop.run("add", "Answer in French").ok().id
    laptop.run("team", "sync").ok()
    desk = Computer(tmp_path, "desk")
    done = desk.run("restore", file, "--as", "second-machine", "--json").ok().json
    assert desk.memories() == laptop.memories()
    assert desk.documents == laptop.documents
    desk.run("add", "The port is 5433").ok()
    desk.run("supersede", later, "Answer in German").ok()
    laptop.run("team", "sync").ok()
    assert laptop.run("team", "members", "accept", "ada").code != 0, "no invitation proves it"
    laptop.run("team", "members", "accept", "desk", "--fingerprint", done["fingerprint"]).ok()
    desk.run("team", "sync").ok()
    laptop.run("team", "sync").ok()
    assert "desk/" in laptop.run("team", "members").ok().out
    assert sorted(laptop.memories().values()) == ["Answer in German", "The port is 5433", "Use npm"]
    assert laptop.memories() == desk.memories()
    for computer in (laptop, desk):
        computer.run("verify").ok()


def test_without_the_transport_the_memories_of_the_backup_are_here(laptop: Computer, tmp_path: Path) -> None:
    file = backup(laptop, tmp_path)
    (tmp_path / "share").rename(tmp_path / "away")
    desk = Computer(tmp_path, "desk")
    done = desk.run("restore", file, "--as", "second-machine").ok()
    assert "team sync continues" in done.err
    assert desk.memories() == laptop.memories()
    (tmp_path / "away").rename(tmp_path / "share")
    desk.run("team", "sync").ok()
    laptop.run("team", "sync").ok()
    assert "proved by no invitation" in laptop.run("team", "members").ok().out


def test_a_backup_of_a_memory_without_a_team_is_refused(tmp_path: Path) -> None:
    alone = Computer(tmp_path, "alone")
    alone.run("init").ok()
    alone.run("add", "Use npm").ok()
    desk = Computer(tmp_path, "desk")
    done = desk.run("restore", backup(alone, tmp_path), "--as", "second-machine")
    assert done.code == 2
    assert "muniment team init" in done.err
    assert not (desk.directory / "chain.jsonl").exists()
