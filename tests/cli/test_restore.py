"""muniment restore moves a ledger here."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import muniment
from ledger import location
from tests.cli.driver import run, run_process
from tests.ledger.world import lines_of, overwrite


@pytest.fixture
def backup(home: Path, tmp_path: Path) -> Path:
    """A backup of it with its keys."""
    run("backup", tmp_path / "b.tar.gz", "--keys", "--yes").ok()
    return tmp_path / "b.tar.gz"


@pytest.fixture
def elsewhere(tmp_path: Path) -> dict[str, str]:
    """The environment of another machine."""
    new = tmp_path / "new"
    return {
        "HOME": str(new),
        "MUNIMENT_HOME": str(new / ".muniment"),
        "MUNIMENT_STATE": str(new / ".local/state/muniment"),
    }


def test_a_ledger_moves_to_another_machine(home: Path, backup: Path, elsewhere: dict[str, str]) -> None:
    """F-14: memories, documents and keys are there; the next event follows."""
    result = run_process("restore", backup, "--yes", env=elsewhere).ok()
    assert "3 events" in result.out
    assert "is sound" in result.err
    new = Path(elsewhere["MUNIMENT_HOME"])
    assert (new / "MEMORY.md").read_bytes() == (home / "MEMORY.md").read_bytes()
    assert (new / "chain.jsonl").read_bytes() == (home / "chain.jsonl").read_bytes()
    run("add", "three", env=elsewhere).ok()
    assert run("verify", env=elsewhere).code == 0


def test_a_restore_is_asked_about(backup: Path, elsewhere: dict[str, str]) -> None:
    """F-14: two machines with one key would fork, so somebody has to say that the ledger moved."""
    refused = run("restore", backup, env=elsewhere)
    assert refused.code == 2
    assert "two writers would fork it" in refused.err
    assert not Path(elsewhere["MUNIMENT_HOME"]).exists()
    run("restore", backup, input="y\n", terminal=True, env=elsewhere).ok()
    assert "one" in run("list", env=elsewhere).ok().out


def test_where_a_chain_stands_nothing_is_touched(home: Path, backup: Path) -> None:
    """F-14: exit code 11."""
    before = (home / "chain.jsonl").read_bytes()
    assert run("restore", backup, "-m", "x", "--yes").code == 11
    assert (home / "chain.jsonl").read_bytes() == before


@pytest.mark.parametrize("fault", ["missing", "emptied"])
def test_a_chain_that_is_gone_is_brought_back(home: Path, backup: Path, fault: str) -> None:
    """F-14: with nothing lost, nothing is asked."""
    before = (home / "chain.jsonl").read_bytes()
    if fault == "missing":
        (home / "chain.jsonl").unlink()
    else:
        overwrite(home / "chain.jsonl", b"")
    run("restore", backup, "--yes").ok()
    assert (home / "chain.jsonl").read_bytes() == before
    assert run("verify").code == 0
    run("add", "three").ok()


def test_an_older_backup_needs_a_reason_and_a_yes(home: Path, backup: Path) -> None:
    """F-14: what is given up is named, asked about, and signed."""
    run("add", "three").ok()
    (home / "chain.jsonl").unlink()
    assert run("restore", backup, "--yes").code == 7
    assert run("restore", backup, "-m", "disk died").code == 2
    refused = run("restore", backup, "-m", "disk died", input="n\n", terminal=True)
    assert refused.code == 130
    assert not (home / "chain.jsonl").exists()
    result = run("restore", backup, "-m", "disk died", "--yes").ok()
    assert "events up to @3 were lost" in result.out
    assert "erase them again" in result.err
    assert len(lines_of(home / "chain.jsonl")) == 4
    assert run("verify").code == 0
    run("add", "four").ok()


def test_a_damaged_archive_is_refused_whole(home: Path, backup: Path, elsewhere: dict[str, str]) -> None:
    """F-13: exit code 5, and no trace of it."""
    overwrite(backup, backup.read_bytes()[:-200])
    assert run("restore", backup, "--yes", env=elsewhere).code == 5
    assert not Path(elsewhere["MUNIMENT_HOME"]).exists()


def test_a_backup_without_keys_says_what_is_missing(
    home: Path, tmp_path: Path, elsewhere: dict[str, str]
) -> None:
    """F-14: it can be read meanwhile."""
    run("backup", tmp_path / "k.tar.gz").ok()
    result = run("restore", tmp_path / "k.tar.gz", "--yes", env=elsewhere).ok()
    assert "until its private key is at" in result.err
    assert "one" in run("list", env=elsewhere).ok().out
    assert run("add", "three", env=elsewhere).code == 8


def test_what_stands_beside_the_chain_is_kept(home: Path, backup: Path, elsewhere: dict[str, str]) -> None:
    """F-14: settings and edited documents of the new machine are its person's."""
    new = Path(elsewhere["MUNIMENT_HOME"])
    new.mkdir(parents=True)
    (new / "config.toml").write_text("[gc]\nthreshold = 0.1\n")
    (new / "MEMORY.md").write_text("# Mine\n")
    result = run("restore", backup, "--yes", env=elsewhere).ok()
    assert (new / "config.toml").read_text() == "[gc]\nthreshold = 0.1\n"
    assert (new / "MEMORY.md").read_text() == "# Mine\n"
    assert "MEMORY.md was not rewritten" in result.err


# --- projects ---


@pytest.fixture
def project(isolated: Path, tmp_path: Path) -> Path:
    """The root of a project with a ledger of one memory."""
    root = tmp_path / "project"
    (root / ".muniment").mkdir(parents=True)
    (root / ".muniment" / "project.toml").write_text(f'id = "{"ab" * 16}"\n')
    location.bind(muniment.home(), root, "ab" * 16)
    muniment.init(scope="project", start=root).close()
    run("add", "of the project", cwd=root).ok()
    return root


def test_a_project_is_restored_inside_a_checkout_of_it(
    project: Path, tmp_path: Path, elsewhere: dict[str, str]
) -> None:
    """F-5: and that checkout is bound, as init would."""
    backup = tmp_path / "p.tar.gz"
    run("backup", backup, "--keys", "--yes", cwd=project).ok()
    clone = tmp_path / "clone"
    shutil.copytree(project, clone)
    refused = run("restore", backup, "--yes", cwd=tmp_path, env=elsewhere)
    assert refused.code == 2
    assert "inside a checkout" in refused.err
    run("restore", backup, "--yes", cwd=clone, env=elsewhere).ok()
    assert "of the project" in run("list", cwd=clone, env=elsewhere).ok().out
    run("add", "more", cwd=clone, env=elsewhere).ok()


def test_another_projects_checkout_is_refused(
    project: Path, tmp_path: Path, elsewhere: dict[str, str]
) -> None:
    """F-5: a ledger belongs to one project."""
    backup = tmp_path / "p.tar.gz"
    run("backup", backup, cwd=project).ok()
    other = tmp_path / "other"
    (other / ".muniment").mkdir(parents=True)
    (other / ".muniment" / "project.toml").write_text(f'id = "{"cd" * 16}"\n')
    assert run("restore", backup, "--yes", cwd=other, env=elsewhere).code == 2


def test_a_directory_can_be_named(
    home: Path, backup: Path, tmp_path: Path, elsewhere: dict[str, str]
) -> None:
    """X-2: --ledger wins over the backup's scope."""
    run("--ledger", tmp_path / "there", "restore", backup, "--yes", env=elsewhere).ok()
    assert (tmp_path / "there" / "chain.jsonl").exists()


def _signed(directory: Path) -> dict[str, bytes]:
    folders = (directory / "anchors", directory / "erasures")
    return {path.name: path.read_bytes() for folder in folders for path in folder.glob("*")}


def test_checkpoints_and_receipts_come_back(home: Path, tmp_path: Path, elsewhere: dict[str, str]) -> None:
    """F-12, F-14: what was signed for others, and what they gave, no chain brings back; what is none of it stays away."""
    run("anchor", "evm", "--chain", "base").ok()
    run("erase", "@1", "--yes").ok()
    run("anchor", "checkpoint").ok()
    had = _signed(home)
    assert sorted(Path(name).suffix for name in had) == [".checkpoint", ".checkpoint", ".json", ".receipt"]
    (home / "anchors" / "notes.txt").write_text("mine\n")
    (home / "anchors" / "0-9.checkpoint").symlink_to(home / "chain.jsonl")
    run("backup", tmp_path / "b.tar.gz", "--keys", "--yes").ok()
    run("restore", tmp_path / "b.tar.gz", "--yes", env=elsewhere).ok()
    new = Path(elsewhere["MUNIMENT_HOME"])
    assert _signed(new) == had
    for path in (new / "anchors").iterdir():
        assert path.stat().st_mode & 0o777 == 0o600
    assert "checkpoint of 4 events" in run("verify", env=elsewhere).ok().out
    (receipt,) = (new / "erasures").iterdir()
    assert "the ledger here agrees" in run("verify", receipt, env=elsewhere).ok().out


def test_a_receipt_that_stands_here_is_not_replaced(home: Path, tmp_path: Path) -> None:
    """F-14: what is missing comes back; the backup keeps the other one."""
    run("anchor", "checkpoint").ok()
    stamp = home / "anchors" / "0-3.ots"
    stamp.write_bytes(b"theirs")
    stamp.with_suffix(".tsr").write_bytes(b"only there")
    run("backup", tmp_path / "b.tar.gz", "--keys", "--yes").ok()
    stamp.write_bytes(b"ours")
    stamp.with_suffix(".tsr").unlink()
    (home / "chain.jsonl").unlink()
    run("restore", tmp_path / "b.tar.gz", "--yes").ok()
    assert (stamp.read_bytes(), stamp.with_suffix(".tsr").read_bytes()) == (b"ours", b"only there")


def test_after_an_older_backup_nothing_is_signed_that_contradicts_what_was(home: Path, backup: Path) -> None:
    """F-14, T-23: the newer checkpoint stands, here or in STATE; only another epoch goes on without what it names."""
    run("add", "three").ok()
    run("anchor", "checkpoint").ok()
    (home / "chain.jsonl").unlink()
    assert run("restore", backup, "--yes").code != 0
    run("restore", backup, "-m", "the disk died", "--yes").ok()
    assert (home / "anchors" / "0-4.checkpoint").exists()
    made = run("anchor", "checkpoint").ok()
    assert "/1\n" in next((home / "anchors").glob("1-*")).read_text(), made.out
    assert run("verify").code == 0


@pytest.mark.parametrize("left", ["anchors", "signed"])
def test_a_checkpoint_tells_that_a_backup_is_older_without_any_mark(
    home: Path, isolated: Path, backup: Path, left: str
) -> None:
    """F-14, T-23, V-30: where marks are gone too, nothing is signed before a recover, and verify names it."""
    run("add", "three").ok()
    run("anchor", "checkpoint").ok()
    state = isolated / ".local/state/muniment"
    for path in sorted(state.rglob("*"), reverse=True):
        if path.is_file() and (left == "anchors" or path.parent.name != "signed"):
            path.unlink()
    if left == "signed":
        shutil.rmtree(home / "anchors")
    (home / "chain.jsonl").unlink()
    run("restore", backup, "--yes").ok()
    assert run("anchor", "checkpoint").code == 7
    found = run("verify", "--json").json["completeness"]["findings"]
    assert [each["code"] for each in found] == ["checkpoint"]
