"""A ledger that is held is waited for once a run: K-154."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import Any

import pytest

import learning.writer
from documents.proposal import Proposal
from ledger.command import Create, Supersede
from muniment import Memory, MemoryLedger
from tests.learning.taking_in import CAPTURE, ledger, said, taking, texts


def test_a_held_ledger_is_waited_for_once(memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning.writer, "PATIENCE", 0.1)
    write, waited = memory.scope.write, []

    def waiting(*args: Any, timeout: float) -> Any:
        waited.append(timeout)
        return write(*args, timeout=timeout)

    monkeypatch.setattr(memory.scope, "write", waiting)
    names = "ash beech cedar dogwood elm".split()
    wanted = [said(f"The {name} grows slowly", message=name) for name in names]
    take = taking(memory)
    with memory.workspace.chain.open("rb+") as holder:
        fcntl.flock(holder, fcntl.LOCK_EX)
        assert {taken.outcome for one in wanted for taken in take.take([one])} == {"queued"}
        assert waited == [0.1, *[0.0] * (len(waited) - 1)]
    [taken] = take.take([said("The fig grows fast", message="fig")])
    assert taken.outcome == "created"
    assert len(texts(memory)) == 6
    assert take.writer.patience(memory.scope) == 0.1


def test_what_another_process_learned_at_the_same_moment_is_known(
    memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K-156: the log decides, whatever was looked at before."""
    write = memory.scope.write

    def raced(*args: object, **how: object) -> object:
        memory.store(Memory("Use tabs"))
        return write(*args, **how)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(memory.scope, "write", raced)
        patched.setattr(memory, "store", lambda record: write([_create(record)]))
        [taken] = taking(memory).take([said("Use tabs")])
    assert (taken.outcome, taken.id) == ("known", memory.load_all()[0].id)


def test_what_another_process_replaced_meanwhile_is_looked_at_again(
    memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K-156."""
    [old] = taking(memory).take([said("Postgres listens on port 5433")])
    write, raced = memory.write, False

    def racing(*args: object, **how: object) -> object:
        nonlocal raced
        if not raced:
            raced = True
            write([Supersede((old.id,), Memory("Postgres listens on port 5434", source="auto"))], CAPTURE)
        return write(*args, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(memory, "write", racing)
    [taken] = taking(memory).take([said("Postgres listens on port 5432", message="m-2")])
    assert taken.outcome == "superseded"
    assert texts(memory) == ["Postgres listens on port 5432"]


def test_what_waited_goes_where_it_waited(memory: MemoryLedger, tmp_path: Path) -> None:
    """K-70: another project may be bound where the outbox is tried."""
    from learning.intake import Taking

    other = ledger(tmp_path / "other")
    first = Taking({"user": memory.scope}, CAPTURE)
    first.writer.put_by(said("Tests run with pytest -q", scope="project"), "user", "it is full")
    [taken] = Taking({"user": memory.scope, "project": other.scope}, CAPTURE).retry()
    assert (taken.outcome, taken.scope) == ("candidate", "user")
    assert texts(other) == []


def test_what_would_be_refused_waits_for_somebody_who_asks(memory: MemoryLedger) -> None:
    """K-153."""
    take = taking(memory)
    nowhere = said("Use tabs", message="")
    take.writer.put_by(nowhere, "", "it is full")
    assert [taken.outcome for taken in take.take_up()] == ["refused"]
    assert take.take_up() == []
    assert [taken.outcome for taken in taking(memory).retry()] == ["refused"]
    assert list(taking(memory).retry()) == []


def _create(record: Memory) -> Create:
    return Create(record)


def test_a_proposal_is_no_command(memory: MemoryLedger) -> None:
    """What names its targets and was never agreed to is asked about, not done."""
    one = memory.store(Memory("The bank is called Goldtrust")).id
    taken = taking(memory).take([Proposal("delete", None, (one,), about="the bank", basis="asked")])
    assert [each.outcome for each in taken] == ["asked"]
