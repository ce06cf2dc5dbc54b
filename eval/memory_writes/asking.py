"""Lets a language model propose what the golden set asks for.

Implements specs/capture.md (K-121). Each message is a window of its own here, so that what comes of it is told for its
turn; that costs a question a message.
"""

from __future__ import annotations

from documents.proposal import Proposal
from eval.memory_writes.hearing import Extractor
from learning.detection.detector import LearningDetector
from learning.detection.language_model import LanguageModel
from learning.model_detector import ModelDetector
from learning.turn import Turn
from ledger.errors import UsageError
from ledger.redaction import default_redactor


class _AtOnce(ModelDetector):
    """Asks about each message as it comes."""

    def analyze(self, turn: Turn) -> list[Proposal]:
        found = super().analyze(turn)
        if turn.role == "user":
            found += self.flush()
        if self.faults:
            raise ValueError(f"the model gave no answer: {self.faults[0]}")
        return found


def extractor(name: str) -> Extractor:
    """Return what makes a session's detector; it raises ValueError if the model gives no answer.

    Raises:
        ValueError: the library, the model or its key is missing.
    """
    try:
        model = LanguageModel(name)
    except UsageError as error:
        raise ValueError(str(error)) from None
    return lambda: _AtOnce(LearningDetector(), model, default_redactor().redact)
