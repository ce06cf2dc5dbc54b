"""Of a chain at work verify says nothing false: erasures and appends may be half done while it reads.

Tests specs/verification.md (V-7, V-11, V-14).
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from pathlib import Path

import pytest

from ledger import reader, verify
from ledger.event import blanked, split_line
from ledger.verify import verify_chain
from specs.vectors.cases import started
from tests.ledger.verifying import NOTHING, codes


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chain.jsonl"


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
    """Small stretches, so that much of a small chain is still unread when progress is told."""
    monkeypatch.setattr(reader, "BLOCK", 300)
    monkeypatch.setattr(verify, "STRETCH", 300)


def erasing(line: int) -> tuple[bytes, bytes, int, int]:
    """Return a chain's bytes, an erase to append, and the place and length of the payload it names."""
    chain = started(9)
    before = chain.data
    chain.add("erase", targets=[chain.ids[line - 1]])
    payload = split_line(chain.lines[line - 1]).payload or b""
    return before, chain.lines[-1] + b"\n", before.index(payload), len(payload)


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("half", [0, 4, 57])
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
