"""muniment without a command shows one screen about the memory, and writes no event and no document (X-330, X-331)."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.command import Create
from ledger.memory import Memory
from muniment import MemoryLedger
from projections.index import INDEX_NAME
from tests.cli.driver import run, run_at_terminal, run_process, uncolored


def _files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_without_a_ledger_it_welcomes() -> None:
    """The two commands to begin with; with --json what comes next; a ledger that was named is missed."""
    done = run_process().ok()
    assert "\n  muniment init\n  muniment add " in done.out
    assert done.err == ""
    assert run("--json").ok().json == {"ledger": None, "next": "muniment init"}
    assert run("--scope", "user").code == 3


def test_a_ledger_is_shown_on_one_screen(memory: MemoryLedger) -> None:
    """What it holds, last week, what waits, whether it is sound, what to run next."""
    for n in range(30):
        memory.store(Memory(f"Service number {n} listens on port {8000 + n}", section=f"Section {n}"))
    lines = uncolored(run_at_terminal(columns=80).ok().out).splitlines()
    assert lines[0] == "user ledger memory"
    assert "  holds       30 memories" in lines
    assert "  last week   30 added" in lines
    assert "  waiting     nothing" in lines
    assert "  last write  up to @30 (the newest)" in lines
    assert lines[-1] == "Next: muniment verify"
    assert len(lines) <= 24


def test_json_has_counts_and_the_next_command(memory: MemoryLedger) -> None:
    """What status has, and more."""
    memory.store(Memory("Use pnpm", section="Tools"))
    found = run("--json").ok().json
    assert found["week"] == {"genesis": 1, "create": 1}
    assert found["memories"]["active"] == 1
    assert (found["requests"], found["next"]) == (0, "muniment verify")


def test_it_writes_no_event_and_no_document(memory: MemoryLedger) -> None:
    """With a current index no file changes; a missing index is built, and nothing else changes."""
    memory.store(Memory("Use pnpm"))
    document = memory.workspace.place.documents / "MEMORY.md"
    document.write_text(document.read_text("utf-8") + "\n- Use uv\n", "utf-8")
    home = memory.workspace.home.state.parent
    memory.close()
    before = _files(home) | _files(document.parent)
    assert "1 changed document" in run().ok().out
    assert run("--json").ok().json["next"] == "muniment adopt"
    assert _files(home) | _files(document.parent) == before
    index = memory.workspace.place.directory / INDEX_NAME
    index.unlink()
    assert "1 changed document" in run().ok().out
    assert index.exists()
    after = _files(home) | _files(document.parent)
    assert {path for path in before | after if before.get(path) != after.get(path)} <= {index}


@pytest.mark.parametrize("damage", ["torn", "garbled"])
def test_a_damaged_log_is_a_sentence_with_what_to_do(memory: MemoryLedger, damage: str) -> None:
    """Not a traceback: what is wrong, and the command that goes on."""
    memory.store(Memory("Use pnpm"))
    memory.close()
    chain = memory.workspace.chain
    data = chain.read_bytes()
    chain.write_bytes(data[: len(data) // 2] if damage == "torn" else b"x" + data[1:])
    done = run().ok()
    assert "  trouble     " in done.out
    assert done.out.splitlines()[-1] == "Next: muniment doctor"


def test_a_missing_document_and_a_missing_key_are_named(memory: MemoryLedger) -> None:
    """A document that is gone was not changed; without its key nothing can be written, which doctor explains."""
    memory.store(Memory("Use pnpm"))
    home, folder = memory.workspace.home, memory.workspace.place.documents
    memory.close()
    (folder / "MEMORY.md").unlink()
    out = run().ok().out
    assert "  waiting     1 missing document\n" in out
    assert out.endswith("Next: muniment replay\n")
    for key in home.keys.glob("*.key"):
        key.unlink()
    out = run().ok().out
    assert "  trouble     the private key of this ledger is missing" in out
    assert out.endswith("Next: muniment doctor\n")


def test_documents_that_lag_behind_are_named(memory: MemoryLedger) -> None:
    """As the reason for the command that comes next."""
    memory.workspace.append([Create(Memory("Use pnpm"))])
    out = run().ok().out
    assert "  waiting     documents that are behind the log\n" in out
    assert out.endswith("Next: muniment replay\n")


def test_the_next_command_means_the_same_ledger(memory: MemoryLedger, tmp_path: Path) -> None:
    """With the option by which the ledger was chosen."""
    folder = memory.workspace.place.directory
    assert run("--scope", "user", "--json").ok().json["next"].startswith("muniment --scope user ")
    copy = tmp_path / "a copy"
    copy.mkdir()
    (copy / "chain.jsonl").write_bytes((folder / "chain.jsonl").read_bytes())
    assert f"Next: muniment --ledger '{copy}' " in run("--ledger", copy).ok().out
