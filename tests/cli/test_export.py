"""muniment export writes memories with provenance, for other tools."""

from __future__ import annotations

import stat
from pathlib import Path

import orjson
import pytest

import muniment
from ledger.instant import system_clock
from muniment import Memory, MemoryLedger, Provenance
from tests.cli.driver import run, run_process


@pytest.fixture
def memory(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryLedger:
    """A user's ledger with two memories that stand and one that does not; seen from an empty folder."""
    monkeypatch.chdir(tmp_path)
    made = muniment.init()
    origin = Provenance(conversation="c-1", file="x.py")
    one = made.store(Memory("Use npm")).id
    made.supersede(
        [one], Memory("Use pnpm", details=("a", "b, c"), tags=("js",), provenance=origin, confidence=0.5)
    )
    made.store(Memory("=1+1", body="line one\nline two\n", inferred=True))
    return made


def test_a_process_writes_json_lines_of_what_stands(memory: MemoryLedger) -> None:
    """The same objects as list --json, and whether gc has hidden them."""
    memory.workspace.local.archive({memory.recall.resolve("@3"): "unused"}, system_clock())
    rows = run_process("export").ok().json_lines
    assert [(row["text"], row["archived"]) for row in rows] == [("Use pnpm", False), ("=1+1", True)]
    assert {**run("list", "--json").json_lines[0], "archived": False} == rows[0]
    assert run("--json", "export").ok().json_lines == rows


def test_all_statuses_and_filters(memory: MemoryLedger) -> None:
    """--all adds what is gone; the filters are those of list."""
    rows = run("export", "--all").ok().json_lines
    assert [(row["text"], row["status"]) for row in rows] == [
        *(("Use npm", "superseded"), ("Use pnpm", "active"), ("=1+1", "active"))
    ]
    assert [row["text"] for row in run("export", "--status", "superseded").ok().json_lines] == ["Use npm"]
    assert [row["text"] for row in run("export", "--all", "--tag", "js").ok().json_lines] == ["Use pnpm"]


def test_a_file_is_written_whole_and_for_its_owner(memory: MemoryLedger, tmp_path: Path) -> None:
    """Nothing on stdout; the number on stderr."""
    out = tmp_path / "memories.jsonl"
    done = run("export", "-o", out).ok()
    assert (done.out, "2 memories in" in done.err) == ("", True)
    assert [orjson.loads(line)["text"] for line in out.read_bytes().splitlines()] == ["Use pnpm", "=1+1"]
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert run("export", "-o", "-").ok().out == run("export").out


def test_a_file_that_stands_is_not_replaced(memory: MemoryLedger, tmp_path: Path) -> None:
    """Exit code 2."""
    out = tmp_path / "memories.jsonl"
    out.write_text("mine")
    done = run("export", "-o", out)
    assert (done.code, "exists already" in done.err, out.read_text()) == (2, True, "mine")


def test_a_folder_that_is_not_there_is_one_line(memory: MemoryLedger, tmp_path: Path) -> None:
    """Exit code 9, and the ledger is unchanged."""
    done = run("export", "-o", tmp_path / "none" / "x.jsonl")
    assert (done.code, len(done.err.splitlines())) == (9, 1)
