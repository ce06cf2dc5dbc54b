"""A rotation or a change of passphrase that is killed, or that others come between: one key signs on, and none is lost.

Tests specs/keys.md (N-13…N-21, N-23, N-28).
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from ledger import passphrase
from ledger.errors import KeyFileError, StateError
from ledger.keys import KEY, NEXT
from ledger.memory import Memory
from ledger.next_key import export_next
from ledger.protection import change, opened
from ledger.rotation import rotate
from tests.forking import run_python
from tests.ledger.world import ADA, IDENTITY, ROOT, World, overwrite

ID = IDENTITY.id


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    world.fill("one", "two")
    return world


@pytest.fixture(autouse=True)
def nothing_remembered(light_sealing: None) -> Iterator[None]:
    """No passphrase of another test opens a key here."""
    passphrase.forget()
    yield
    passphrase.forget()


ROTATE = """
import sys
from pathlib import Path
from ledger.rotation import rotate
from tests.ledger.life import ADA, opened
from tests.observing import kill_at
base, step, time, since = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
ledger = opened(base)
kill_at(step, time)
rotate(ledger, ADA, since=since or None)
"""
PASSPHRASE = """
import sys
from pathlib import Path
from ledger import passphrase
from ledger.protection import change, opened as unlocked
from tests.ledger.life import ADA, opened
from tests.observing import kill_at
passphrase.OPS, passphrase.MEMORY = 1, 8192
base, step, time = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
ledger = opened(base)
kill_at(step, time)
change(ledger, unlocked(ledger), "correct horse")
"""


def _killed(code: str, *arguments: str) -> CompletedProcess[str]:
    """Run Python code in a process of its own, which a kill ends."""
    return run_python(["-c", code, *arguments], cwd=ROOT)


STEPS = [
    ("append.locked", 1),
    ("append.read", 1),
    ("append.locked", 2),
    ("append.read", 2),
    ("rotate.stored", 1),
    ("append.written", 1),
    ("append.synced", 1),
    ("append.marked", 1),
    ("rotate.renamed", 1),
    ("rotate.settled", 1),
]


@pytest.mark.parametrize(("step", "time"), STEPS, ids=[f"{step}-{time}" for step, time in STEPS])
def test_a_rotation_that_is_killed_leaves_a_ledger_that_signs(
    world: World, tmp_path: Path, step: str, time: int
) -> None:
    """N-20, N-21: whatever stands on the disk, the next write signs, and the next rotation finds its key."""
    done = _killed(ROTATE, str(tmp_path), step, str(time), "0")
    assert done.returncode == -9, done.stderr
    written = any(event.kind == "rotate" for event in world.events())
    assert written == (STEPS.index((step, time)) >= STEPS.index(("append.written", 1)))
    copy = tmp_path / "as it was left"
    shutil.copytree(world.keys.path, copy)
    world.open().create(Memory("three"), ADA)
    assert world.codes() == []
    rotate(world.open(), ADA)
    assert not world.keys.rotating(ID)
    world.goes_on("one", "two", "three")


def test_nothing_is_stored_before_the_lock_is_held(world: World, tmp_path: Path) -> None:
    """N-20: else one of two rotations at once would replace the next key that the other one's event names."""
    _killed(ROTATE, str(tmp_path), "append.locked", "2", "0")
    assert not world.keys.rotating(ID)


def test_a_next_key_that_is_taken_away_meanwhile_does_not_take_over(world: World, tmp_path: Path) -> None:
    """N-20: an event that names it would leave a ledger that nobody here can sign."""
    ledger = world.open()

    def random(size: int) -> bytes:
        export_next(world.open(), tmp_path / "next")
        return bytes(size)

    ledger.random = random
    with pytest.raises(KeyFileError, match="the next key"):
        rotate(ledger, ADA)
    assert [event.kind for event in world.events()].count("rotate") == 0
    world.goes_on("one", "two")


def test_a_next_key_that_comes_under_a_passphrase_meanwhile_is_left_to_the_next_try(world: World) -> None:
    """N-16, N-20: what was made for keys in the open would take the protection away."""
    ledger = world.open()

    def random(size: int) -> bytes:
        other = world.open()
        change(other, opened(other), "correct horse")
        return bytes(size)

    ledger.random = random
    with pytest.raises(StateError, match="replaced meanwhile"):
        rotate(ledger, ADA)
    assert all(world.keys.stored(ID, name).sealed for name in (KEY, NEXT))


@pytest.mark.parametrize("step", ["append.synced", "rotate.renamed"])
def test_whatever_asks_first_after_a_killed_rotation(world: World, tmp_path: Path, step: str) -> None:
    """N-21: an export, a passphrase, a look at the pin: each finds the files in order, or leaves them to the next."""
    _killed(ROTATE, str(tmp_path), step, "1", "0")
    left = tmp_path / "left"
    shutil.copytree(world.keys.path, left)

    def again() -> None:
        shutil.rmtree(world.keys.path)
        shutil.copytree(left, world.keys.path)

    export_next(world.open(), tmp_path / "exported")
    again()
    for pin in (world.state.path / "pins").iterdir():
        pin.unlink()
    world.open()
    assert world.state.pin_of(world.directory) is not None
    again()
    ledger = world.open()
    change(ledger, opened(ledger), "correct horse")
    assert all(world.keys.stored(ID, name).sealed for name in (KEY, NEXT))


@pytest.mark.parametrize("time", [1, 2])
def test_a_change_of_passphrase_that_is_killed_leaves_a_ledger_that_signs(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, time: int
) -> None:
    """N-23: one key may be under the new passphrase and the other not; both open."""
    done = _killed(PASSPHRASE, str(tmp_path), "passphrase.put", str(time))
    assert done.returncode == -9, done.stderr
    assert [world.keys.stored(ID, name).sealed for name in (KEY, NEXT)] == [True, time == 2]
    monkeypatch.setenv(passphrase.VARIABLE, "correct horse")
    world.fill("three")
    rotate(world.open(), ADA)
    assert world.keys.stored(ID, KEY).sealed
    assert world.keys.stored(ID, NEXT).sealed
    world.goes_on("one", "two", "three")


def test_a_power_cut_that_loses_the_event_loses_the_rotation_alone(world: World, tmp_path: Path) -> None:
    """N-20: the files are moved after the sync, never before."""
    before = world.path.read_bytes()
    _killed(ROTATE, str(tmp_path), "append.written", "1", "0")
    overwrite(world.path, before)
    world.goes_on("one", "two")
    rotate(world.open(), ADA)
    assert world.codes() == []
