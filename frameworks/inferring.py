"""What the user's own messages teach: the sentences that `muniment capture` would keep, as the user wrote them.

Implements specs/frameworks.md (FW-11, FW-52). No language model is asked.
"""

from __future__ import annotations

from collections.abc import Iterator

from learning.detection.detector import LearningDetector
from learning.detection.standing import judge
from learning.turn import Turn
from ledger.memory import Memory
from projections.configuration import Configuration


def inferred(detector: LearningDetector, turn: Turn, settings: Configuration) -> Iterator[Memory]:
    """Yield what a turn teaches; what the detector is not sure of is a candidate."""
    for proposal in detector.analyze(turn):
        standing = judge(proposal, settings.min_confidence, settings.ask_confidence)
        if proposal.memory is not None and standing != "discard":
            yield proposal.memory.with_changes(status=standing)
