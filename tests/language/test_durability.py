"""The linear model: what it says of sentences, and that nothing about it is left to chance.

Tests specs/capture.md (K-50, K-51, K-54).
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.durability import KINDS, SHORT, WEIGHTS, character_grams, is_short, model, word_grams, words


def test_marks_stand_for_code_paths_and_numbers() -> None:
    said = words("Run `a b` in src/x at 8080 or ask @ada: it’s ok!")
    assert said == ["run", "CODE", "in", "PATH", "at", "0", "or", "ask", "AT", "it's", "ok", "!"]


def test_grams_are_words_pairs_and_characters() -> None:
    assert word_grams(["we", "use"]) == {"we", "use", "^ we", "we use"}
    assert character_grams("uv") == {" uv", "uv ", " uv "}


def test_what_lasts_is_likelier_than_what_passes() -> None:
    """K-50."""
    of = model().probability
    assert of("We use pnpm here, not npm") > 0.5 > of("fix the bug in the parser")
    assert of("") < of("We use Postgres 16")


@pytest.mark.parametrize(
    ("said", "type_", "scope"),
    [
        ("I prefer short answers", "preference", "user"),
        ("My name is Ada", "fact", "user"),
        ("We tag releases from the release branch", "convention", "project"),
        ("Let's go with Postgres", "decision", "project"),
    ],
)
def test_the_heads_say_type_and_scope(said: str, type_: str, scope: str) -> None:
    """K-28, K-29."""
    judged = model().judge(said)
    assert (judged.type, judged.scope) == (type_, scope)


def test_why_is_told_where_it_is_asked_for() -> None:
    """K-54."""
    why = model().judge("We use Postgres 16", explain=True).why
    assert why
    assert [abs(weight) for _, weight in why] == sorted((abs(weight) for _, weight in why), reverse=True)
    assert model().judge("We use Postgres 16").why == ()


def test_a_level_holds_for_short_messages_and_another_for_long_ones() -> None:
    """K-51."""
    short, long = "word " * SHORT, "word " * (SHORT + 1)
    assert (is_short(short), is_short(long)) == (True, False)
    assert 0 < model().candidate(short) < model().candidate(long) < model().active <= 1


def test_the_file_is_small() -> None:
    """K-50."""
    assert WEIGHTS.stat().st_size <= 1_500_000


@given(st.text(max_size=300))
def test_any_sentence_has_a_probability(sentence: str) -> None:
    judged = model().judge(sentence)
    assert 0 <= judged.p <= 1
    assert judged.type in KINDS
    assert judged.p == model().probability(sentence)
