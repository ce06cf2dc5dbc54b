"""Every change of a small chain is told, and on the right line, whichever byte it is.

Tests specs/verification.md (V-2…V-9).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.event import split_line
from ledger.verify import Expectation, verify_chain
from tests.ledger.verifying import DATA, NOTHING, SMALL, codes, mark_at


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "chain.jsonl"


BLANK = split_line(SMALL.lines[2]).payload or b""
BLANKS = range(DATA.index(BLANK), DATA.index(BLANK) + len(BLANK))
MARK = mark_at(3)
INSIDE = {at for word in re.finditer(rb"[A-Za-z0-9_-]{20,}", DATA) for at in range(*word.span())[2:-2]}
PLACES = [at for at in range(len(DATA) + 1) if at not in INSIDE]
"""Every byte but the inner ones of ids, keys, signatures and salts, of which one is as good as any other; and the end."""


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


def alone(line: int) -> list[int | None]:
    """Return the lines of all findings of a chain of which one line's head, or payload, is bad."""
    others: dict[int, list[int | None]] = {1: [1, None], ERASE: [ERASED, ERASE]}
    return others.get(line, [line])


def misses(copy: Copy, at: int, new: bytes) -> bool:
    """Change a byte; say whether the report names anything but its line."""
    lines = copy.found(DATA[:at] + new + DATA[at + 1 :])
    line = lines_of(at)
    if b"\n" in (new, DATA[at : at + 1]):  # one line became two, or two became one
        return not is_told(lines, line)
    return lines != alone(line)


@pytest.mark.parametrize("new", [b"\n", 1])
def test_every_changed_byte_is_reported_on_its_line(copy: Copy, new: bytes | int) -> None:
    """A line is split, or one bit is flipped; no other line is called bad."""
    changed = ((at, bytes([DATA[at] ^ new]) if isinstance(new, int) else new) for at in PLACES[:-1])
    assert [(at, byte) for at, byte in changed if byte[0] != DATA[at] and misses(copy, at, byte)] == []


@pytest.mark.soak
@pytest.mark.parametrize("line", range(1, len(SMALL.lines) + 1))
def test_every_byte_changed_to_every_other_is_reported_on_its_line(copy: Copy, line: int) -> None:
    ats = [at for at in range(len(DATA)) if lines_of(at) == line]
    changed = ((at, bytes([new])) for at in ats for new in range(256) if new != DATA[at])
    assert [(at, byte) for at, byte in changed if misses(copy, at, byte)] == []


def test_every_deleted_byte_is_reported_on_its_line(copy: Copy) -> None:
    """A space of an erased payload is the one byte whose loss only the mark tells (V-9)."""
    missed = []
    for at in PLACES[:-1]:
        data = DATA[:at] + DATA[at + 1 :]
        lines = copy.found(data)
        if at in BLANKS and DATA[at] == ord(" "):
            assert lines == []
            assert copy.found(data, Expectation(mark=MARK)) == [None]
        elif not is_told(lines, lines_of(at)):
            missed.append((at, lines))
    assert missed == []


@pytest.mark.parametrize(
    "new", [b"\n", b" ", *(pytest.param(new, marks=pytest.mark.soak) for new in (b"a", b"}"))]
)
def test_every_inserted_byte_is_reported_on_its_line(copy: Copy, new: bytes) -> None:
    missed = []
    for at in PLACES:
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
    last = Expectation(mark=mark_at(4))
    ends = {0, *(at + 1 for at, byte in enumerate(DATA) if byte == ord("\n"))}
    path.write_bytes(DATA)
    for size in reversed(PLACES[:-1]):
        os.truncate(path, size)
        report = verify_chain(path, last)
        rolled_back = [finding.code for finding in report.completeness.findings]
        assert rolled_back == (["rollback"] if size < len(DATA) - 1 else [])
        if size in ends - {0}:
            assert "erase-incomplete" not in str(report.integrity.findings)
            assert all(code == "payload-missing" for code, _ in codes(report))  # its erase was cut off
        else:
            assert report.integrity.findings
