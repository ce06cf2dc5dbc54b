"""muniment consolidate: merges what says the same, names what contradicts, and loses nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

import muniment
from muniment import Memory
from tests.cli.driver import run, run_at_terminal, run_process

CONCISE = ("Prefers concise answers", "User prefers answers to be concise")


@pytest.fixture
def home(isolated: Path) -> Path:
    """A user's ledger: two that say the same, two that contradict each other, one of its own."""
    muniment.init().close()
    with muniment.open(scope="user") as memory:
        memory.store(Memory(CONCISE[0], type="preference", tags=("style",), importance="high"))
        memory.store(Memory("Postgres listens on port 5433"))
        memory.store(Memory(CONCISE[1], type="preference", tags=("tone",), details=("also in reviews",)))
        memory.store(Memory("Postgres listens on port 5432"))
        memory.store(Memory("Use dark mode", type="preference"))
    return isolated / ".muniment"


def texts() -> set[str]:
    return {row["text"] for row in run("list", "--json").ok().json_lines}


def test_a_dry_run_shows_and_writes_nothing(home: Path) -> None:
    """X-110."""
    before = (home / "chain.jsonl").read_bytes()
    result = run_process("consolidate", "--dry-run").ok()
    lines = result.out.splitlines()
    assert lines[0].startswith("merge  ")
    assert lines[0].endswith(CONCISE[0])
    assert lines[1].startswith("with   ")
    assert lines[2].split("  ")[-1].strip() in CONCISE
    assert "- also in reviews" in result.out
    at = lines.index("these contradict each other:")
    assert [line[21:] for line in lines[at + 1 : at + 3]] == [
        "Postgres listens on port 5433",
        "Postgres listens on port 5432",
    ]
    assert 'muniment supersede ID "TEXT"' in lines[-1]
    assert (home / "chain.jsonl").read_bytes() == before


def test_a_merge_is_one_event_that_names_both_and_says_all(home: Path) -> None:
    """X-110, P-158: and revert takes it back."""
    before = texts()
    (merge,) = run("consolidate", "--yes", "--json").ok().json["merges"]
    shown = run("show", merge["id"], "--json").ok().json
    assert set(shown["supersedes"]) == set(merge["supersedes"])
    assert set(shown["tags"]) == {"style", "tone"}
    assert shown["importance"] == "high"
    assert [shown["text"], *shown["details"]] == [CONCISE[1], "also in reviews", CONCISE[0]]
    assert len(texts()) == len(before) - 1
    assert run("consolidate", "--yes").ok().out.splitlines()[-1].startswith("run muniment supersede")
    run("revert", merge["id"]).ok()
    assert texts() == before


def test_nothing_is_merged_without_consent(home: Path) -> None:
    """X-10, X-110."""
    before = texts()
    refused = run("consolidate")
    assert refused.code == 2
    assert "--yes" in refused.err
    asked = run_at_terminal("consolidate", answers=["n"])
    assert "Merge 2 memories into 1?" in asked.out + asked.err
    assert texts() == before
    run_at_terminal("consolidate", answers=["y"])
    assert len(texts()) == len(before) - 1


def test_where_nothing_is_the_same_it_says_so(home: Path) -> None:
    run("consolidate", "--yes").ok()
    run("supersede", "@2", "@4", "Postgres listens on port 5432").ok()
    assert run("consolidate").ok().out.startswith("nothing to merge (")
    found = run("consolidate", "--json").ok().json
    assert (found["merges"], found["contradictions"]) == ([], [])


def test_the_library_merges_too(home: Path) -> None:
    with muniment.open(scope="user") as memory:
        assert len(memory.learning.consolidate(dry_run=True).merges) == 1
        assert len(memory.learning.consolidate().merges) == 1
        assert not memory.learning.consolidate().merges
        assert (home / "MEMORY.md").read_text().count("concise") >= 1


def test_a_merge_that_holds_a_secret_is_none(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """P-158: what redaction refuses by now is not written again."""
    from ledger.errors import SecretError
    from ledger.ledger import Ledger

    def refuse(*_: object, **__: object) -> None:
        raise SecretError("it holds a secret", ("test",))

    monkeypatch.setattr(Ledger, "screened", refuse)
    assert run("consolidate", "--yes", "--json").ok().json["merges"] == []
