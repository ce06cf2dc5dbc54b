"""Verify tells every change of a chain, says where, and says nothing false of a chain at work.

Tests specs/verification.md (V-1, V-5…V-14); tests/specs holds the vectors, one a failure.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ledger import reader, spans
from ledger.blanks import Ids
from ledger.errors import NoLedgerError, StorageError
from ledger.event import blanked, split_line
from ledger.mark import Mark
from ledger.spans import MAX_FINDINGS
from ledger.verify import ChainReport, Expectation, heads_hold, verify_chain
from specs.vectors import builder
from specs.vectors.builder import Chain
from specs.vectors.cases import started

NOTHING = Expectation()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chain.jsonl"


def verified(
    path: Path, chain: Chain | bytes, expect: Expectation = NOTHING, **options: object
) -> ChainReport:
    path.write_bytes(chain if isinstance(chain, bytes) else chain.data)
    return verify_chain(path, expect, **options)  # type: ignore[arg-type]


def codes(report: ChainReport) -> list[tuple[str, int | None]]:
    return [(finding.code, finding.line) for finding in report.integrity.findings]


def mark_of(mark: builder.Mark) -> Mark:
    return Mark(mark.seq, mark.id, mark.epoch, mark.genesis, mark.key, mark.next_key, mark.start, mark.end)


# --- every byte ---------------------------------------------------------------------------------------------


def small_chain() -> Chain:
    """Return a genesis, a memory, an erased one, its erase without a payload, and a rotate."""
    chain = started(0)
    chain.create("é: a memory.", record={"tags": ["t"]})
    chain.create("To be erased.")
    chain.add("erase", targets=[chain.ids[2]])
    chain.blank(3)
    chain.rotate()
    return chain


SMALL = small_chain()
DATA = SMALL.data
BLANK = split_line(SMALL.lines[2]).payload or b""
BLANKS = range(DATA.index(BLANK), DATA.index(BLANK) + len(BLANK))
MARK = mark_of(builder.Mark(3, SMALL.ids[3], 0, SMALL.genesis_id, "", "", DATA.index(SMALL.lines[3]), 0))


def lines_of(offset: int) -> int:
    return DATA.count(b"\n", 0, offset) + 1


class Copy:
    """A chain file that is changed thousands of times; rewriting it in place is much faster than anew."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fd = os.open(path, os.O_RDWR | os.O_CREAT)

    def found(self, data: bytes, expect: Expectation = NOTHING) -> list[int | None]:
        """Return the lines of what is found in these bytes."""
        os.pwrite(self.fd, data, 0)
        os.ftruncate(self.fd, len(data))
        report = verify_chain(self.path, expect)
        return [finding.line for finding in report.integrity.findings + report.completeness.findings]


@pytest.fixture
def copy(path: Path) -> Iterator[Copy]:
    made = Copy(path)
    yield made
    os.close(made.fd)


def is_told(lines: list[int | None], line: int) -> bool:
    """Say whether the line that was changed is the first that is reported."""
    if line == ERASE and lines[:1] == [ERASED]:  # without its erase a blank payload is missing
        lines = lines[1:]
    return lines[:1] == [line]


ERASED, ERASE = 3, 4


@pytest.mark.parametrize("new", [b"\n", b"\x00", b" ", b"0", b'"', "flip", "case"])
def test_every_changed_byte_is_reported_on_its_line(copy: Copy, new: bytes | str) -> None:
    missed = []
    for at, old in enumerate(DATA):
        byte = {"flip": bytes([old ^ 1]), "case": bytes([old ^ 0x20])}[new] if isinstance(new, str) else new
        if byte[0] == old:
            continue
        lines = copy.found(DATA[:at] + byte + DATA[at + 1 :])
        if not is_told(lines, lines_of(at)):
            missed.append((at, lines))
    assert missed == []


def test_every_deleted_byte_is_reported_on_its_line(copy: Copy) -> None:
    """A space of an erased payload is the one byte whose loss only the mark tells (V-9)."""
    missed = []
    for at, old in enumerate(DATA):
        data = DATA[:at] + DATA[at + 1 :]
        lines = copy.found(data)
        if at in BLANKS and old == ord(" "):
            assert lines == []
            assert copy.found(data, Expectation(mark=MARK)) == [None]
        elif not is_told(lines, lines_of(at)):
            missed.append((at, lines))
    assert missed == []


@pytest.mark.parametrize("new", [b"\n", b" ", b"a", b"}"])
def test_every_inserted_byte_is_reported_on_its_line(copy: Copy, new: bytes) -> None:
    missed = []
    for at in range(len(DATA) + 1):
        data = DATA[:at] + new + DATA[at:]
        lines = copy.found(data)
        if new == b" " and at in range(BLANKS.start + 4, BLANKS.stop + 1):
            assert lines == []
            assert copy.found(data, Expectation(mark=MARK)) == [None]
        elif not is_told(lines, lines_of(at) + (new == b"\n" == DATA[at : at + 1])):
            missed.append((at, lines))  # an LF before an LF is a blank line behind it
    assert missed == []


def test_every_cut_is_reported(path: Path) -> None:
    """With a mark at the last event no tail can be missing; cut between lines, only the mark tells."""
    start = DATA.index(SMALL.lines[4])
    last = Expectation(mark=Mark(4, SMALL.ids[4], 0, SMALL.genesis_id, "", "", start, 0))
    ends = {0, *(at + 1 for at, byte in enumerate(DATA) if byte == ord("\n"))}
    path.write_bytes(DATA)
    for size in reversed(range(len(DATA))):
        os.truncate(path, size)
        report = verify_chain(path, last)
        rolled_back = [finding.code for finding in report.completeness.findings]
        assert rolled_back == (["rollback"] if size < len(DATA) - 1 else [])
        if size in ends - {0}:
            assert "erase-incomplete" not in str(report.integrity.findings)
            assert all(code == "payload-missing" for code, _ in codes(report))  # its erase was cut off
        else:
            assert report.integrity.findings


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


def test_a_directory_stands_for_the_chain_in_it(path: Path) -> None:
    path.write_bytes(DATA)
    assert verify_chain(path.parent, NOTHING) == verify_chain(path, NOTHING)


def test_without_a_chain_and_a_mark_there_is_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(NoLedgerError, match="there is no chain"):
        verify_chain(tmp_path, NOTHING)


def test_a_chain_that_is_gone_is_a_rollback(tmp_path: Path) -> None:
    """V-9."""
    report = verify_chain(tmp_path, Expectation(mark=MARK))
    assert report.integrity.state == "not checked"
    assert [(f.code, f.seq, f.id) for f in report.completeness.findings] == [("rollback", 3, SMALL.ids[3])]
    assert not report.sound


def test_what_cannot_be_read_is_an_error_not_a_finding(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(StorageError):
        verify_chain(loop, NOTHING)


def test_progress_grows_to_the_whole_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans, "FIRST_SPAN", 500)
    monkeypatch.setattr(spans, "SPAN", 500)
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


def test_since_the_mark_with_nothing_new_is_sound(path: Path) -> None:
    chain = started(3)
    mark = mark_of(chain.mark(3))
    report = verified(path, chain, Expectation(mark=mark), since=mark, jobs=2)
    assert (report.events, report.sound) == (0, True)


# --- heads alone --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 2])
def test_heads_hold_whatever_the_payloads_say(path: Path, jobs: int) -> None:
    chain = started(9)
    chain.replace(3, b"staging", b"sandbox")
    chain.blank(4)
    path.write_bytes(chain.data)
    assert heads_hold(path, len(chain.data), jobs=jobs)
    assert heads_hold(path, len(chain.data), since=mark_of(chain.mark(4)), jobs=jobs)
    assert not heads_hold(path, len(chain.data) + 1, jobs=jobs)


def test_a_bad_head_does_not_hold(path: Path) -> None:
    chain = started(5)
    marks = [mark_of(chain.mark(seq)) for seq in range(6)]
    chain.replace(4, b'"alice"', b'"mallory"')
    path.write_bytes(chain.data)
    size = len(chain.data)
    assert heads_hold(path, marks[2].end)
    assert not heads_hold(path, marks[2].end, since=replace(marks[1], id="ab" * 32))
    assert not heads_hold(path, size)
    assert not heads_hold(path, size, since=marks[2])
    assert not heads_hold(path, size, since=marks[3])  # the mark itself was changed
    path.write_bytes(b"garbage\n" * 5)
    assert not heads_hold(path, 40)


def test_heads_can_be_asked_by_the_holder_of_the_lock(path: Path) -> None:
    """A writer's index is caught up while it holds the chain."""
    before, erase, *_ = erasing(8)
    path.write_bytes(before + erase)
    writer = Writer(path)
    assert heads_hold(path, len(before + erase))
    os.close(writer.fd)


# --- a chain at work (V-14) ---------------------------------------------------------------------------------


class Writer:
    """Another process's writer, as far as a reader can see it: it holds the lock while it works."""

    def __init__(self, path: Path) -> None:
        self.fd = os.open(path, os.O_RDWR)
        fcntl.flock(self.fd, fcntl.LOCK_EX)
        self._thread: threading.Thread | None = None

    def append(self, data: bytes) -> None:
        os.pwrite(self.fd, data, os.fstat(self.fd).st_size)

    def put(self, offset: int, data: bytes) -> None:
        os.pwrite(self.fd, data, offset)

    def later(self, offset: int, data: bytes) -> None:
        """Do one more write, and let go of the lock, only once the reader had time to come to it."""

        def finish() -> None:
            time.sleep(0.1)
            self.put(offset, data)
            os.close(self.fd)

        self._thread = threading.Thread(target=finish)
        self._thread.start()

    def join(self) -> None:
        assert self._thread
        self._thread.join()


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small spans, so that much of a small chain is still unread when progress is told."""
    monkeypatch.setattr(spans, "FIRST_SPAN", 300)
    monkeypatch.setattr(spans, "SPAN", 300)


def erasing(line: int) -> tuple[bytes, bytes, int, int]:
    """Return a chain's bytes, an erase to append, and the place and length of the payload it names."""
    chain = started(9)
    before = chain.data
    chain.add("erase", targets=[chain.ids[line - 1]])
    payload = split_line(chain.lines[line - 1]).payload or b""
    return before, chain.lines[-1] + b"\n", before.index(payload), len(payload)


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("half", [0, 1, 4, 30, 57])
def test_a_payload_that_is_being_blanked_is_no_finding(path: Path, half: int) -> None:
    """The reader meets an erasure half done, waits for the writer, and finds it done."""
    before, erase, offset, size = erasing(8)
    path.write_bytes(before)
    writers: list[Writer] = []

    def begin(*_: int) -> None:
        if not writers:
            writer = Writer(path)
            writers.append(writer)
            writer.append(erase)
            writer.put(offset, blanked(size)[:half])
            writer.later(offset, blanked(size))

    report = verify_chain(path, NOTHING, progress=begin)
    writers[0].join()
    assert codes(report) == []
    assert report.events == 10  # the erase itself came after we began


@pytest.mark.usefixtures("slow")
def test_a_payload_that_was_blanked_meanwhile_is_no_finding(path: Path) -> None:
    before, erase, offset, size = erasing(8)
    path.write_bytes(before)
    done: list[int] = []

    def erased(*_: int) -> None:
        if not done:
            done.append(1)
            writer = Writer(path)
            writer.append(erase)
            writer.put(offset, blanked(size))
            os.close(writer.fd)

    report = verify_chain(path, NOTHING, progress=erased)
    assert (codes(report), report.erased) == ([], 1)


@pytest.mark.usefixtures("slow")
def test_an_unsigned_erase_explains_nothing(path: Path) -> None:
    """What was appended meanwhile is believed only where its signature holds."""
    before, erase, offset, size = erasing(8)
    path.write_bytes(before)

    def forged(*_: int) -> None:
        path.write_bytes(
            before[:offset] + blanked(size) + before[offset + size :] + erase.replace(b"alice", b"malle")
        )

    assert codes(verify_chain(path, NOTHING, progress=forged)) == [("payload-missing", 8)]


def test_an_erasure_that_a_writer_finishes_is_no_finding(path: Path) -> None:
    before, erase, offset, size = erasing(8)
    path.write_bytes(before + erase)
    assert codes(verify_chain(path, NOTHING)) == [("erase-incomplete", 8)]
    writer = Writer(path)
    writer.later(offset, blanked(size))
    report = verify_chain(path, NOTHING)
    writer.join()
    assert (codes(report), report.erased) == ([], 1)


def test_a_line_that_is_being_written_is_no_finding(path: Path) -> None:
    """The bytes after the last LF are judged only while no writer is at them."""
    chain = started(3)
    cut = len(chain.data) - 50
    path.write_bytes(chain.data[:cut])
    assert codes(verify_chain(path, NOTHING)) == [("framing", 4), ("missing-lf", 4)]
    writer = Writer(path)
    writer.later(cut, chain.data[cut:])
    report = verify_chain(path, NOTHING)
    writer.join()
    assert (codes(report), report.events) == ([], 3)


@pytest.mark.usefixtures("slow")
def test_what_is_appended_meanwhile_is_not_looked_at(path: Path) -> None:
    chain = started(5)
    path.write_bytes(chain.data)

    def garbage(*_: int) -> None:
        with path.open("ab") as file:
            file.write(b"garbage\n")

    report = verify_chain(path, NOTHING, progress=garbage)
    assert (codes(report), report.events, report.size) == ([], 6, len(chain.data))


def test_a_writer_that_never_ends_does_not_hold_up_the_report(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, erase, *_ = erasing(8)
    path.write_bytes(before + erase)
    writer = Writer(path)
    wrapped = reader.shared_lock
    monkeypatch.setattr(reader, "shared_lock", lambda fd: wrapped(fd, 0.01))
    assert codes(verify_chain(path, NOTHING)) == [("erase-incomplete", 8)]
    os.close(writer.fd)


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
    big(path, iter([started(0).data, b"\n" * 200_000]))
    tracemalloc.start()
    report = verify_chain(path, NOTHING)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(report.integrity.findings) + report.integrity.omitted == 200_000
    assert peak < 12_000_000


def test_an_id_takes_little_more_memory_than_its_bytes() -> None:
    ids = Ids()
    count = 100_000
    raw = os.urandom(32 * count)
    tracemalloc.start()
    for at in range(0, len(raw), 3200):
        ids.add(raw[at : at + 3200])
    used = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert used < 42 * count
    assert sum(len(ids.beginning_with(byte)) for byte in ids.first_bytes) == count
