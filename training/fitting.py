"""Fits the weights of `language/durability.json`: TF-IDF over n-grams, a logistic regression for each head.

Implements specs/capture.md (K-50, K-57). The n-grams are those of `language.durability`; liblinear does the regression.
"""

from __future__ import annotations

from base64 import b64encode
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import groupby
from math import log, sqrt
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

from language.durability import HEADS, KINDS, character_grams, word_grams, words
from training.rows import Example

RAREST_WORDS, RAREST_CHARACTERS = 2, 3
"""An n-gram that fewer sentences have is left out."""
STRENGTH = 4.0
"""C of the logistic regressions."""
RARE = {"durable": 3.0, "forget": 3.0}
"""What a sentence of these heads counts that is so, where another counts 1."""
LARGEST = 32_767


class _Counted(NamedTuple):
    """The n-grams of one sort that count, each with its place and its IDF."""

    place: dict[str, int]
    idf: list[float]

    def unit(self, grams: Iterable[str]) -> dict[int, float]:
        """Return a vector of length 1: the IDF of each n-gram at its place."""
        known = sorted(self.place[gram] for gram in grams if gram in self.place)
        length = sqrt(sum(self.idf[at] ** 2 for at in known))
        return {at: self.idf[at] / length for at in known}


def _of_words(counted: _Counted, tokens: list[str]) -> dict[int, float]:
    return counted.unit(word_grams(tokens))


def _of_characters(counted: _Counted, tokens: list[str]) -> dict[int, float]:
    once = sorted(set(tokens))
    total: dict[int, float] = defaultdict(float)
    for token in once:
        for at, value in counted.unit(character_grams(token)).items():
            total[at] += value / sqrt(len(once))
    return total


def fit(examples: Sequence[Example], heads: Sequence[str] = HEADS) -> dict[str, Any]:
    """Return what `language.durability.Model` reads, but for the line and the levels, which need sentences that were left out."""
    said = [words(each.sentence) for each in examples]
    beside = _counted([word_grams(tokens) for tokens in said], RAREST_WORDS)
    spelled = _counted([set().union(*map(character_grams, tokens)) for tokens in said], RAREST_CHARACTERS)
    matrix = hstack(
        [
            _matrix([_of_words(beside, tokens) for tokens in said], len(beside.idf)),
            _matrix([_of_characters(spelled, tokens) for tokens in said], len(spelled.idf)),
        ]
    ).tocsr()
    fitted = {head: _head(head, matrix, examples) for head in heads}
    edge = len(beside.idf)
    return {
        "words": _packed(beside, {head: weights[:edge] for head, (weights, _) in fitted.items()}),
        "characters": _packed(spelled, {head: weights[edge:] for head, (weights, _) in fitted.items()}),
        "bias": {head: round(bias, 4) for head, (_, bias) in fitted.items()},
        "line": [1.0, 0.0],
        "levels": {"short": 0.5, "long": 0.5, "active": 1.0, "forget": 0.0, "perhaps forget": 0.0},
    }


def _counted(said: Sequence[set[str]], rarest: int) -> _Counted:
    seen = Counter(gram for grams in said for gram in grams)
    grams = sorted(gram for gram, count in seen.items() if count >= rarest)
    idf = [log((1 + len(said)) / (1 + seen[gram])) + 1 for gram in grams]
    return _Counted({gram: at for at, gram in enumerate(grams)}, idf)


def _matrix(vectors: Sequence[dict[int, float]], width: int) -> csr_matrix:
    values, columns, starts = [], [], [0]
    for vector in vectors:
        for at in sorted(vector):
            columns.append(at)
            values.append(vector[at])
        starts.append(len(columns))
    return csr_matrix((values, columns, starts), shape=(len(vectors), width))


def _head(head: str, matrix: csr_matrix, examples: Sequence[Example]) -> tuple[np.ndarray, float]:
    """Fit one head on the sentences that say something of it."""
    told = [(at, truth) for at, each in enumerate(examples) if (truth := _truth(head, each)) is not None]
    rows, truths = [at for at, _ in told], [is_so for _, is_so in told]
    weights = [examples[at].message.weight * (RARE.get(head, 1) if is_so else 1) for at, is_so in told]
    regression = LogisticRegression(C=STRENGTH, solver="liblinear", max_iter=300)
    regression.fit(matrix[rows], truths, sample_weight=weights)
    return regression.coef_[0], float(regression.intercept_[0])


def _truth(head: str, example: Example) -> bool | None:
    message = example.message
    if head == "forget":
        return example.forget
    if head == "durable":
        return example.durable
    if not example.durable:
        return None
    if head in KINDS:
        return message.type == head if message.type else None
    if head == "user":
        return message.scope == "user" if message.scope else None
    return message.corrects


def _packed(counted: _Counted, weights: dict[str, np.ndarray]) -> dict[str, Any]:
    """Write a table as text: its n-grams by their first two characters, and whole numbers of 16 bits, little end first, in base64."""
    idf, idf_unit = _whole(np.array(counted.idf))
    packed = {head: _whole(column * counted.idf) for head, column in weights.items()}
    return {
        "grams": {two: "\n".join(grams) for two, grams in groupby(counted.place, itemgetter(slice(2)))},
        "idf": idf,
        "idf_unit": idf_unit,
        "pulls": {head: numbers for head, (numbers, _) in packed.items()},
        "units": {head: unit for head, (_, unit) in packed.items()},
    }


def _whole(numbers: np.ndarray) -> tuple[str, float]:
    unit = float(f"{max(float(np.abs(numbers).max()), 1e-9) / LARGEST:.6g}")
    whole = np.clip(np.round(numbers / unit), -LARGEST, LARGEST).astype("<i2")
    return b64encode(whole.tobytes()).decode(), unit
