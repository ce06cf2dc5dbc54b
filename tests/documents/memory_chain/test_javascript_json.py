"""JSON as JavaScript writes it: G-52."""

from __future__ import annotations

import json
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from documents.memory_chain.javascript_json import parse, sorted_by_key, stringify
from tests.documents.memory_chain.chains import needs_node, writer

_CASES = (
    ("1.0", "1"),
    ("-0", "0"),
    ("1e21", "1e+21"),
    ("1E20", "100000000000000000000"),
    ("123456789012345678901234567890", "1.2345678901234568e+29"),
    ("9007199254740993", "9007199254740992"),
    ("0.000001", "0.000001"),
    ("1e-7", "1e-7"),
    ("1.5e-9", "1.5e-9"),
    ("1e999", "null"),
    ("5e-324", "5e-324"),
    ('{"b":1,"10":2,"a":3,"9":4,"01":5}', '{"9":4,"10":2,"b":1,"a":3,"01":5}'),
    ('{"4294967295":1,"4294967294":2}', '{"4294967294":2,"4294967295":1}'),
    ('{"a":1,"a":2}', '{"a":2}'),
    (r'"\ud83d\ude00\ud83d\u2028\u007f\u001f\/\b"', '"😀\\ud83d\u2028\x7f\\u001f/\\b"'),
)


@pytest.mark.parametrize(("written", "text"), _CASES)
def test_numbers_keys_and_signs_are_written_as_javascript_does(written: str, text: str) -> None:
    """The cases where languages differ, after ECMA-262."""
    assert stringify(parse(written)) == text


@needs_node
def test_the_cases_are_what_javascript_says() -> None:
    """Node agrees with the table above."""
    printed = writer("text", given="\n".join(written for written, _ in _CASES)).split("\n")
    assert printed[:-1] == [text for _, text in _CASES]


def test_keys_are_sorted_by_utf_16() -> None:
    """An emoji stands before a letter of the private area, though its code point is higher."""
    assert list(sorted_by_key({"\ue000": 1, "😀": 2, "a": 3})) == ["a", "😀", "\ue000"]


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "{", "[" * 100_000, "'a'", '"\n"'])
def test_what_is_no_json_is_refused(text: str) -> None:
    """Python's own liberties included."""
    with pytest.raises(ValueError, match=r"\w"):
        parse(text)


_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.integers(-(10**25), 10**25)
    | st.binary(min_size=8, max_size=8)
    .map(lambda data: struct.unpack("<d", data)[0])
    .filter(lambda x: x - x == 0)
    | st.text(st.characters(codec=None), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=4) | st.integers(0, 2**33).map(str), inner, max_size=5)
    ),
    max_leaves=12,
)


@needs_node
@settings(max_examples=settings().max_examples // 8)
@given(st.lists(_VALUES, min_size=60, max_size=120))
def test_any_value_is_written_as_javascript_does(values: list[object]) -> None:
    """A differential test against node, many values a process."""
    lines = [json.dumps(value) for value in values]
    printed = writer("text", given="\n".join(lines)).split("\n")[:-1]
    assert [stringify(parse(line)) for line in lines] == printed


def test_what_is_nested_too_deeply_is_an_error_of_its_own() -> None:
    """G-52: as it is where it is read."""
    with pytest.raises(ValueError, match="nested too deeply"):
        stringify(parse("[" * 900 + "]" * 900))
