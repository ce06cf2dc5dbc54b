"""muniment maintain: G-31, G-32."""

from __future__ import annotations

from pathlib import Path

from tests.cli.driver import run, run_process


def test_verdicts_counts_and_the_anchor(ledger: Path) -> None:
    """In this order, and status knows that it was verified."""
    run("add", "Use pnpm").ok()
    done = run_process("upkeep", "run").ok()
    begins = [line.split()[0] for line in done.out.splitlines()]
    assert begins[:5] == ["integrity", "completeness", "projections", "time", "Memories"]
    assert f"anchor        of 2 events: {ledger / 'anchors/0-2.checkpoint'}" in done.out.splitlines()[-2:]
    assert run("status", "--json").ok().json["verified"]["sound"]


def test_once_a_week_where_it_is_asked_so(ledger: Path) -> None:
    """The second does nothing and says when; without --if-due it is always done."""
    assert run("upkeep", "run", "--if-due").ok().out
    again = run("upkeep", "run", "--if-due").ok()
    assert again.out == ""
    assert again.err.startswith("muniment: not due: maintained ")
    assert run("upkeep", "run").ok().out
    value = run("upkeep", "run", "--if-due", "--json").ok().json
    assert (value["due"], "verify" in value) == (False, False)


def test_what_is_found_is_code_1(ledger: Path) -> None:
    """As from verify, and nothing is counted in a chain that is not sound."""
    run("add", "Use pnpm").ok()
    chain = ledger / "chain.jsonl"
    chain.write_bytes(chain.read_bytes().replace(b"pnpm", b"yarn"))
    done = run("upkeep", "run")
    assert done.code == 1
    assert "not counted" in done.out
    assert "muniment doctor" in done.err


def test_json_is_one_document(ledger: Path) -> None:
    """With what verify and stats have."""
    value = run("upkeep", "run", "--json").ok().json
    assert value["verify"]["sound"]
    assert value["stats"]["events"] == {"genesis": 1}
    assert value["anchor"] == {
        "due": True,
        "why": f"of 1 event: {ledger / 'anchors/0-1.checkpoint'}",
        "method": "checkpoint",
        "file": str(ledger / "anchors/0-1.checkpoint"),
    }
    assert value["due"] is True
    assert run("upkeep", "run", "--ledger", ledger / "none").code == 3
