"""Several processes and threads write one ledger at once: none is lost, the chain is sound (C-5, C-13)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from ledger.command import Create
from ledger.errors import StateError
from ledger.memory import Memory
from ledger.verify import Expectation, verify_chain
from tests.forking import run_python
from tests.ledger.world import ADA, Spoken, World, lines_of, memories, overwrite, texts_of

WRITER = """
import sys
from functools import partial
from pathlib import Path
from ledger.command import Create
from ledger.memory import Memory
from tests.ledger.life import ADA, opened
base, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
ledger = opened(base)
for number in range(count):
    if number % 50 == 49:
        done = ledger.write([Create(Memory(f"{name} {number} {part}")) for part in "abc"], ADA)
    else:
        done = ledger.write([Create(Memory(f"{name} {number}"))], ADA)
    print(*(written.id for written in done), flush=True)
"""


def at_once(base: Path, processes: int, appends: int) -> list[str]:
    """Let processes append at once; return all ids that they were told."""

    def write(number: int) -> CompletedProcess[str]:
        return run_python(["-c", WRITER, base, f"writer {number}", appends], timeout=240)

    with ThreadPoolExecutor(processes) as pool:
        done = list(pool.map(write, range(processes)))
    assert [writer.returncode for writer in done] == [0] * processes
    return [id_ for writer in done for id_ in writer.stdout.split()]


@pytest.mark.parametrize("times", [50, pytest.param(200, marks=pytest.mark.soak)])
def test_eight_processes_append_many_times_each(tmp_path: Path, times: int) -> None:
    """Every id that any of them was told stands in the chain exactly once, and nothing else does."""
    world = World(tmp_path)
    told = at_once(tmp_path, 8, times)
    assert len(told) == 8 * (times + times // 50 * 2)
    events = world.events()
    assert sorted(event.id for event in events[1:]) == sorted(told)
    assert [event.seq for event in events] == list(range(len(told) + 1))
    assert world.codes() == []
    assert world.verify().completeness.state == "sound"
    assert world.torn() == []


def test_processes_that_begin_with_what_a_crash_left(tmp_path: Path) -> None:
    """The torn tail is set aside once, by whoever comes first."""
    world = World(tmp_path)
    world.fill("one")
    with world.path.open("ab") as file:
        file.write(b"half a li")
    told = at_once(tmp_path, 4, 5)
    assert [torn.read_bytes() for torn in world.torn()] == [b"half a li"]
    assert len(world.events()) == 2 + len(told)
    assert world.codes() == []


def together(*works: Callable[[], object]) -> list[BaseException]:
    """Carry out functions in threads that begin at once; return what they raised."""
    ready = threading.Barrier(len(works))
    faults: list[BaseException] = []

    def work(function: Callable[[], object]) -> None:
        ready.wait()
        try:
            function()
        except Exception as error:  # noqa: BLE001 - a thread's faults are looked at in the end
            faults.append(error)

    threads = [threading.Thread(target=work, args=(function,)) for function in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return faults


@pytest.mark.parametrize("shared", [True, False])
def test_threads_append_at_once(tmp_path: Path, shared: bool) -> None:
    """With one open ledger between them, or with one each."""
    world = World(tmp_path)
    one = world.open()

    def writer(name: str) -> Callable[[], object]:
        ledger = one if shared else world.open()
        return lambda: [ledger.create(Memory(f"{name} {number}"), ADA) for number in range(40)]

    assert together(*(writer(name) for name in "abcdef")) == []
    assert len(world.events()) == 1 + 6 * 40
    assert sorted(texts_of(one)) == sorted(f"{name} {number}" for name in "abcdef" for number in range(40))
    assert world.codes() == []


def test_the_same_statement_at_once_is_one_event(tmp_path: Path) -> None:
    """Each validates against the state under the lock: one is first, all others are told its id (S-9)."""
    world = World(tmp_path)
    told: list[str] = []

    def say(ledger: Spoken) -> None:
        told.extend(ledger.create(Memory(f"text {number}"), ADA).id for number in range(20))

    assert together(*(partial(say, world.open()) for _ in range(4))) == []
    assert len(world.events()) == 21
    assert len(told) == 80
    assert len(set(told)) == 20


def test_one_of_many_that_delete_the_same_wins(tmp_path: Path) -> None:
    """All others are told that it is deleted already."""
    world = World(tmp_path)
    ids = world.fill(*map(str, range(10)))
    won: list[str] = []
    told: list[str] = []

    def delete(ledger: Spoken) -> None:
        for id_ in ids:
            try:
                won.append(ledger.delete([id_], ADA).id)
            except StateError as error:
                told.append(str(error))

    assert together(*(partial(delete, world.open()) for _ in range(4))) == []
    assert len(won) == 10
    assert len(told) == 30
    assert all("deleted already" in message for message in told)
    assert world.codes() == []


def test_a_verifier_finds_nothing_while_others_write_and_erase(tmp_path: Path) -> None:
    """Whatever moment it meets: a half written last line is the one thing that it may see (V-14)."""
    world = World(tmp_path)
    done = threading.Event()
    seen: list[str] = []
    rounds = 0

    def write() -> None:
        ledger = world.open()
        for number in range(120):
            id_ = ledger.create(Memory(f"text {number}", body="x\n" * 400), ADA).id
            if number % 3 == 0:
                ledger.erase([id_], ADA)
        done.set()

    def verify() -> None:
        nonlocal rounds
        while not done.is_set():
            report = verify_chain(world.path, Expectation(genesis=world.genesis))
            seen.extend(finding.code for finding in report.integrity.findings)
            rounds += 1

    assert together(write, verify) == []
    assert rounds > 3
    assert set(seen) <= {"missing-lf", "framing"}
    assert world.codes() == []


def test_a_reader_needs_no_lock(tmp_path: Path) -> None:
    """While a writer holds it, the chain can be read and verified."""
    world = World(tmp_path)
    ledger = world.open()
    ledger.write([Create(memory) for memory in memories("one", "two")], ADA)
    with ledger.chain.locked():
        assert len(world.events()) == 3
        assert world.codes() == []


def test_a_cut_inside_a_large_batch_leaves_a_prefix(tmp_path: Path) -> None:
    """Wherever it is cut: a prefix of it, never a hole (C-6)."""
    world = World(tmp_path)
    mark = world.mark.read()
    assert mark is not None
    ledger = world.open()
    ledger.write([Create(memory) for memory in memories(*(f"text {number}" for number in range(100)))], ADA)
    whole = world.path.read_bytes()
    lines = lines_of(world.path)
    for size in range(len(lines[0]), len(whole), len(whole) // 13):
        overwrite(world.path, whole[:size])
        world.mark.write(mark)
        assert not world.open().create(Memory("after"), ADA).known
        texts = world.texts()
        assert texts == [*(f"text {number}" for number in range(len(texts) - 1)), "after"]
    assert world.codes() == []
