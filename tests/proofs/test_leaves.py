"""Leaves made of many lines: by one process or by several, they are the same, and so is what is refused.

Tests specs/proofs.md (T-1, T-33).
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ledger import reader, workers
from ledger.errors import ChainError, FormatError
from proofs import heads, leaves, merkle
from proofs.leaves import Leaves
from specs.vectors.cases import started

ROOT = Path(__file__).resolve().parents[2]
LONG = started(300)
HASHES = [merkle.leaf_hash(heads.head_of(line)) for line in LONG.lines]


class Dying(ThreadPoolExecutor):
    """A worker whose second piece and all that come after it are lost."""

    def __init__(self) -> None:
        super().__init__(1)
        self.given = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.given += 1
        if self.given == 1:
            return super().submit(fn, *args, **kwargs)
        if self.given > 3:
            raise BrokenExecutor
        future: Future[Any] = Future()
        future.set_exception(BrokenExecutor())
        return future


@pytest.fixture
def pools(monkeypatch: pytest.MonkeyPatch) -> list[Executor]:
    """Workers that need no fork, also for a short chain, with pieces of a few lines; the pools that were made."""
    made: list[Executor] = []
    monkeypatch.setattr(leaves, "PAYS", 1)
    monkeypatch.setattr(leaves, "STRETCH", 3000)
    monkeypatch.setattr(reader, "BLOCK", 2000)
    monkeypatch.setattr(workers, "cores", lambda: 2)

    def threads(jobs: int) -> Executor:
        made.append(ThreadPoolExecutor(jobs))
        return made[-1]

    monkeypatch.setattr(workers, "processes", threads)
    return made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "chain.jsonl"
    path.write_bytes(LONG.data)
    return path


def made_of(path: Path, start: int = 0, before: str | None = None) -> list[Leaves]:
    with reader.opened(path) as fd:
        return list(leaves.read(fd, start, os.fstat(fd).st_size, before=before))


@pytest.mark.parametrize("before", [None, ""])
def test_workers_make_the_same_leaves(path: Path, pools: list[Executor], before: str | None) -> None:
    found = made_of(path, before=before)
    assert len(pools) == 1
    assert [each for some in found for each in some.hashes] == HASHES
    assert (found[-1].id, found[-1].end) == (LONG.ids[-1], len(LONG.data))
    assert LONG.data[found[-1].start : found[-1].end] == LONG.lines[-1] + b"\n"


def test_workers_go_on_after_an_event(path: Path, pools: list[Executor]) -> None:
    start = len(b"\n".join(LONG.lines[:40])) + 1
    found = made_of(path, start, LONG.ids[39])
    assert pools
    assert [each for some in found for each in some.hashes] == HASHES[40:]
    with pytest.raises(ChainError, match="not linked"):
        made_of(path, start, LONG.ids[38])


@pytest.mark.usefixtures("pools")
def test_what_workers_do_not_bring_is_made_without_them(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Dying()
    monkeypatch.setattr(workers, "processes", lambda _: pool)
    assert [each for some in made_of(path, before="") for each in some.hashes] == HASHES
    assert pool.given > 4


@pytest.mark.parametrize("at", range(1, 300, 23))
def test_a_line_that_is_missing_is_found_wherever_pieces_end(
    path: Path, pools: list[Executor], at: int
) -> None:
    path.write_bytes(b"".join(line + b"\n" for line in LONG.lines[:at] + LONG.lines[at + 1 :]))
    with pytest.raises(ChainError, match="not linked"):
        made_of(path, before="")
    assert pools


def test_a_line_that_is_no_event_is_said_by_the_process_itself(path: Path, pools: list[Executor]) -> None:
    path.write_bytes(LONG.data.replace(LONG.lines[150], b"no event"))
    with pytest.raises(FormatError, match="does not begin with"):
        made_of(path, before="")
    assert pools


def test_a_short_chain_and_one_core_need_no_workers(
    path: Path, pools: list[Executor], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaves, "PAYS", len(LONG.data) + 1)
    assert made_of(path)
    monkeypatch.setattr(leaves, "PAYS", 1)
    monkeypatch.setattr(workers, "cores", lambda: 1)
    assert made_of(path)
    assert pools == []


# --- real processes -----------------------------------------------------------------------------------------

SCRIPT = """
import os, sys
from pathlib import Path
from ledger import reader, workers
from proofs import leaves

def die():
    os.kill(os.getpid(), 9)

def made():
    with reader.opened(Path(sys.argv[2])) as fd:
        inherited[:] = [fd]
        return [each for some in leaves.read(fd, 0, os.fstat(fd).st_size, before="") for each in some.hashes]

def another_file():
    null = os.open(os.devnull, os.O_RDONLY)
    for fd in inherited:
        os.dup2(null, fd)

if __name__ == "__main__":
    inherited = []
    os.register_at_fork(after_in_child=another_file)  # as the chain's own descriptor may be in a child
    alone = made()
    leaves.PAYS, leaves.STRETCH = 1, 3000
    workers.cores = lambda: 2
    if sys.argv[1] == "die":
        os.register_at_fork(after_in_child=die)
    real, pools = workers.processes, []
    workers.processes = lambda jobs: pools.append(real(jobs)) or pools[-1]
    assert made() == alone
    by_itself, calls = leaves.of_lines, []
    leaves.of_lines = lambda *lines, **how: calls.append(lines) or by_itself(*lines, **how)
    assert made() == alone
    print(*(type(pool).__name__ for pool in pools), len(calls))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="workers are processes on Linux only")
@pytest.mark.parametrize("mode", ["check", "die"])
def test_forked_workers_make_the_same(path: Path, mode: str) -> None:
    """Twice, one right after the other; where they are killed, the parent does their part."""
    command = [sys.executable, "-c", SCRIPT, mode, str(path)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    first, second, calls = result.stdout.split()
    assert first == second == "ProcessPoolExecutor"
    assert (int(calls) > 0) == (mode == "die")


SIGNING = """
import sys
from pathlib import Path
from ledger import workers
from proofs import leaves
from tests.proofs.world import Shown

if __name__ == "__main__":
    world = Shown(Path(sys.argv[1]))
    world.fill(*(f"memory {number}" for number in range(40)))
    [alone] = world.roots([41])
    leaves.PAYS, leaves.STRETCH = 1, 3000
    workers.cores = lambda: 2
    by_itself, calls = leaves.of_lines, []
    leaves.of_lines = lambda *lines, **how: calls.append(lines) or by_itself(*lines, **how)
    print(world.sign().checkpoint.root == alone, len(calls))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="workers are processes on Linux only")
def test_workers_read_a_chain_whose_lock_is_held(tmp_path: Path) -> None:
    """T-33: where a checkpoint is signed, the cache and the heads are both made by workers."""
    command = [sys.executable, "-c", SIGNING, str(tmp_path)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["True", "0"]
