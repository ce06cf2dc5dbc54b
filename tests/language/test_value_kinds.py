"""The table of attributes and values: K-136, L-53."""

from __future__ import annotations

import pytest

from language import value_kinds
from language.value_kinds import purposes, tokens, values


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("VS Code", "vscode"),
        ("fly.io", "flyio"),
        ("four spaces", "4 spaces"),
        ("2-space", "2 spaces"),
        ("PG", "postgres"),
        ("Europe/Berlin", "europe/berlin"),
    ],
)
def test_values_are_known_by_all_their_names(text: str, name: str) -> None:
    assert [value.name for value in values(tokens(text))] == [name]


def test_a_name_that_is_a_word_needs_a_word_that_leads_to_it() -> None:
    assert not [value for value in values(tokens("pull requests are welcome")) if value.name == "requests"]
    assert [value.name for value in values(tokens("we talk over signal"))] == ["signal"]


def test_a_value_is_in_a_kind_once() -> None:
    """In one row it would rival itself."""
    for kind in {value.kind for name in ("npm", "postgres") for value in values([name])}:
        names = [name.casefold() for name in value_kinds.others(kind)]
        assert len(names) == len(set(names))


def test_tools_of_one_purpose_share_it() -> None:
    table = purposes()
    assert table["npm"] & table["uv"]
    assert table["redis"] & table["postgres"]
    assert not table["npm"] & table["react"]
