"""muniment search finds memories by their words."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import muniment
from ledger.instant import system_clock
from muniment import Memory, MemoryLedger, Provenance
from tests.cli.driver import run, run_process
from tests.ledger.secret_fakes import tokens


@pytest.fixture
def memory(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryLedger:
    """A user's ledger with a few memories, seen from an empty folder."""
    monkeypatch.chdir(tmp_path)
    made = muniment.init()
    made.store(Memory("Postgres listens on port 5433", section="Tool Usage"))
    made.store(Memory("The staging port is 8080"))
    made.store(Memory("Use pnpm, not npm", importance="high"))
    return made


def test_a_process_prints_the_best_first(memory: MemoryLedger) -> None:
    """Those with all words before those with any; each with its section."""
    lines = run_process("search", "postgres", "port").ok().out.splitlines()
    assert lines[0].endswith("  Postgres listens on port 5433  (Tool Usage; postgres, port)")
    assert lines[1].endswith("  The staging port is 8080  (Project Conventions; port)")
    assert len(lines) == 2


def test_words_may_be_one_argument_or_several(memory: MemoryLedger) -> None:
    """Quoted or not."""
    assert run("search", "postgres port").ok().out == run("search", "postgres", "port").ok().out


def test_json_lines_hold_every_member(memory: MemoryLedger) -> None:
    """X-122: as list does, and why it was found."""
    (row,) = run("search", "pnpm", "--json").ok().json_lines
    assert row.pop("why") == [{"kind": "word", "said": "pnpm"}]
    assert row == next(row for row in run("list", "--json").json_lines if row["text"].startswith("Use pnpm"))


def test_the_limit_and_the_filters_narrow_it(memory: MemoryLedger) -> None:
    """-n keeps the best."""
    assert len(run("search", "port", "-n", "1").ok().out.splitlines()) == 1
    assert "staging" not in run("search", "port", "--section", "Tool Usage").ok().out
    assert run("search", "port", "-n", "0").code == 2


def test_filters_stand_in_the_query_too(memory: MemoryLedger) -> None:
    """X-120: with the options' meaning; options and query hold together."""
    assert "staging" not in run("search", 'port section:"tool usage"').ok().out
    assert len(run("search", "importance:high").ok().out.splitlines()) == 1
    assert run("search", "port type:fact").ok().out == run("search", "port", "--type", "fact").ok().out
    done = run("search", "port type:fact", "--type", "decision")
    assert (done.code, "type is asked for twice" in done.err) == (2, True)


@pytest.mark.parametrize("query", ["type:decission", "since:soon", 'tag:""', "status:gone"])
def test_a_malformed_filter_is_one_line(memory: MemoryLedger, query: str) -> None:
    """X-120: exit code 2; it says what would be right, and repeats no secret."""
    done = run("search", "port", query)
    assert done.code == 2
    assert done.err.startswith("muniment: ")
    assert len(done.err.splitlines()) == 1
    secret = tokens(3)["github classic token"]
    assert secret not in run("search", f"type:{secret}").err


def test_each_line_says_why_it_was_found(memory: MemoryLedger) -> None:
    """X-122: words alone, everything else with what it is; ids are those that show takes."""
    origin = {"conversation": "c-1"}
    first = memory.store(Memory("The refund failed on Friday", provenance=Provenance(**origin)))
    memory.store(Memory("The key was used again", provenance=Provenance(**origin)))
    memory.store(Memory("数据库端口是5433"))
    first_line, beside = run("search", '"refund failed" frid*').ok().out.splitlines()
    assert first_line.endswith("(Project Conventions; phrase refund failed; begins frid*)")
    assert beside.endswith(f"The key was used again  (Project Conventions; beside {first.id[:12]})")
    assert run("search", "数据库").ok().out.endswith("(Project Conventions; characters 数据库)\n")
    rows = run("search", "refund", "--json").ok().json_lines
    assert rows[1]["why"] == [{"kind": "beside", "said": first.id}]


def test_what_is_gone_is_found_on_demand(memory: MemoryLedger) -> None:
    """Deleted with --status, archived with --archived."""
    one = run("search", "pnpm", "--json").json_lines[0]["id"]
    memory.workspace.local.archive({one: "unused"}, system_clock())
    assert run("search", "pnpm").ok().out == ""
    assert "[archived, high]" in run("search", "pnpm", "--archived").ok().out
    memory.delete([one])
    assert "[deleted, archived, high]" in run("search", "pnpm", "--archived", "--status", "all").ok().out


def test_what_is_found_counts_as_used(memory: MemoryLedger) -> None:
    """So that gc keeps it."""
    run("search", "pnpm").ok()
    run("search", "pnpm").ok()
    assert list(memory.workspace.local.uses().values()) == [2]


def test_nothing_found_is_said(memory: MemoryLedger) -> None:
    """On stderr, with what else to try; exit code 0."""
    done = run("search", "kubernetes").ok()
    assert done.out == ""
    assert "--status all" in done.err
    assert run("search", "kubernetes", "--status", "all").ok().err == "muniment: nothing found\n"


def test_a_typo_shows_what_was_meant(memory: MemoryLedger) -> None:
    """X-122: on stderr, and in JSON as a field."""
    done = run("search", "postgrse", "type:fact").ok()
    assert "Postgres listens" in done.out
    assert "did you mean 'postgres type:fact'?" in done.err
    (row,) = run("search", "postgrse", "--json").ok().json_lines
    assert row["did_you_mean"] == "postgres"
    assert "did_you_mean" not in run("search", "postgres", "--json").ok().json_lines[0]


def test_a_package_manager_is_pnpm(memory: MemoryLedger) -> None:
    """X-122: as the help says."""
    assert run("search", "package manager").ok().out.splitlines()[0].endswith("; related npm, pnpm)")


def test_no_word_is_a_mistake(memory: MemoryLedger) -> None:
    """Exit code 2."""
    assert run("search").code == 2
    done = run("search", "  ")
    assert (done.code, "at least one word" in done.err) == (2, True)


def test_everything_is_found_while_another_process_writes(memory: MemoryLedger) -> None:
    """P-56: all words before any, and the best first."""
    run("search", "port").ok()
    memory.store(Memory("Redis listens on port 6379"))
    memory.close()
    with closing(
        sqlite3.connect(memory.workspace.place.directory / "memory.db", isolation_level=None)
    ) as other:
        other.execute("BEGIN IMMEDIATE")
        first = run("search", "redis", "port").ok().out.splitlines()
        again = run("search", "redis").ok().out.splitlines()
    assert "Redis listens" in first[0]
    assert len(first) == 3
    assert len(again) == 1


def test_an_endpoint_that_does_not_answer_is_one_sentence(memory: MemoryLedger) -> None:
    """P-224: the search goes on with words."""
    pytest.importorskip("numpy", reason="numpy is not installed: make test installs it")
    settings = memory.workspace.home.path / "config.toml"
    settings.write_text('[vectors]\naddress = "http://127.0.0.1:1/v1"\n', "utf-8")
    found = run("search", "postgres").ok()
    assert "Postgres listens on port 5433" in found.out
    assert found.err.startswith("muniment: the embedding endpoint http://127.0.0.1:1/v1 cannot be reached (")
    assert found.err.endswith("): search compares words alone\n")
    assert "not all memories could be embedded: the embedding endpoint" in run("upkeep", "run").out
