"""The estimate of tokens stays near what real tokenizers counted.

Tests specs/projections.md (P-32).
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.__main__ import main
from eval.likeness import HALVES
from eval.tokens import ENGLISH_AND_CODE, errors, found, texts, tokenizers
from language.token_estimate import estimate_tokens


@pytest.mark.parametrize("half", HALVES)
def test_english_and_code_are_within_15_percent(half: str) -> None:
    """In all and by class, by each tokenizer, also on the half on which nothing was fitted."""
    reached = found()[half]
    for kind in ("english and code", *ENGLISH_AND_CODE):
        for name, error in reached[kind].items():
            assert abs(error) <= 0.15, (kind, name)


def test_the_set_has_each_class_in_both_halves() -> None:
    """And every tokenizer counted every text."""
    assert {(one.kind, one.half) for one in texts()} >= {(k, h) for k in ENGLISH_AND_CODE for h in HALVES}
    assert all(one.tokens.keys() == tokenizers().keys() for one in texts())


def test_an_error_is_what_its_name_says() -> None:
    """An estimate that is always zero is 100 % too low."""
    assert set(errors(texts(), lambda _: 0)["python"].values()) == {-1.0}


def test_the_command_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    """With the tokenizers' packages and versions."""
    assert main(["--dataset", "tokens"]) == 0
    table = capsys.readouterr().out
    assert "gpt-tokenizer 4.0.0" in table
    assert f"{found()['held-out']['python']['o200k_base']:+.1%}" in table


@given(st.lists(st.text(max_size=30), max_size=8))
def test_a_whole_has_no_more_tokens_than_its_lines(lines: list[str]) -> None:
    """So that what fits piece by piece fits together (P-42)."""
    pieces = [f"- {line}\n" for line in lines]
    assert estimate_tokens("".join(pieces)) <= sum(map(estimate_tokens, pieces))


@given(st.text(), st.text())
def test_more_text_never_has_fewer_tokens(one: str, other: str) -> None:
    """But for spaces at an end, which the next line end takes in."""
    assert estimate_tokens(one + " " + other + ".") + 2 >= estimate_tokens(one)
