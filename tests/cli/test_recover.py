"""muniment recover says what it found, asks, and drops nothing."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

import muniment
from tests.cli.driver import run, run_process, user_ledger
from tests.ledger.world import flipped, lines_of, overwrite


@pytest.fixture
def chain() -> Path:
    """The chain of a user's ledger of three memories."""
    return user_ledger("one", "two", "three") / "chain.jsonl"


def _texts() -> list[str]:
    return [entry["text"] for entry in run("list", "--json").ok().json_lines]


def test_after_a_rollback_writing_goes_on_in_a_new_epoch(chain: Path) -> None:
    """C-17: the event names what was lost."""
    overwrite(chain, b"".join(lines_of(chain)[:-1]))
    assert run("add", "four").code == 7
    result = run_process("recover", "-m", "the disk died", "--yes").ok()
    assert "3 good events" in result.err
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
    assert "2 good events are behind the fault: muniment import FILE brings back" in result.err
    kept = next(chain.parent.glob("chain.jsonl.torn-*"))
    assert f"muniment import {kept}\n" in result.out
    run("import", kept).ok()
    assert _texts() == ["two", "three"]


def test_where_nothing_good_was_set_aside_no_way_back_is_named(chain: Path) -> None:
    """X-83."""
    overwrite(chain, b"".join(lines_of(chain)[:-1]) + b"rubbish")
    result = run("recover", "-m", "x", "--yes").ok()
    assert "muniment import" not in result.out + result.err


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
    assert f"{backup}: 4 good events" in result.err
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
    assert "muniment restore" in result.err


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


# --- from a plain copy ---


@pytest.fixture
def copy(chain: Path, tmp_path: Path) -> Path:
    """A plain copy of the chain, as cp makes it."""
    return Path(shutil.copy(chain, tmp_path / "copy.jsonl"))


@pytest.mark.parametrize("fault", ["missing", "emptied", "headless"])
def test_a_plain_copy_is_copied_back(chain: Path, copy: Path, fault: str) -> None:
    """C-18: where it reaches the mark, nothing else is needed."""
    if fault == "missing":
        chain.unlink()
    else:
        overwrite(chain, b"" if fault == "emptied" else b"x" + chain.read_bytes())
    assert "copy chain.jsonl back" in run("recover", "-m", "lost", "--from", copy, "--yes").err
    shutil.copy(copy, chain)
    assert _texts() == ["one", "two", "three"]
    assert run("verify").code == 0
    run("add", "four").ok()


def test_what_an_event_said_comes_back_from_a_copy(chain: Path, copy: Path) -> None:
    """C-23: heads stay as they are, whatever the length of what was damaged."""
    run("add", "four").ok()
    ids = [entry["id"] for entry in run("list", "--json").json_lines]
    damaged = chain.read_bytes().replace(b'"text":"two"', b'"text":"tw"')
    overwrite(chain, damaged)
    assert run("verify").code == 1
    result = run_process("recover", "-m", "a bad block", "--from", copy, "--yes").ok()
    assert "what @2 said is damaged or missing" in result.err
    assert "restored from the copy: what @2 said" in result.out
    assert [entry["id"] for entry in run("list", "--json").json_lines] == ids
    assert _texts() == ["one", "two", "three", "four"]
    assert run("verify").code == 0
    assert damaged in [path.read_bytes() for path in chain.parent.glob("chain.jsonl.torn-*")]


def test_what_was_erased_never_comes_back_from_a_copy(chain: Path, copy: Path) -> None:
    """C-23: an erase stands against every copy."""
    run("erase", "@1", "-m", "a secret", "--yes").ok()
    overwrite(chain, chain.read_bytes().replace(b'"text":"two"', b'"text":"owt"'))
    run("recover", "-m", "a bad block", "--from", copy, "--yes").ok()
    assert _texts() == ["two", "three"]
    assert b'"text":"one"' not in chain.read_bytes()
    assert run("verify").code == 0


def test_where_only_payloads_are_damaged_both_ways_out_are_named(chain: Path) -> None:
    """X-83: recover alone cannot make up what was said."""
    overwrite(chain, chain.read_bytes().replace(b'"text":"two"', b'"text":"owt"'))
    result = run("recover", "-m", "x", "--yes")
    assert result.code == 4
    assert "recover --from COPY" in result.err
    assert "muniment erase @2 -m REASON" in result.err


def test_what_came_back_is_listed_even_where_the_index_had_read_the_damage(chain: Path, copy: Path) -> None:
    """C-23: the bytes are as many as before, so that no offset tells the index."""
    overwrite(chain, chain.read_bytes().replace(b'"text":"two"', b'"text":"owt"'))
    for path in chain.parent.glob("memory.db*"):
        path.unlink()
    assert _texts() == ["one", "three"]
    run("recover", "-m", "a bad block", "--from", copy, "--yes").ok()
    assert _texts() == ["one", "two", "three"]
    assert "two" in (chain.parent / "MEMORY.md").read_text()
    assert run("verify").code == 0


def test_what_is_no_good_copy_is_refused_before_anybody_is_asked(chain: Path, tmp_path: Path) -> None:
    """C-18: and nothing is left of the attempt."""
    lines = lines_of(chain)
    for data in (b"", b"no chain\n", b"".join([*lines, b"{}\n"])):
        (tmp_path / "copy").write_bytes(data)
        for options in ((), ("--yes",)):
            result = run("recover", "-m", "x", "--from", tmp_path / "copy", *options)
            assert result.code == 7
            assert "@-1" not in result.err
            assert "nobody can be asked" not in result.err
            assert chain.read_bytes() == b"".join(lines)
            assert [*chain.parent.glob("before-recover-*"), *chain.parent.glob("chain.jsonl.torn-*")] == []


def test_a_recovery_that_is_refused_leaves_no_copy_of_the_documents(chain: Path, copy: Path) -> None:
    """X-83: what was changed nowhere needs no copy of before."""
    (muniment.home().keys / f"{muniment.open().workspace.ledger.identity.id}.key").unlink()
    overwrite(chain, b"".join(lines_of(chain)[:-1]))
    assert run("recover", "-m", "x", "--from", copy, "--yes").code == 8
    assert list(chain.parent.glob("before-recover-*")) == []


@pytest.mark.parametrize("written", [0, 3])
def test_the_next_write_in_another_work_tree_renders_what_stands(
    isolated: Path, tmp_path: Path, written: int
) -> None:
    """P-88: its last rendering is of events that are gone, whatever seq the chain has reached again."""
    git = ("git", "-c", "user.name=x", "-c", "user.email=x@example.org")
    here, there = tmp_path / "here", tmp_path / "there"
    subprocess.run([*git, "init", "-q", here], check=True)
    run("init", cwd=here).ok()
    subprocess.run([*git, "add", "-A"], cwd=here, check=True)
    subprocess.run([*git, "commit", "-qm", "x"], cwd=here, check=True)
    subprocess.run([*git, "worktree", "add", "-q", there], cwd=here, check=True)
    for text in ("one", "two", "three"):
        run("add", text, cwd=there).ok()
    (chain,) = isolated.rglob("chain.jsonl")
    overwrite(chain, b"".join(lines_of(chain)[:-2]))
    run("recover", "-m", "the disk died", "--yes", cwd=here).ok()
    more = [f"more {number}" for number in range(written)]
    for text in more:
        run("add", text, "--topic", f"new/{text[-1]}", cwd=here).ok()
    run("add", "four", "--topic", "fresh", cwd=there).ok()
    shown = (there / ".muniment/MEMORY.md").read_text()
    assert "- one\n" in shown
    assert "two" not in shown
    topics = {path.stem for path in (there / ".muniment/memories").rglob("*.md")}
    assert topics == {"fresh", *map(str, range(written))}
    assert run("verify", cwd=there).code == 0
