"""Learns from turns as they come, by the detector that needs no model: for `muniment.MemoryLedger.process_turn`.

Implements specs/capture.md (K-79) for who holds a conversation in their own program.
"""

from __future__ import annotations

from documents.scope import Scope
from learning import authorship
from learning.detection.detector import LearningDetector
from learning.intake import Taken, Taking
from learning.listening import Listener
from learning.turn import Turn


class Turns:
    """Hears turns for one ledger, which takes what belongs to any scope."""

    def __init__(self, scope: Scope) -> None:
        settings = scope.workspace.configuration
        detector = LearningDetector(
            max_per_turn=settings.detector_max_per_turn,
        )
        by = authorship.writer("library", under_agent=False)
        self._listener = Listener(Taking.with_journal({"": scope}, by), detector)

    def hear(self, turn: Turn) -> list[Taken]:
        """Learn from a turn; return what became of what it proposes."""
        return self._listener.hear(turn)
