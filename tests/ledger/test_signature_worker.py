"""Workers change nothing of what verify finds and what an index takes in, whatever becomes of them.

Tests specs/verification.md (V-11).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from ledger import signature_worker
from ledger.errors import ChainError
from ledger.signature_worker import signature_workers
from ledger.verify import ChainReport, Expectation, verify_chain
from projections.index import Index
from specs.vectors.builder import Chain
from specs.vectors.cases import started

EVENTS = 200
SIZE = 1 << 30
"""Of a chain that is worth workers."""


@pytest.fixture(autouse=True)
def _two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1}, raising=False)


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    path = tmp_path / "chain.jsonl"
    path.write_bytes(long_chain().data)
    return path


def long_chain() -> Chain:
    """Return a chain of many batches, with a rotate in it."""
    made = started(0)
    for number in range(EVENTS):
        made.create(f"Memory {number}.")
        if number == EVENTS // 2:
            made.rotate()
    return made


def with_another_signature(data: bytes, seq: int) -> bytes:
    """Return a chain in which an event bears the signature of the one before it."""
    lines = data.splitlines(keepends=True)
    before, here = (line.split(b'"sig":"')[1][:86] for line in lines[seq - 1 : seq + 1])
    lines[seq] = lines[seq].replace(here, before)
    return b"".join(lines)


def reports(path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[ChainReport, ChainReport]:
    """Return what verify finds with workers, and without."""
    monkeypatch.setattr(signature_worker, "WORTHWHILE", 0)
    beside = verify_chain(path, Expectation())
    monkeypatch.setattr(signature_worker, "WORTHWHILE", SIZE)
    return beside, verify_chain(path, Expectation())


def test_a_sound_chain_is_sound(chain: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside, alone = reports(chain, monkeypatch)
    assert beside == alone
    assert beside.sound
    assert beside.events == EVENTS + 2


@pytest.mark.parametrize("seq", [1, 70, EVENTS // 2 + 2, EVENTS + 1])
def test_the_same_signature_is_found_bad(chain: Path, seq: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chain.write_bytes(with_another_signature(chain.read_bytes(), seq))
    beside, alone = reports(chain, monkeypatch)
    assert beside == alone
    assert [(f.code, f.line) for f in beside.integrity.findings[:1]] == [("signature", seq + 1)]


def test_an_index_takes_nothing_in_that_is_signed_by_nobody(
    chain: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain.write_bytes(with_another_signature(chain.read_bytes(), EVENTS))
    monkeypatch.setattr(signature_worker, "WORTHWHILE", 1)
    index = Index(chain.parent)
    with pytest.raises(ChainError, match=f"line {EVENTS + 1}"):
        index.follow(chain)
    assert index.newest() == -1
    index.close()


@pytest.mark.parametrize("program", ["/bin/false", "/nowhere/python", ""])
def test_where_no_worker_lives_everything_is_checked_here(
    chain: Path, program: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = with_another_signature(chain.read_bytes(), 150)
    with monkeypatch.context() as patch:
        patch.setattr(sys, "executable", program)
        beside, alone = reports(chain, monkeypatch)
        assert beside == alone
        assert beside.sound
        chain.write_bytes(bad)
        beside, alone = reports(chain, monkeypatch)
        assert beside == alone
        assert not beside.sound


def test_workers_say_nothing_is_good_before_all_is_checked() -> None:
    """A batch that was not full yet counts, too."""
    with signature_workers(SIZE) as workers:
        assert workers.good
        workers.add(bytes(32), b"message", b"A" * 86)
    assert not workers.good


def test_without_another_core_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
    with signature_workers(SIZE) as workers:
        assert not workers.good
    assert not workers.good
