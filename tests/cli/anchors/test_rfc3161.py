"""muniment anchor rfc3161 with `openssl ts` behind a small server, and what verify makes of a token.

Tests specs/anchors.md (W-4, W-30, W-31, W-60) and specs/verification.md (V-41, V-42).
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.driver import run
from tests.loopback import serving
from tests.proofs.outside import Authority, authority


@pytest.fixture
def url(tsa: Authority) -> Iterator[str]:
    with serving(tsa.reply) as address:
        yield f"{address}/tsr?policy=1"


def test_a_token_lies_beside_the_checkpoint_and_verifies_by_the_root(
    ledger: Path, tsa: Authority, url: str
) -> None:
    done = run("anchor", "rfc3161", url, "--roots", tsa.root, "--json").ok()
    assert done.json["file"] == str(ledger / "anchors/0-3.tsr")
    assert done.json["evidence"][0]["state"] == "held"
    unknown = run("verify").ok().out
    assert "the authority CN=Test TSA: not checked: no root of it is given (--roots); it says 2" in unknown
    value = run("verify", "--roots", tsa.root, "--json").ok().json
    assert value["time"]["state"] == "sound"
    assert "by the authority CN=Test TSA" in value["time"]["sentence"]
    assert "revoked" in value["evidence"][0]["message"]
    assert "confirmed by the authority CN=Test TSA" in value["completeness"]["sentence"]


def test_openssl_verifies_it_from_the_checkpoints_first_three_lines(
    ledger: Path, tsa: Authority, url: str, tmp_path: Path
) -> None:
    """As specs/anchors.md (W-2) tells a stranger who has no muniment."""
    file = run("anchor", "rfc3161", url, "--json").ok().json["file"]
    lines = (ledger / "anchors/0-3.checkpoint").read_bytes().splitlines(keepends=True)
    (tmp_path / "text").write_bytes(b"".join(lines[:3]))
    done = subprocess.run(
        ["openssl", "ts", "-verify", "-data", tmp_path / "text", "-in", file, "-CAfile", tsa.root],
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_a_second_token_stands_beside_the_first(ledger: Path, tsa: Authority, url: str) -> None:
    run("anchor", "rfc3161", url).ok()
    run("anchor", "rfc3161", url).ok()
    assert [path.name for path in sorted((ledger / "anchors").glob("*.tsr"))] == ["0-3-2.tsr", "0-3.tsr"]
    assert len(run("verify", "--roots", tsa.root, "--json").ok().json["evidence"]) == 2


def test_roots_of_another_authority_check_nothing_and_a_forged_one_is_found(
    ledger: Path, tsa: Authority, url: str, tmp_path: Path
) -> None:
    run("anchor", "rfc3161", url).ok()
    # Another root of the same name: what it should vouch for does not hold.
    forged = authority(tmp_path / "forged")
    refused = run("anchor", "rfc3161", url, "--roots", forged.root)
    assert (refused.code, "the token does not hold" in refused.err) == (14, True)
    assert len(list((ledger / "anchors").glob("*.tsr"))) == 1
    done = run("verify", "--roots", forged.root)
    assert done.code == 1
    assert "0-3.tsr: the token does not hold" in done.out
    other = tmp_path / "other.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj",
         "/CN=Somebody Else", "-keyout", tmp_path / "k", "-out", other],
        check=True, capture_output=True,
    )  # fmt: skip
    assert "none of the given roots is its own" in run("verify", "--roots", other).ok().out
    both = tmp_path / "both.pem"
    both.write_bytes(other.read_bytes() + tsa.root.read_bytes())
    assert run("verify", "--roots", both, "--json").ok().json["time"]["state"] == "sound"


def test_a_token_under_another_checkpoint_is_a_finding(ledger: Path, url: str) -> None:
    file = Path(run("anchor", "rfc3161", url, "--json").ok().json["file"])
    run("add", "three").ok()
    run("anchor", "checkpoint").ok()
    file.rename(file.with_name("0-5.tsr"))
    done = run("verify")
    assert done.code == 1
    assert (
        "anchors/0-5.tsr: the token is of another digest than the checkpoint's [anchor-wrong, V-42]"
        in done.out
    )


def test_a_link_in_place_of_a_receipt_is_not_followed(ledger: Path, url: str, tmp_path: Path) -> None:
    file = Path(run("anchor", "rfc3161", url, "--json").ok().json["file"])
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert "is not a file" in run("verify").out


def test_an_answer_that_is_no_token_stores_nothing(ledger: Path) -> None:
    with serving(lambda _: (200, b"thanks")) as address:
        done = run("anchor", "rfc3161", address)
    assert (done.code, done.out, done.err.count("\n")) == (14, "", 1)
    assert not list((ledger / "anchors").glob("*.tsr"))
    assert run("log", "--kind", "anchor", "--json").ok().out == ""


def test_roots_that_are_none_are_refused_before_anybody_is_asked(ledger: Path, tmp_path: Path) -> None:
    (tmp_path / "roots").write_text("no PEM")
    done = run("anchor", "rfc3161", "http://127.0.0.1:1/", "--roots", tmp_path / "roots")
    assert (done.code, "no PEM certificates" in done.err) == (2, True)


def test_a_proof_file_brings_its_token_to_a_stranger(
    ledger: Path, tsa: Authority, url: str, tmp_path: Path
) -> None:
    """One file, the authority's root, and no ledger: the memory existed by then."""
    run("anchor", "rfc3161", url).ok()
    id_ = run("list", "--json").ok().json_lines[0]["id"]
    run("prove", id_, "-o", tmp_path / "memory.proof").ok()
    alone = run("verify", tmp_path / "memory.proof").out
    assert "no root of it is given" in alone
    shown = run("verify", tmp_path / "memory.proof", "--roots", tsa.root).out
    assert "time        shown        @0…@2 existed by 2" in shown
