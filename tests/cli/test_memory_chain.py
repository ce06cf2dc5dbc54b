"""The command memory-chain: G-50, G-56…G-59."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cli import memory_chain
from ledger.memory import Memory
from tests.cli.driver import Result, environment, run
from tests.documents.memory_chain.chains import GOLDEN
from tests.forking import run_python


def chain(*arguments: object) -> Result:
    """Run `memory-chain` as a process of its own, from the checkout."""
    code = "from cli.program import memory_chain; memory_chain()"
    done = run_python(["-c", code, *arguments], env=environment())
    return Result(done.returncode, done.stdout, done.stderr)


def _all() -> list[tuple[str, str, str, str, str]]:
    found = run("list", "--json").ok().json_lines
    return [(m["text"], m.get("body", ""), m["type"], m["tier"], m["source"]) for m in found]


def test_the_lines_of_existing_jobs(ledger: Path) -> None:
    """As they stand in the jobs: add, list, search, verify, stats."""
    chain("add", "Always confirm before sending emails", "--type", "decision", "--tier", "committed").ok()
    chain("add", "User prefers dark mode", "--type", "memory", "--tier", "relationship").ok()
    chain("add", "I am Atlas.", "-t", "identity", "--tier", "committed").ok()
    chain("add", "[session-distill] ## Today\n- moved to Redis\n- all green", "--tier", "ephemeral").ok()
    assert sorted(_all()) == [
        ("Always confirm before sending emails", "", "decision", "committed", "auto"),
        ("I am Atlas.", "", "identity", "committed", "auto"),
        ("User prefers dark mode", "", "fact", "curated", "auto"),
        ("[session-distill] ## Today", "- moved to Redis\n- all green", "fact", "daily", "auto"),
    ]
    assert len(chain("list", "--limit", 2, "--show-content").ok().out.splitlines()) == 4
    found = chain("search", "dark", "--max-results", 3, "--max-tokens", 100, "--rebuild").ok()
    assert "User prefers dark mode" in found.out
    assert chain("verify").ok().out.startswith("integrity     sound")
    assert chain("stats").ok().out.startswith("Memories\n")


def test_the_same_twice_is_known(ledger: Path) -> None:
    """One id."""
    first = chain("add", "Use pnpm").ok()
    assert chain("add", "Use pnpm").ok().out == f"{first.id}  known already\n"


def test_the_folder_of_a_chain_of_before_is_left_alone(ledger: Path) -> None:
    """Jobs name it; the memory goes into the ledger, and stderr says how the chain comes in."""
    before = (GOLDEN / "chain.jsonl").read_bytes()
    for arguments in (("-d", GOLDEN, "add", "one"), ("add", "two", "--data-dir", GOLDEN)):
        done = chain(*arguments).ok()
        assert f"muniment import --from memory-chain {GOLDEN}" in done.err
    assert [memory[0] for memory in _all()] == ["one", "two"]
    assert (GOLDEN / "chain.jsonl").read_bytes() == before


def test_a_ledgers_directory_is_worked_on(ledger: Path, tmp_path: Path) -> None:
    """Before or behind the verb; where there is none, none is made."""
    run("init", "--ledger", tmp_path / "other").ok()
    chain("-d", tmp_path / "other", "add", "there").ok()
    assert "there" in chain("list", "-d", tmp_path / "other").ok().out
    assert _all() == []
    assert chain("add", "nowhere", "-d", tmp_path / "none").code == 3
    assert not (tmp_path / "none").exists()


def test_what_it_cannot_do_is_one_line(ledger: Path) -> None:
    """With muniment's own way, code 2, and nothing is stored."""
    for arguments, way in (
        (("anchor", "--chain", "ethereum"), "'ethereum' is not 'base'"),
        (("anchor", "--batch", "--provider", "base"), "memory-chain anchor --help"),
        (("init", "--name", "Atlas"), "muniment init"),
        (("rebuild-index",), "muniment replay"),
        (("redact", "17", "--force"), "muniment list"),
        (("redact", "#17"), "muniment list"),
        (("add", " \n "), "nothing was stored"),
        (("add", "x", "--type", "relationship"), "'memory', 'identity', 'decision'"),
        (("add", "x", "--tier", "curated"), "'committed', 'relationship', 'ephemeral'"),
        (("add", "x", "y"), "needs quotes"),
        (("frob",), "memory-chain --help"),
    ):
        done = chain(*arguments)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), arguments
        assert way in done.err
    assert _all() == []


def test_redact_blanks_what_is_not_committed(ledger: Path) -> None:
    """Without --force somebody must be asked; committed stays."""
    id_ = chain("add", "my address is 7 Elm Street").ok().id
    kept = chain("add", "I am Atlas.", "--type", "identity", "--tier", "committed").ok().id
    asked = chain("redact", id_)
    assert (asked.code, "add --force" in asked.err, "--yes" in asked.err) == (2, True, False)
    assert chain("redact", id_, "--force").ok().out.splitlines()[0].endswith("erased 1 event")
    assert b"Elm Street" not in (ledger / "chain.jsonl").read_bytes()
    done = chain("redact", kept, "--force")
    assert done.code == 4
    assert f"muniment erase {kept}" in done.err
    assert chain("redact", "ffffffff").code == 3
    assert [memory[0] for memory in _all()] == ["I am Atlas."]


def test_a_secret_is_refused_and_not_repeated(ledger: Path) -> None:
    """By the ledger, and where an argument is wrong as well."""
    token = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
    assert chain("add", f"the token is {token}").code == 6
    for arguments in (("add", "x", token), ("add", "x", "--tier", token), (token,)):
        done = chain(*arguments)
        assert done.code == 2
        assert token not in done.err


def test_no_ledger_is_code_3(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the command that makes one."""
    monkeypatch.chdir(tmp_path)
    done = chain("add", "x")
    assert done.code == 3
    assert "muniment init" in done.err


def test_the_help_teaches() -> None:
    """Every verb says which command does it, with an example, on lines that fit."""
    assert chain().out == chain("--help").out
    for verb in memory_chain.group.commands:
        text = chain(verb, "--help").ok().out
        assert f"\n    memory-chain {verb}" in text
        assert "muniment" in text
        assert max(map(len, text.splitlines())) <= 100


def test_an_odd_text_is_stored_as_it_is(ledger: Path) -> None:
    """A hyphen in front needs the usual --; control characters do not break the words."""
    chain("add", "--", "-v means verbose").ok()
    assert chain("add", "-v means verbose").code == 2
    chain("add", os.fsdecode(b"tab\there")).ok()
    assert [memory[0] for memory in _all()] == ["-v means verbose", "tab\there"]
    assert Memory("tab\there").to_payload()
