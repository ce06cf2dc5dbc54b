"""A pattern that is compiled at its first use does what a compiled one does."""

from __future__ import annotations

import copy
import re

import pytest

from ledger.lazy_pattern import lazy_pattern


def test_it_answers_as_a_compiled_pattern() -> None:
    lazy, eager = lazy_pattern(r"(\d+)-(\w)", re.IGNORECASE), re.compile(r"(\d+)-(\w)", re.IGNORECASE)
    text = "12-a and 3-B"
    for _ in range(2):
        assert lazy.findall(text) == eager.findall(text)
        assert lazy.sub(r"\2", text) == eager.sub(r"\2", text)
        assert [found.span() for found in lazy.finditer(text)] == [
            found.span() for found in eager.finditer(text)
        ]
        assert lazy.pattern == eager.pattern
        assert lazy.groups == eager.groups


def test_it_is_compiled_when_it_is_used() -> None:
    broken = lazy_pattern("(")
    with pytest.raises(re.error):
        broken.search("a")


def test_it_can_be_copied() -> None:
    assert copy.deepcopy(lazy_pattern("a+")).fullmatch("aaa") is not None
