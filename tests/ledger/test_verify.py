"""Verify tells every change of a chain, says where, and says nothing false of a chain at work.

Tests specs/verification.md (V-1, V-5…V-11, V-13, V-14); tests/specs holds the vectors, one a failure.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger import verify
from ledger.chain import CHAIN_NAME
from ledger.errors import NoLedgerError, StorageError
from ledger.finding import MAX_FINDINGS
from ledger.verify import Expectation, verify_chain
from specs.vectors import builder
from specs.vectors.cases import started
from tests.ledger.verifying import NOTHING, SMALL, codes, mark_at, mark_of, verified


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chain.jsonl"


# --- verdicts -----------------------------------------------------------------------------------------------


def test_a_sound_chain_without_a_pin_has_an_unknown_signer(path: Path) -> None:
    """V-1, V-8: it never says "valid"."""
    report = verified(path, started(2))
    assert report.sound
    assert report.integrity.sentence.startswith("3 events: self-consistent, signer unknown")
    assert report.completeness.state == "not checked"
    assert report.completeness.sentence.startswith("Truncation not checked")
    assert "valid" not in report.integrity.sentence + report.completeness.sentence


def test_a_sound_chain_with_a_pin_is_signed_by_its_own_key(path: Path) -> None:
    chain = started(0)
    report = verified(path, chain, Expectation(chain.genesis_id))
    assert report.integrity.sentence == "1 event: sound, and signed by the ledger's own key."


def test_a_ledger_id_proves_no_signer(path: Path) -> None:
    """V-8: anyone can make a chain with this id."""
    report = verified(path, started(0), Expectation(ledger_id=builder.LEDGER_ID))
    assert report.sound
    assert "self-consistent, with the ledger id asked for, signer unknown" in report.integrity.sentence


def test_erased_payloads_are_counted(path: Path) -> None:
    report = verified(path, SMALL)
    assert report.erased == 1
    assert "5 events, 1 erased" in report.integrity.sentence


def test_a_chain_that_reaches_its_mark_says_which(path: Path) -> None:
    chain = started(3)
    report = verified(path, chain, Expectation(mark=mark_of(chain.mark(3))))
    assert (report.completeness.state, report.sound) == ("sound", True)
    assert report.completeness.sentence == "Reaches the high-water mark @3 of this machine."


def test_a_rolled_back_chain_is_not_sound(path: Path) -> None:
    chain = started(3)
    mark = mark_of(chain.mark(3))
    del chain.lines[3:]
    report = verified(path, chain, Expectation(mark=mark))
    assert report.integrity.state == "sound"
    assert not report.sound
    assert "acknowledged here, but the chain ends at @2" in report.completeness.sentence


def test_one_finding_and_several_are_counted_in_words(path: Path) -> None:
    chain = started(4)
    chain.lines[2] = b"garbage"
    assert verified(path, chain).integrity.sentence == "1 finding."
    chain.lines[4] = b"garbage"
    assert verified(path, chain).integrity.sentence == "2 findings."


def test_verdicts_become_json(path: Path) -> None:
    chain = started(2)
    chain.lines[2] = b"garbage"
    value = verified(path, chain).integrity.to_json()
    assert value["state"] == "findings"
    assert value["findings"][0]["code"] == "framing"
    assert value["omitted"] == 0


# --- what is verified ---------------------------------------------------------------------------------------


def test_without_a_chain_and_a_mark_there_is_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(NoLedgerError, match="there is no chain"):
        verify_chain(tmp_path / CHAIN_NAME, NOTHING)


def test_a_chain_that_is_gone_is_a_rollback(tmp_path: Path) -> None:
    """V-9."""
    report = verify_chain(tmp_path / CHAIN_NAME, Expectation(mark=mark_at(3)))
    assert report.integrity.state == "not checked"
    assert [(f.code, f.seq, f.id) for f in report.completeness.findings] == [("rollback", 3, SMALL.ids[3])]
    assert not report.sound


def test_what_cannot_be_read_is_an_error_not_a_finding(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(StorageError):
        verify_chain(loop, NOTHING)
    with pytest.raises(StorageError, match="a folder, not a regular file"):  # F-22, not "there is none"
        verify_chain(tmp_path, Expectation(mark=mark_at(3)))


def test_progress_grows_to_the_whole_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "STRETCH", 500)
    told: list[tuple[int, int]] = []
    verified(path, started(20), progress=lambda done, all_: told.append((done, all_)))
    size = path.stat().st_size
    assert len(told) > 5
    assert told == sorted(told)
    assert told[-1] == (size, size)


# --- since the mark (V-13) ----------------------------------------------------------------------------------


def test_since_the_mark_only_later_lines_are_checked(path: Path) -> None:
    chain = started(5)
    mark = mark_of(chain.mark(3))
    chain.replace(2, b"staging", b"sandbox")
    report = verified(path, chain, Expectation(mark=mark), since=mark)
    assert (report.events, report.sound) == (2, True)
    assert report.integrity.sentence.startswith("2 events since the mark @3: sound; earlier events were not")
    chain.replace(6, b"staging", b"sandbox")
    assert codes(verified(path, chain, Expectation(mark=mark), since=mark)) == [("payload-altered", 6)]


def test_since_the_mark_keys_and_pin_are_the_marks(path: Path) -> None:
    chain = started(1)
    chain.rotate()
    chain.create("By the second key.")
    mark = mark_of(chain.mark(2))
    chain.create("By the second key, too.")
    assert verified(path, chain, Expectation(chain.genesis_id, mark=mark), since=mark).sound
    other = verified(path, chain, Expectation("ab" * 32, mark=mark), since=mark)
    assert codes(other) == [("foreign-chain", 1)]
    chain.replace(1, b'"vectors"', b'"another"')  # so nobody knows which ledger it is
    unread = verified(path, chain, Expectation(ledger_id=builder.LEDGER_ID, mark=mark), since=mark)
    assert codes(unread) == [("foreign-chain", 1)]


def test_since_a_mark_that_does_not_stand_nothing_is_checked(path: Path) -> None:
    chain = started(3)
    mark = mark_of(chain.mark(3))
    for data in (chain.data[:-200], b"", b"x" * 100 + chain.data, started(9).data[300:]):
        report = verified(path, data, Expectation(mark=mark), since=mark)
        assert report.integrity.state == "not checked"
        assert [finding.code for finding in report.completeness.findings] == ["rollback"]
        assert not report.sound


def test_since_a_mark_that_the_file_ends_before_says_so(path: Path) -> None:
    """V-13: not that the line is blank."""
    chain = started(3)
    mark = mark_of(chain.mark(3))
    for size in (mark.start - 50, mark.start, mark.start + 20, mark.end - 2):
        report = verified(path, chain.data[:size], Expectation(mark=mark), since=mark)
        (finding,) = report.completeness.findings
        said = f"but the file has {size} bytes and ends before byte {mark.end}, where that event does"
        assert finding.message.endswith(said)


def test_since_the_mark_with_nothing_new_is_sound(path: Path) -> None:
    chain = started(3)
    mark = mark_of(chain.mark(3))
    report = verified(path, chain, Expectation(mark=mark), since=mark)
    assert (report.events, report.sound) == (0, True)


# --- size (V-11) --------------------------------------------------------------------------------------------


def test_the_first_thousand_findings_are_listed_and_the_others_counted(path: Path) -> None:
    chain = started(1)
    report = verified(path, chain.data + b"garbage\n" * 1500)
    assert len(report.integrity.findings) == MAX_FINDINGS
    assert report.integrity.omitted == 500
    assert report.integrity.findings[-1].line == MAX_FINDINGS + 2
    assert report.integrity.sentence == "1500 findings, of which the first 1000 are listed."


def test_findings_about_erasures_are_limited_as_well(path: Path) -> None:
    chain = started(1100)
    for line in range(2, 1102):
        chain.blank(line)
    report = verified(path, chain)
    assert len(report.integrity.findings) + report.integrity.omitted == 1100
    assert [finding.line for finding in report.integrity.findings] == list(range(2, 1002))


def big(path: Path, write: Iterator[bytes]) -> None:
    with path.open("wb") as file:
        for part in write:
            file.write(part)


@pytest.mark.parametrize("ended", [True, False])
def test_a_line_of_10_mb_is_one_finding_in_flat_memory(path: Path, ended: bool) -> None:
    chain = started(2)
    long = b"x" * 10_000_000
    big(path, iter([chain.lines[0], b"\n", chain.lines[1], b"\n", long, b"\n" if ended else b""]))
    tracemalloc.start()
    report = verify_chain(path, NOTHING)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert codes(report) == [("line-too-long", 3), *([] if ended else [("missing-lf", 3)])]
    assert peak < 8_000_000


def test_many_blank_lines_take_no_memory(path: Path) -> None:
    big(path, iter([started(0).data, b"\n" * 20_000]))
    tracemalloc.start()
    report = verify_chain(path, NOTHING)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(report.integrity.findings) + report.integrity.omitted == 20_000
    assert peak < 1_300_000
