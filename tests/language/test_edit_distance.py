"""Tests language/edit_distance.py."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.edit_distance import allowed, distance, distance_to_stem, is_far

WORDS = st.text("abc", max_size=6)


@pytest.mark.parametrize(
    ("typed", "word", "changes"),
    [("", "", 0), ("port", "port", 0), ("prot", "port", 1), ("porrt", "port", 1), ("prt", "port", 1), ("sort", "port", 1),
     ("postgrse", "postgres", 1), ("kitten", "sitting", 3), ("", "abc", 3), ("ca", "abc", 3)],
)  # fmt: skip
def test_each_change_counts_once(typed: str, word: str, changes: int) -> None:
    """A swap is one."""
    assert distance(typed, word) == changes


@given(WORDS, WORDS)
def test_it_is_the_same_both_ways_and_a_quick_no_is_true(one: str, other: str) -> None:
    """`is_far` never says so of words that are near."""
    assert distance(one, other) == distance(other, one)
    if is_far(one, other, 2):
        assert distance(one, other) > 2


def test_an_ending_may_be_cut_off() -> None:
    """The full text holds packag for package."""
    assert distance_to_stem("pakcages", "packag") == 1
    assert distance_to_stem("databse", "databas") == 1


def test_short_words_allow_fewer_changes() -> None:
    """Two letters none."""
    assert [allowed(word) for word in ("ab", "abc", "abcde", "abcdef")] == [0, 1, 1, 2]
