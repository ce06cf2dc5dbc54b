"""Tests of ledger/chain.py: what one append does, what the disk may do, who holds the lock (C-5…C-19)."""

from __future__ import annotations

import fcntl
import os
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ledger import durable, steps
from ledger.chain import Chain, Tip
from ledger.command import Create
from ledger.draft import Draft
from ledger.errors import (
    BusyError,
    ChainError,
    LedgerExistsError,
    RollbackError,
    StorageError,
)
from ledger.event import split_line
from ledger.ledger import Ledger
from ledger.mark import Mark, MarkFile
from ledger.memory import Memory
from ledger.signing import SigningKey
from tests.ledger.world import (
    ADA,
    START,
    World,
    lines_of,
    memories,
    mount,
    mounted,
    overwrite,
    run_child,
    spied,
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A ledger of four events: genesis and three memories."""
    world = World(tmp_path)
    world.fill("one", "two", "three")
    return world


@pytest.fixture
def watched() -> Iterator[list[str]]:
    """The steps that were reached, in order."""
    seen: list[str] = []
    steps.observer = seen.append
    yield seen
    steps.observer = None


# --- one append ---------------------------------------------------------------------------------------------


def test_an_append_is_one_write_and_one_sync(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it holds one event or twenty (C-5, C-6)."""
    ledger = world.open()
    ledger.create(Memory("warm"), ADA)
    calls: list[tuple[str, int]] = []
    spied(monkeypatch, os, "write", lambda _, data: calls.append(("write", len(data))))
    spied(monkeypatch, durable, "sync_data", lambda _: calls.append(("sync", 0)))
    for count in (1, 20):
        calls.clear()
        size = world.path.stat().st_size
        ledger.write([Create(memory) for memory in memories(*(f"{count} {n}" for n in range(count)))], ADA)
        assert calls == [("write", world.path.stat().st_size - size), ("sync", 0)]


def test_the_mark_moves_after_the_sync(world: World, watched: list[str]) -> None:
    """What is not durable yet is never remembered as acknowledged (C-5, C-14)."""
    marks: list[int] = []
    ledger = world.open()

    def look(step: str) -> None:
        mark = world.mark.read()
        marks.append(mark.seq if mark else -1)
        watched.append(step)

    steps.observer = look
    ledger.create(Memory("four"), ADA)
    assert watched == ["append.locked", "append.read", "append.written", "append.synced", "append.marked"]
    assert marks == [3, 3, 3, 3, 4]


def test_an_append_reads_a_bounded_number_of_bytes(tmp_path: Path) -> None:
    """With the mark there, the 100,000 lines before it are not looked at: here they are not even events."""
    world = World(tmp_path)
    costs = []
    for lines in (100, 100_000):
        filler = b"this line is no event and nobody may read it\n" * lines
        genesis, tip = lines_of(world.path)[0], world.open()
        with tip.chain.locked() as held:
            link = held.tip.link._replace(seq=lines)
            _, line = tip.build(_draft("the last of them"), link, ADA, tip.signing_key())
        overwrite(world.path, genesis + filler + line.raw + b"\n")
        start = len(genesis) + len(filler)
        mark = world.mark.read()
        assert mark is not None
        world.mark.write(replace(mark, seq=lines + 1, id=line.id, start=start, end=start + len(line.raw) + 1))
        ledger = world.open()
        before = _read_so_far()
        with ledger.chain.locked() as held:
            link, line = ledger.build(_draft("one more"), held.tip.link, ADA, ledger.signing_key())
            held.append([line], [link])
        costs.append(_read_so_far() - before)
        assert world.path.read_bytes().endswith(line.raw + b"\n")
        overwrite(world.path, genesis)
        world.mark.write(mark)
    assert costs[1] <= costs[0] + 1024
    assert costs[1] < 16_384


def _draft(text: str) -> Draft:
    return Draft("create", {}, {"text": text})


def _read_so_far() -> int:
    path = Path("/proc/self/io")
    if not path.exists():
        pytest.skip("needs /proc/self/io to count what a process reads")
    return int(path.read_text().split()[1])


def test_two_open_ledgers_see_each_others_events(world: World) -> None:
    """Each append begins with what the other one wrote."""
    one, two = world.open(), world.open()
    for number in range(6):
        (one, two)[number % 2].create(Memory(f"turn {number}"), ADA)
    assert [event.seq for event in world.events()] == list(range(10))
    assert world.codes() == []


def test_a_batch_larger_than_a_block_is_read_back_whole(world: World) -> None:
    """Lines that straddle the blocks of the reader are lines like any other."""
    ledger = world.open()
    ledger.write([Create(memory) for memory in memories(*("x" * 990 + f" {n}" for n in range(1500)))], ADA)
    assert world.path.stat().st_size > 1 << 20
    other = world.open()
    other.create(Memory("after"), ADA)
    assert len(world.events()) == 4 + 1500 + 1
    assert world.codes() == []


@pytest.mark.parametrize("shift", [-400 * 86_400_000_000, -1, 0])
def test_a_clock_set_back_refuses_nothing(world: World, shift: int) -> None:
    """`ts` goes on rising, by a microsecond if it must; `at` holds the clock (E-16)."""
    before = world.events()[-1].ts
    world.clock.now, world.clock.step = START + shift, 0
    ledger = world.open()
    for text in ("four", "five"):
        ledger.create(Memory(text), ADA)
    four, five = world.events()[-2:]
    assert before < four.ts < five.ts
    assert four.at == five.at < before
    assert world.codes() == []


def test_a_clock_that_runs_ahead_leaves_no_at(world: World) -> None:
    """Where the clock orders by itself it is not written twice."""
    assert ["at" in event.head for event in world.events()] == [False] * 4


# --- the disk refuses ---------------------------------------------------------------------------------------


def test_a_write_that_falls_short_is_cut_back(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of a line never stays; the error says that nothing was acknowledged (C-7)."""
    ledger = world.open()
    before = world.path.read_bytes()
    write = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: write(fd, data[: len(data) // 2]))
    with pytest.raises(StorageError, match=r"appending failed: the disk is full .*nothing was acknowledged"):
        ledger.create(Memory("four"), ADA)
    assert world.path.read_bytes() == before
    monkeypatch.undo()
    world.goes_on("one", "two", "three")


def test_a_full_disk_is_refused_and_gone_on_from(tmp_path: Path) -> None:
    """On a real file system without room: the file stays as it was, and grows again when there is room."""
    with mounted(tmp_path / "disk", "size=256k") as disk:
        world = World(tmp_path, directory=disk / "ledger")
        ledger = world.open()
        ledger.create(Memory("one"), ADA)
        room = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
        (disk / "ballast").write_bytes(b"x" * (room - 8192))
        before = world.path.read_bytes()
        with pytest.raises(StorageError, match="the disk is full"):
            ledger.create(Memory("too long", body="line\n" * 6000), ADA)
        assert world.path.read_bytes() == before
        assert world.codes() == []
        (disk / "ballast").unlink()
        ledger.create(Memory("too long", body="line\n" * 6000), ADA)
        world.goes_on("one", "too long")


def test_a_file_size_limit_is_refused_and_gone_on_from(world: World, tmp_path: Path) -> None:
    """RLIMIT_FSIZE in a process of its own, which ignores SIGXFSZ as Python does."""
    done = run_child(
        """
import resource, sys
from pathlib import Path
from ledger.command import Create
from ledger.errors import StorageError
from ledger.event import By
from ledger.founding import open_ledger
from ledger.keys import KeyDirectory
from ledger.mark import StateDirectory
from ledger.memory import Memory
from ledger.redaction import Redactor
base = Path(sys.argv[1])
keys, state = KeyDirectory(base / "keys"), StateDirectory(base / "state")
ledger = open_ledger(base / "ledger", keys, state, redactor=Redactor())
size = ledger.path.stat().st_size
hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 4200, hard))
try:
    ledger.write([Create(Memory("long", body="x" * 9000))], By("ada"))
except StorageError as error:
    print(error)
assert ledger.path.stat().st_size == size
resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
ledger.write([Create(Memory("four"))], By("ada"))
""",
        str(tmp_path),
    )
    assert "appending failed: the disk is full" in done.stdout
    world.goes_on("one", "two", "three", "four")


class Disk:
    """Stands for a disk whose sync fails the first `failures` times. It cannot be provoked on a real one."""

    def __init__(self, failures: int) -> None:
        self.failures, self.calls = failures, 0
        self.real = durable.sync_data

    def __call__(self, fd: int) -> None:
        self.calls += 1
        if self.calls <= self.failures:
            raise OSError(5, "Input/output error")
        self.real(fd)


def test_after_a_failed_sync_the_bytes_are_written_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second sync of the same pages would prove nothing (C-8)."""
    ledger = world.open()
    disk, writes = Disk(1), list[bytes]()
    monkeypatch.setattr(durable, "sync_data", disk)
    spied(monkeypatch, os, "write", lambda _, data: writes.append(bytes(data)))
    ledger.create(Memory("four"), ADA)
    assert disk.calls == 2
    assert len(writes) == 2
    assert writes[0] == writes[1] == lines_of(world.path)[-1]
    monkeypatch.undo()
    world.goes_on("one", "two", "three", "four")


def test_after_a_second_failed_sync_the_write_is_cut_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing was acknowledged, so nothing stays, in the file or in the view (C-8)."""
    ledger = world.open()
    before = world.path.read_bytes()
    monkeypatch.setattr(durable, "sync_data", Disk(2))
    with pytest.raises(
        StorageError, match=r"appending failed: Input/output error .*nothing was acknowledged"
    ):
        ledger.create(Memory("four"), ADA)
    assert world.path.read_bytes() == before
    monkeypatch.undo()
    assert not ledger.create(Memory("four"), ADA).known
    world.goes_on("one", "two", "three", "four")


def test_a_read_only_file_system_is_said_in_words(tmp_path: Path) -> None:
    """And nothing is tried on it."""
    with mounted(tmp_path / "disk", "size=256k") as disk:
        world = World(tmp_path, directory=disk / "ledger")
        world.fill("one")
        mount(disk, "-o", "remount,ro")
        with pytest.raises(
            StorageError, match=r"opening the chain for writing failed: the file system is read-only"
        ):
            world.open().create(Memory("two"), ADA)
        assert world.codes() == []
        mount(disk, "-o", "remount,rw")
        world.goes_on("one")


def test_in_a_read_only_directory_a_torn_tail_is_not_cut(world: World, tmp_path: Path) -> None:
    """What cannot be kept is not thrown away (C-10)."""
    garbage = world.path.read_bytes() + b'{"event":{"at'
    file = tmp_path / "outside.jsonl"
    file.write_bytes(garbage)
    with mounted(tmp_path / "disk", "size=64k") as disk:
        (disk / "chain.jsonl").touch()
        mount(disk / "chain.jsonl", "--bind", str(file))
        mount(disk, "-o", "remount,ro")
        chain = Chain(disk, world.mark, world.genesis)
        with pytest.raises(
            StorageError, match=r"setting a torn tail aside failed: the file system is read-only"
        ):
            chain.locked().__enter__()
        assert file.read_bytes() == garbage


def test_without_permission_nothing_is_tried(world: World) -> None:
    """The message says so; root may write anything, so this needs another user."""
    if os.geteuid() == 0:
        pytest.skip("permissions do not bind root; the read-only file system above takes the same path")
    world.path.chmod(0o400)
    with pytest.raises(StorageError, match="permission denied"):
        world.open().create(Memory("four"), ADA)


def test_a_mark_that_cannot_be_moved_stops_the_next_append(world: World, tmp_path: Path) -> None:
    """The durable event is acknowledged all the same; the next one is refused before anything is written."""
    ledger = world.open()
    marks = tmp_path / "state" / "marks"

    def break_it(step: str) -> None:
        if step == "append.synced":
            marks.rename(tmp_path / "hidden")
            marks.write_text("a file where the folder was")

    steps.observer = break_it
    try:
        id_ = ledger.create(Memory("four"), ADA).id
    finally:
        steps.observer = None
    assert world.events()[-1].id == id_
    before = world.path.read_bytes()
    with pytest.raises(StorageError, match="high-water mark failed"):
        ledger.create(Memory("five"), ADA)
    assert world.path.read_bytes() == before
    marks.unlink()
    (tmp_path / "hidden").rename(marks)
    world.goes_on("one", "two", "three", "four")


def test_the_mark_moves_to_others_events_only_once_they_are_durable(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that died between write and sync leaves an event that may still vanish with the power."""
    mark = world.mark.read()
    world.fill("four")
    assert mark is not None
    world.mark.write(mark)  # as if it had died before it moved the mark
    order: list[str] = []
    spied(monkeypatch, durable, "sync_data", lambda _: order.append("sync"))
    spied(monkeypatch, MarkFile, "write", lambda *_: order.append("mark"))
    assert world.open().create(Memory("four"), ADA).known
    assert order == ["sync", "mark"]
    marked = world.mark.read()
    assert marked is not None
    assert marked.seq == 4


def test_others_events_that_cannot_be_synced_are_not_acknowledged(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even as a memory that is known already."""
    mark = world.mark.read()
    world.fill("four")
    assert mark is not None
    world.mark.write(mark)
    before = world.path.read_bytes()
    monkeypatch.setattr(durable, "sync_data", Disk(1))
    with pytest.raises(StorageError, match="syncing what another process appended"):
        world.open().create(Memory("four"), ADA)
    assert world.mark.read() == mark
    assert world.path.read_bytes() == before


# --- who holds the lock -------------------------------------------------------------------------------------


def test_a_chain_replaced_by_rename_while_a_writer_waits(world: World) -> None:
    """The writer goes on in the new file, and not a byte goes into the old one (C-5)."""
    ledger = world.open()
    ledger.create(Memory("four"), ADA)
    old = os.open(world.path, os.O_RDWR)
    fcntl.flock(old, fcntl.LOCK_EX)
    data = world.path.read_bytes()
    waiting = threading.Event()
    steps.observer = lambda step: waiting.set() if step == "append.locked" else None
    writer = threading.Thread(target=ledger.create, args=(Memory("five"), ADA))
    try:
        writer.start()
        time.sleep(0.05)
        assert not waiting.is_set()
        new = world.path.with_name("new")
        new.write_bytes(data)
        new.rename(world.path)
        os.close(old)
        writer.join()
    finally:
        steps.observer = None
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


# --- making, erasing, replacing -----------------------------------------------------------------------------


def test_a_chain_is_never_made_over_another(world: World) -> None:
    """Not even by a genesis that is as good (C-16)."""
    before = world.path.read_bytes()
    genesis = World(world.directory.parent / "twin", "three").events()[0]
    assert genesis.seq == 0
    with pytest.raises(LedgerExistsError, match="it is not touched"):
        Chain.create(world.directory, world.open().build(_draft("x"), _tip(world.open()).link, ADA, KEY)[1])
    assert world.path.read_bytes() == before
    assert sorted(path.name for path in world.directory.iterdir()) == ["chain.jsonl"]


KEY = SigningKey(bytes(32))


def _tip(ledger: Ledger) -> Tip:
    with ledger.chain.locked() as held:
        return held.tip


def test_erasing_touches_payload_bytes_and_nothing_else(world: World) -> None:
    """Length, offsets, heads and every other line stay; of the payload nothing is left (C-19)."""
    before = lines_of(world.path)
    ledger = world.open()
    target = world.events()[2]
    with ledger.chain.locked() as held:
        place = (target.id, target.offset, target.size)
        assert held.erase([place]) == 1
        assert held.erase([place]) == 0
    after = lines_of(world.path)
    assert [line for n, line in enumerate(after) if n != 2] == [
        line for n, line in enumerate(before) if n != 2
    ]
    old, new = split_line(before[2][:-1]), split_line(after[2][:-1])
    assert new.head == old.head
    assert old.payload is not None
    assert new.payload == b"null".ljust(len(old.payload))


def test_erasing_checks_the_id_before_it_writes(world: World) -> None:
    """At another event's offset, or inside a line, nothing is blanked."""
    ledger, events = world.open(), world.events()
    before = world.path.read_bytes()
    wrong = [
        (events[2].id, events[1].offset, events[1].size),
        (events[2].id, events[2].offset + 1, events[2].size - 1),
        (events[2].id, events[2].offset, events[2].size - 1),
        (events[2].id, len(before) + 5, 300),
    ]
    with ledger.chain.locked() as held:
        for place in wrong:
            with pytest.raises(ChainError, match="cannot erase"):
                held.erase([place])
    assert world.path.read_bytes() == before


def test_erasing_in_a_file_that_was_swapped_under_the_lock_is_refused(world: World) -> None:
    """The lock is that of another file then."""
    ledger, event = world.open(), world.events()[1]
    with ledger.chain.locked() as held:
        copy = world.path.with_name("copy")
        copy.write_bytes(world.path.read_bytes())
        copy.rename(world.path)
        with pytest.raises(ChainError, match="was replaced while it was locked"):
            held.erase([(event.id, event.offset, event.size)])
    assert world.codes() == []


def test_a_mark_holds_what_the_next_append_needs(world: World) -> None:
    """Offsets, keys in force and genesis: without them the chain would have to be read (C-14)."""
    mark, last = world.mark.read(), world.events()[-1]
    key = world.keys.load(world.identity.id)
    following = world.events()[0].head["next"]
    end = world.path.stat().st_size
    assert mark == Mark(3, last.id, 0, world.genesis, key.public.hex(), following, last.offset, end)
