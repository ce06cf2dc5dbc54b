"""Judges what `--extractor llm` proposes of messages, by answers of a language model that were recorded.

Implements specs/capture.md (K-55). An answer was given to the question that the product asks about a window with that message
alone; here it goes through the same detector as the answer of a model that is reachable.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from documents.proposal import Proposal
from eval.messages import FRESH, Figures, judged, told
from learning.detection.detector import LearningDetector
from learning.detection.language_model import Question
from learning.model_detector import ModelDetector
from learning.turn import Turn
from ledger.redaction import redact
from training.rows import Message, messages

DATA = FRESH.parent
GATE = MappingProxyType({"precision": 0.80, "recall": 0.70, "false positives": 0.015})
GATES: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {"written, with a language model": GATE, "real, with a language model": GATE}
)


def report(_misses: bool = False) -> tuple[str, bool]:
    """Return the figures of both sets, and whether they reach their gates."""
    return told(figures(), GATES)


def figures() -> dict[str, dict[str, float]]:
    """Return the figures of written and of real messages."""
    every = messages()
    written = [each for each in every if each.group == "written-mixed"]
    real = [each for each in every if each.is_natural]
    sets = zip(GATES, ("answers-written.jsonl", "answers-real.jsonl"), (written, real), strict=True)
    return {name: _figures(DATA / file, of).named() for name, file, of in sets}


def key(text: str) -> str:
    """Return by what an answer names its message: the beginning of the SHA-256 of its text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _figures(file: Path, of: Iterable[Message]) -> Figures:
    by_id = {key(each.text): each for each in of}
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return judged(
        (by_id[row["id"]], proposed(by_id[row["id"]].text, row)) for row in rows if row["id"] in by_id
    )


def proposed(text: str, answer: Mapping[str, Any]) -> list[Proposal]:
    """Return what is proposed of a message where a model answers so."""

    def ask(question: Question) -> Any:
        del question
        return {"memories": answer["memories"]}

    detector = ModelDetector(LearningDetector(), ask, redact)
    return [*detector.analyze(Turn("user", text, conversation="c", message="m")), *detector.flush()]
