"""Conversations and extractors of which a test knows what has to come: support for the tests of memory-writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from documents.proposal import Basis, Proposal
from eval.memory_writes.golden import Conversation, Expected, Said, Seed
from learning.detection.standing import CONFIDENCE
from learning.turn import Turn
from ledger.memory import Memory, Provenance


def row() -> dict[str, Any]:
    """Return a line of a set as JSON values."""
    return {
        "id": "t-1",
        "category": "preference",
        "genre": "coding",
        "hard": False,
        "seed": [],
        "turns": [{"role": "user", "text": "note Use tabs"}],
        "expect": [{"op": "save", "turn": 0, "scope": "user", "type": "fact", "says": ["tabs"]}],
    }


def talk(
    *turns: str | Said, seeds: Sequence[Seed] = (), expected: Sequence[Expected] = (), half: str = "tuned"
) -> Conversation:
    """Return a conversation; a bare text is a person's turn."""
    said = tuple(Said("user", turn) if isinstance(turn, str) else turn for turn in turns)
    return Conversation("t-1", half, "several", "coding", False, said, tuple(seeds), tuple(expected))


def seed(text: str, scope: str = "user", source: str = "auto") -> Seed:
    """Return a fact that stands."""
    return Seed(scope, text, "fact", source, "active")


def saved(*says: str, turn: int = 0, optional: bool = False, scope: str = "user") -> Expected:
    """Return the expectation that a fact is saved."""
    return Expected("save", turn, scope, "fact", says, optional=optional)


@dataclass
class Parrot:
    """A detector that proposes what follows "BASIS:SCOPE ", and nothing of other turns."""

    heard: list[Turn] = field(default_factory=list)

    def analyze(self, turn: Turn) -> list[Proposal]:
        """Return a proposal for each line of a turn that is marked as one."""
        self.heard.append(turn)
        found = [self._proposal(turn, line) for line in turn.text.split("\n")]
        return [each for each in found if each is not None]

    def _proposal(self, turn: Turn, line: str) -> Proposal | None:
        mark, _, text = line.partition(" ")
        basis, _, scope = mark.partition(":")
        if basis == "forget":
            return Proposal("delete", None, about=text, basis="asked")
        if basis not in CONFIDENCE:
            return None
        sure: Basis = basis  # type: ignore[assignment]
        origin = Provenance(conversation=turn.conversation, message=turn.message)
        memory = Memory(text, confidence=CONFIDENCE[sure], source="auto", provenance=origin)
        return Proposal("create", memory, scope=scope or "user", basis=sure)


def parrot() -> Parrot:
    """Return the detector of a session."""
    return Parrot()
