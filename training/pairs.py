"""Fits the weights of `language/replacing.json`: a logistic regression over pairs of a memory and what is said later.

Implements specs/capture.md (K-137, K-286). The features are those of `language.replacement_features`; the level is set on batches
of pairs that were left out, one after the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil, exp
from typing import Any

from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from language.replacing import plain_level
from training.pair_data import KINDS, Row, digest, rows

RAREST = 3
"""A feature that fewer pairs have is left out."""
STRENGTH = 8.0
"""C of the logistic regression."""
JUDGED = ("fifteenth", "sixteenth", "seventeenth")
"""The batches that set the level: written by three people apart, with hard look-alikes among the unrelated pairs."""
WRONG = 1 / 200
"""So many of the unrelated pairs that were left out may be replaced."""

Judged = Sequence[tuple[Row, float]]
"""Pairs with the probability that the new text takes the old one's place."""


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


def left_out(told: Sequence[Row], batches: Sequence[str] = JUDGED) -> list[tuple[Row, float]]:
    """Return the pairs of batches with their probabilities by a model that saw no pair of the batch, nor of its memories."""
    judged = []
    for batch in batches:
        mine = [row for row in told if row.batch == batch]
        memories = {row.old for row in mine}
        weights, bias = fit([row for row in told if row.batch != batch and row.old not in memories])
        judged += [(row, _probability(row, weights, bias)) for row in mine]
    return judged


def level_of(judged: Judged) -> float:
    """Return the level that, plain changes included, all but `WRONG` of the unrelated pairs stay below."""
    unrelated = [(row, probability) for row, probability in judged if row.kind == "unrelated"]
    plain = sum(replaces(row, probability, 1.0) for row, probability in unrelated)
    others = sorted(
        (probability for row, probability in unrelated if not plain_level(row.found)), reverse=True
    )
    allowed = int(WRONG * len(unrelated)) - plain
    return ceil(others[max(allowed, 0)] * 10_000 + 0.5) / 10_000


def replaces(row: Row, probability: float, level: float) -> bool:
    """Say whether the new text of a pair takes the old one's place."""
    return probability >= (plain_level(row.found) or level)


def trained() -> tuple[dict[str, Any], dict[str, float]]:
    """Return what `language.replacing` reads, and the share of each kind that was replaced where it was left out."""
    told = list(rows())
    judged = left_out(told)
    level = level_of(judged)
    weights, bias = fit(told)
    shares = {
        kind: sum(replaces(row, probability, level) for row, probability in judged if row.kind == kind)
        / sum(row.kind == kind for row, _ in judged)
        for kind in KINDS
    }
    return {"data": digest(), "model": {"bias": bias, "level": level}, "weights": weights}, shares


def _probability(row: Row, weights: dict[str, float], bias: float) -> float:
    if not row.is_weighed:
        return 0.0
    return 1 / (1 + exp(-(bias + sum(weights.get(name, 0) * value for name, value in row.found.items()))))
