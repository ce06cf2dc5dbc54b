"""What a person prefers takes the place of what they preferred of the same matter alone.

Tests specs/capture.md (K-64, K-282).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from learning.detection.detector import LearningDetector
from learning.turn import Turn
from muniment import Memory, MemoryLedger
from tests.learning.taking_in import ledger, said, taking, texts


@pytest.fixture
def memory(isolated: Path, tmp_path: Path) -> MemoryLedger:
    """An empty ledger."""
    return ledger(tmp_path)


def hear(memory: MemoryLedger, conversation: str, *messages: str) -> None:
    """Let a person say something in one conversation, and the ledger take it in."""
    detector, by = LearningDetector(), taking(memory)
    for number, text in enumerate(messages):
        by.take(detector.analyze(Turn("user", text, conversation=conversation, message=f"m-{number}")))


def test_tastes_of_several_matters_stand_beside_each_other(memory: MemoryLedger) -> None:
    """In one conversation and in several; also what a person wrote stays."""
    memory.store(Memory("The user prefers oat milk", type="preference"))
    hear(memory, "c-1", "I prefer short answers")
    hear(memory, "c-2", "I prefer dark mode", "I prefer vim", "I prefer tea")
    hear(memory, "c-3", "I prefer podman. I prefer zsh.")
    assert texts(memory) == [
        f"The user prefers {what}"
        for what in ("oat milk", "short answers", "dark mode", "vim", "tea", "podman", "zsh")
    ]


@pytest.mark.parametrize(
    ("messages", "stands"),
    [
        (("I prefer Python. I prefer Rust.",), "Rust"),
        (("I prefer Go", "Actually, I prefer Kotlin now"), "Kotlin"),
        (("I prefer vim", "actually i prefer helix now"), "helix"),
        (("I prefer Nim. I prefer Roc.",), "Roc"),
        (("I prefer Nim", "I prefer Roc"), "Roc"),
        (("I prefer juice. I prefer water.",), "water"),
        (("I prefer juice", "Actually, I prefer water now"), "water"),
    ],
)
def test_the_later_taste_of_one_matter_is_the_one(
    memory: MemoryLedger, messages: tuple[str, ...], stands: str
) -> None:
    """Beside tastes of which a table knows that they are of another."""
    memory.store(Memory("The user prefers celsius", source="auto", type="preference"))
    memory.store(Memory("The user prefers dark mode", source="auto", type="preference"))
    hear(memory, "c-1", *messages)
    expected = {"The user prefers celsius", "The user prefers dark mode", f"The user prefers {stands}"}
    assert expected <= set(texts(memory))
    assert len(texts(memory)) == len(expected)


def test_where_several_may_be_meant_none_goes(memory: MemoryLedger) -> None:
    """No table knows window seats, juice or stairs."""
    hear(memory, "c-1", "I prefer window seats")
    hear(memory, "c-2", "I prefer juice")
    hear(memory, "c-3", "Actually, I prefer stairs now")
    assert len(texts(memory)) == 3


def test_a_taste_that_is_named_goes_whatever_it_is_of(memory: MemoryLedger) -> None:
    """ "over X" and "no longer X" say it."""
    hear(memory, "c-1", "I prefer juice")
    hear(memory, "c-2", "I no longer prefer juice, I prefer vim now")
    assert "The user prefers juice" not in texts(memory)


@pytest.mark.parametrize(
    ("stands", "text"),
    [
        ("Use spaces in Python", "Actually, I prefer Python now"),
        ("Commit messages are in English", "From now on answer in English"),
        ("The user prefers short answers", "Actually I prefer short commit messages now"),
    ],
)
def test_what_shares_a_value_with_a_memory_does_not_replace_it(
    memory: MemoryLedger, stands: str, text: str
) -> None:
    """K-64: it is another thing that has this value."""
    memory.store(Memory(stands, source="auto"))
    hear(memory, "c-1", text)
    assert stands in texts(memory)


def test_a_sentence_that_begins_with_another_value_replaces_it(memory: MemoryLedger) -> None:
    """K-64: where it shares more than its end, or the values are of one kind."""
    memory.store(Memory("Tabs for Go", source="auto"))
    memory.store(Memory("Ana is on call for payments", source="auto"))
    by = taking(memory)
    by.take(
        [said("Spaces for Go", action="supersede"), said("Ben is on call for payments", action="supersede")]
    )
    assert texts(memory) == ["Spaces for Go", "Ben is on call for payments"]
