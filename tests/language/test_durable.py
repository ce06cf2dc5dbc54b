"""The shipped model's score.

Tests specs/capture.md (K-50, K-54).
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.durable import FAMILIES, WEIGHTS, Model, score
from language.features import Context, features, scale, spelling
from language.word_classes import CLASS_OF


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
    assert model.margin("zebra zebra", message, frozenset()) == pytest.approx(scale(2) - 1)
    assert model.margin("zebra zebra", message, frozenset({"asked"})) == pytest.approx(4 * scale(2) - 1)
    assert model.probability(0) == pytest.approx(0.6225, abs=1e-4)


@given(st.text(st.sampled_from("abI fix?.,`/3 \n"), max_size=120), st.frozensets(st.sampled_from("pqr")))
def test_the_margin_is_the_sum_of_what_features_name(text: str, signals: frozenset[str]) -> None:
    """The fast path of `margin` sees what training sees: every feature weighs its own, odd amount."""
    message = Context.of(text)
    sentence = text.strip().partition(".")[0]
    seen = features(sentence, message, signals)
    names = {family: set(map(str, names)) for family, names in seen.names.items()}
    grams = {family: [" ".join(gram) for gram in found] for family, found in seen.grams.items()}
    held = {
        "word": dict.fromkeys(seen.words, 7),
        "class": dict.fromkeys(CLASS_OF.values(), 11),
        "spelling": {gram: 13 for word in seen.words for gram in spelling(word)},
        **{family: dict.fromkeys(found, 17) for family, found in names.items()},
        **{family: dict.fromkeys(found, 19 + at) for at, (family, found) in enumerate(grams.items())},
    }
    expected = sum(7 + 11 * (word in CLASS_OF) + 13 * len(spelling(word)) for word in seen.words)
    expected += sum(17 * len(found) for found in names.values())
    expected += sum((19 + at) * len(found) for at, found in enumerate(grams.values()))
    model = Model({"bias": 500, "slope": 1000, "offset": 0, "weights": held})
    assert model.margin(sentence, message, signals) == pytest.approx((500 + seen.scale * expected) / 1000)
