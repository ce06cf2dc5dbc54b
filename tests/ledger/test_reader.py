"""Lines come out of a file as they stand in it, with their places, whatever the file holds.

Tests specs/chain.md (C-1) and specs/verification.md (V-14).
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import reader
from ledger.check import LineChecker
from ledger.errors import ChainError, NoLedgerError, StorageError
from ledger.event import MAX_LINE_BYTES
from specs.vectors.builder import Chain
from specs.vectors.cases import started


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    return tmp_path / "chain.jsonl"


def lines(path: Path, data: bytes, offset: int = 0, stop: int | None = None) -> list[reader.RawLine]:
    path.write_bytes(data)
    with reader.opened(path) as fd:
        return list(reader.lines(fd, offset, stop))


@pytest.mark.parametrize("block", [1, 2, 3, 7, 1 << 20])
@given(
    parts=st.lists(st.binary(max_size=9).map(lambda raw: raw.replace(b"\n", b"")), max_size=9),
    ended=st.booleans(),
)
def test_the_lines_are_what_stands_between_line_feeds(
    tmp_path_factory: pytest.TempPathFactory, block: int, parts: list[bytes], ended: bool
) -> None:
    """At every size of the blocks that are read."""
    path = tmp_path_factory.getbasetemp() / "lines.jsonl"
    data = b"\n".join(parts) + (b"\n" if ended else b"")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "BLOCK", block)
        found = lines(path, data)
    assert b"".join(line.raw + b"\n" * line.ended for line in found) == data
    assert [line.offset for line in found] == [0, *(line.end for line in found[:-1])][: len(found)]
    assert all(line.end == line.offset + len(line.raw) + line.ended for line in found)
    assert all(line.ended for line in found[:-1])


def test_reading_begins_and_stops_where_it_is_told(chain: Path) -> None:
    found = lines(chain, b"one\ntwo\nthree\nfour", 4, 14)
    assert [(line.offset, line.raw, line.end) for line in found] == [(4, b"two", 8), (8, b"three", 14)]


@pytest.mark.parametrize("block", [1000, 1 << 20])
@pytest.mark.parametrize("ended", [True, False])
def test_an_over_long_line_keeps_its_place_but_not_its_bytes(
    chain: Path, monkeypatch: pytest.MonkeyPatch, block: int, ended: bool
) -> None:
    monkeypatch.setattr(reader, "BLOCK", block)
    size = 3_000_000
    found = lines(chain, b"a\n" + b"x" * size + (b"\nb\n" if ended else b""))
    assert found[0] == reader.RawLine(0, b"a", 2, True)
    long = found[1]
    assert (long.offset, long.end, long.ended) == (2, 2 + size + ended, ended)
    assert MAX_LINE_BYTES < len(long.raw) <= MAX_LINE_BYTES + 1 + block
    assert found[2:] == ([reader.RawLine(3_000_003, b"b", 3_000_005, True)] if ended else [])


def test_a_line_of_10_mb_costs_little_memory(chain: Path) -> None:
    chain.write_bytes(b"x" * 10_000_000 + b"\n")
    with reader.opened(chain) as fd:
        tracemalloc.start()
        for _ in reader.lines(fd):
            pass
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 5 * reader.BLOCK


@pytest.mark.parametrize(
    ("data", "start", "end"),
    [
        (b"", 0, 0),
        (b"abc", 0, 0),
        (b"abc\n", 0, 4),
        (b"abc\nde", 0, 4),
        (b"abc\nde", 4, 4),
        (b"abc\nde\n", 4, 7),
        (b"a\n" + b"x" * 200_000, 0, 2),
        (b"x" * 200_000, 0, 0),
        (b"x" * 65_536 + b"\n" + b"x" * 65_536, 0, 65_537),
    ],
)
def test_the_end_of_the_lines_is_behind_the_last_line_feed(
    chain: Path, data: bytes, start: int, end: int
) -> None:
    chain.write_bytes(data)
    with reader.opened(chain) as fd:
        assert reader.end_of_lines(fd, start, len(data)) == end


def test_what_is_not_there_is_said_to_be_no_ledger(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "chain.jsonl", tmp_path / "file" / "chain.jsonl"):
        with pytest.raises(NoLedgerError, match="there is no chain at"), reader.opened(path):
            pass


def test_what_cannot_be_read_is_an_error_of_storage(tmp_path: Path) -> None:
    fd = os.open(tmp_path, os.O_RDONLY)
    with pytest.raises(StorageError, match="cannot read the chain at byte 0"):
        list(reader.lines(fd))
    os.close(fd)
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(StorageError, match="it is a symbolic link"), reader.opened(loop):
        pass


def test_a_line_is_read_by_its_place(chain: Path) -> None:
    chain.write_bytes(b"one\ntwo\nthree")
    with reader.opened(chain) as fd:
        assert reader.line_at(fd, 4, 8) == b"two"
        assert reader.line_at(fd, 8, 99) == b"three"
        assert reader.line_at(fd, 8, 4) == b""


# --- events -------------------------------------------------------------------------------------------------


def told(path: Path) -> list[str]:
    return [event.id for event in reader.events(path)]


def test_events_carry_their_place_chain_and_payload(chain: Path) -> None:
    built = started(2)
    chain.write_bytes(built.data)
    first, second, third = reader.events(chain)
    assert [event.id for event in (first, second, third)] == built.ids
    assert {event.chain for event in (first, second, third)} == {built.genesis_id}
    assert built.data[second.offset : second.offset + second.size] == built.lines[1]
    assert first.payload is None
    assert third.payload
    assert third.payload["text"] == "The staging database listens on port 5434."


def test_an_erased_event_says_so(chain: Path) -> None:
    built = started(2)
    built.add("erase", targets=[built.ids[1]])
    built.blank(2)
    chain.write_bytes(built.data)
    erased = list(reader.events(chain))[1]
    assert (erased.erased, erased.payload) == (True, None)


def test_events_stop_before_a_last_line_without_line_feed(chain: Path) -> None:
    built = started(2)
    chain.write_bytes(built.data[:-1])
    assert told(chain) == built.ids[:2]


def test_reading_goes_on_from_a_link(chain: Path) -> None:
    built = started(4)
    chain.write_bytes(built.data)
    checker = LineChecker()
    offset = 0
    for line in built.lines[:3]:
        checker.take(line)
        offset += len(line) + 1
    rest = list(reader.events(chain, checker.link, offset))
    assert [event.id for event in rest] == built.ids[3:]
    assert {event.chain for event in rest} == {built.genesis_id}
    stopped = list(reader.events(chain, checker.link, offset, stop=offset + len(built.lines[3]) + 1))
    assert [event.id for event in stopped] == built.ids[3:4]


def test_a_given_checker_knows_the_state_afterwards(chain: Path) -> None:
    built = started(2)
    chain.write_bytes(built.data)
    checker = LineChecker()
    assert len(list(reader.events(chain, checker=checker))) == 3
    assert checker.link
    assert checker.link.id == built.ids[-1]


def test_nothing_is_given_from_a_bad_line_on(chain: Path) -> None:
    """Nothing is folded before its signature and links have passed."""
    built = started(3)
    built.replace(3, b'"alice"', b'"mallory"')
    chain.write_bytes(built.data)
    events = reader.events(chain)
    assert [next(events).id, next(events).id] == built.ids[:2]
    with pytest.raises(ChainError, match=r"line 3: the signature does not match.*run muniment verify"):
        next(events)


def test_without_signatures_links_and_payloads_are_checked_all_the_same(chain: Path) -> None:
    built = started(3)
    chain.write_bytes(built.data)
    assert len(list(reader.events(chain, signatures=False))) == 4
    forged = Chain(lines=list(built.lines))
    forged.replace(2, b'"alice"', b'"mallory"')
    chain.write_bytes(forged.data)
    with pytest.raises(ChainError, match="line 3: prev is not the id of the line before"):
        list(reader.events(chain, signatures=False))


# --- the shared lock ----------------------------------------------------------------------------------------

HOLD = """
import fcntl, os, sys
fd = os.open(sys.argv[1], os.O_RDWR)
fcntl.flock(fd, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.readline()
"""


def test_the_shared_lock_waits_for_a_writer(chain: Path) -> None:
    """V-14: while it is held no writer is at work; a reader does not wait for ever."""
    chain.touch()
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(chain)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as writer:
        assert writer.stdout
        assert writer.stdout.readline() == b"held\n"
        with reader.opened(chain) as fd:
            with reader.shared_lock(fd, patience=0.02) as held:
                assert not held
            writer.communicate(b"\n")
            with reader.shared_lock(fd) as held:
                assert held
                other = os.open(chain, os.O_RDWR)
                with pytest.raises(BlockingIOError):
                    fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.close(other)


def test_readers_do_not_wait_for_each_other(chain: Path) -> None:
    chain.touch()
    with (
        reader.opened(chain) as one,
        reader.opened(chain) as two,
        reader.shared_lock(one) as first,
        reader.shared_lock(two, patience=0) as second,
    ):
        assert (first, second) == (True, True)


@pytest.mark.parametrize("block", [1, 64, 700, 1 << 20])
def test_events_that_may_be_looked_for_are_those_that_all_reading_gives(
    chain: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    """At every size of the blocks; a last line without an end is none."""
    made = started()
    for number in range(12):
        made.create(f"number {number} is {'odd' if number % 2 else 'even'}")
    chain.write_bytes(made.data + b'{"odd')
    every = [event for event in reader.events(chain) if event.payload and "odd" in str(event.payload)]
    monkeypatch.setattr(reader, "BLOCK", block)
    found = list(reader.events_where(chain, lambda data: b"odd" in data))
    assert len(every) == 6
    assert [(each.id, each.seq, each.payload) for each in found] == [
        (each.id, each.seq, each.payload) for each in every
    ]


def test_an_event_that_is_looked_for_and_is_none_is_said(chain: Path) -> None:
    chain.write_bytes(b"no event, but odd\n")
    with pytest.raises(ChainError, match="muniment verify"):
        list(reader.events_where(chain, lambda data: b"odd" in data))
