"""Tests of ledger/chain.py where the disk refuses: no room, no sync, no permission (C-7…C-10, C-14)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ledger import durable
from ledger.chain import Chain
from ledger.errors import (
    StorageError,
)
from ledger.mark import Mark, MarkFile
from ledger.memory import Memory
from tests.ledger.world import (
    ADA,
    World,
    lines_of,
    mount,
    mounted,
    run_child,
    spied,
)
from tests.observing import observed


@pytest.fixture
def world(world: World) -> World:
    """A ledger of four events: genesis and three memories."""
    world.fill("one", "two", "three")
    return world


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
from tests.ledger.reference import MemoryView
base = Path(sys.argv[1])
keys, state = KeyDirectory(base / "keys"), StateDirectory(base / "state")
ledger = open_ledger(base / "ledger", keys, state, view=MemoryView())
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

    with observed(break_it):
        id_ = ledger.create(Memory("four"), ADA).id
    assert world.events()[-1].id == id_
    before = world.path.read_bytes()
    with pytest.raises(StorageError, match="high-water mark failed"):
        ledger.create(Memory("five"), ADA)
    assert world.path.read_bytes() == before
    marks.unlink()
    (tmp_path / "hidden").rename(marks)
    world.goes_on("one", "two", "three", "four")


def dies_before_the_mark(world: World) -> Mark:
    """Learn "four" as a writer does that dies before it moves the mark; return the mark."""
    mark = world.mark.read()
    world.fill("four")
    assert mark is not None
    world.mark.write(mark)
    return mark


def test_the_mark_moves_to_others_events_only_once_they_are_durable(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that died between write and sync leaves an event that may still vanish with the power."""
    dies_before_the_mark(world)
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
    mark = dies_before_the_mark(world)
    before = world.path.read_bytes()
    monkeypatch.setattr(durable, "sync_data", Disk(1))
    with pytest.raises(StorageError, match="syncing what another process appended"):
        world.open().create(Memory("four"), ADA)
    assert world.mark.read() == mark
    assert world.path.read_bytes() == before
