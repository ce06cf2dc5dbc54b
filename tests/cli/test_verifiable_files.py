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
    run("erase", "@2", "--receipt", "one.receipt", "--yes").ok()
    return made


@pytest.mark.parametrize("name", ["cut.proof", "cut.dat"])
@pytest.mark.parametrize("left", [1, 8, 19, 20, 22, 23, 60, 400])
def test_a_proof_that_is_cut_off_is_one_wherever_it_was_cut(home: Path, name: str, left: int) -> None:
    Path(name).write_bytes(Path("one.proof").read_bytes()[:left])
    done = run("verify", name)
    assert (done.code, done.out) == (5, "")
    assert name in done.err
    assert "a proof" in done.err
    assert len(done.err.splitlines()) == 1


def test_an_empty_file_is_what_its_name_says(home: Path) -> None:
    Path("cut.proof").write_bytes(b"")
    assert "cut.proof looks like a proof (by its name): it is empty" in run("verify", "cut.proof").err
    Path("chain.jsonl").write_bytes(b"")
    assert "[empty-chain, C-2]" in run("verify", "chain.jsonl").out


@pytest.mark.parametrize(
    ("at", "how"), [(0, "by its name"), (31, "by how it begins"), (300, "by how it begins")]
)
def test_a_damaged_receipt_is_one(home: Path, at: int, how: str) -> None:
    data = bytearray(Path("one.receipt").read_bytes())
    data[at] ^= 1
    Path("bad.receipt").write_bytes(data)
    done = run("verify", "bad.receipt")
    assert (done.code, done.out) == (5, "")
    assert f"bad.receipt looks like the receipt of an erasure ({how}): " in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize("left", [1, 12, 29, 31, 200])
def test_a_receipt_that_is_cut_off_is_one(home: Path, left: int) -> None:
    Path("cut.receipt").write_bytes(Path("one.receipt").read_bytes()[:left])
    done = run("verify", "cut.receipt")
    assert (done.code, done.out) == (5, "")
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


def test_what_somebody_gave_for_a_checkpoint_is_not_judged_alone(home: Path) -> None:
    run("anchor", "evm", "--chain", "base").ok()
    done = run("verify", next((home / "anchors").glob("*.evm.json")))
    assert done.code == 2
    assert "anchors/" in done.err
