"""Tests of ledger/ledger.py: views that fail, and what a crash, a full disk or a rollback left."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from ledger import durable, steps
from ledger.chain import ChainTip
from ledger.check import Link
from ledger.command import Confirm, Create, Delete, Erase
from ledger.errors import ChainError, RollbackError, StateError, StorageError
from ledger.event import Event, split_line
from ledger.fold import Entry
from ledger.memory import Memory
from ledger.view import LinePlace as Where
from ledger.view import ViewUnavailableError
from tests.ledger.reference import MemoryView
from tests.ledger.world import ADA, Spoken, World, lines_of, overwrite, refused, spied, texts_of

# --- views that fail ----------------------------------------------------------------------------------------


class Failing(MemoryView):
    """A view that cannot answer: from `follow` on, or when it is asked, or told what was written."""

    def __init__(self, at: str) -> None:
        super().__init__()
        self.at = at

    def _fail(self, where: str) -> None:
        if where == self.at:
            raise ViewUnavailableError("the index is locked")

    def follow(self, chain: Path, tip: ChainTip) -> None:
        self._fail("follow")
        super().follow(chain, tip)

    def entry(self, id_: str) -> Entry | None:
        self._fail("entry")
        return super().entry(id_)

    def same(self, memory: Memory) -> str | None:
        self._fail("same")
        return super().same(memory)

    def family(self, ids: Iterable[str]) -> list[Where]:
        self._fail("family")
        return super().family(ids)

    def unfinished_erasures(self) -> list[Where]:
        self._fail("unfinished")
        return super().unfinished_erasures()

    def apply(self, events: Sequence[Event], link: Link) -> None:
        if self.at != "apply":
            super().apply(events, link)


@pytest.mark.parametrize(
    ("at", "command"),
    [
        ("follow", Create(Memory("two"))),
        ("same", Create(Memory("two"))),
        ("entry", Delete(("",))),
        ("family", Erase(("",))),
        ("unfinished", Create(Memory("two"))),
    ],
)
def test_where_the_view_cannot_answer_nothing_is_written(
    world: World, at: str, command: Create | Delete | Erase
) -> None:
    """The index is locked: a clear error, and the same command works later."""
    view = Failing("")
    ledger = world.open(view)
    one = ledger.create(Memory("one"), ADA).id
    if not isinstance(command, Create):
        command = command._replace(targets=(one,))
    view.at = at
    before = world.path.read_bytes()
    with pytest.raises(ViewUnavailableError, match="locked"):
        ledger.write([command], ADA)
    assert world.path.read_bytes() == before
    view.at = ""
    ledger.write([command], ADA)
    assert world.codes() == []


def test_what_the_view_missed_it_catches_up(world: World) -> None:
    view = Failing("apply")
    ledger = world.open(view)
    one = ledger.create(Memory("one"), ADA).id
    assert ledger.create(Memory("one"), ADA).known
    ledger.supersede([one], Memory("two"), ADA)
    assert texts_of(ledger) == ["two"]


# --- what a crash left --------------------------------------------------------------------------------------


def unfinished(world: World) -> tuple[str, bytes]:
    """Leave an erase event whose target's payload stands; return the target's id and its line."""
    [id_] = world.fill("secret plan")
    line = lines_of(world.path)[-1]
    world.open().erase([id_], ADA)
    lines = lines_of(world.path)
    overwrite(world.path, b"".join([lines[0], line, *lines[2:]]))
    assert world.codes() == ["erase-incomplete"]
    return id_, line


def test_the_next_writer_finishes_an_erasure(world: World) -> None:
    """Before its own work; verify is sound again (C-20)."""
    unfinished(world)
    world.goes_on()
    assert b"secret plan" not in world.path.read_bytes()


def test_an_erasure_can_be_finished_by_itself(world: World) -> None:
    """Without writing an event; once there is nothing to do, nothing is done."""
    unfinished(world)
    ledger = world.open()
    assert ledger.finish_erasures() == 1
    assert ledger.finish_erasures() == 0
    assert world.codes() == []
    assert len(world.events()) == 3


@pytest.mark.parametrize("blank", [1, 4, 30, -2])
def test_a_half_blanked_payload_is_finished(world: World, blank: int) -> None:
    """Its writer died inside the write of the blanks (C-20)."""
    _, line = unfinished(world)
    payload = split_line(line[:-1]).payload
    assert payload is not None
    data, at = world.path.read_bytes(), world.path.read_bytes().index(payload)
    half = b"null".ljust(len(payload))[:blank] + payload[blank:]
    overwrite(world.path, data[:at] + half + data[at + len(half) :])
    world.goes_on()
    assert payload[-12:] not in world.path.read_bytes()


def test_a_payload_restored_after_an_erase_is_blanked_again(world: World) -> None:
    """Verify reports it, and the next process that writes takes it away (C-20)."""
    [id_] = world.fill("secret plan")
    line = lines_of(world.path)[-1]
    world.open().erase([id_], ADA)
    assert world.codes() == []
    lines = lines_of(world.path)
    overwrite(world.path, b"".join([lines[0], line, *lines[2:]]))
    assert world.codes() == ["erase-incomplete"]
    assert world.texts() == []
    world.goes_on()


def test_an_erase_that_the_disk_refuses_stands_and_is_finished_later(
    world: World, ledger: Spoken, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The event is durable, so the message does not claim that nothing happened."""
    id_ = ledger.create(Memory("secret plan"), ADA).id

    def refuse(fd: int, data: bytes, at: int) -> int:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "pwrite", refuse)
    with pytest.raises(StorageError, match=r"blanking an erased payload failed.*the erase event is stored"):
        ledger.erase([id_], ADA)
    monkeypatch.undo()
    assert world.codes() == ["erase-incomplete"]
    assert texts_of(ledger) == []
    world.goes_on()
    assert b"secret plan" not in world.path.read_bytes()


def test_a_writer_learns_of_others_before_it_validates(world: World) -> None:
    """Two open ledgers: what one deleted, the other cannot delete again."""
    one, two = world.open(), world.open()
    id_ = one.create(Memory("one"), ADA).id
    assert two.create(Memory("one"), ADA).id == id_
    one.delete([id_], ADA)
    with pytest.raises(StateError, match="deleted already"):
        two.delete([id_], ADA)
    assert not two.create(Memory("one"), ADA).known
    assert world.codes() == []


def test_appends_stay_refused_until_a_person_decides(world: World, ledger: Spoken) -> None:
    """A rollback is refused by every verb, and by every process, until recover."""
    id_ = ledger.create(Memory("one"), ADA).id
    world.fill("two")
    overwrite(world.path, b"".join(lines_of(world.path)[:2]))
    for each in (ledger, world.open()):
        for command in (Create(Memory("x")), Delete((id_,)), Confirm((id_,)), Erase((id_,))):
            refused(world, each, [command], RollbackError, "muniment recover")
        with pytest.raises(ChainError):
            each.finish_erasures()


def test_the_view_is_not_told_of_what_was_not_written(
    world: World, ledger: Spoken, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a failed sync the memory is not known, and can be learned."""
    calls: list[int] = []
    spied(monkeypatch, MemoryView, "apply", lambda *_: calls.append(1))

    def broken(fd: int) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(durable, "sync_data", broken)
    with pytest.raises(StorageError):
        ledger.create(Memory("one"), ADA)
    assert calls == []
    monkeypatch.undo()
    assert not ledger.create(Memory("one"), ADA).known
    assert steps.observer is None
