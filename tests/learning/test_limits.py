"""How much may be learned in an hour and of a conversation: K-68, K-153."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from learning.limits import HOUR
from ledger.errors import StorageError
from muniment import MemoryLedger
from tests.learning.taking_in import ledger, said, taking

WORDS = (
    "apples birds clouds doors eggs fans gates hats inks jars keys lamps maps nets oars pans quilts rings salts "
    "tents urns vans wells yards zips axes beds cars dogs ears figs goats hens ices jugs kites"
).split()


@dataclass
class Stopped:
    """A clock that stands still until it is set."""

    now: int

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def memory(isolated: Path, tmp_path: Path) -> MemoryLedger:
    """An empty ledger."""
    made = ledger(tmp_path)
    made.workspace.clock = Stopped(made.workspace.clock())
    return made


def learn(memory: MemoryLedger, words: list[str], conversation: str = "c") -> list[str]:
    """Learn a memory of each word, five a conversation; return the outcomes."""
    return [
        taking(memory)
        .take([said(f"Something is about {word}", conversation=f"{conversation}{n // 5}", message=word)])[0]
        .outcome
        for n, word in enumerate(words)
    ]


def at(memory: MemoryLedger, instant: int) -> None:
    """Set the clock."""
    assert isinstance(memory.workspace.clock, Stopped)
    memory.workspace.clock.now = instant


def test_what_waits_counts_and_is_written_at_once(
    memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K-153: nothing of it is refused when it comes out."""
    now = memory.workspace.clock()

    def full(*_: object, **__: object) -> None:
        raise StorageError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(memory.scope, "write", full)
        assert learn(memory, WORDS[:30]) == ["queued"] * 25 + ["refused"] * 5
    assert [t.outcome for t in taking(memory).retry()] == ["created"] * 25
    assert learn(memory, WORDS[30:31], "d") == ["refused"]
    at(memory, now + HOUR + 1)
    assert learn(memory, WORDS[31:32], "d") == ["created"]


def test_a_conversation_counts_what_waits(memory: MemoryLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a held ledger would let everything through; the same once more is no other one."""

    def full(*_: object, **__: object) -> None:
        raise StorageError("the disk is full")

    monkeypatch.setattr(memory.scope, "write", full)
    proposals = [said(f"Something is about {word}", message=word) for word in WORDS[:12]]
    outcomes = [t.outcome for one in proposals for t in taking(memory).take([one])]
    assert outcomes == ["queued"] * 10 + ["refused"] * 2
    assert [t.outcome for t in taking(memory).take(proposals[:1])] == ["queued"]


def test_a_promotion_is_a_memory_more(memory: MemoryLedger) -> None:
    """K-68: what takes the place of a candidate is a supersede, and not beyond the limit."""
    first = said("Something is about apples", basis="hedged", message="m-0")
    others = [said(f"Something is about {word}", message=word) for word in WORDS[1:10]]
    assert [t.outcome for one in (first, *others) for t in taking(memory).take([one])] == ["candidate"] + [
        "created"
    ] * 9
    again = said("Something is about apples", message="m-again")
    [taken] = taking(memory).take([again])
    assert (taken.outcome, "limits.per_conversation" in taken.why) == ("refused", True)
    at(memory, memory.workspace.clock() + HOUR + 1)
    [taken] = taking(memory).take([said("Something is about apples", conversation="c-2")])
    assert taken.outcome == "promoted"
