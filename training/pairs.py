"""Fits the weights of `language/replacing.json`: a logistic regression over pairs of a memory and what is said later.

Implements specs/capture.md (K-137, K-286). The features are those of `language.replacing`; the level is set on batches of pairs
that were left out, one after the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import exp
from typing import Any

from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from language.replacing import is_plain
from training.pair_data import KINDS, Row, digest, rows

RAREST = 3
"""A feature that fewer pairs have is left out."""
STRENGTH = 1.0
"""C of the logistic regression."""
WRONG = 0.01
"""So many of the pairs that were left out, and of which both stand, may have a probability over the level."""


def fit(told: Sequence[Row]) -> tuple[dict[str, float], float]:
    """Return the weight of each feature, and the bias."""
    seen = Counter(name for row in told for name in row.found)
    names = sorted(name for name, count in seen.items() if count >= RAREST)
    place = {name: at for at, name in enumerate(names)}
    cells = [
        (at, place[name], value)
        for at, row in enumerate(told)
        for name, value in sorted(row.found.items())
        if name in place
    ]
    lines, columns, values = zip(*cells, strict=True)
    matrix = csr_matrix((values, (lines, columns)), shape=(len(told), len(names)))
    regression = LogisticRegression(C=STRENGTH, solver="liblinear", max_iter=1000).fit(
        matrix, [row.replaces for row in told]
    )
    weights = {name: round(float(weight), 3) for name, weight in zip(names, regression.coef_[0], strict=True)}
    return {name: weight for name, weight in weights.items() if weight}, round(
        float(regression.intercept_[0]), 3
    )


def left_out(told: Sequence[Row]) -> list[tuple[Row, float]]:
    """Return each pair with its probability under a model that saw no pair of its batch."""
    judged = []
    for batch in sorted({row.batch for row in told}):
        weights, bias = fit([row for row in told if row.batch != batch])
        judged += [(row, _probability(row, weights, bias)) for row in told if row.batch == batch]
    return judged


def level_of(judged: Sequence[tuple[Row, float]]) -> float:
    """Return the probability that all but `WRONG` of the pairs of which both stand stay below."""
    standing = [(row, probability) for row, probability in judged if not row.replaces]
    unlike = sorted((probability for row, probability in standing if not is_plain(row.found)), reverse=True)
    return round(unlike[int(WRONG * len(standing))] + 0.0005, 3)


def trained() -> tuple[dict[str, Any], dict[str, float]]:
    """Return what `language.replacing` reads, and the share of each kind that was replaced where it was left out."""
    told = list(rows())
    judged = left_out(told)
    level = level_of(judged)
    weights, bias = fit(told)
    shares = {
        kind: sum(probability >= level for row, probability in judged if row.kind == kind)
        / sum(row.kind == kind for row in told)
        for kind in KINDS
    }
    return {"data": digest(), "model": {"bias": bias, "level": level}, "weights": weights}, shares


def _probability(row: Row, weights: dict[str, float], bias: float) -> float:
    return 1 / (1 + exp(-(bias + sum(weights.get(name, 0) * value for name, value in row.found.items()))))
