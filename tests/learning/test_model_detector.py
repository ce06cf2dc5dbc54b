"""Tests learning/model_detector.py and learning/conversations.py against specs/capture.md (K-112, K-117, K-118)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from documents.proposal import Proposal
from learning.conversations import Conversations
from learning.detection.detector import LearningDetector
from learning.detection.language_model import ModelError, Question
from learning.model_detector import GIVING_UP, MESSAGES, ModelDetector
from learning.turn import Turn
from muniment import MemoryLedger
from tests.learning.taking_in import ledger, taking, texts
from tests.learning.transcripts.writing import jsonl, person


class Model:
    """A model that finds "Use NAME" worth remembering wherever a message says "NAME it is", or gives no answer."""

    def __init__(self) -> None:
        self.asked: list[list[dict[str, Any]]] = []
        self.fault = ""

    def __call__(self, question: Question) -> Any:
        rows = [json.loads(line) for line in question.data.splitlines()[1:-1]]
        self.asked.append(rows)
        if self.fault:
            raise ModelError(self.fault)
        found = [
            {
                "message": row["n"], "quote": row["text"], "text": f"Use {row['text'].split()[0]}", "kind": "statement",
                "type": "fact", "section": "Project Conventions", "scope": "project", "importance": "medium",
                "confidence": 0.9, "replaces": "",
            }
            for row in rows
            if row["text"].endswith("it is")
        ]  # fmt: skip
        return {"memories": found}


def made(model: Model, **how: Any) -> ModelDetector:
    """Return a detector that asks the model."""
    return ModelDetector(LearningDetector(), model, str, **how)


def said(text: str, number: int = 0, conversation: str = "c-1") -> Turn:
    return Turn("user", text, conversation, conversation, f"m-{number}")


def lines(proposals: list[Proposal]) -> list[str]:
    return [each.memory.text for each in proposals if each.memory is not None]


def test_a_window_is_asked_about_at_once() -> None:
    """K-112: not each message; and the next window begins with the last lines of the one before."""
    model = Model()
    detector = made(model)
    for number in range(MESSAGES - 1):
        assert detector.analyze(said(f"lib{number} it is", number)) == []
    found = detector.analyze(said("yes", MESSAGES))
    assert lines(found) == [f"Use lib{number}" for number in range(MESSAGES - 1)]
    assert len(model.asked) == 1
    before = detector.pending
    detector.analyze(said("ruff it is", 99))
    assert (before, detector.pending) == (False, True)
    assert lines(detector.flush()) == ["Use ruff"]
    assert [row.get("context", False) for row in model.asked[1]] == [True] * 4 + [False]
    assert detector.flush() == []
    assert len(model.asked) == 2


def test_long_messages_fill_a_window_too() -> None:
    """K-112."""
    model = Model()
    detector = made(model)
    for number in range(8):
        detector.analyze(said("\n".join(["word " * 75 + "."] * 5), number))
    assert len(model.asked) == 1


def test_conversations_have_windows_of_their_own() -> None:
    """K-112."""
    model = Model()
    detector = made(model)
    detector.analyze(said("ruff it is", 1, "c-1"))
    detector.analyze(said("mypy it is", 1, "c-2"))
    assert sorted(lines(detector.flush())) == ["Use mypy", "Use ruff"]
    assert [len(rows) for rows in model.asked] == [1, 1]


def test_what_is_asked_for_does_not_wait() -> None:
    """K-117: nor what is to be forgotten; the rest of what the rules say the model decides."""
    detector = made(Model())
    (asked,) = detector.analyze(said("Remember that we deploy on Tuesdays", 1))
    assert asked.basis == "asked"
    (forget,) = detector.analyze(said("Forget what I said about tabs", 2))
    assert forget.action == "delete"
    assert detector.analyze(said("My cat's name is Luna", 4)) == []
    assert detector.flush() == []


def test_without_an_answer_the_rules_speak() -> None:
    """K-117."""
    model = Model()
    detector = made(model)
    model.fault = "it burns"
    detector.analyze(said("My cat's name is Luna", 1))
    assert lines(detector.flush()) == ["My cat's name is Luna"]
    assert detector.faults == ["it burns"]


def test_after_faults_in_a_row_it_is_asked_no_more() -> None:
    """K-117: a run must not wait half a minute for each window."""
    model = Model()
    detector = made(model)
    for number in range(2 * GIVING_UP):
        model.fault = "" if number == 1 else "it burns"
        detector.analyze(said("hello there", number))
        detector.flush()
    assert len(model.asked) == 2 * GIVING_UP
    detector.analyze(said("My cat's name is Luna", 9))
    assert lines(detector.flush()) == ["My cat's name is Luna"]
    assert len(model.asked) == 2 * GIVING_UP
    assert len(detector.faults) == 2 * GIVING_UP


def test_an_echo_of_a_memory_is_not_learned() -> None:
    """K-117: the model may say what it was shown elsewhere."""
    model = Model()
    detector = made(model)
    detector.analyze(Turn("system", "## Persistent Memories\n\n- Use ruff\n", "c-1"))
    detector.analyze(said("ruff it is", 1))
    detector.analyze(said("mypy it is", 2))
    assert lines(detector.flush()) == ["Use mypy"]
    assert len(model.asked) == 1


# --- with transcripts ---


def reading(memory: MemoryLedger, detector: ModelDetector, *, dry: bool = False) -> Conversations:
    return Conversations(taking(memory, dry=dry), detector, memory.workspace.local, dry=dry)


def test_at_the_end_of_a_file_what_waits_is_asked_about(tmp_path: Path) -> None:
    """K-118: and read once."""
    path = tmp_path / "talk.jsonl"
    path.write_bytes(jsonl(person("ruff it is", uuid="m1"), person("thanks", uuid="m2")))
    with ledger(tmp_path) as memory:
        model = Model()
        reading(memory, made(model)).file(path)
        assert texts(memory) == ["Use ruff"]
        assert reading(memory, made(model)).file(path).nothing_new
        with path.open("ab") as stream:
            stream.write(jsonl(person("mypy it is", uuid="m3")))
        reading(memory, made(model)).file(path)
        assert [[row["text"] for row in rows] for rows in model.asked] == [
            ["ruff it is", "thanks"],
            ["mypy it is"],  # what is read once more is not shown to it (K-77)
        ]
        assert texts(memory) == ["Use ruff", "Use mypy"]
