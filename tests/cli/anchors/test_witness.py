"""muniment anchor witness, and what verify makes of a cosignature.

Tests specs/cli.md (X-270), specs/anchors.md (W-3, W-50…W-54, W-60…W-62) and specs/verification.md (V-40, V-41).
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from ledger import note
from ledger.note import NoteKey
from ledger.signing import SigningKey
from proofs import checkpoint
from tests.cli.driver import run
from tests.proofs.fake_witness import NAME, VKEY, Witness

Pair = tuple[Witness, str]


def test_a_cosignature_enters_the_checkpoints_file_and_becomes_an_event(ledger: Path, witness: Pair) -> None:
    one, address = witness
    done = run("anchor", "witness", address, "--vkey", VKEY.vkey, "--json").ok()
    value = done.json
    assert "not that there is no other history" in done.err
    made, parsed = checkpoint.parse(Path(value["file"]).read_bytes())
    assert [each.name for each in parsed.signatures] == [made.origin, NAME]
    assert value["size"] == made.size == 3
    assert [each["state"] for each in value["evidence"]] == ["held"]
    raw = json.loads(run("show", value["id"], "--raw").ok().out)
    assert raw["event"]["kind"] == "anchor"
    payload = raw["payload"]
    assert payload.pop("salt")
    assert payload == {
        "method": "witness",
        "size": 3,
        "root": parsed.text.split(b"\n")[2].decode(),
        "digest": hashlib.sha256(parsed.text).hexdigest(),
        "file": "anchors/0-3.checkpoint",
        "where": address,
    }
    assert one.size == 3


def test_later_checkpoints_are_proved_from_what_it_cosigned(ledger: Path, witness: Pair) -> None:
    one, address = witness
    for text in ("three", "four", "five"):
        run("anchor", "witness", address, "--vkey", VKEY.vkey).ok()
        run("add", text).ok()
    run("anchor", "witness", address, "--vkey", VKEY.vkey).ok()
    assert [body.split(b"\n")[0] for body in one.asked] == [b"old 0", b"old 3", b"old 5", b"old 7"]
    assert one.size == 9


def test_a_witness_that_forgot_or_knows_an_older_one_is_answered(ledger: Path, witness: Pair) -> None:
    """Its word on the size counts, not ours: 409 and one more try."""
    one, address = witness
    run("anchor", "witness", address, "--vkey", VKEY.vkey).ok()
    run("add", "three").ok()
    one.size, one.root = 0, b""
    run("anchor", "witness", address, "--vkey", VKEY.vkey).ok()
    assert [body.split(b"\n")[0] for body in one.asked[1:]] == [b"old 3", b"old 0"]


def test_verify_names_the_witness_where_its_key_is_trusted(
    ledger: Path, witness: Pair, tmp_path: Path
) -> None:
    address = witness[1]
    run("anchor", "witness", address, "--vkey", VKEY.vkey).ok()
    unknown = run("verify", "--json").ok().json
    assert unknown["time"]["state"] == "not checked"
    assert "the key of this witness is not given" in unknown["evidence"][0]["message"]
    policy = tmp_path / "policy"
    policy.write_text(f"witness w1 {VKEY.vkey}\nquorum w1\n")
    for words in (("--witness", VKEY.vkey), ("--policy", policy)):
        value = run("verify", *words, "--json").ok().json
        assert value["time"]["state"] == "sound"
        assert value["time"]["sentence"].startswith("@0…@2 existed by 2")
        assert f"confirmed by the witness {NAME}" in value["completeness"]["sentence"]
        assert value["evidence"][0]["time"].startswith("2")
        assert value["evidence"][0]["where"] == address
    (ledger / "config.toml").write_text(f'[anchor]\npolicy = "{policy}"\n')
    text = run("verify").ok().out
    assert "time          sound        @0…@2 existed by " in text
    assert "not that there is no other history" in text


def test_trust_that_cannot_be_read_costs_only_the_time(ledger: Path, witness: Pair) -> None:
    """What config.toml names wrongly is told in the verdict; what is typed wrongly is refused."""
    run("anchor", "witness", witness[1], "--vkey", VKEY.vkey).ok()
    (ledger / "config.toml").write_text('[anchor]\npolicy = "/nowhere/policy"\n')
    said = run("verify").ok().out
    assert "Time not checked: /nowhere/policy cannot be read: No such file or directory." in said
    assert run("verify", "--policy", "/nowhere/policy").code == 2


def test_a_quorum_that_is_not_met_trusts_nobody(ledger: Path, witness: Pair, tmp_path: Path) -> None:
    """W-64: what one of them says by itself is told as that, and is no verdict."""
    other = NoteKey("w2.example", SigningKey(b"\x09" * 32).public, note.COSIGNATURE)
    run("anchor", "witness", witness[1], "--vkey", VKEY.vkey).ok()
    policy = tmp_path / "policy"
    policy.write_text(f"witness w1 {VKEY.vkey}\nwitness w2 {other.vkey}\ngroup both all w1 w2\nquorum both\n")
    value = run("verify", "--policy", policy, "--json").ok().json
    assert "confirmed" not in value["completeness"]["sentence"]
    assert value["time"]["state"] == "not checked"
    assert "the quorum of the policy is not met" in value["time"]["sentence"]
    (one,) = value["evidence"]
    assert (one["state"], one["time"], one["source"]) == ("not checked", None, f"the witness {NAME}")
    policy.write_text(f"witness w1 {VKEY.vkey}\nwitness w2 {other.vkey}\ngroup any any w1 w2\nquorum any\n")
    assert run("verify", "--policy", policy, "--json").ok().json["time"]["state"] == "sound"
    policy.write_text(f"witness w1 {VKEY.vkey}\nquorum none\n")
    value = run("verify", "--policy", policy, "--json").ok().json
    assert value["time"]["state"] == "not checked"
    value = run("verify", "--policy", policy, "--witness", VKEY.vkey, "--json").ok().json
    assert value["time"]["state"] == "sound"


def test_a_cosignature_of_another_text_is_a_finding(ledger: Path, witness: Pair) -> None:
    """Somebody moved the line of an older checkpoint under a newer one."""
    run("anchor", "witness", witness[1], "--vkey", VKEY.vkey).ok()
    old = (ledger / "anchors/0-3.checkpoint").read_bytes().rstrip(b"\n").rpartition(b"\n")[2]
    run("add", "three").ok()
    run("anchor", "checkpoint").ok()
    newer = ledger / "anchors/0-5.checkpoint"
    newer.write_bytes(newer.read_bytes() + old + b"\n")
    run("verify").ok()
    done = run("verify", "--witness", VKEY.vkey)
    assert done.code == 1
    assert done.out.count("does not match") == 1
    assert (
        "anchors/0-5.checkpoint: the cosignature of witness.example/w1 does not match [anchor-wrong, V-42]"
        in done.out
    )


def test_a_rolled_back_ledger_is_betrayed_by_the_witness(ledger: Path, witness: Pair, tmp_path: Path) -> None:
    """Chain, anchors and state of a week ago, all put back: this machine notices nothing, the witness does."""
    state = Path.home() / ".local/state/muniment"
    shutil.copytree(ledger, tmp_path / "old")
    shutil.copytree(state, tmp_path / "old-state")
    run("add", "three").ok()
    run("anchor", "witness", witness[1], "--vkey", VKEY.vkey).ok()
    shutil.rmtree(ledger)
    shutil.rmtree(state)
    shutil.copytree(tmp_path / "old", ledger)
    shutil.copytree(tmp_path / "old-state", state)
    run("verify").ok()
    done = run("anchor", "witness", witness[1], "--vkey", VKEY.vkey)
    assert done.code == 14
    assert "has cosigned 4 events of this ledger, but 3 are here" in done.err


def test_without_a_key_nobody_is_asked(ledger: Path, witness: Pair) -> None:
    one, address = witness
    done = run("anchor", "witness", address)
    assert (done.code, one.asked) == (2, [])
    assert "--vkey" in done.err
    log = NoteKey("log.example", b"\x01" * 32).vkey
    assert run("anchor", "witness", address, "--vkey", log).code == 2
    assert run("anchor", "witness", address, "--vkey", "nonsense").code == 2
    assert one.asked == []


def test_a_witness_that_does_not_know_the_ledger_changes_nothing(ledger: Path, witness: Pair) -> None:
    one, address = witness
    one.log = NoteKey("elsewhere", one.log.public)
    before = (ledger / "chain.jsonl").read_bytes()
    done = run("anchor", "witness", address, "--vkey", VKEY.vkey)
    assert (done.code, done.out, done.err.count("\n")) == (14, "", 1)
    assert "does not know this ledger" in done.err
    assert (ledger / "chain.jsonl").read_bytes() == before
    run("verify").ok()


SECRET = "AKIAQ3EGRZ7W5XNTJ2VB"


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("witness.example", 2),
        ("http://user:hunter22@127.0.0.1/", 2),
        ("ftp://127.0.0.1/", 2),
        ("http://127.0.0.1/#x", 2),
        ("http://127.0.0.1/?a=b", 2),
        (f"http://127.0.0.1/{SECRET}/", 6),
    ],
)
def test_an_address_that_is_none_or_holds_a_secret_is_not_asked(ledger: Path, url: str, code: int) -> None:
    done = run("anchor", "witness", url, "--vkey", VKEY.vkey)
    assert done.code == code
    assert "hunter22" not in done.err
    assert SECRET not in done.err
    assert not (ledger / "anchors").exists()


def test_a_cosignature_of_the_year_1970_states_no_time(ledger: Path, witness: Pair) -> None:
    """W-51: else it would be the earliest of all."""
    one, address = witness
    one.time = 0
    run("anchor", "witness", address, "--vkey", VKEY.vkey).ok()
    value = run("verify", "--witness", VKEY.vkey, "--json").ok().json
    assert value["time"]["state"] == "not checked"
    assert value["evidence"][0]["message"] == "its cosignature states no time"
    assert "confirmed by" in value["completeness"]["sentence"]


def test_nobody_is_asked_for_what_could_not_be_kept(ledger: Path, witness: Pair, tmp_path: Path) -> None:
    """F-19: `anchors/` is a link, through which nothing is written."""
    one, address = witness
    (ledger / "anchors").rename(tmp_path / "elsewhere")
    (ledger / "anchors").symlink_to(tmp_path / "elsewhere")
    before = sorted(path.read_bytes() for path in (tmp_path / "elsewhere").iterdir())
    done = run("anchor", "witness", address, "--vkey", VKEY.vkey)
    assert (done.code, one.asked) == (9, [])
    assert "is a symbolic link" in done.err
    assert sorted(path.read_bytes() for path in (tmp_path / "elsewhere").iterdir()) == before
