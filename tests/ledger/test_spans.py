"""Any number of workers, at any borders between spans, finds what one process finds.

Tests specs/verification.md (V-11).
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import reader, spans, workers
from ledger.spans import MAX_FINDINGS, CheckedSpan, Task, Watched, check_spans
from specs.vectors.builder import Chain
from specs.vectors.cases import started

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Spans of a few lines, so that a small chain has many; workers that need no fork."""
    monkeypatch.setattr(spans, "SPAN", 2000)
    monkeypatch.setattr(spans, "FIRST_SPAN", 700)
    monkeypatch.setattr(workers, "processes", lambda _jobs: None)


def checked(path: Path, jobs: int, watched: Watched | None = None) -> list[CheckedSpan]:
    with reader.opened(path) as fd:
        stop = reader.end_of_lines(fd, 0, os.fstat(fd).st_size)
        return list(check_spans(Task(path, fd, 0, stop, None, 0, watched), jobs))


def summary(found: list[CheckedSpan]) -> dict[str, Any]:
    """Return what the spans say together, however the lines were shared out."""
    return {
        "findings": [finding for span in found for finding in span.findings],
        "events": sum(span.events for span in found),
        "lines": sum(span.lines for span in found),
        "omitted": sum(span.omitted for span in found),
        "blank": b"".join(span.blank for span in found),
        "erased": b"".join(span.erased for span in found),
        "lost": found[-1].lost if found else False,
        "after": found[-1].after if found else None,
        "watched": [span.watched for span in found if span.watched],
        "ledger": [span.ledger_id for span in found if span.ledger_id],
    }


def long_chain() -> Chain:
    """Return a chain of 130 lines with rotations, erasures, deletions and a recovery."""
    chain = started(30)
    for round_ in range(3):
        chain.rotate(proof=round_ != 1)
        for number in range(20):
            chain.create(f"Round {round_}, memory {number}.", record={"body": "x" * (37 * number)})
        chain.add("erase", {"reason": "r"}, targets=chain.ids[-3:-1])
        for line in (len(chain.lines) - 2, len(chain.lines) - 1):
            chain.blank(line)
        chain.add("delete", {"reason": "r"}, targets=[chain.ids[5]])
        chain.recover()
    chain.add("confirm", targets=[chain.ids[7]])
    return chain


LONG = long_chain()


def damaged(seed: int, times: int) -> bytes:
    """Return the long chain with so many faults of all kinds."""
    rnd = random.Random(seed)
    data = bytearray(LONG.data)
    first = len(LONG.lines[0]) + 1 if seed % 4 else 0
    for _ in range(times):
        at = rnd.randrange(first, len(data))
        match rnd.randrange(6):
            case 0:
                data[at] = rnd.randrange(256)
            case 1:
                del data[at : at + rnd.randrange(1, 900)]
            case 2:
                data[at:at] = b"\n" * rnd.randrange(1, 3)
            case 3:
                data[at:at] = data[at : at + rnd.randrange(2000)]
            case 4:
                data[at : at + 1] = b" " * rnd.randrange(3)
            case _:
                lines = bytes(data).split(b"\n")
                one, other = rnd.randrange(1, len(lines)), rnd.randrange(1, len(lines))
                lines[one], lines[other] = lines[other], lines[one]
                data = bytearray(b"\n".join(lines))
    return bytes(data)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("times", [0, 1, 2, 5, 40])
@pytest.mark.parametrize("seed", range(8))
def test_three_workers_find_what_one_process_finds(tmp_path: Path, seed: int, times: int) -> None:
    path = tmp_path / "chain.jsonl"
    path.write_bytes(damaged(seed, times))
    watched = Watched(40, LONG.ids[40])
    assert summary(checked(path, 3, watched)) == summary(checked(path, 1, watched))


@pytest.mark.usefixtures("small")
def test_a_chain_of_mostly_bad_lines_is_judged_alike(tmp_path: Path) -> None:
    """Every span begins after a bad line, so that no worker's assumption holds."""
    chain = started(300)
    for number in range(2, len(chain.lines)):
        if number % 5:
            chain.lines[number] = chain.lines[number].replace(b'"alice"', b'"mallory"')
    path = tmp_path / "chain.jsonl"
    path.write_bytes(chain.data)
    alone = summary(checked(path, 1))
    assert len(alone["findings"]) == 239
    assert summary(checked(path, 4)) == alone


@pytest.mark.usefixtures("small")
def test_workers_do_most_of_the_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a good chain every span but the first comes from a worker."""
    path = tmp_path / "chain.jsonl"
    path.write_bytes(started(200).data)
    mine: list[int] = []
    check = spans.check_span

    def counted(fd: int, start: int, *args: Any, **how: Any) -> CheckedSpan:
        if threading.current_thread() is threading.main_thread():
            mine.append(start)
        return check(fd, start, *args, **how)

    monkeypatch.setattr(spans, "check_span", counted)
    assert len(checked(path, 2)) > 20
    assert mine == [0]


@pytest.mark.usefixtures("small")
def test_a_bad_first_line_ends_it(tmp_path: Path) -> None:
    """V-6."""
    chain = started(100)
    chain.lines[0] = b"garbage"
    path = tmp_path / "chain.jsonl"
    path.write_bytes(chain.data)
    for jobs in (1, 3):
        (only,) = checked(path, jobs)
        assert (only.lost, only.lines, only.events) == (True, 1, 0)


def test_an_empty_chain_has_no_spans(tmp_path: Path) -> None:
    path = tmp_path / "chain.jsonl"
    path.touch()
    assert checked(path, 1) == checked(path, 2) == []


@given(st.integers(1, 9000), st.integers(1, 9000))
def test_spans_are_whole_lines_that_cover_the_file(
    tmp_path_factory: pytest.TempPathFactory, first: int, later: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "cut.jsonl"
    path.write_bytes(LONG.data)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spans, "FIRST_SPAN", first)
        patch.setattr(spans, "SPAN", later)
        found = checked(path, 1)
    ends = [span.end for span in found]
    assert sum(span.lines for span in found) == len(LONG.lines)
    assert all(LONG.data[:end].endswith(b"\n") for end in ends)
    assert ends[-1] == len(LONG.data)
    assert all(end - begin >= later for begin, end in itertools.pairwise(ends[:-1]))


def test_a_span_lists_so_many_findings_and_counts_the_others(tmp_path: Path) -> None:
    """V-11: a chunk of a million blank lines must not become a million findings."""
    path = tmp_path / "chain.jsonl"
    path.write_bytes(started(1).data + b"\n" * 5000)
    found = summary(checked(path, 1))
    assert found["omitted"] + len(found["findings"]) == 5000
    assert all(len(span.findings) <= MAX_FINDINGS for span in checked(path, 1))


def test_of_events_at_the_watched_seq_the_right_one_counts(tmp_path: Path) -> None:
    chain = started(3)
    path = tmp_path / "chain.jsonl"
    offset = len(chain.lines[0]) + 1 + len(chain.lines[1]) + 1
    path.write_bytes(chain.data)
    for id_ in (chain.ids[2], "ab" * 32):
        assert summary(checked(path, 1, Watched(2, id_)))["watched"] == [(chain.ids[2], offset)]
    assert summary(checked(path, 1, Watched(9, chain.ids[2])))["watched"] == []


# --- when workers cannot help -------------------------------------------------------------------------------


class Broken(ThreadPoolExecutor):
    """Workers of whom all die: at once, or when their result is asked for."""

    def __init__(self, at_once: bool) -> None:
        super().__init__(1)
        self.at_once = at_once

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        del fn, args, kwargs
        if self.at_once:
            raise BrokenExecutor
        future: Future[Any] = Future()
        future.set_exception(BrokenExecutor())
        return future


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("at_once", [True, False])
def test_where_the_workers_died_the_parent_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: bool
) -> None:
    path = tmp_path / "chain.jsonl"
    path.write_bytes(LONG.data)
    alone = summary(checked(path, 1))

    def pool(jobs: int) -> Executor:
        del jobs
        return Broken(at_once)

    monkeypatch.setattr(workers, "processes", pool)
    assert summary(checked(path, 2)) == alone


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("there", [None, started(150).data], ids=["no file", "another one"])
def test_what_workers_find_of_another_file_does_not_count(tmp_path: Path, there: bytes | None) -> None:
    """The chain may be replaced by a rename meanwhile; the parent has the old one open."""
    path = tmp_path / "chain.jsonl"
    path.write_bytes(LONG.data)
    alone = summary(checked(path, 1))
    with reader.opened(path) as fd:
        path.rename(tmp_path / "old.jsonl")
        if there is not None:
            path.write_bytes(there)
        assert summary(list(check_spans(Task(path, fd, 0, len(LONG.data), None, 0, None), 2))) == alone


# --- real processes -----------------------------------------------------------------------------------------

SCRIPT = """
import os, sys
from pathlib import Path
from ledger import spans, workers
from ledger.verify import Expectation, verify_chain

def die():
    os.kill(os.getpid(), 9)

if __name__ == "__main__":
    spans.SPAN, spans.FIRST_SPAN = 2000, 700
    if sys.argv[1] == "die":
        os.register_at_fork(after_in_child=die)
    pools = []
    real = workers.processes
    workers.processes = lambda jobs: pools.append(real(jobs)) or pools[-1]
    for name in sys.argv[2:]:
        alone = verify_chain(Path(name), Expectation())
        assert verify_chain(Path(name), Expectation(), jobs=2) == alone, name
        assert verify_chain(Path(name), Expectation(), jobs=5) == alone, name
    print(type(pools[0]).__name__)  # a later one may still see the threads of the one before
"""


def run(mode: str, *paths: Path) -> str:
    result = subprocess.run(
        [sys.executable, "-c", SCRIPT, mode, *map(str, paths)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_forked_workers_find_what_one_process_finds(tmp_path: Path) -> None:
    paths = []
    for seed in range(12):
        paths.append(tmp_path / f"{seed}.jsonl")
        paths[-1].write_bytes(damaged(seed, (0, 1, 3, 30)[seed % 4]))
    kind = "ProcessPoolExecutor" if sys.platform == "linux" else "NoneType"
    assert run("check", *paths) == kind


@pytest.mark.skipif(sys.platform != "linux", reason="workers are processes on Linux only")
def test_killed_workers_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "chain.jsonl"
    path.write_bytes(damaged(1, 3))
    assert run("die", path) == "ProcessPoolExecutor"


def test_where_threads_run_no_process_is_forked() -> None:
    """A fork would copy locks that other threads hold."""
    with ThreadPoolExecutor(1) as other:
        other.submit(time.sleep, 0).result()
        assert workers.processes(2) is None


WAITING = """
import os, sys, time
from ledger import workers

def report(_):
    os.write(1, f"{os.getpid()}\\n".encode())  # whole lines: two workers write into one pipe
    time.sleep(60)

if __name__ == "__main__":
    pool = workers.processes(2)
    for number in range(2):
        pool.submit(report, number)
    time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="workers are processes on Linux only")
def test_workers_end_when_their_parent_is_killed() -> None:
    """No process stays behind after `kill -9`."""
    with subprocess.Popen([sys.executable, "-c", WAITING], cwd=ROOT, stdout=subprocess.PIPE) as parent:
        assert parent.stdout
        workers = [int(parent.stdout.readline()) for _ in range(2)]
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        for _ in range(200):
            if not any(_runs(worker) for worker in workers):
                break
            time.sleep(0.05)
        assert [worker for worker in workers if _runs(worker)] == []


def _runs(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
