"""The shipped model's score.

Tests specs/capture.md (K-50, K-53, K-54).
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture.durable import FAMILIES, WEIGHTS, Model, score
from capture.features import Context


@pytest.mark.parametrize(
    ("durable", "passing"),
    [
        ("tests live next to the code", "the tests next to the code are red"),
        ("I'm allergic to shellfish", "can you look up shellfish prices?"),
        ("we deploy from the release branch on mondays", "deploy the release branch now"),
    ],
)
def test_what_lasts_scores_above_what_passes(durable: str, passing: str) -> None:
    assert score(durable, Context.of(durable)).p > score(passing, Context.of(passing)).p + 0.1


def test_why_is_only_there_where_it_is_asked_for() -> None:
    """And it names features in words, the strongest first."""
    text = "fix the login test"
    assert score(text, Context.of(text)).why == ()
    why = score(text, Context.of(text), explain=True).why
    assert [abs(weight) for _, weight in why] == sorted((abs(weight) for _, weight in why), reverse=True)
    assert all(weight and saying.split()[0] in ("the", "its") for saying, weight in why)


def test_the_weights_are_small_enough_to_ship() -> None:
    assert WEIGHTS.stat().st_size <= 1_000_000


@given(st.text(max_size=300))
def test_any_text_has_a_probability(text: str) -> None:
    assert 0 <= score(text, Context.of(text)).p <= 1


def test_a_probability_rises_with_the_weights() -> None:
    """A model by hand: the margin is the sum of what the sentence has, the line makes the probability."""
    stored = {
        "bias": -1000,
        "slope": 2000,
        "offset": 500,
        "weights": {family: {} for family in FAMILIES}
        | {"word": {"zebra": 750}, "spelling": {"^ze": 250}, "signal": {"asked": 3000}},
    }
    model, message = Model(stored), Context.of("zebra zebra")
    assert model.margin("zebra zebra", message, frozenset()) == 0
    assert model.margin("zebra zebra", message, frozenset({"asked"})) == 3
    assert model.probability(0) == pytest.approx(0.6225, abs=1e-4)
