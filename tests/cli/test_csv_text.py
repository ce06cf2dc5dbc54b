"""Tables as RFC 4180 has them, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.csv_text import as_csv, cell


def test_lines_end_in_crlf_and_quotes_are_doubled() -> None:
    """A header first."""
    assert as_csv(("a", "b"), [('say "hi", now', 1)]) == 'a,b\r\n"say ""hi"", now",1\r\n'
    assert as_csv(("a",), []) == "a\r\n"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        (True, "true"),
        (False, "false"),
        (7, "7"),
        (-7, "-7"),
        (0.5, "0.50"),
        (("a", "b"), "a\nb"),
        ((), ""),
        ("a\r\nb", "a\nb"),
        ("a\x1b[0m\x00b", "a [0m b"),
    ],
)
def test_a_value_becomes_the_text_of_a_cell(value: object, text: str) -> None:
    """Lists one item a line; controls become spaces; a number is no formula."""
    assert cell(value) == text


@pytest.mark.parametrize("first", ["=", "+", "-", "@", "\t", "\uff1d", "\uff0b", "\uff0d", "\uff20"])
def test_a_formula_is_disarmed(first: str) -> None:
    """Also in full width, and in the first item of a list."""
    assert cell(f"{first}1+1") == f"'{first}1+1"
    assert cell((f"{first}1", "x")) == f"'{first}1\nx"
    assert cell(f"a{first}") == f"a{first}"


@given(st.lists(st.lists(st.text(), min_size=2, max_size=2), max_size=5))
def test_every_cell_is_read_back(rows: list[list[str]]) -> None:
    """As what `cell` made of it, whatever stands in it."""
    read = list(csv.reader(io.StringIO(as_csv(("a", "b"), rows), newline="")))
    assert read == [["a", "b"], *([cell(value) for value in row] for row in rows)]
