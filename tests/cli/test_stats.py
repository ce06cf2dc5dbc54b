"""muniment stats counts."""

from __future__ import annotations

from pathlib import Path

import pytest

import muniment
from muniment import Memory, MemoryLedger
from tests.cli.driver import run, run_process


@pytest.fixture
def memory(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryLedger:
    """A user's ledger with four memories, of which one is gone; seen from an empty folder."""
    monkeypatch.chdir(tmp_path)
    made = muniment.init()
    ids = [
        made.store(Memory(text, type=kind)).id for text, kind in (("a", "fact"), ("b", "fact"), ("c", "note"))
    ]
    made.supersede([ids[0]], Memory("a!", section="Own \x1b[1mheading", source="auto"))
    return made


def test_json_is_one_document(memory: MemoryLedger) -> None:
    """Memories by status; those that stand by section, type, tier and source; events; bytes; growth; use."""
    found = run("stats", "--json").ok().json
    assert found["memories"] == {"active": 3, "superseded": 1}
    assert found["events"] == {"create": 3, "genesis": 1, "supersede": 1}
    assert found["standing"] == {
        "section": {"Own \x1b[1mheading": 1, "Project Conventions": 2},
        "type": {"fact": 2, "note": 1},
        "tier": {"curated": 3},
        "source": {"auto": 1, "manual": 2},
    }
    assert found["bytes"]["chain"] == memory.workspace.chain.stat().st_size
    assert found["bytes"]["index"] > 0
    (month,) = found["growth"]
    assert (month["events"], month["memories"], month["bytes"]) == (
        5,
        4,
        memory.workspace.chain.stat().st_size,
    )


def test_the_most_used_come_first(memory: MemoryLedger) -> None:
    """Those that stand; reads and injections count."""
    b, c, gone = (memory.recall.resolve(f"@{seq}") for seq in (2, 3, 1))
    memory.workspace.local.count([b, c, gone])
    memory.workspace.local.count([c, gone], injected=True)
    memory.workspace.local.count([gone])
    used = run("stats", "--json").ok().json["most_used"]
    assert [(one["id"], one["uses"], one["text"]) for one in used] == [(c, 2, "c"), (b, 1, "b")]
    assert f"  {c[:12]}     2  c\n" in run("stats").out


def test_a_process_prints_aligned_tables(memory: MemoryLedger) -> None:
    """Without anything that commands the terminal."""
    out = run_process("stats").ok().out
    assert "Memories\n  active      3\n  superseded  1\n" in out
    assert "Events\n  create     3\n  genesis    1\n  supersede  1\n" in out
    assert "  Own <U+001B>[1mheading  1\n  Project Conventions     2\n" in out
    assert "\x1b" not in out


def test_an_empty_ledger_has_counts_as_well(isolated: Path, tmp_path: Path) -> None:
    """Its genesis."""
    muniment.init().close()
    found = run("stats", "--json", cwd=tmp_path).ok().json
    assert (found["memories"], found["events"], found["most_used"]) == ({}, {"genesis": 1}, [])
    assert run("stats", cwd=tmp_path).ok().out.startswith("Events\n")
