"""Trains the linear model that tells durable sentences from passing ones and writes `language/durable.json`.

Implements specs/capture.md (K-50, K-57). `python -m eval.training` checks the data, trains in plain Python without
chance, and writes the same bytes whenever the data and the features are the same; `--check` only looks whether the
file is what they give.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import exp
from pathlib import Path
from typing import Any

from eval import sentences
from eval.sentences import Message
from language.durable import FAMILIES, UNIT, WEIGHTS, Model
from language.features import features, spelling
from language.signals import signals
from language.word_classes import CLASS_OF

STRENGTH = 0.05
"""C of the logistic regression: what one sentence may weigh against the squares of all weights."""
ROUNDS = 12
RAREST = 3
"""A feature that fewer sentences have is left out."""
SPELLING = 0.6
"""The value of a character n-gram where any other feature has 1, so that words are learned before their spelling."""
BESIDE = 0.5
"""The value of a word that stands elsewhere in the message."""
VALUES = {"spelling": SPELLING, "beside": BESIDE}
SMALLEST = 16
"""Weights nearer to zero, in thousandths, are left out of the file."""

COUNTS = dict.fromkeys(("desk", "everyday", "home", "plain", "plain-people"), 6) | {
    "terminal": 2,
    "workdays": 2,
    "turns-work": 4,
    "turns-changes": 4,
    "turns-home": 4,
    "turns-manners": 4,
    "turns-mixed": 4,
    "turns-ops": 4,
    "turns-craft": 4,
    "turns-days": 4,
    "turns-choices": 4,
    "terse": 6,
    "bare-life": 3,
    "bare-work": 3,
}
"""Messages of these writers count so often: the others were asked for near misses, so that with them a cue such as "always"
passes far more often than with people who just type, or talk with an agent."""
NATURAL = ("desk", "everyday", "home", "plain-people")
"""Writers with as much that is durable as there is in life: one sentence in eight. Probabilities are fitted on them."""

Feature = tuple[str, str]
"""A family and a name in it."""
Stored = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Example:
    """One sentence as numbers: the features that it has, each with its value, and whether it is durable."""

    features: tuple[Feature, ...]
    values: tuple[float, ...]
    durable: bool
    counts: int = 1


def examples(messages: Iterable[Message]) -> list[Example]:
    """Return what the model sees of each sentence, the character n-grams of its words added."""
    return [
        _example(sentence.text, message, durable=sentence.durable)
        for message in messages
        for sentence in message.sentences
    ]


def _example(text: str, message: Message, *, durable: bool) -> Example:
    values: defaultdict[Feature, float] = defaultdict(float)
    seen = features(text, message.context, signals(text))
    for word in seen.words:
        values["word", word] = 1
        if word in CLASS_OF:
            values["class", CLASS_OF[word]] += 1
        for gram in spelling(word):
            values["spelling", gram] += SPELLING
    for family, names in seen.names.items():
        for name in names:
            values[family, name] = VALUES.get(family, 1)
    for family, grams in seen.grams.items():
        for parts in grams:
            values[family, " ".join(parts)] += 1
    ordered = sorted(values.items())
    counts = COUNTS.get(message.writer, 1)
    return Example(
        tuple(one for one, _ in ordered), tuple(value * seen.scale for _, value in ordered), durable, counts
    )


def train(given: Sequence[Example]) -> Stored:
    """Return the weights as they are stored, with a slope of 1 and no offset.

    Logistic regression with an L2 penalty by coordinate descent in the dual (Yu, Huang and Lin, "Dual coordinate descent
    methods for logistic regression and maximum entropy models", 2011), in the order of the data.
    """
    counts = Counter(feature for one in given for feature in one.features)
    kept = sorted(feature for feature, count in counts.items() if count >= RAREST)
    place = {feature: at for at, feature in enumerate(kept)}
    bias = len(kept)
    rows = []
    for one in given:
        row = [(place[f], value) for f, value in zip(one.features, one.values, strict=True) if f in place]
        columns, values = [at for at, _ in row] + [bias], [value for _, value in row] + [1.0]
        square = sum(value * value for value in values)
        rows.append((columns, values, 1 if one.durable else -1, square, STRENGTH * one.counts))
    weights = _descend(rows, bias + 1)
    stored: dict[str, dict[str, int]] = {family: {} for family in FAMILIES}
    for (family, name), at in place.items():
        value = VALUES.get(family, 1.0)
        if abs(weight := round(weights[at] * value * UNIT)) >= SMALLEST:
            stored[family][name] = weight
    return {
        "bias": round(weights[bias] * UNIT),
        "slope": UNIT,
        "offset": 0,
        "weights": stored,
    }


def _descend(rows: Sequence[tuple[list[int], list[float], int, float, float]], size: int) -> list[float]:
    weights = [0.0] * size
    at = weights.__getitem__
    odds = [-5.0] * len(rows)  # of each row's share in its bound, C times what it counts, as a logarithm
    shares = [bound / (1 + exp(5.0)) for *_, bound in rows]
    for (columns, values, sign, *_), share in zip(rows, shares, strict=True):
        for column, value in zip(columns, values, strict=True):
            weights[column] += share * sign * value
    for _ in range(ROUNDS):
        for number, (columns, values, sign, square, bound) in enumerate(rows):
            margin = sign * sum(map(float.__mul__, map(at, columns), values))
            share = shares[number]
            # The root of a rising function of t: where this row's share is best with all others held.
            t = odds[number]
            for _step in range(20):
                s = 1 / (1 + exp(-t))
                off = square * (bound * s - share) + margin + t
                if abs(off) < 1e-6:
                    break
                t = max(-30.0, min(30.0, t - off / (square * bound * s * (1 - s) + 1)))
            new = bound / (1 + exp(-t))
            step = (new - share) * sign
            odds[number], shares[number] = t, new
            for column, value in zip(columns, values, strict=True):
                weights[column] += step * value
    return weights


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A message and the margins that a model which never saw its writer gave its sentences."""

    message: Message
    margins: tuple[float, ...]


def leave_writers_out(messages: Sequence[Message], writers: Iterable[str] = ()) -> list[LeftOut]:
    """Train once for each of the writers (all, if none is named) without them, and return what these models say of them."""
    found = []
    made = [(message.writer, examples([message])) for message in messages]
    for writer in sorted(set(writers) or {message.writer for message in messages}):
        model = Model(train([one for by, rows in made if by != writer for one in rows]))
        for message in messages:
            if message.writer == writer:
                margins = tuple(
                    model.margin(one.text, message.context, signals(one.text)) for one in message.sentences
                )
                found.append(LeftOut(message, margins))
    return found


def calibrate(found: Iterable[LeftOut]) -> tuple[float, float]:
    """Return slope and offset of the line that makes log odds of a margin (Platt scaling, by Newton's method).

    Only natural writers are looked at: of the others too much is durable.
    """
    points = [
        (margin, sentence.durable)
        for one in found
        if one.message.writer in NATURAL
        for margin, sentence in zip(one.margins, one.message.sentences, strict=True)
    ]
    slope, offset = 1.0, 0.0
    for _ in range(30):
        g_slope = g_offset = h_slope = h_both = h_offset = 0.0
        for margin, durable in points:
            p = 1 / (1 + exp(-(slope * margin + offset)))
            error, curve = p - durable, p * (1 - p)
            g_slope, g_offset = g_slope + error * margin, g_offset + error
            h_slope, h_both, h_offset = (
                h_slope + curve * margin * margin,
                h_both + curve * margin,
                h_offset + curve,
            )
        bottom = h_slope * h_offset - h_both * h_both or 1.0
        slope -= (g_slope * h_offset - g_offset * h_both) / bottom
        offset -= (g_offset * h_slope - g_slope * h_both) / bottom
    return slope, offset


def content(data: Path = sentences.DATA) -> bytes:
    """Return the bytes of the weights file that the data gives: a line each for its head and its families."""
    every = sentences.messages(data)
    stored = train(examples(every))
    slope, offset = calibrate(leave_writers_out(every, NATURAL))
    stored |= {"slope": round(slope * UNIT), "offset": round(offset * UNIT), "data": sentences.digest(data)}
    return encode(stored)


def encode(stored: Stored) -> bytes:
    """Return the weights as JSON, the same bytes for the same weights."""
    return (json.dumps(stored, sort_keys=True, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the data, train, and write or compare the weights. Exit code 1 where something is wrong."""
    parser = argparse.ArgumentParser(prog="python -m eval.training", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare with the weights that are there")
    given = parser.parse_args(arguments)
    if faults := sentences.faults():
        print("\n".join(faults), file=sys.stderr)
        return 1
    made = content()
    if given.check:
        same = WEIGHTS.read_bytes() == made
        print("the weights are what the data gives" if same else "the weights are of other data: train again")
        return 0 if same else 1
    WEIGHTS.write_bytes(made)
    print(f"{WEIGHTS.name}: {len(made):,} bytes from {len(sentences.messages()):,} messages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
