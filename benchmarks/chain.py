"""Appending, verifying: time and memory."""

from __future__ import annotations

import itertools
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from nacl import bindings

from benchmarks.ledgers import BY, bare_of, fill, found, memory
from benchmarks.measure import Row, alternating
from benchmarks.peak import PEAK
from ledger.command import Create, Erase
from ledger.event import SIGNED_PREFIX, split_line
from ledger.reader import events as events_of
from ledger.schema import MAX_TARGETS
from ledger.signing import SigningKey
from ledger.verify import Expectation, verify_chain
from muniment import MemoryLedger

ROOT = Path(__file__).resolve().parents[1]
_KEY = SigningKey(bytes(range(32)))


def _raw_append(folder: Path, ledger: MemoryLedger) -> Callable[[], None]:
    """Return the floor of a durable append: one signature, one write of the same bytes, one fdatasync."""
    line = ledger.workspace.chain.read_bytes().splitlines(keepends=True)[-1]
    body = SIGNED_PREFIX + split_line(line.removesuffix(b"\n")).event
    fd = os.open(folder / "floor", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def floor() -> None:
        _KEY.sign(body)
        os.write(fd, line)
        os.fdatasync(fd)

    return floor


def _append_pair(folder: Path, events: int, times: int) -> tuple[float, float]:
    """Return the seconds of one append and of its floor."""
    ledger = found(folder)
    fill(ledger, max(0, events - 1), start=1)
    warm = 50
    first = events + 10_000_000
    memories = iter([memory(number) for number in range(first, first + 1 + warm + times)])
    ledger.workspace.append([Create(next(memories))], BY)  # the index catches up here

    def ours() -> None:
        ledger.workspace.ledger.write([Create(next(memories))], BY)

    for _ in range(warm):
        ours()
    pair = alternating(ours, _raw_append(folder, ledger), times)
    ledger.close()
    return pair


def append(folder: Path, scale: float) -> list[Row]:
    """Durable append through the library, one event a call, index caught up."""
    times = max(20, int(1500 * scale))
    large = int(200_000 * scale)
    small_ours, small_floor = _append_pair(folder / "small", 100, times)
    large_ours, large_floor = _append_pair(folder / "large", large, times)
    return [
        Row(
            "durable append, index caught up, 100 events",
            small_ours * 1e6,
            small_floor * 1e6,
            "µs",
            2.0,
            "floor: sign + write + fdatasync",
        ),
        Row(
            f"durable append, index caught up, {large:,} events",
            large_ours * 1e6,
            large_floor * 1e6,
            "µs",
            2.0,
            "the same floor",
        ),
        Row(
            f"append at {large:,} events against at 100",
            large_ours / large_floor,
            small_ours / small_floor,
            "× floor",
            1.25,
            "floor: ours at 100 events",
        ),
    ]


def batch(folder: Path, scale: float) -> list[Row]:
    """Batch append, chain only."""
    count = max(100, int(10_000 * scale))
    ledger = found(folder)
    fill(ledger, 10)
    line = ledger.workspace.chain.read_bytes().splitlines()[-1]
    body = SIGNED_PREFIX + split_line(line).event
    bare = bare_of(ledger)
    times = 5
    made = ([Create(memory(100 + turn * count + at)) for at in range(count)] for turn in range(times))
    batches = iter(list(made))

    def ours() -> None:
        bare.write(next(batches), BY)

    def floor() -> None:
        for _ in range(count):
            _KEY.sign(body)

    mine, theirs = alternating(ours, floor, times)
    return [
        Row(
            f"batch append of {count:,}, chain only",
            mine * 1e3,
            theirs * 1e3,
            "ms",
            2.0,
            "floor: signing as many messages of that size",
        )
    ]


def signature_floor(messages: list[bytes]) -> float:
    """Return the seconds of verifying these messages with libsodium."""
    signed = [bindings.crypto_sign(message, _KEY._secret) for message in messages]
    begun = time.perf_counter()
    for message in signed:
        bindings.crypto_sign_open(message, _KEY.public)
    return time.perf_counter() - begun


def verify(folder: Path, scale: float) -> list[Row]:
    """Full verify."""
    count = max(100, int(100_000 * scale))
    ledger = found(folder)
    fill(ledger, count)
    messages = [
        SIGNED_PREFIX + split_line(line).event for line in ledger.workspace.chain.read_bytes().splitlines()
    ]
    genesis = ledger.workspace.ledger.chain.genesis
    mine, theirs = [], []
    for _ in range(3):
        begun = time.perf_counter()
        report = verify_chain(ledger.workspace.chain, Expectation(genesis))
        mine.append(time.perf_counter() - begun)
        if not report.sound:
            raise RuntimeError("the ledger that is measured is not sound")
        theirs.append(signature_floor(messages))
    return [
        Row(f"full verify of {count:,} events", statistics.median(mine), statistics.median(theirs), "s", 1.35,
            "floor: libsodium verify of as many messages on one core")
    ]  # fmt: skip


_VERIFY = """
from ledger.verify import Expectation, verify_chain
report = verify_chain(Path(sys.argv[1]), Expectation())
assert report.sound, report
print(peak())
"""
_REPLAY = """
import muniment
ledger = muniment.open(sys.argv[1])
outcome = ledger.documents.replay()
assert outcome.written
print(peak())
"""
_KIB = 1024
STATE_BYTES = 1024
"""What replay may take a memory, as documented in benchmarks/README.md."""


def _peak(program: str, *arguments: object) -> float:
    """Return the most memory that a process of its own took, in MiB."""
    command = [sys.executable, "-c", PEAK + program, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return int(done.stdout) / _KIB


def _filled(folder: Path, events: int, erased: int = 0) -> Path:
    """Make a chain of so many events, of which the last ones erase the first memories; return it."""
    ledger = found(folder)
    erasing = -(-erased // MAX_TARGETS)
    fill(ledger, events - 1 - erasing)
    ids = [event.id for event in itertools.islice(events_of(ledger.workspace.chain), 1, erased + 1)]
    if ids:
        ledger.workspace.ledger.write([Erase(tuple(ids), "measured", family=False)], BY)
    ledger.close()
    return ledger.workspace.chain


def resident(folder: Path, scale: float) -> list[Row]:
    """Resident memory of verify (verdicts 1 and 2) and of replay."""
    large, erased = int(200_000 * scale), int(20_000 * scale)
    small = _filled(folder / "small", 1000)
    long = _filled(folder / "long", large)
    growth = _peak(_VERIFY, long) - _peak(_VERIFY, small)
    name = f"memory of verify, {large:,} events above 1,000"
    rows = [Row(name, max(growth, 0.0), 64.0, "MiB", 1.0, "floor: the 64 MiB allowed")]
    shutil.rmtree(folder / "long")
    many = max(2000, large // 10)
    erasing = _filled(folder / "erasing", many + erased, erased)
    growth = _peak(_VERIFY, erasing) - _peak(_VERIFY, small)
    allowed = 64 + erased * 100 / _KIB**2
    name = f"memory of verify with {erased:,} erased of {many + erased:,} events"
    rows.append(
        Row(name, max(growth, 0.0), allowed, "MiB", 1.0, "floor: 64 MiB and 100 bytes an erase allowed")
    )
    shutil.rmtree(folder / "erasing")
    few = many // 5  # beyond what the database's cache takes in any case
    whole, part = _filled(folder / "whole", many), _filled(folder / "part", few)
    growth = (_peak(_REPLAY, whole.parent) - _peak(_REPLAY, part.parent)) * _KIB**2
    name = f"memory of replay at {many:,} above {few:,}, a memory"
    note = f"floor: the {STATE_BYTES} bytes documented"
    rows.append(Row(name, max(growth, 0.0) / (many - few), STATE_BYTES, "B", 1.0, note))
    return rows
