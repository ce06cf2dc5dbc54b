"""memledger recover says what it found, asks, and drops nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import memledger
from tests.cli.driver import run, run_process
from tests.ledger.world import flipped, lines_of, overwrite


@pytest.fixture
def chain(isolated: Path) -> Path:
    """The chain of a user's ledger of three memories."""
    memledger.init().close()
    for text in ("one", "two", "three"):
        run("add", text).ok()
    return isolated / ".memledger" / "chain.jsonl"


def _texts() -> list[str]:
    return [entry["text"] for entry in run("list", "--json").ok().json_lines]


def test_after_a_rollback_writing_goes_on_in_a_new_epoch(chain: Path) -> None:
    """C-17: the event names what was lost."""
    overwrite(chain, b"".join(lines_of(chain)[:-1]))
    assert run("add", "four").code == 7
    result = run_process("recover", "-m", "the disk died", "--yes").ok()
    assert "3 good events stand" in result.err
    assert "was acknowledged here and is not among them" in result.err
    assert "lost: what was acknowledged up to @3" in result.out
    run("add", "four").ok()
    assert _texts() == ["one", "two", "four"]
    assert run("verify").code == 0


def test_a_bad_line_and_what_follows_is_set_aside(chain: Path) -> None:
    """C-17: nothing is dropped."""
    lines = lines_of(chain)
    damaged = b"".join([*lines[:2], flipped(lines[2], 40), lines[3]])
    overwrite(chain, damaged)
    result = run("recover", "-m", "a bad block", "--yes", "--json").ok()
    kept = Path(result.json["kept"])
    assert kept.read_bytes() == damaged[len(lines[0]) + len(lines[1]) :]
    assert result.json["lost"]["seq"] == 3
    assert _texts() == ["one"]
    assert run("verify").code == 0


def test_good_events_behind_the_fault_are_counted_and_the_way_back_is_named(chain: Path) -> None:
    """X-83, I-25: before it asks, and afterwards as a command that works."""
    lines = lines_of(chain)
    overwrite(chain, b"".join([*lines[:1], flipped(lines[1], 40), *lines[2:]]))
    result = run("recover", "-m", "a bad block", "--yes").ok()
    assert "2 good events stand behind the fault: memledger import FILE brings back" in result.err
    kept = next(chain.parent.glob("chain.jsonl.torn-*"))
    assert f"memledger import {kept}\n" in result.out
    run("import", kept).ok()
    assert _texts() == ["two", "three"]


def test_where_nothing_good_was_set_aside_no_way_back_is_named(chain: Path) -> None:
    """X-83."""
    overwrite(chain, b"".join(lines_of(chain)[:-1]) + b"rubbish")
    result = run("recover", "-m", "x", "--yes").ok()
    assert "memledger import" not in result.out + result.err


@pytest.mark.parametrize("kind", ["archive", "chain file"])
def test_a_longer_backup_is_taken(chain: Path, tmp_path: Path, kind: str) -> None:
    """C-18: an archive of backup, or a bare chain file."""
    backup = tmp_path / "backup"
    if kind == "archive":
        run("backup", backup).ok()
    else:
        shutil.copy(chain, backup)
    overwrite(chain, b"".join(lines_of(chain)[:2]))
    result = run("recover", "-m", "from the backup", "--from", backup, "--yes").ok()
    assert f"{backup}: 4 good events stand" in result.err
    assert _texts() == ["one", "two", "three"]
    assert run("verify").code == 0


def test_it_asks_at_a_terminal_and_no_means_no(chain: Path) -> None:
    """X-10: what cannot be undone is a person's decision."""
    overwrite(chain, b"".join(lines_of(chain)[:-1]))
    before = chain.read_bytes()
    assert run("recover", "-m", "x", input="n\n", terminal=True).code == 130
    assert chain.read_bytes() == before
    assert run("recover", "-m", "x", input="y\n", terminal=True).code == 0
    assert len(lines_of(chain)) == 4


def test_where_nobody_can_be_asked_it_needs_yes(chain: Path) -> None:
    """X-10: a script never recovers by accident."""
    overwrite(chain, b"".join(lines_of(chain)[:-1]))
    before = chain.read_bytes()
    result = run("recover", "-m", "x")
    assert result.code == 2
    assert "--yes" in result.err
    assert chain.read_bytes() == before


def test_a_whole_chain_needs_none(chain: Path) -> None:
    """C-17: exit code 4, and no event."""
    before = chain.read_bytes()
    result = run("recover", "-m", "x", "--yes")
    assert result.code == 4
    assert "nothing to recover" in result.err
    assert chain.read_bytes() == before


def test_a_reason_is_needed(chain: Path) -> None:
    """X-3: it is signed into the log."""
    assert run("recover", "--yes").code == 2


@pytest.mark.parametrize("fault", ["missing", "emptied", "headless"])
def test_a_chain_without_a_beginning_is_sent_to_restore(chain: Path, fault: str) -> None:
    """C-17: only a backup helps."""
    if fault == "missing":
        chain.unlink()
    else:
        overwrite(chain, b"" if fault == "emptied" else b"x" + chain.read_bytes())
    result = run("recover", "-m", "x", "--yes")
    assert result.code == 7
    assert "memledger restore" in result.err


def test_a_backup_that_is_not_longer_is_refused(chain: Path, tmp_path: Path) -> None:
    """C-18: ours stands as it is."""
    run("backup", tmp_path / "b").ok()
    run("add", "four").ok()
    before = chain.read_bytes()
    assert run("recover", "-m", "x", "--from", tmp_path / "b", "--yes").code == 4
    assert chain.read_bytes() == before


def test_a_backup_that_is_not_there_is_named(chain: Path, tmp_path: Path) -> None:
    """X-3: exit code 3."""
    result = run("recover", "-m", "x", "--from", tmp_path / "nowhere", "--yes")
    assert result.code == 3
    assert "nowhere" in result.err
