"""muniment anchor evm and memory-chain anchor: a file for a wallet, offline; a hash that is recorded and not believed.

Tests specs/anchors.md (W-3, W-40…W-42) and specs/doors.md (G-58).
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest

from cli import memory_chain
from proofs import checkpoint, evm
from tests.cli.driver import run

HASH = "0x" + "5c" * 32


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever opens a socket fails."""

    def refused(*_: Any, **__: Any) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refused)
    monkeypatch.setattr(socket, "create_connection", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)


def digest(ledger: Path, name: str = "0-3") -> bytes:
    made, _ = checkpoint.parse((ledger / f"anchors/{name}.checkpoint").read_bytes())
    return hashlib.sha256(made.text()).digest()


def test_a_transaction_is_written_and_nothing_else_happens(ledger: Path, offline: None) -> None:
    before = (ledger / "chain.jsonl").read_bytes()
    done = run("anchor", "evm", "--chain", "base").ok()
    file = ledger / "anchors/0-3.evm.json"
    assert str(file) in done.out
    assert "nothing was sent" in done.err
    value = json.loads(file.read_bytes())
    assert value["transaction"]["data"] == f"0x{evm.calldata(digest(ledger)).hex()}"
    assert value["transaction"]["chainId"] == "0x2105"
    assert value["unsigned"] == f"0x{evm.unsigned(value['transaction']).hex()}"
    assert value["sent"] == []
    assert (ledger / "chain.jsonl").read_bytes() == before
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_hash_is_recorded_once_and_named_as_not_checked(ledger: Path, offline: None) -> None:
    run("anchor", "evm", "--chain", "base").ok()
    where = f"eip155:8453:{HASH}"
    first = run("anchor", "evm", "--chain", "base", "--receipt", HASH, "--json").ok().json
    assert json.loads(run("show", first["id"], "--raw").ok().out)["payload"]["where"] == where
    again = run("anchor", "evm", "--chain", "base", "--receipt", HASH.upper().replace("0X", "0x")).ok()
    assert "recorded before" in again.err
    assert len(run("log", "--kind", "anchor", "--json").ok().json_lines) == 1
    run("anchor", "evm", "--chain", "base").ok()  # written again: what was recorded stays
    value = run("verify", "--json").ok().json
    assert value["time"]["state"] == "not checked"
    assert [(each["state"], each["where"]) for each in value["evidence"]] == [("not checked", where)]


def test_what_cannot_be_is_refused_before_anything_is_signed(ledger: Path) -> None:
    for words in (
        ("--chain", "ethereum"),
        (),
        ("--chain", "base", "--receipt", "0x12"),
    ):
        assert run("anchor", "evm", *words).code == 2, words
    assert run("anchor", "evm", "--chain", "base", "--receipt", HASH).code == 3
    assert not (ledger / "anchors").exists()


def test_a_changed_transaction_file_is_a_finding(ledger: Path) -> None:
    run("anchor", "evm", "--chain", "base").ok()
    file = ledger / "anchors/0-3.evm.json"
    good = json.loads(file.read_bytes())
    for bad in (b"", b"[]", b"{}", b"[" * 100_000, json.dumps({**good, "sent": [1]}).encode()):
        file.write_bytes(bad)
        assert "it is not an exported transaction" in run("verify").out
    good["transaction"]["data"] = "0x" + (evm.TAG + bytes(32)).hex()
    file.write_text(json.dumps(good))
    assert "its data is of another digest than the checkpoint's" in run("verify").out


def test_verify_reads_receipts_without_the_index_and_writes_nothing(ledger: Path) -> None:
    """P-92: what it found can be looked at; receipts are judged by the chain and the files beside it alone."""
    run("anchor", "evm", "--chain", "base").ok()
    run("anchor", "evm", "--chain", "base", "--receipt", HASH).ok()
    for path in ledger.glob("memory.db*"):
        path.unlink()
    before = sorted(path.name for path in ledger.rglob("*"))
    value = run("verify", "--json").json
    assert [each["where"] for each in value["evidence"]] == [f"eip155:8453:{HASH}"]
    assert sorted(path.name for path in ledger.rglob("*")) == before


@pytest.mark.parametrize("gone", ["receipt", "all of anchors/"])
def test_receipts_that_events_name_and_nobody_has_are_counted(ledger: Path, gone: str) -> None:
    """V-41: it is nobody's fault in the chain."""
    run("anchor", "evm", "--chain", "base").ok()
    run("anchor", "evm", "--chain", "base", "--receipt", HASH).ok()
    run("anchor", "evm", "--chain", "base", "--receipt", HASH.replace("5", "6")).ok()
    (state,) = (ledger.parent / ".local/state/muniment/signed").iterdir()
    file = ledger / "anchors/0-3.evm.json"
    if gone == "receipt":
        file.unlink()
    else:
        state.unlink()
        shutil.rmtree(file.parent)
    done = run("verify").ok()
    assert "Time not checked: of 2 anchors no receipt is here." in done.out


def test_an_anchor_leaves_nothing_to_do(ledger: Path) -> None:
    """X-270: its event is none that documents would not show."""
    run("anchor", "evm", "--chain", "base").ok()
    run("anchor", "evm", "--chain", "base", "--receipt", HASH).ok()
    assert "nothing waits for you" in run("status").ok().out


def test_memory_chain_makes_the_file_and_says_where(ledger: Path, offline: None) -> None:
    """What jobs of before call, with and without the option; twice is the same file."""
    for words in (["anchor", "--chain", "base"], ["anchor"]):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stderr(err):
            code = _run(words, out)
        assert (code, "nothing was sent" in err.getvalue()) == (0, True)
    assert [path.name for path in sorted((ledger / "anchors").iterdir())] == [
        "0-3.checkpoint",
        "0-3.evm.json",
    ]


def _run(words: list[str], out: io.StringIO) -> int:
    buffer = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(buffer), pytest.raises(SystemExit) as done:
        memory_chain.main(words)
    buffer.seek(0)
    out.write(buffer.read())
    return int(done.value.code or 0)
