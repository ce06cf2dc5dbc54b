"""How likely it is that a sentence of a person's message is worth remembering: a linear model, in plain Python.

Implements specs/capture.md (K-50, K-53, K-54). `durable.json` beside this file holds the weights; `python -m eval.training`
writes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from math import exp
from pathlib import Path
from typing import Any

from capture.features import Context, characters, features

WEIGHTS = Path(__file__).with_name("durable.json")
UNIT = 1000
"""The file holds whole numbers: thousandths."""
REASONS = 8
"""How many features `why` names at most, for and against together."""

_SAYING = {
    "pair": "the words {}",
    "kinds2": "the pattern {}",
    "kinds3": "the pattern {}",
    "frame2": "the frame {}",
    "frame3": "the frame {}",
    "frame4": "the frame {}",
    "place": "its place: {}",
    "signal": "the rule {}",
}


@dataclass(frozen=True, slots=True)
class Scored:
    """The probability that a sentence is durable; `why` names the strongest features, with their weights.

    A weight above zero spoke for durable, in units of log odds. `why` is empty where it was not asked for.
    """

    p: float
    why: tuple[tuple[str, float], ...] = ()


class Model:
    """Weights by family and feature, a bias, and the line that makes a probability of their sum."""

    def __init__(self, stored: Mapping[str, Any]) -> None:
        self._bias: float = stored["bias"] / UNIT
        self._slope: float = stored["slope"] / UNIT
        self._offset: float = stored["offset"] / UNIT
        self._weights: dict[str, dict[tuple[str, ...], float]] = {
            family: {tuple(name.split(" ")): weight / UNIT for name, weight in weights.items()}
            for family, weights in stored["weights"].items()
        }
        self._of_word: dict[tuple[str, ...], float] = {}

    def margin(self, sentence: str, message: Context, signals: frozenset[str] = frozenset()) -> float:
        """Return the sum of the weights of the sentence's features, the bias included."""
        total = self._bias
        for family, found in features(sentence, message, signals).items():
            weights = self._weights.get(family)
            if family == "word":
                total += sum(map(self._word, found))
            elif weights:
                total += sum(map(weights.get, found, repeat(0.0)))
        return total

    def probability(self, margin: float) -> float:
        """Return the margin as a probability (Platt's line, fitted on writers that were left out)."""
        return 1 / (1 + exp(-max(-30.0, min(30.0, self._slope * margin + self._offset))))

    def why(
        self, sentence: str, message: Context, signals: frozenset[str] = frozenset()
    ) -> tuple[tuple[str, float], ...]:
        """Return the strongest features for and against, in words, with what each adds to the log odds."""
        said: dict[str, float] = {}
        for family, found in features(sentence, message, signals).items():
            for feature in found:
                weight = self._word(feature) if family == "word" else self._weights[family].get(feature, 0.0)
                saying = _say(family, feature)
                said[saying] = said.get(saying, 0.0) + weight * self._slope
        strongest = sorted(said.items(), key=lambda one: (-abs(one[1]), one[0]))[:REASONS]
        return tuple((saying, round(weight, 2)) for saying, weight in strongest if abs(weight) >= 0.01)

    def _word(self, word: tuple[str, ...]) -> float:
        """What a word says by itself and by its characters; computed once a word."""
        known = self._of_word.get(word)
        if known is None:
            spelt, weights = self._weights["characters"], self._weights["word"]
            known = weights.get(word, 0.0) + sum(spelt.get(gram, 0.0) for gram in characters(word[0]))
            if len(self._of_word) >= 50_000:
                self._of_word.clear()
            self._of_word[word] = known
        return known


def _say(family: str, feature: tuple[str, ...]) -> str:
    quoted = "“" + " ".join(feature) + "”"
    if family == "word":
        return f"the word {quoted}"
    if family == "class":
        return f"a word of the class {feature[0]}"
    return _SAYING[family].format(quoted)


@cache
def model() -> Model:
    """Return the shipped model, read at its first use."""
    return Model(json.loads(WEIGHTS.read_text("utf-8")))


def score(
    sentence: str, message: Context, signals: frozenset[str] = frozenset(), *, explain: bool = False
) -> Scored:
    """Return how likely it is that a sentence of a message is worth remembering in a later session.

    Args:
        sentence: one sentence or clause, as the person wrote it.
        message: what `Context.of` read from the whole message.
        signals: names that rules gave the sentence.
        explain: whether to fill `why`, which costs several times the score.
    """
    weights = model()
    p = weights.probability(weights.margin(sentence, message, signals))
    return Scored(p, weights.why(sentence, message, signals) if explain else ())
