"""Judges the model on repositories that it was not trained on, and sets the levels from which a sentence counts.

Implements specs/capture.md (K-51, K-53). A repository's messages are judged by a model that saw none of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from language.durability import Model, is_short
from training.fitting import fit
from training.rows import Message, examples, wishes

FOLDS = 6
FALSE_POSITIVES = {"short": 0.035, "long": 0.04}
"""So many of the short and of the long messages that hold nothing durable may be proposed: a long one has many sentences to be wrong
about, and one level for both would hear no short one."""
PRECISION = 0.95
"""So many of those that become active at once must be durable (level *active*)."""
LEAST_SURE = 20
"""Fewer messages than these show no precision: nothing becomes active by the model alone."""


class Judged(NamedTuple):
    """A real message, the fold that it was left out in, and the greatest margin of its sentences under that fold's model."""

    message: Message
    fold: int
    margin: float


class Fold(NamedTuple):
    """The natural messages of some repositories, and what was fitted without these (`training.fitting.fit`)."""

    held: list[Message]
    stored: dict[str, Any]


def folds(messages: Sequence[Message], heads: Sequence[str] = ("durable",)) -> list[Fold]:
    """Leave out the natural messages of one group of repositories after the other, and fit the rest."""
    natural = [message for message in messages if message.is_natural]
    groups = [message.group for message in natural]
    found = []
    for _, held in GroupKFold(FOLDS).split(natural, groups=groups):
        away = {groups[at] for at in held}
        away |= {f"{group} (looked for)" for group in away}
        kept = [one for message in messages if message.group not in away for one in examples(message)]
        found.append(Fold([natural[at] for at in held], fit([*kept, *wishes()], heads)))
    return found


def left_out(found: Sequence[Fold]) -> list[Judged]:
    """Judge each fold's messages by the model that did not see them."""
    judged = []
    for number, fold in enumerate(found):
        model = Model(fold.stored)
        for message in fold.held:
            margins = [model.margin(one.sentence) for one in examples(message)]
            judged.append(Judged(message, number, max(margins, default=-9.0)))
    return judged


def settled(stored: dict[str, Any], judged: Sequence[Judged]) -> dict[str, Any]:
    """Return what was fitted with the line and the levels that what was left out shows."""
    stored = stored | {"line": line_of(judged)}
    model = Model(stored)
    levels = {name: round(model.of_margin(margin), 4) for name, margin in levels_of(judged).items()}
    return stored | {"levels": stored["levels"] | levels}


def line_of(judged: Sequence[Judged]) -> tuple[float, float]:
    """Return the line that makes log odds of a margin (Platt, 1999), fitted on what was left out."""
    margins = np.array([[each.margin] for each in judged])
    regression = LogisticRegression(C=1e3).fit(margins, [bool(each.message.durable) for each in judged])
    return round(float(regression.coef_[0][0]), 4), round(float(regression.intercept_[0]), 4)


def levels_of(judged: Sequence[Judged]) -> dict[str, float]:
    """Return the least margins at which `FALSE_POSITIVES` and `PRECISION` hold."""
    levels = {}
    for sort, share in FALSE_POSITIVES.items():
        of_sort = [one for one in judged if is_short(one.message.text) == (sort == "short")]
        passing = sorted((one.margin for one in of_sort if not one.message.durable), reverse=True)
        levels[sort] = passing[int(share * len(passing))]
    levels["active"] = 99.0
    ranked = sorted(judged, key=lambda each: -each.margin)
    hits = 0
    for count, each in enumerate(ranked, 1):
        hits += bool(each.message.durable)
        if count >= LEAST_SURE and hits >= PRECISION * count:
            levels["active"] = each.margin
    return levels
