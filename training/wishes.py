"""Sets from which score on a sentence counts as a wish to forget, by wishes that the model was not trained on.

Implements specs/capture.md (K-41, K-140, K-53).
"""

from __future__ import annotations

from collections.abc import Sequence

from language.durability import Model
from training.fitting import fit
from training.rows import Example

FOLDS = 4
MISTAKEN = {"forget": 0.05, "perhaps forget": 0.12}
"""So many of the sentences that only look like a wish may be taken for one: what is then asked about stands till somebody says yes."""


def wish_levels(others: Sequence[Example], wishes: Sequence[Example]) -> dict[str, float]:
    """Return the least margins of the head *forget* at which `MISTAKEN` holds."""
    looks = []
    for fold in range(FOLDS):
        model = Model(
            fit([*others, *(one for at, one in enumerate(wishes) if at % FOLDS != fold)], ["forget"])
        )
        looks += [model.margin(one.sentence, "forget") for one in wishes[fold::FOLDS] if not one.forget]
    ranked = sorted(looks, reverse=True)
    return {name: round(ranked[int(share * len(ranked))], 4) for name, share in MISTAKEN.items()}
