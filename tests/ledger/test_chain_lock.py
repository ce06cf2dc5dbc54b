"""Tests of ledger/chain.py: who holds the lock, who waits for it, and how it is let go (C-5, C-13)."""

from __future__ import annotations

import fcntl
import gc
import os
import threading
import time
from pathlib import Path

import pytest

from ledger.command import Create
from ledger.errors import (
    BusyError,
    RollbackError,
)
from ledger.memory import Memory
from tests.ledger.world import (
    ADA,
    World,
    overwrite,
    run_child,
)
from tests.observing import observed


@pytest.fixture
def world(world: World) -> World:
    """A ledger of four events: genesis and three memories."""
    world.fill("one", "two", "three")
    return world


def test_a_chain_replaced_by_rename_while_a_writer_waits(world: World) -> None:
    """The writer goes on in the new file, and not a byte goes into the old one (C-5)."""
    ledger = world.open()
    ledger.create(Memory("four"), ADA)
    old = os.open(world.path, os.O_RDWR)
    fcntl.flock(old, fcntl.LOCK_EX)
    data = world.path.read_bytes()
    waiting = threading.Event()
    writer = threading.Thread(target=ledger.create, args=(Memory("five"), ADA))
    with observed(lambda step: waiting.set() if step == "append.locked" else None):
        writer.start()
        time.sleep(0.05)
        assert not waiting.is_set()
        new = world.path.with_name("new")
        new.write_bytes(data)
        new.rename(world.path)
        os.close(old)
        writer.join()
    assert world.path.read_bytes().startswith(data)
    world.goes_on("one", "two", "three", "four", "five")


def test_another_process_is_waited_for_as_long_as_told(world: World) -> None:
    """Then the error says who holds what."""
    fd = os.open(world.path, os.O_RDWR)
    fcntl.flock(fd, fcntl.LOCK_SH)  # a verifier that looks again
    ledger = world.open()
    with pytest.raises(BusyError, match=r"holds .*chain.jsonl; nothing was written, try again"):
        ledger.write([Create(Memory("four"))], ADA, timeout=0.02)
    os.close(fd)
    ledger.write([Create(Memory("four"))], ADA, timeout=0.02)


def test_another_thread_is_waited_for_as_long_as_told(world: World) -> None:
    """A time-out counts within a process as well."""
    ledger = world.open()
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with ledger.chain.locked():
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    with pytest.raises(BusyError):
        ledger.write([Create(Memory("four"))], ADA, timeout=0.02)
    done.set()
    thread.join()
    ledger.write([Create(Memory("four"))], ADA, timeout=0.02)


def test_a_thread_that_holds_the_chain_cannot_wait_for_itself(world: World) -> None:
    """It would wait for ever; it is told instead, and still holds the chain."""
    ledger = world.open()
    with ledger.chain.locked() as held:
        with pytest.raises(RuntimeError, match="holds the chain already"):
            ledger.create(Memory("four"), ADA)
        assert held.tip.link.seq == 3
    ledger.create(Memory("four"), ADA)


FORK = """
import os, signal, sys, time
from pathlib import Path
from ledger.chain import Chain
from ledger.errors import ChainError
from ledger.mark import MarkFile
directory, mark, ready = map(Path, sys.argv[1:4])
chain = Chain(directory, MarkFile(mark))
"""


def test_a_forked_child_does_not_keep_the_lock(world: World, tmp_path: Path) -> None:
    """The parent is killed while it holds the lock, its child lives on: the next writer gets it (C-13)."""
    done = run_child(
        FORK
        + """
with chain.locked():
    child = os.fork()
    if child == 0:
        os.close(1), os.close(2)
        ready.write_text(str(os.getpid()))
        time.sleep(60)
        os._exit(0)
    while not ready.exists() or not ready.read_text():
        time.sleep(0.005)
    os.kill(os.getpid(), signal.SIGKILL)
""",
        str(world.directory),
        str(world.mark.path),
        str(tmp_path / "ready"),
        check=False,
    )
    assert done.returncode == -9, done.stderr
    child = int((tmp_path / "ready").read_text())
    try:
        os.kill(child, 0)  # it lives
        world.open().write([Create(Memory("four"))], ADA, timeout=5)
    finally:
        os.kill(child, 9)
    world.goes_on("one", "two", "three", "four")


@pytest.mark.parametrize("leaving", ["os._exit(0)", "raise SystemExit", "pass"])
def test_a_childs_end_does_not_let_the_parents_lock_go(world: World, tmp_path: Path, leaving: str) -> None:
    """However the child leaves the block: closing an inherited descriptor unlocks nothing (C-13)."""
    run_child(
        FORK
        + f"""
import fcntl
with chain.locked() as held:
    child = os.fork()
    if child == 0:
        {leaving}
    else:
        assert os.waitpid(child, 0)[1] == 0
        fd = os.open(directory / "chain.jsonl", os.O_RDWR)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            ready.write_text(f"locked, at {{held.tip.link.seq}}")
if child == 0:
    os._exit(0)
fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
""",
        str(world.directory),
        str(world.mark.path),
        str(tmp_path / "ready"),
    )
    assert (tmp_path / "ready").read_text() == "locked, at 3"


def test_a_child_cannot_write_with_its_parents_lock(world: World, tmp_path: Path) -> None:
    """It is told to open the ledger anew, and can take the lock itself once the parent has let go."""
    run_child(
        FORK
        + """
with chain.locked() as held:
    child = os.fork()
    if child == 0:
        try:
            held.append([], [])
        except (ChainError, IndexError) as error:
            ready.write_text(repr(error))
        try:
            held.complete_line(held.tip)
        except ChainError as error:
            ready.write_text(str(error))
    else:
        os.waitpid(child, 0)
if child == 0:
    os._exit(0)
if os.fork() == 0:
    with chain.locked(5) as held:
        os._exit(held.tip.link.seq)
assert os.waitstatus_to_exitcode(os.wait()[1]) == 3
""",
        str(world.directory),
        str(world.mark.path),
        str(tmp_path / "ready"),
    )
    assert "not held by this process" in (tmp_path / "ready").read_text()
    world.goes_on("one", "two", "three")


def open_descriptors() -> list[str]:
    return sorted(path.name for path in Path("/proc/self/fd").iterdir())


def test_no_descriptor_is_left_open(world: World, tmp_path: Path) -> None:
    """Neither by appends nor by any refusal."""
    if not Path("/proc/self/fd").exists():
        pytest.skip("needs /proc/self/fd")
    ledger = world.open()
    ledger.create(Memory("warm"), ADA)
    good = world.path.read_bytes()
    gc.collect()  # what other tests left in cycles closes now, and not while this one counts
    before = open_descriptors()
    fd = os.open(world.path, os.O_RDWR)
    for number in range(5):
        ledger.erase([ledger.create(Memory(f"turn {number}"), ADA).id], ADA)
        fcntl.flock(fd, fcntl.LOCK_EX)
        with pytest.raises(BusyError):
            ledger.write([Create(Memory("x"))], ADA, timeout=0)
        fcntl.flock(fd, fcntl.LOCK_UN)
    overwrite(world.path, good)
    for _ in range(5):
        with pytest.raises(RollbackError):
            ledger.create(Memory("x"), ADA)
    world.path.unlink()
    for _ in range(5):
        with pytest.raises(RollbackError):
            ledger.create(Memory("x"), ADA)
    os.close(fd)
    assert open_descriptors() == before
