"""A machine joins the short segments that it sent of its own chain, and no erased text comes back by that (specs/team.md TM-79)."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ledger.command import Create
from ledger.memory import Memory
from tests.forking import Forked
from tests.writers.machines import Machine, joined

SECRET = "bluebird"

_SYNC = """
import os, signal, sys
from pathlib import Path
from tests.writers.machines import Machine
root, name, stop, at = sys.argv[1:]
left = int(at)
def watch(event, arguments):
    global left
    if event in ("open", "os.link", "os.rename", "os.remove") and f"{stop}/" in str(arguments[0]) and ".tmp" in str(arguments[0]):
        left -= 1
        if not left:
            os.kill(os.getpid(), signal.SIGSTOP)
machine = Machine(Path(root), name)
sys.addaudithook(watch)
machine.memory.team.sync()
machine.close()
"""


def fill(machine: Machine, end: int) -> None:
    """Write events up to the one with the seq `end` - 1."""
    first = len(machine.chain.read_bytes().splitlines())
    machine.memory.workspace.append([Create(Memory(f"Setting {seq} is on")) for seq in range(first, end)])


def segments(machine: Machine, share: Path) -> list[str]:
    """Return the segments of a machine's chain that stand, by their first seqs."""
    folder = share / machine.memory.team.identity.id / "chains" / machine.genesis
    return [str(int(name.removesuffix(".jsonl"))) for name in sorted(path.name for path in folder.iterdir())]


def holding(share: Path) -> list[str]:
    """Return the files that hold the secret."""
    return [path.name for path in share.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


@pytest.fixture(params=[False])
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Machine, Machine]]:
    """Two machines of an open team, or a sealed one; the laptop sent 255 events, some of them alone."""
    laptop = Machine(tmp_path, "laptop")
    laptop.memory.team.init(f"folder:{tmp_path / 'share'}", sealed=request.param)
    desk = joined(laptop.memory, Machine(tmp_path, "desk"))
    laptop.memory.team.sync()
    laptop.memory.store(Memory(f"The plan is called {SECRET}"))
    for end in (250, 252, 255):
        fill(laptop, end)
        laptop.memory.team.sync()
    yield laptop, desk
    laptop.close()
    desk.close()


@pytest.mark.parametrize("pair", [True], ids=["sealed"], indirect=True)
def test_a_window_is_one_segment_once_it_is_full(pair: tuple[Machine, Machine], tmp_path: Path) -> None:
    laptop, desk = pair
    before = segments(laptop, tmp_path / "share")
    assert before[-2:] == ["250", "252"]
    desk.memory.team.sync()
    fill(laptop, 258)
    laptop.memory.team.sync()
    assert segments(laptop, tmp_path / "share") == ["0", "256"]
    desk.memory.team.sync()
    late = joined(laptop.memory, Machine(tmp_path, "late"))
    for machine in (desk, late):
        assert machine.copies.path(laptop.genesis).read_bytes().startswith(laptop.chain.read_bytes()[:-2000])
        assert not machine.memory.team.sync().findings
    late.close()


def test_what_is_erased_before_or_after_is_blank(pair: tuple[Machine, Machine], tmp_path: Path) -> None:
    laptop, desk = pair
    share = tmp_path / "share"
    desk.memory.team.sync()
    other = laptop.memory.store(Memory("The key hangs behind the mirror")).id
    fill(laptop, 258)
    laptop.memory.team.sync()
    assert segments(laptop, share) == ["0", "256"]
    assert holding(share) == ["0000000000.jsonl"]
    (entry,) = [hit.entry for hit in laptop.memory.search(SECRET)]
    for id_ in (entry.id, other):
        laptop.memory.erasures.erase([id_], "wrong place")
    for machine in (laptop, desk):
        machine.memory.team.sync()
    assert holding(share) == []
    assert not desk.memory.team.sync().findings


@pytest.mark.skipif(sys.platform != "linux", reason="who waits for a lock is read from /proc/locks")
def test_a_process_that_joins_while_another_blanks_brings_nothing_back(
    pair: tuple[Machine, Machine], tmp_path: Path
) -> None:
    """One has read the text, and stops before it writes the joined segment; the other erases and syncs meanwhile."""
    laptop, _ = pair
    fill(laptop, 256)
    with Path("/dev/null").open("r+") as null:
        streams = (null.fileno(),) * 3
        slow = Forked(["-c", _SYNC, tmp_path, "laptop", laptop.genesis, 4], streams)
        _until_stopped(slow)
        (entry,) = [hit.entry for hit in laptop.memory.search(SECRET)]
        laptop.memory.erasures.erase([entry.id], "wrong place")
        other = Forked(["-c", _SYNC, tmp_path, "laptop", "none", 1], streams)
        while other.poll() is None and f"{other.pid} " not in _waiting():
            time.sleep(0.01)
        slow_went_on = slow.poll() is None
        os.kill(slow.pid, signal.SIGCONT)
        assert slow_went_on
        assert (slow.wait(60), other.wait(60)) == (0, 0)
        for each in (slow, other):
            each.close()
    assert holding(tmp_path / "share") == []


def _waiting() -> str:
    """Return who waits for a lock."""
    return "".join(line for line in Path("/proc/locks").read_text().splitlines() if "->" in line)


def _until_stopped(process: Forked) -> None:
    while Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] != "T":
        assert process.poll() is None
        time.sleep(0.01)
