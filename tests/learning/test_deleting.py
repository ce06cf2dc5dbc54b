"""A yes to forgetting is done, or kept where it is done later: K-71, K-151."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

import learning.writer
from documents.proposal import Proposal
from learning.intake import Taken
from learning.listening import Listener
from learning.turn import Turn
from ledger.errors import StorageError
from muniment import Memory, MemoryLedger
from tests.learning.taking_in import ledger, said, taking, texts

BANK = "The bank is called Goldtrust"
YES = Turn("user", "yes", conversation="c-1", message="m-2")


class Silent:
    """Proposes to forget what follows "forget "."""

    def analyze(self, turn: Turn) -> list[Proposal]:
        """Return at most one proposal."""
        if not turn.text.startswith("forget "):
            return []
        return [said("", action="delete", about=turn.text[7:])]


@pytest.fixture
def memory(isolated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MemoryLedger:
    """A ledger that knows a bank, of which somebody asked to forget it."""
    monkeypatch.setattr(learning.writer, "PATIENCE", 0.05)
    made = ledger(tmp_path)
    made.store(Memory(BANK))
    assert hear(made, Turn("user", "forget the bank", conversation="c-1", message="m-1")) == ["asked"]
    return made


def hear(memory: MemoryLedger, turn: Turn) -> list[str]:
    """Let a turn be heard as by a process of its own."""
    return [taken.outcome for taken in Listener(taking(memory), Silent()).hear(turn)]


def test_a_yes_that_a_held_ledger_cannot_take_waits(memory: MemoryLedger) -> None:
    with memory.workspace.chain.open("rb+") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        assert hear(memory, YES) == ["queued"]
    assert texts(memory) == [BANK]
    assert [(t.outcome, len(t.targets)) for t in taking(memory).retry()] == [("forgotten", 1)]
    assert texts(memory) == []
    assert hear(memory, YES) == []


def test_where_nothing_can_keep_it_the_question_stands(
    memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the next yes is one to it."""

    def full(*_: object, **__: object) -> None:
        raise StorageError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr("learning.outbox.Outbox.keep", full)
        patched.setattr(memory.scope, "write", full)
        assert hear(memory, YES) == ["unwritten"]
    assert hear(memory, YES) == ["forgotten"]


def test_a_death_before_the_question_is_settled_costs_nothing(
    memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(memory.workspace.local, "note", die)
        with pytest.raises(KeyboardInterrupt):
            hear(memory, YES)
    assert texts(memory) == []
    assert hear(memory, YES) == ["known"]
    assert hear(memory, YES) == []


def test_of_two_ledgers_each_does_its_part(memory: MemoryLedger, tmp_path: Path) -> None:
    """The one that can be written forgets at once; the other's outbox keeps the wish."""
    from learning.intake import Taking

    other = ledger(tmp_path / "other")
    there = other.store(Memory("The bank opens at nine")).id
    here = memory.load_all()[0].id
    take = Taking({"project": other.scope, "user": memory.scope}, taking(memory).by)
    asked = Taken(Proposal("delete", None, basis="asked"), "asked", targets=(here, there))
    with memory.workspace.chain.open("rb+") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        assert take.forget(asked).outcome == "queued"
    assert (texts(other), texts(memory)) == ([], [BANK])
    assert [t.outcome for t in take.take_up()] == ["forgotten"]
    assert texts(memory) == []


def test_a_wish_that_cannot_even_be_asked_about_is_said_again(
    memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K-155: nobody is there to be asked when the outbox is tried."""

    def gone(*_: object) -> None:
        raise StorageError("the index cannot be used")

    monkeypatch.setattr("learning.deleting.named", gone)
    assert hear(memory, Turn("user", "forget the bank", conversation="c-2", message="m-1")) == ["unwritten"]


def test_what_would_be_forgotten_is_named(isolated: Path, tmp_path: Path) -> None:
    """K-71: by id and words, so that whoever reads it knows what the yes is about."""
    memory = ledger(tmp_path)
    first, second = memory.store(Memory(BANK)), memory.store(Memory("The bank closes at four"))
    [asked] = taking(memory).take([said("", action="delete", about="the bank")])
    assert asked.outcome == "asked"
    assert set(asked.targets) == {first.id, second.id}
    for id_, text in ((first.id, BANK), (second.id, "The bank closes at four")):
        assert f"{id_[:12]} ({text})" in asked.why
