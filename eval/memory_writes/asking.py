"""Lets a language model propose what the golden set asks for, or judge what was written of it.

Implements specs/capture.md (K-116, K-128). Each message is a window of its own here, so that what comes of it is told for its
turn; that costs a question a message.
"""

from __future__ import annotations

import os

from documents.proposal import Proposal
from eval.memory_writes.figures import Judge
from eval.memory_writes.golden import Conversation
from eval.memory_writes.hearing import Extractor
from learning.detection.detector import LearningDetector
from learning.detection.language_model import LanguageModel, ModelError
from learning.detection.model_extractor import judge
from learning.detection.windows import WindowLine, line_of
from learning.model_detector import ModelDetector
from learning.turn import Turn
from ledger.errors import UsageError
from ledger.redaction import default_redactor


def language_model(name: str) -> LanguageModel:
    """Return a model that is found again whatever home the environment names during the run.

    Raises:
        ValueError: the library, the model or its key is missing.
    """
    try:
        model = LanguageModel(name)
    except UsageError as error:
        raise ValueError(str(error)) from None
    import llm

    os.environ.setdefault("LLM_USER_PATH", str(llm.user_dir()))  # type: ignore[no-untyped-call]
    return model


class _AtOnce(ModelDetector):
    """Asks about each message as it comes."""

    def analyze(self, turn: Turn) -> list[Proposal]:
        found = super().analyze(turn)
        if turn.role == "user":
            found += self.flush()
        if self.faults:
            raise ValueError(f"the model gave no answer: {self.faults[0]}")
        return found


def extractor(model: LanguageModel) -> Extractor:
    """Return what makes a session's detector; it raises ValueError where the model gives no answer."""

    def made() -> ModelDetector:
        return _AtOnce(LearningDetector(), model, default_redactor().redact)

    return made


def judging(model: LanguageModel) -> Judge:
    """Return a judge that is asked once about each memory of a conversation; raises ValueError as `extractor` does."""
    known: dict[tuple[str, str], bool] = {}

    def judged(conversation: Conversation, text: str) -> bool:
        key = conversation.id, text
        if key not in known:
            turns = [Turn(said.role, said.text, command=said.command) for said in conversation.turns]
            shown: list[WindowLine] = [
                line for turn in turns if (line := line_of(turn, default_redactor().redact)) is not None
            ]
            try:
                known[key] = judge(text, shown, model)
            except ModelError as error:
                raise ValueError(f"the judge gave no answer: {error}") from None
        return known[key]

    return judged
