"""Learns from turns as they come, by the detector that needs no model: for `muniment.MemoryLedger.process_turn`.

Implements specs/capture.md (K-79) for who holds a conversation in their own program.
"""

from __future__ import annotations

import json

from documents.scope import Scope
from learning import authorship
from learning.conversations import corrections_of
from learning.detection.detector import LearningDetector
from learning.intake import Taken, Taking
from learning.listening import Listener
from learning.turn import Turn
from projections.transcript_positions import Positions


class Turns:
    """Hears turns for one ledger, which takes what belongs to any scope; corrections outlive it."""

    def __init__(self, scope: Scope) -> None:
        settings = scope.workspace.configuration
        self._scope = scope
        self._detector = LearningDetector(
            corrections_of(scope.workspace.local),
            max_per_turn=settings.detector_max_per_turn,
            history_limit=settings.detector_history,
        )
        by = authorship.writer("library", under_agent=False)
        self._listener = Listener(Taking.with_journal({"": scope}, by), self._detector)

    def hear(self, turn: Turn) -> list[Taken]:
        """Learn from a turn; return what became of what it proposes."""
        before = self._history()
        taken = self._listener.hear(turn)
        Positions(self._scope.workspace.local).save_corrections(before, self._history())
        return taken

    def _history(self) -> list[str]:
        return [
            json.dumps(each.to_json(), ensure_ascii=False, sort_keys=True) for each in self._detector.history
        ]
