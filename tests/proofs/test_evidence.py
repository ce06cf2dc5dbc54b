"""What receipts show, judged by what a person trusts: one by one, and as a verdict.

Tests specs/anchors.md (W-1, W-60…W-62) and specs/verification.md (V-41, V-42).
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ledger import note
from ledger.errors import UsageError
from ledger.note import NoteKey
from ledger.signing import SigningKey
from proofs import checkpoint, evidence, policy, receipts
from proofs.checkpoint import Checkpoint
from proofs.evidence import Evidence, TrustedParties, judged, time_verdict
from proofs.proof_judgement import SHOWN, UNCHECKED, WRONG
from proofs.receipts import ReceiptFile
from tests.proofs.fake_witness import KEY, NAME, VKEY, cosign

MADE = Checkpoint(f"muniment/{'ab' * 32}/0", 12, b"\x05" * 32)
SIGNED = checkpoint.sign(MADE, SigningKey(b"\x01" * 32))


def cosigned(time: int, text: bytes = MADE.text()) -> ReceiptFile:
    line = cosign(text, NAME, KEY, time).line()
    return ReceiptFile("witness", "0-12.checkpoint", SIGNED + line)


def held(size: int, time: int, source: str = "somebody") -> Evidence:
    return Evidence("rfc3161", size, f"anchors/0-{size}.tsr", "held", source, time)


def test_a_cosignature_says_by_when_and_by_whom() -> None:
    (one,) = judged(cosigned(1_790_000_000), MADE, TrustedParties((VKEY,)))
    assert str(one) == "@0…@11 existed by 2026-09-21 14:13:20Z, by the witness witness.example/w1"
    assert one.state == "held"


def test_a_cosignature_of_another_checkpoint_is_wrong() -> None:
    other = Checkpoint(MADE.origin, 13, MADE.root)
    (one,) = judged(cosigned(1), other, TrustedParties((VKEY,)))
    assert (one.state, one.message) == ("wrong", "it cosigns another checkpoint")


@pytest.mark.parametrize("time", [253_402_300_800, 2**62])
def test_a_time_that_no_calendar_has_is_wrong(time: int) -> None:
    (one,) = judged(cosigned(time), MADE, TrustedParties((VKEY,)))
    assert one.state == "wrong"


def test_by_when_is_never_told_too_early() -> None:
    """Half a second is told as the second after it; it says by when."""
    assert "2026-09-21 14:13:21Z" in str(held(3, 1_790_000_000_500_000))


def test_the_earliest_time_for_the_most_events_is_told() -> None:
    found = [held(3, 1_000_000, "a"), held(9, 9_000_000, "b"), held(9, 5_000_000, "c")]
    verdict = time_verdict(found)
    assert verdict.state == "sound"
    assert verdict.sentence.startswith("@0…@8 existed by 1970-01-01 00:00:05Z, by c; 2 more below. ")
    assert verdict.sentence.endswith(evidence.NOT_UNIQUE)


def by_several(times: dict[str, int]) -> ReceiptFile:
    lines = [
        cosign(MADE.text(), name, SigningKey(name.encode() * 32), time).line() for name, time in times.items()
    ]
    return ReceiptFile("witness", "0-12.checkpoint", SIGNED + b"".join(lines))


KEYS = {name: NoteKey(name, SigningKey(name.encode() * 32).public, note.COSIGNATURE) for name in "abc"}
WITNESSES = "".join(f"witness {name} {key.vkey}\n" for name, key in KEYS.items())


def test_a_quorum_says_by_when_all_of_it_had_cosigned() -> None:
    """W-64: the time at which enough of the witnesses of a policy had, and none of one who is not needed."""
    trust = TrustedParties(policy=policy.parse(f"{WITNESSES}group two 2 a b c\nquorum two\n".encode()))
    (both,) = judged(by_several({"a": 5, "b": 9, "c": 7}), MADE, trust)
    assert str(both) == "@0…@11 existed by 1970-01-01 00:00:07Z, by the witness a, the witness c"
    (one,) = judged(by_several({"a": 5}), MADE, trust)
    assert (one.state, one.time) == ("not checked", None)
    assert time_verdict([one]).state == "not checked"
    assert time_verdict([held(2, 3_000_000), one]).state == "sound"
    (both,) = judged(by_several({"a": 5, "b": 0, "c": 0}), MADE, trust)
    assert both.state == "held"
    assert time_verdict([both]).state == "not checked"  # only one of them says when


def test_a_witness_that_is_given_counts_for_the_quorum_of_a_policy_that_names_it() -> None:
    """W-64: the other one of two is not told as one witness's word, where both cosigned."""
    all_of = policy.parse(f"{WITNESSES}group both all a b\nquorum both\n".encode())
    trust = TrustedParties((KEYS["a"],), all_of)
    found = judged(by_several({"a": 5, "b": 9}), MADE, trust)
    assert [each.state for each in found] == ["held", "held"]
    assert "00:00:05Z, by the witness a; 1 more below" in time_verdict(found).sentence
    (one,) = judged(by_several({"b": 9}), MADE, trust)
    assert one.state == "not checked"
    one_of = TrustedParties((KEYS["a"],), policy.parse(f"{WITNESSES}quorum a\n".encode()))
    assert len(judged(by_several({"a": 5}), MADE, one_of)) == 1


def test_what_is_wrong_makes_findings_whatever_else_held() -> None:
    wrong = Evidence("ots", 4, "anchors/0-4.ots", "wrong", "ots", message="it is cut off")
    verdict = time_verdict([held(9, 1), wrong])
    assert verdict.state == "findings"
    assert [(each.code, each.rule, each.seq, each.line) for each in verdict.findings] == [
        ("anchor-wrong", "V-42", 3, None)
    ]


def test_nothing_and_nothing_checked_are_told_apart() -> None:
    assert "is not anchored" in time_verdict([]).sentence
    assert "of 2 anchors no receipt is here" in time_verdict([], 2).sentence
    unchecked = Evidence("ots", 4, "f", "not checked", "x", message="not checked: y")
    assert time_verdict([unchecked]).state == "not checked"
    assert "@0, x" in str(Evidence("ots", 1, "f", "not checked", "x"))


@pytest.mark.parametrize(("method", "module"), [("ots", "opentimestamps"), ("rfc3161", "rfc3161_client")])
def test_without_the_extra_a_receipt_is_not_checked(
    method: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And it is said what to install; nothing fails."""
    for name in [name for name in sys.modules if name.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    (one,) = judged(ReceiptFile(method, f"0-12.{method}", b"x"), MADE, TrustedParties())
    assert (one.state, "pip install 'muniment[anchors]'" in one.message) == ("not checked", True)


def test_what_a_proof_file_brings_is_judged_by_its_kind() -> None:
    judges = evidence.receipt_judges(TrustedParties())
    assert set(judges) == {"ots", "tsr", "evm.json"}
    assert judges["ots"](SIGNED, b"x").state == WRONG
    from proofs import evm

    fields = evm.transaction(receipts.digest(MADE.text()), "base")
    item = judges["evm.json"](SIGNED, evm.document(fields, ["eip155:8453:0x" + "5c" * 32]))
    assert (item.state, "a node of that chain knows" in item.sentence) == (UNCHECKED, True)
    assert SHOWN not in item.sentence


def test_a_vkey_of_a_log_is_no_witness() -> None:
    assert evidence.witness_key(VKEY.vkey) == VKEY
    for text in (NoteKey("log.example", b"\x01" * 32).vkey, "", "a+b+c", VKEY.vkey[:-4]):
        with pytest.raises(UsageError, match="no witness's key"):
            evidence.witness_key(text)


def test_only_a_checkpoints_own_receipts_stand_beside_it(tmp_path: Path) -> None:
    """`0-1` is no beginning of `0-12`, and of what is named otherwise nothing is read."""
    for name in (
        "0-1.checkpoint",
        "0-1.ots",
        "0-12.ots",
        "0-1-2.tsr",
        "0-1-x.tsr",
        "0-1-02.tsr",
        "0-1.tsr.bak",
    ):
        (tmp_path / name).write_bytes(name.encode())
    found = [each.name for each in receipts.beside(tmp_path / "0-1.checkpoint")]
    assert found == ["0-1.checkpoint", "0-1.ots", "0-1-2.tsr"]
