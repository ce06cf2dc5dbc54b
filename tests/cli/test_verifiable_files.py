"""Tests cli/verifiable_files.py: what kind of file `muniment verify FILE` was given (specs/cli.md, X-282)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.driver import run, user_ledger


@pytest.fixture
def home(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's ledger, a proof and a receipt of it in the present folder."""
    monkeypatch.chdir(tmp_path)
    made = user_ledger("Use pnpm, not npm", "a text that goes away again")
    run("prove", "@1", "-o", "one.proof").ok()
    receipt = run("erase", "@2", "--yes", "--json").ok().json["receipt"]
    Path("one.receipt").write_bytes(Path(receipt).read_bytes())
    return made


def test_a_proof_that_is_cut_off_is_one_wherever_it_was_cut(home: Path) -> None:
    name = "cut.proof"
    for left in (0, 1, 20, 60, 400):
        Path(name).write_bytes(Path("one.proof").read_bytes()[:left])
        done = run("verify", name)
        assert (done.code, done.out) == (5, ""), left
        assert name in done.err
        assert "a proof" in done.err
        assert len(done.err.splitlines()) == 1


def test_a_damaged_receipt_is_one(home: Path) -> None:
    for at in (0, 31, 300):
        data = bytearray(Path("one.receipt").read_bytes())
        data[at] ^= 1
        Path("bad.receipt").write_bytes(data)
        done = run("verify", "bad.receipt")
        assert (done.code, done.out) == (5, ""), at
        assert "bad.receipt looks like the receipt of an erasure: " in done.err
        assert len(done.err.splitlines()) == 1


def test_a_receipt_that_is_cut_off_is_one(home: Path) -> None:
    for left in (1, 12, 29, 31, 200):
        Path("cut.receipt").write_bytes(Path("one.receipt").read_bytes()[:left])
        done = run("verify", "cut.receipt")
        assert (done.code, done.out) == (5, ""), left
        assert "the receipt of an erasure" in done.err


def test_a_chain_is_judged_as_one_whatever_its_name(home: Path) -> None:
    Path("a.proof").write_bytes((home / "chain.jsonl").read_bytes())
    assert "integrity     sound" in run("verify", "a.proof").out
    Path("prose").write_text("cellar\n")
    assert "[framing, E-1]" in run("verify", "prose").out


@pytest.mark.parametrize("name", ["monday.checkpoint", "monday"])
def test_a_checkpoint_names_the_option_that_takes_it(home: Path, name: str) -> None:
    Path(name).write_text(run("anchor", "checkpoint").ok().out)
    done = run("verify", name)
    assert done.code == 2
    assert f"muniment verify --checkpoint {name}" in done.err
    run("verify", "--checkpoint", name).ok()
