"""What a person saves, or another process writes, while documents are rendered."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from documents.writing.overflow import Selection, select
from ledger import exchange, steps
from ledger.command import Confirm, Create, Erase
from ledger.memory import Memory
from muniment import MemoryLedger
from projections.render_lock import RenderLock
from tests.forking import run_python
from tests.projections.house import Clock, build, learn, reopen, tree


@pytest.fixture
def made(tmp_path: Path) -> Iterator[tuple[MemoryLedger, Clock]]:
    house, clock = build(tmp_path / "ledger")
    yield house, clock
    house.close()


def test_a_save_between_our_read_and_our_rename_is_noticed_and_taken_in(
    made: tuple[MemoryLedger, Clock], monkeypatch: pytest.MonkeyPatch
) -> None:
    house, _ = made
    house.store(Memory("first"))
    path = house.workspace.place.documents / "MEMORY.md"
    saved = [path.read_bytes() + b"- saved just now\n"]

    def save(step: str) -> None:
        if step == "file.written" and saved:
            path.write_bytes(saved.pop())

    monkeypatch.setattr(steps, "observer", save)
    house.store(Memory("second"))
    assert path.read_bytes().endswith(b"- first\n- second\n- saved just now\n")
    assert house.documents.outcome is not None
    assert house.documents.outcome.paused == {}


def _by_a_rename(path: Path, data: bytes) -> None:
    path.with_name("saved").write_bytes(data)
    path.with_name("saved").replace(path)


@pytest.mark.parametrize("save", [Path.write_bytes, _by_a_rename])
def test_a_save_inside_of_our_rename_is_taken_in(
    made: tuple[MemoryLedger, Clock],
    monkeypatch: pytest.MonkeyPatch,
    save: Callable[[Path, bytes], object],
) -> None:
    """P-82: behind every look of ours, right before the system's call."""
    house, _ = made
    house.store(Memory("first"))
    path = house.workspace.place.documents / "MEMORY.md"
    saved = [path.read_bytes() + b"- saved just now\n"]
    ours = exchange.exchanged

    def exchanged(one: bytes, other: bytes) -> bool:
        if saved:
            save(path, saved.pop())
        return ours(one, other)

    monkeypatch.setattr(exchange, "exchanged", exchanged)
    house.store(Memory("second"))
    assert {entry.memory.text for entry in house.load_all()} == {"first", "second", "saved just now"}
    assert path.read_bytes().endswith(b"- first\n- second\n- saved just now\n")
    assert [each.name for each in path.parent.glob("*MEMORY*")] == ["MEMORY.md"]


_DIES = """
import os, signal
from pathlib import Path
from ledger import exchange
from tests.projections.house import bullet, reopen
directory, call, how = Path({directory!r}), {call}, {how!r}
path, calls = directory / "MEMORY.md", [0]
ours, rename = exchange.exchanged, Path.rename

def counted(done):
    calls[0] += 1
    if calls[0] == call and how != "an error":
        os.kill(os.getpid(), signal.SIGKILL)
    return done

def exchanged(one, other):
    if not calls[0]:
        path.write_bytes(path.read_bytes() + b"- saved just now\\n")
    elif how == "an error":
        raise OSError(5, "Input/output error")
    return counted(how != "a death without the system's help" and ours(one, other))

def replaced(made, target):
    rename(made, target)
    return counted(target) if target == path else target

exchange.exchanged, Path.replace = exchanged, replaced
memory, _ = reopen(directory)
memory.store(bullet("second"))
"""


@pytest.mark.parametrize(
    ("how", "call"),
    [
        ("a death", 2),
        *(("a death without the system's help", call) for call in (1, 4)),
        ("an error", 0),
    ],
)
def test_a_save_inside_of_our_rename_outlives_a_process_that_dies_there(
    made: tuple[MemoryLedger, Clock], how: str, call: int
) -> None:
    """P-82: what came out lies beside the document alone; a death or an error keeps it from going back."""
    house, _ = made
    house.store(Memory("first"))
    house.close()
    directory = house.workspace.place.directory
    code = _DIES.format(directory=str(directory), call=call, how=how)
    done = run_python(["-c", code])
    assert (done.returncode, done.stderr) == (0 if how == "an error" else -9, "")
    again, _ = reopen(directory)
    again.store(Memory("third"))
    assert {entry.memory.text for entry in again.load_all()} == {"first", "second", "third", "saved just now"}
    assert again.upkeep.verify().projections.state == "sound"
    assert [each.name for each in directory.glob("*MEMORY*")] == ["MEMORY.md"]
    again.close()


def test_a_write_shows_what_another_process_changed_since_the_last_one(
    made: tuple[MemoryLedger, Clock],
) -> None:
    """P-58: what one rendering read for the rank is read again where events concern it."""
    house, clock = made
    confirmed, erased = learn(house, "an old habit", "a secret")
    clock.pass_days(100)
    house.store(Memory("something new"))
    memory_file = house.workspace.place.documents / "MEMORY.md"
    assert "- [?] an old habit\n" in memory_file.read_text()
    other, _ = reopen(house.workspace.place.directory, clock)
    other.workspace.append([Confirm((confirmed,)), Erase((erased,))])
    house.store(Memory("something newer"))
    assert "- an old habit\n" in memory_file.read_text()
    assert "a secret" not in memory_file.read_text()
    assert other.upkeep.verify().projections.state == "sound"
    other.close()


def test_a_rendering_is_as_of_one_event_however_many_come_meanwhile(
    made: tuple[MemoryLedger, Clock], monkeypatch: pytest.MonkeyPatch
) -> None:
    """P-58: MEMORY.md is drawn before each event, the topic behind it."""
    house, clock = made
    house.store(Memory("the first", topic="late/events"))
    other, _ = reopen(house.workspace.place.directory, clock)

    def selected(*arguments: Any) -> Selection:
        found = select(*arguments)
        at = house.workspace.index.newest()
        other.workspace.append([Create(Memory(f"event {at}", topic="late/events")), Create(Memory(f"{at}"))])
        return found

    monkeypatch.setattr("documents.writing.folder.select", selected)
    house.documents.replay()
    document = house.workspace.place.documents / "memories/late/events.md"
    assert "## event" not in document.read_text()
    assert other.upkeep.verify().projections.state == "sound"
    other.close()


def test_nothing_is_rendered_from_an_index_that_is_made_anew(
    made: tuple[MemoryLedger, Clock], monkeypatch: pytest.MonkeyPatch
) -> None:
    """P-58: another process threw it away and has taken nothing in yet; no document loses what it shows."""
    house, clock = made
    house.store(Memory("one"))
    house.store(Memory("two", topic="a/b"))
    before = tree(house.workspace.place.documents)
    other, _ = reopen(house.workspace.place.directory, clock)
    index, ours = other.workspace.index, RenderLock.held

    @contextlib.contextmanager
    def held(*arguments: Any) -> Iterator[bool]:
        with ours(*arguments) as done:
            index.throw_away("a test")
            index.connection()
            yield done

    with monkeypatch.context() as patch:
        patch.setattr(RenderLock, "held", held)
        house.store(Memory("three"))
    assert house.documents.outcome is not None
    assert "being rebuilt by another process" in str(house.documents.outcome.paused)
    assert tree(house.workspace.place.documents) == before
    assert house.documents.adopt() == []
    assert sorted(entry.memory.text for entry in house.load_all()) == ["one", "three", "two"]
    assert "three" in (house.workspace.place.documents / "MEMORY.md").read_text()
    assert house.upkeep.verify().projections.state == "sound"
    other.close()
