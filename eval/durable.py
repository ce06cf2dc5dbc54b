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
from eval.training import LeftOut, calibrate, leave_writers_out

Judged = tuple[float, bool]
"""A probability, and whether it should have been high."""

PRECISIONS = (0.80, 0.84, 0.88, 0.90, 0.95)
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
    """Return the figures of all, by genre and by writer, as a table or as JSON."""
    found = leave_writers_out(sentences.messages())
    line = calibrate(found)
    groups = {"all": found}
    for genre in sentences.GENRES:
        groups[genre] = [one for one in found if one.message.genre == genre]
    for writer in sentences.writers():
        groups[f"writer {writer}"] = [one for one in found if one.message.writer == writer]
    shown = {
        name: {
            "sentences": figures(list(by_sentence(group, line))),
            "messages": figures(list(by_message(group, line))),
        }
        for name, group in groups.items()
    }
    if as_json:
        return json.dumps({"dataset": "durable", "left_out": "writer", **shown}, indent=2)
    lines = [_table(name, by) for name, by in shown.items()]
    if misses:
        lines += _misses(found, line)
    return "\n".join(lines)


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
