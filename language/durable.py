"""How likely it is that a sentence of a person's message is worth remembering: a linear model, in plain Python.

Implements specs/capture.md (K-50, K-54, K-198). `durable.json` beside this file holds the weights; `python -m eval.training`
writes it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from itertools import chain, pairwise, repeat
from math import exp
from pathlib import Path
from typing import Any, NamedTuple

from language.features import Context, features, place, rows, scale, spelling, together
from language.signals import signals as read_signals
from language.word_classes import CLASS_OF

WEIGHTS = Path(__file__).with_name("durable.json")
UNIT = 1000
"""The file holds whole numbers: thousandths."""
REASONS = 8
"""How many features `why` names at most, for and against together."""

NAMES = ("signal", "beside")
GRAMS = ("place", "pair", "kinds2", "kinds3")
FAMILIES = ("word", "class", "spelling", *NAMES, *GRAMS)
"""The families of features (K-50), each with its table in the file."""

LEAST_KNOWN = 0.3
"""Where a smaller share of a sentence's words is known, the model is not followed: of such training sentences 11 of 47 are durable."""
FEW_WORDS = 4
"""Of fewer words no share is told."""

_MOST_WORDS = 50_000
_MOST_SETS = 10_000
_NOTHING = repeat(0.0)
_SAYING = {
    "pair": "the words",
    "kinds2": "the pattern",
    "kinds3": "the pattern",
    "place": "its place:",
    "signal": "the rule",
    "beside": "in the same message:",
}


class Scored(NamedTuple):
    """The probability that a sentence is durable; `why` names the strongest features, with their weights.

    A weight above zero spoke for durable, in units of log odds. `why` is empty where it was not asked for.
    """

    p: float
    why: tuple[tuple[str, float], ...] = ()


class _Words(dict[str, float]):
    """What a word says by itself, by its class and by its spelling; computed once a word."""

    def __init__(self, weights: Mapping[str, Mapping[str, int]]) -> None:
        super().__init__()
        self._weights = weights

    def __missing__(self, word: str) -> float:
        weight = self._weights["word"].get(word, 0)
        weight += self._weights["class"].get(CLASS_OF.get(word, ""), 0)
        spelt = self._weights["spelling"]
        weight += sum(spelt.get(gram, 0) for gram in spelling(word))
        if len(self) >= _MOST_WORDS:
            self.clear()
        self[word] = weight / UNIT
        return weight / UNIT


class _Rules(dict[tuple[str, frozenset[str]], float]):
    """What a set of signals says, alone and together, by what the message wanted before; computed once a set."""

    def __init__(self, weights: Mapping[str, float]) -> None:
        super().__init__()
        self._weights = weights

    def __missing__(self, key: tuple[str, frozenset[str]]) -> float:
        before, signals = key
        weight = sum(map(self._weights.get, together(signals, before), _NOTHING))
        if len(self) >= _MOST_SETS:
            self.clear()
        self[key] = weight
        return weight


class Model:
    """Weights by family and feature, a bias, and the line that makes a probability of their sum."""

    def __init__(self, stored: Mapping[str, Any]) -> None:
        self._bias: float = stored["bias"] / UNIT
        self._slope: float = stored["slope"] / UNIT
        self._offset: float = stored["offset"] / UNIT
        weights = stored["weights"]
        self._words = _Words(weights)
        self._known = weights["word"]
        self._names = {family: _fractions(weights[family]) for family in NAMES}
        self._rules = _Rules(self._names["signal"])
        self._beside = self._names["beside"]
        self._last_around: tuple[frozenset[str], float] = frozenset(), 0.0
        self._grams = {
            family: {tuple(name.split(" ")): weight / UNIT for name, weight in weights[family].items()}
            for family in GRAMS
        }
        self._getters = [self._grams[family].get for family in GRAMS]

    def margin(self, sentence: str, message: Context, signals: frozenset[str]) -> float:
        """Return the sum of the weights of the sentence's features, the bias included."""
        texts, kinds = rows(sentence)
        placed, pair, kinds2, kinds3 = self._getters
        after = kinds[1:]
        features = chain(
            map(placed, place(sentence, message, texts, kinds), _NOTHING),
            map(pair, pairwise(texts), _NOTHING),
            map(kinds2, zip(kinds, after, strict=False), _NOTHING),
            map(kinds3, zip(kinds, after, kinds[2:], strict=False), _NOTHING),
            map(self._words.__getitem__, dict.fromkeys(texts[1:-1])),
        )
        total: float = self._rules[message.before(sentence), signals] + sum(features)
        if message.words:
            total += self._around(message.words) - sum(
                map(self._beside.get, message.words.intersection(texts), _NOTHING)
            )
        return self._bias + scale(len(texts) - 2) * total

    def _around(self, words: frozenset[str]) -> float:
        """Return what all words of a message say: each of its sentences takes its own away. Computed once a message."""
        of, total = self._last_around
        if of is not words:
            total = sum(map(self._beside.get, words, _NOTHING))
            self._last_around = words, total
        return total

    def known(self, sentence: str) -> float:
        """Return the share of a sentence's words that the model has a weight for, 1 where they are too few to tell."""
        texts, _ = rows(sentence)
        words = [word for word in dict.fromkeys(texts[1:-1]) if any(map(str.isalpha, word))]
        if len(words) < FEW_WORDS:
            return 1.0
        return sum(word in self._known or word in CLASS_OF for word in words) / len(words)

    @property
    def line(self) -> tuple[float, float]:
        """Slope and offset of the line that makes log odds of a margin."""
        return self._slope, self._offset

    def probability(self, margin: float) -> float:
        """Return the margin as a probability (Platt's line, fitted on writers that were left out)."""
        return 1 / (1 + exp(-max(-30.0, min(30.0, self._slope * margin + self._offset))))

    def why(self, sentence: str, message: Context, signals: frozenset[str]) -> tuple[tuple[str, float], ...]:
        """Return the strongest features for and against, in words, with what each adds to the log odds."""
        seen = features(sentence, message, signals)
        said: defaultdict[str, float] = defaultdict(float)
        for word in seen.words:
            said[f"the word “{word}”"] += self._words[word]
        for family, names in seen.names.items():
            for name in names:
                said[f"{_SAYING[family]} “{name}”"] += self._names[family].get(name, 0.0)
        for family, grams in seen.grams.items():
            for gram in grams:
                said[f"{_SAYING[family]} “{' '.join(gram)}”"] += self._grams[family].get(gram, 0.0)
        strongest = sorted(said.items(), key=lambda one: (-abs(one[1]), one[0]))[:REASONS]
        return tuple(
            (saying, at)
            for saying, weight in strongest
            if (at := round(weight * seen.scale * self._slope, 2))
        )


def _fractions(weights: Mapping[str, int]) -> dict[str, float]:
    return {name: weight / UNIT for name, weight in weights.items()}


@cache
def model() -> Model:
    """Return the shipped model, read at its first use."""
    return Model(json.loads(WEIGHTS.read_text("utf-8")))


def is_strange(sentence: str) -> bool:
    """Say whether most words of a sentence are none that the model was trained on, so that its p is a guess (K-198)."""
    return model().known(sentence) < LEAST_KNOWN


def probability(sentence: str, message: Context, signals: frozenset[str]) -> float:
    """Return the p of `score` alone, by the signals of the sentence."""
    weights = model()
    return weights.probability(weights.margin(sentence, message, signals))


def score(
    sentence: str, message: Context, signals: frozenset[str] | None = None, *, explain: bool = False
) -> Scored:
    """Return how likely it is that a sentence of a message is worth remembering in a later session.

    Args:
        sentence: one sentence or clause, as the person wrote it.
        message: what `Context.of` read from the whole message.
        signals: the signals of this very sentence (K-23); read here where they are not given.
        explain: whether to fill `why`, which costs several times the score.
    """
    cues = read_signals(sentence) if signals is None else signals
    p = probability(sentence, message, cues)
    return Scored(p, model().why(sentence, message, cues) if explain else ())
