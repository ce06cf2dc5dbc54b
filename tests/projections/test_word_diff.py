"""What became of a text, word by word (P-98)."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections import word_diff
from projections.word_diff import CAME, SAME, WENT, Stretch, changed_lines, word_changes

TEXTS = st.lists(
    st.sampled_from([*"abc", " ", "  ", "\n", ".", "-", "use", "npm", "é", "漢", "\r\n", "\u2028", "\x00"]),
    max_size=12,
).map("".join)


def said(changes: list[Stretch], *kinds: str) -> str:
    """Return the stretches of these kinds, joined."""
    return "".join(stretch.text for stretch in changes if stretch.kind in kinds)


@given(TEXTS, TEXTS)
def test_kept_and_went_is_the_old_text_kept_and_came_the_new(old: str, new: str) -> None:
    """Character by character, whatever the texts are."""
    changes = word_changes(old, new)
    assert said(changes, SAME, WENT) == old
    assert said(changes, SAME, CAME) == new
    assert all(stretch.text for stretch in changes)
    assert (old == new) == all(stretch.kind == SAME for stretch in changes)


@given(TEXTS, TEXTS)
def test_between_what_was_kept_stands_one_change(old: str, new: str) -> None:
    """What went before what came, each at most once."""
    kinds = [stretch.kind for stretch in word_changes(old, new)]
    assert not {(WENT, WENT), (CAME, CAME), (SAME, SAME), (CAME, WENT)} & set(pairwise(kinds))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("Use npm", "Use pnpm", [(SAME, "Use "), (WENT, "npm"), (CAME, "pnpm")]),
        ("port 5433", "port 5432", [(SAME, "port "), (WENT, "5433"), (CAME, "5432")]),
        ("a b c", "x y c", [(WENT, "a b"), (CAME, "x y"), (SAME, " c")]),
        ("", "new", [(CAME, "new")]),
        ("same", "same", [(SAME, "same")]),
    ],
)
def test_whole_words_change(old: str, new: str, expected: list[tuple[str, str]]) -> None:
    """Never half of one; spaces between two changes belong to them."""
    assert word_changes(old, new) == expected


def test_only_lines_with_a_change_are_shown() -> None:
    """Of a long body the one line that is different."""
    changes = word_changes("one\ntwo old\nthree\n", "one\ntwo new\nthree\nfour\n")
    lines = list(changed_lines(changes))
    assert lines == [[(SAME, "two "), (WENT, "old"), (CAME, "new")], [(CAME, "four")]]


def test_a_large_change_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """What two ends have in common is found all the same."""
    monkeypatch.setattr(word_diff, "MOST_PAIRS", 3)
    assert word_changes("a b c d", "a x c y d") == [
        (SAME, "a "),
        (WENT, "b c"),
        (CAME, "x c y"),
        (SAME, " d"),
    ]
