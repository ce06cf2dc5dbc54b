"""Leaves made of many lines are those of each line, wherever the blocks end, and so is what is refused.

Tests specs/proofs.md (T-1, T-33).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ledger import reader
from ledger.errors import ChainError, FormatError
from proofs import heads, leaves, merkle
from proofs.leaves import Leaves
from specs.vectors.cases import started

LONG = started(300)
HASHES = [merkle.leaf_hash(heads.head_of(line)) for line in LONG.lines]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A chain that is read in blocks of a few lines."""
    monkeypatch.setattr(reader, "BLOCK", 2000)
    path = tmp_path / "chain.jsonl"
    path.write_bytes(LONG.data)
    return path


def made_of(path: Path, start: int = 0, before: str | None = None) -> list[Leaves]:
    with reader.opened(path) as fd:
        return list(leaves.read(fd, start, os.fstat(fd).st_size, before=before))


@pytest.mark.parametrize("before", [None, ""])
def test_blocks_make_the_leaves_of_all_lines(path: Path, before: str | None) -> None:
    found = made_of(path, before=before)
    assert len(found) > 10
    assert [each for some in found for each in some.hashes] == HASHES
    assert (found[-1].id, found[-1].end) == (LONG.ids[-1], len(LONG.data))
    assert LONG.data[found[-1].start : found[-1].end] == LONG.lines[-1] + b"\n"


def test_leaves_go_on_after_an_event(path: Path) -> None:
    start = len(b"\n".join(LONG.lines[:40])) + 1
    found = made_of(path, start, LONG.ids[39])
    assert [each for some in found for each in some.hashes] == HASHES[40:]
    with pytest.raises(ChainError, match="not linked"):
        made_of(path, start, LONG.ids[38])


@pytest.mark.parametrize("at", range(1, 300, 23))
def test_a_line_that_is_missing_is_found_wherever_blocks_end(path: Path, at: int) -> None:
    path.write_bytes(b"".join(line + b"\n" for line in LONG.lines[:at] + LONG.lines[at + 1 :]))
    with pytest.raises(ChainError, match="not linked"):
        made_of(path, before="")


def test_a_line_that_is_no_event_is_named(path: Path) -> None:
    path.write_bytes(LONG.data.replace(LONG.lines[150], b"no event"))
    with pytest.raises(FormatError, match="does not begin with"):
        made_of(path, before="")
