"""The data of the durable/passing model, its training, and its figures.

Tests specs/capture.md (K-56…K-59).
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval import sentences
from eval.durable import average_precision, detected, point, recall_at
from eval.training import encode, examples, train
from language.durable import WEIGHTS
from language.features import Context


@pytest.mark.soak  # every sentence is compared with every other
def test_the_data_keeps_its_rules() -> None:
    assert sentences.faults() == []


def test_the_shipped_weights_are_of_this_data() -> None:
    """`python -m eval.training --check` trains again and compares every byte."""
    assert json.loads(WEIGHTS.read_bytes())["data"] == sentences.digest()


def test_training_twice_gives_the_same_bytes() -> None:
    slice_of = sentences.messages()[::40]
    assert encode(train(examples(slice_of))) == encode(train(examples(slice_of)))


def test_training_separates_what_words_can_separate() -> None:
    """And the strength of the penalty keeps every weight small."""
    rows = [("we keep zebras", True), ("feed the lions", False)] * 20
    made = [
        sentences.Message("x", text, "other", durable, (sentences.Sentence(text, durable),), Context.of(text))
        for text, durable in rows
    ]
    weights = train(examples(made))["weights"]["word"]
    assert weights["zebras"] > 0 > weights["lions"]
    assert weights["zebras"] < 1000


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ('{"text": "x", "durable": [], "genre": "poetry"}', "genre"),
        ('{"text": "x", "durable": [{"span": "y"}], "genre": "other"}', "not in the text"),
        (
            '{"text": "x", "durable": [{"span": "x", "type": "fact", "scope": "me", "memory": "x"}], "genre": "other"}',
            "needs",
        ),
        ("{", "not JSON"),
    ],
)
def test_a_broken_row_is_named(tmp_path: Path, row: str, fault: str) -> None:
    (tmp_path / "someone.jsonl").write_text(row + "\n")
    found = sentences.faults(tmp_path)
    assert found
    assert found[0].startswith("someone.jsonl:1: ")
    assert fault in found[0]


def test_templates_and_repetitions_are_seen() -> None:
    made = [f"I always put the {word} on the table before we eat" for word in "bcdefgh"]
    assert sentences.frames(made).most_common(1)[0][1] == 7
    assert sentences.alike(made) > 0.5
    assert sentences.alike(["we never eat before noon here", "the fox has been seen in town"]) == 0


def test_a_durable_clause_marks_its_sentence(tmp_path: Path) -> None:
    span = {"span": "we use tabs", "memory": "Use tabs", "type": "preference", "scope": "project"}
    row = {"text": "Fix it. btw we use tabs.\nWhy?", "durable": [span], "genre": "coding"}
    (tmp_path / "someone.jsonl").write_text(json.dumps(row) + "\n")
    [message] = sentences.messages(tmp_path)
    assert [(one.text, one.durable) for one in message.sentences] == [
        ("Fix it.", False),
        ("btw we use tabs.", True),
        ("Why?", False),
    ]


def test_figures_by_hand() -> None:
    judged = [(0.9, True), (0.8, False), (0.7, True), (0.1, True), (0.1, False)]
    assert point(judged, 0.7).precision == pytest.approx(2 / 3)
    assert point(judged, 0.7).recall == pytest.approx(2 / 3)
    assert recall_at(judged, 1.0) == pytest.approx(1 / 3)
    assert recall_at(judged, 0.6) == pytest.approx(1.0)
    assert average_precision([(0.9, True), (0.8, False), (0.7, True)]) == pytest.approx((1 + 2 / 3) / 2)


def test_what_is_held_out_cannot_be_trained_on(tmp_path: Path) -> None:
    held = next(one.text for one in sentences.messages(sentences.HELD_OUT) if len(one.text.split()) >= 5)
    (tmp_path / "someone.jsonl").write_text(
        json.dumps({"text": held, "durable": [], "genre": "other"}) + "\n"
    )
    assert sentences.faults(tmp_path) == ["someone.jsonl:1: is held out: nothing may be trained on it (K-59)"]


def test_the_detector_is_judged_by_message() -> None:
    """A message is found where one of its proposals is as sure; the share of passing ones with a proposal counts too."""
    made = [
        sentences.Message("x", text, "other", durable, (), Context.of(text))
        for text, durable in (("My name is Ida", True), ("My name is Bo", False), ("thanks!", False))
    ]
    everything, _, sure = detected(made)
    assert (everything.precision, everything.recall, everything.false_positives) == (0.5, 1.0, 0.5)
    assert sure.confidence == 0.7
    assert sure.precision == 0.5
