"""Canonical JSON and base64url have one spelling for one value, and every other is refused.

Tests specs/event.md (E-5…E-8).
"""

from __future__ import annotations

import base64
import string
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from ledger.canonical import (
    MAX_DEPTH,
    MAX_INTEGER,
    b64,
    decode,
    domain_fault,
    encode,
    unb64,
)
from ledger.errors import FormatError, RecordError

KEYS = st.text(string.ascii_lowercase + string.digits + "_", min_size=1, max_size=8)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"))
LEAVES = st.none() | st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | TEXTS
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4)
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=6)


@given(OBJECTS)
def test_in_the_domain_the_encoding_is_that_of_rfc_8785(value: dict[str, Any]) -> None:
    """E-5: compared with an independent implementation."""
    assert encode(value) == rfc8785.dumps(value)


@given(OBJECTS)
def test_what_is_encoded_decodes_to_itself(value: dict[str, Any]) -> None:
    assert decode(encode(value), "it") == value


@given(OBJECTS, st.integers(min_value=0), st.binary(min_size=1, max_size=1))
def test_no_other_byte_string_decodes_to_the_same_value(value: dict[str, Any], at: int, byte: bytes) -> None:
    """E-7: a changed byte gives another value or a refusal, never the same value in other bytes."""
    raw = encode(value)
    at %= len(raw)
    changed = raw[:at] + byte + raw[at + 1 :]
    try:
        other = decode(changed, "it")
    except FormatError:
        return
    assert (other == value) == (changed == raw)


@pytest.mark.parametrize(
    ("raw", "rule"),
    [
        (b"", "E-7"),
        (b"{", "E-7"),
        (b'{"a":1}{', "E-7"),
        (b"[]", "E-1"),
        (b"null", "E-1"),
        (b'"x"', "E-1"),
        (b'{"a":1,"a":1}', "E-7"),
        (b'{"b":1,"a":1}', "E-7"),
        (b'{"a": 1}', "E-7"),
        (b' {"a":1}', "E-7"),
        (b'{"a":1}\n', "E-7"),
        (b'{"a":"\\u0061"}', "E-7"),
        (b'{"a":"\\/"}', "E-7"),
        (b'{"a":"\\u001F"}', "E-7"),
        (b'{"a":"\\u000a"}', "E-7"),
        (b'{"a":"\\ud800"}', "E-7"),
        (b'{"a":"\xff"}', "E-7"),
        (b'{"a":"\xed\xa0\x80"}', "E-7"),
        (b'{"a":"\\u0000"}', "E-6"),
        (b'{"a":1.5}', "E-6"),
        (b'{"a":1.0}', "E-6"),
        (b'{"a":1e2}', "E-6"),
        (b'{"a":-0}', "E-7"),
        (b'{"a":-0.0}', "E-6"),
        (b'{"a":NaN}', "E-7"),
        (b'{"a":9007199254740992}', "E-6"),
        (b'{"a":-9007199254740992}', "E-6"),
        (b'{"a":99999999999999999999999}', "E-6"),
        (b'{"A":1}', "E-6"),
        (b'{"":1}', "E-6"),
        (b'{"a b":1}', "E-6"),
        (b'{"\xc3\xa9":1}', "E-6"),
        (b'{"a":{"B":1}}', "E-6"),
        (b'{"a":[{"b":[1.5]}]}', "E-6"),
        (b'{"a":["\\u0000"]}', "E-6"),
    ],
)
def test_what_is_not_canonical_is_refused(raw: bytes, rule: str) -> None:
    """E-5…E-7: one example for each way; the rule that is broken is named."""
    with pytest.raises(FormatError) as caught:
        decode(raw, "it")
    assert caught.value.rule == rule
    assert caught.value.code == "not-canonical"


def nested(levels: int) -> bytes:
    return b'{"a":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"


def test_sixteen_levels_pass_and_no_more() -> None:
    assert decode(nested(MAX_DEPTH), "it")
    for levels in (
        MAX_DEPTH + 1,
        300,
        5000,
    ):  # orjson itself gives up at 255 when writing, at 1,024 when reading
        with pytest.raises(FormatError, match=r"levels|JSON"):
            decode(nested(levels), "it")


@pytest.mark.parametrize(
    "value",
    [
        {"a": 0.5},
        {"a": MAX_INTEGER + 1},
        {"a": "\0"},
        {"a": "\ud800"},
        {"A": 1},
        {1: 1},
        {"a": (1, 2)},
        {"a": {1, 2}},
        {"a": b"x"},
    ],
)
def test_what_cannot_be_stored_is_refused_before_it_is_written(value: dict[str, Any]) -> None:
    with pytest.raises(RecordError, match="cannot be stored"):
        encode(value)


@given(st.dictionaries(KEYS, VALUES | st.floats() | st.binary(max_size=3)))
def test_the_domain_is_what_can_be_encoded(value: dict[str, Any]) -> None:
    if domain_fault(value) is None:
        assert decode(encode(value), "it") == value
    else:
        with pytest.raises(RecordError):
            encode(value)


@given(st.binary(min_size=1, max_size=70))
def test_base64url_reads_what_it_writes(raw: bytes) -> None:
    text = b64(raw)
    assert "=" not in text
    assert unb64(text, len(raw)) == raw == unb64(text.encode(), len(raw))


@given(st.binary(min_size=1, max_size=70), st.data())
def test_base64url_has_one_spelling(raw: bytes, data: st.DataObject) -> None:
    """E-8: whatever else decodes to these bytes is refused."""
    text = list(b64(raw))
    at = data.draw(st.integers(0, len(text) - 1))
    text[at] = data.draw(st.sampled_from("ABCDEFgw019-_+/= \n.é"))
    changed = "".join(text)
    assert unb64(changed, len(raw)) == _by_reencoding(changed, len(raw))


def _by_reencoding(text: str, size: int) -> bytes | None:
    if not set(text) <= set(string.ascii_letters + string.digits + "-_"):
        return None
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return raw if len(raw) == size and b64(raw) == text else None


@pytest.mark.parametrize(
    "text", ["", "A", "A" * 21, "A" * 23, "A" * 21 + "B", "A" * 20 + "==", "A" * 21 + "="]
)
def test_base64url_of_another_length_is_refused(text: str) -> None:
    assert unb64(text, 16) is None
