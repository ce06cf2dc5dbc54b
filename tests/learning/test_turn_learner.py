"""Turns of a program's own conversation are learned from through the library (K-79)."""

from __future__ import annotations

import muniment
from muniment import MemoryLedger, Turn
from tests.learning.taking_in import texts


def turn(text: str, message: str, conversation: str = "c-1") -> Turn:
    return Turn("user", text, conversation=conversation, session=conversation, message=message)


def test_what_a_user_says_is_learned_with_where_it_was_said(memory: MemoryLedger) -> None:
    [taken] = memory.process_turn(turn("From now on answer in French", "m-1"))
    entry = memory.entry(taken.id)
    assert (entry.memory.text, entry.memory.source) == ("Answer in French", "auto")
    origin = entry.memory.provenance
    assert (origin.conversation, origin.message) == ("c-1", "m-1")
    assert (entry.by.name, entry.by.role) == ("capture", "system")
    assert memory.process_turn(turn("thanks!", "m-2")) == []


def test_a_correction_again_in_another_process_stands(memory: MemoryLedger) -> None:
    """Once it is a candidate; the second time, in another session, it is stored."""
    [once] = memory.process_turn(turn("No, use pnpm, not npm", "m-1"))
    assert once.outcome == "candidate"
    memory.close()
    again = muniment.open(memory.workspace.place.directory)
    [twice] = again.process_turn(turn("No, use pnpm, not npm!", "m-1", "c-2"))
    assert twice.outcome == "promoted"
    assert texts(again) == ["Use pnpm, not npm"]
