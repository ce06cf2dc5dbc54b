"""What the model sees of a sentence.

Tests specs/capture.md (K-50).
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from language.features import Context, features, rows, spelling
from language.tokens import skeleton


def test_what_is_no_word_is_read_as_its_shape() -> None:
    found, _ = rows("run `make x` in src/app.py with --fast on v 3.11, see https://a.example")
    assert found[1:-1] == [
        "run",
        "<code>",
        "in",
        "<path>",
        "with",
        "<flag>",
        "on",
        "v",
        "<number>",
        ",",
        "see",
        "<url>",
    ]


def test_what_a_message_wanted_before_is_known_of_each_sentence() -> None:
    """What follows "write …" says how that should be; what stands before it does not."""
    message = Context.of("We use tabs. Please write a parser. It must be fast.")
    assert message.before("We use tabs.") == message.before("Please write a parser.") == ""
    assert message.before("It must be fast.") == "make"
    assert Context.of("fix it. it is slow").before("it is slow") == "order"
    assert Context.of("Is it red?\nI use Zebra").before("I use Zebra") == "ask"


def test_a_signal_is_told_apart_by_what_the_message_wanted_before() -> None:
    message = Context.of("Write a test. We use tabs.")
    assert "make > team" in features("We use tabs.", message, frozenset({"team"})).names["signal"]


def test_a_capital_is_a_name_but_not_at_the_beginning() -> None:
    assert [*map(skeleton, *rows("Zebra met Zebra and NASA"))][1:-1] == [
        "*",
        "*",
        "<Name>",
        "and",
        "<CAPS>",
    ]


def test_an_unknown_word_is_read_by_its_class_or_ending() -> None:
    assert rows("rename zorbing wibbled wife")[1][1:-1] == ["ORDER", "*ing", "*ed", "KIN"]


def test_the_message_around_a_sentence_counts() -> None:
    """A question or an order beside it, and how many sentences there are."""
    message = Context.of("fix the test. we use tabs. why is it red?")
    place = [*map(" ".join, features("we use tabs.", message).grams["place"])]
    assert {"beside order", "beside question", "sentences 3", "message 2"} <= set(place)
    alone = [*map(" ".join, features("we use tabs.", Context.of("we use tabs.")).grams["place"])]
    assert not {"beside order", "beside question"} & set(alone)


def test_signals_of_rules_and_each_two_of_them_are_features() -> None:
    assert features("x", Context.of("x"), frozenset({"b", "a"})).names["signal"] == [
        "a",
        "b",
        "a b",
        "nothing > a",
        "nothing > b",
    ]


def test_function_words_shapes_and_very_long_words_have_no_spelling() -> None:
    assert spelling("always") == spelling("<path>") == spelling("x" * 21) == set()
    assert "^pn" in spelling("pnpm")


@given(st.text(max_size=200))
def test_any_text_has_features_without_spaces(text: str) -> None:
    """The weights file joins a feature's parts by one space."""
    seen = features(text, Context.of(text))
    assert all(part and " " not in part for grams in seen.grams.values() for gram in grams for part in gram)
    assert all(word and " " not in word for word in seen.words)
