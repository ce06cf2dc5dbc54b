"""How well the linear model tells durable from passing, each writer judged by a model that never saw them.

Implements specs/capture.md (K-58, K-59).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from math import exp
from typing import Any

from eval import sentences
from eval.sentences import Message
from eval.training import LeftOut, calibrate, leave_writers_out
from language.durable import model
from language.signals import signals
from learning.detection.detector import LearningDetector
from learning.turn import Turn

Judged = tuple[float, bool]
"""A probability, and whether it should have been high."""

PRECISIONS = (0.80, 0.84, 0.88, 0.90, 0.95)
CONFIDENCES = (0.0, 0.5, 0.7)
THRESHOLDS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


@dataclass(frozen=True, slots=True)
class Point:
    """What a threshold gives."""

    threshold: float
    precision: float
    recall: float
    f1: float


def point(judged: Sequence[Judged], threshold: float) -> Point:
    """Return precision, recall and F1 where everything of at least `threshold` is called durable."""
    called = sum(p >= threshold for p, _ in judged)
    right = sum(p >= threshold and durable for p, durable in judged)
    there = sum(durable for _, durable in judged)
    precision = right / called if called else 1.0
    recall = right / there if there else 1.0
    f1 = 2 * right / (called + there) if called + there else 1.0
    return Point(threshold, precision, recall, f1)


def recall_at(judged: Sequence[Judged], precision: float) -> float:
    """Return the highest recall that some threshold reaches with at least this precision."""
    there = sum(durable for _, durable in judged) or 1
    best = right = called = 0
    ordered = sorted(judged, reverse=True)
    for at, (p, durable) in enumerate(ordered):
        called, right = called + 1, right + durable
        whole = at + 1 == len(ordered) or ordered[at + 1][0] != p
        if whole and right >= precision * called:
            best = right
    return best / there


def average_precision(judged: Sequence[Judged]) -> float:
    """Return the area under the curve of precision over recall, step by step."""
    there = sum(durable for _, durable in judged) or 1
    right, area = 0, 0.0
    for called, (_, durable) in enumerate(sorted(judged, reverse=True), 1):
        right += durable
        area += right / called if durable else 0.0
    return area / there


def by_sentence(found: Iterable[LeftOut], line: tuple[float, float]) -> Iterator[Judged]:
    """Yield each sentence's probability."""
    for one in found:
        for margin, sentence in zip(one.margins, one.message.sentences, strict=True):
            yield _probability(margin, line), sentence.durable


def by_message(found: Iterable[LeftOut], line: tuple[float, float]) -> Iterator[Judged]:
    """Yield each message's probability: its best sentence's."""
    for one in found:
        yield _probability(max(one.margins, default=-30.0), line), one.message.durable


def _probability(margin: float, line: tuple[float, float]) -> float:
    return 1 / (1 + exp(-(line[0] * margin + line[1])))


def figures(judged: Sequence[Judged]) -> dict[str, Any]:
    """Return the curve of some judgements as JSON values."""
    return {
        "count": len(judged),
        "durable": sum(durable for _, durable in judged),
        "average_precision": average_precision(judged),
        "recall_at_precision": {f"{precision:.2f}": recall_at(judged, precision) for precision in PRECISIONS},
        "thresholds": [asdict(point(judged, threshold)) for threshold in THRESHOLDS],
    }


def report(*, misses: bool, as_json: bool) -> str:
    """Return the figures of all, by genre and by writer, and the totals of what is held out, as a table or as JSON."""
    found = leave_writers_out(sentences.messages())
    line = calibrate(found)
    groups = {"all": found, **_by_genre(found)}
    for writer in sentences.writers():
        groups[f"writer {writer}"] = [one for one in found if one.message.writer == writer]
    held = [scored(message) for message in sentences.messages(sentences.HELD_OUT)]
    shipped = model().line
    shown = {name: _figures(group, line) for name, group in groups.items()}
    held_groups = {"all": held, **_by_genre(held)}
    for writer in sentences.writers(sentences.HELD_OUT):
        held_groups[writer] = [one for one in held if one.message.writer == writer]
    kept = {name: _figures(group, shipped) for name, group in held_groups.items()}
    proposals = {
        name: [asdict(one) for one in detected([each.message for each in group])]
        for name, group in held_groups.items()
    }
    if as_json:
        held_out = {name: {**kept[name], "detector": proposals[name]} for name in kept}
        return json.dumps(
            {"dataset": "durable", "left_out": "writer", **shown, "held_out": held_out}, indent=2
        )
    lines = [_table(name, by) for name, by in shown.items()]
    for name, by in kept.items():
        lines.append(_table(f"held out, {name}", by))
        lines += [
            f"  proposals of at least {one['confidence']:<5} precision {one['precision']:.3f}  recall {one['recall']:.3f}"
            f"  of passing messages {one['false_positives']:.3f}"
            for one in proposals[name]
        ]
    if misses:
        lines += _misses(found, line)
    return "\n".join(lines)


def _by_genre(found: Sequence[LeftOut]) -> dict[str, list[LeftOut]]:
    return {genre: [one for one in found if one.message.genre == genre] for genre in sentences.GENRES}


def _figures(found: Sequence[LeftOut], line: tuple[float, float]) -> dict[str, Any]:
    return {
        "sentences": figures(list(by_sentence(found, line))),
        "messages": figures(list(by_message(found, line))),
    }


def scored(message: Message) -> LeftOut:
    """Return what the shipped model says of a message."""
    margins = tuple(model().margin(one.text, message.context, signals(one.text)) for one in message.sentences)
    return LeftOut(message, margins)


@dataclass(frozen=True, slots=True)
class Detected:
    """What the whole detector does with messages, where proposals of at least `confidence` are looked at."""

    confidence: float
    precision: float
    recall: float
    false_positives: float
    """The share of passing messages with a proposal."""


def detected(messages: Sequence[Message]) -> list[Detected]:
    """Return how well the detector tells durable messages from passing ones, each message a conversation of its own."""
    highest = [(_highest(message), message.durable) for message in messages]
    passing = sum(not durable for _, durable in highest)
    found = []
    for confidence in CONFIDENCES:
        at = point(highest, confidence)
        wrong = sum(sure >= confidence and not durable for sure, durable in highest)
        found.append(Detected(confidence, at.precision, at.recall, wrong / max(1, passing)))
    return found


def _highest(message: Message) -> float:
    """Return the confidence of the surest memory that the detector proposes of a message; below zero where it is none."""
    proposed = LearningDetector().analyze(Turn("user", message.text, conversation="c", message="m"))
    return max((one.memory.confidence for one in proposed if one.memory is not None), default=-1.0)


def _table(name: str, by: dict[str, dict[str, Any]]) -> str:
    lines = []
    for level, one in by.items():
        at = "  ".join(
            f"{recall:.2f} at {precision}" for precision, recall in one["recall_at_precision"].items()
        )
        lines.append(
            f"{name}: {one['count']} {level}, {one['durable']} durable; average precision {one['average_precision']:.3f}"
        )
        lines.append(f"  recall at precision   {at}")
        if name == "all":
            lines.append(f"  {'threshold':<12}{'precision':>11}{'recall':>9}{'F1':>9}")
            lines += [
                f"  {p['threshold']:<12}{p['precision']:>11.3f}{p['recall']:>9.3f}{p['f1']:>9.3f}"
                for p in one["thresholds"]
            ]
    return "\n".join(lines)


def _misses(found: Iterable[LeftOut], line: tuple[float, float]) -> list[str]:
    """Return the sentences that 0.5 judges otherwise than their writer, the surest mistakes first."""
    wrong = []
    for one in found:
        for margin, sentence in zip(one.margins, one.message.sentences, strict=True):
            p = _probability(margin, line)
            if (p >= 0.5) != sentence.durable:
                wrong.append((abs(p - sentence.durable), sentence.durable, one.message.writer, sentence.text))
    return [
        f"{'durable' if durable else 'passing'}, judged {1 - off if durable else off:.2f}, {writer}: {text!r}"
        for off, durable, writer, text in sorted(wrong, reverse=True)
    ]
