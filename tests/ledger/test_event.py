"""A line is cut and built as the specs draw it; ids and commitments are what public tools compute.

Tests specs/event.md (E-1…E-4, E-9, E-11…E-13, E-19).
"""

from __future__ import annotations

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st

from ledger.canonical import unb64
from ledger.errors import FormatError, RecordError
from ledger.event import (
    ID_CONTEXT,
    MAX_LINE_BYTES,
    NEXT_KEY_CONTEXT,
    PAYLOAD_CONTEXT,
    SIGNED_PREFIX,
    blanked,
    build_line,
    commitment,
    control_byte,
    event_id,
    event_value,
    is_blanked,
    next_key_commitment,
    split_line,
)
from ledger.signing import SigningKey, verify_signature
from specs.vectors.cases import started

KEY = SigningKey(bytes(32))
SALT = bytes(range(16))
SIG = "s" * 86
HEAD = f'{{"event":{{"v":1}},"sig":"{SIG}"'.encode()


def code_of(raw: bytes) -> str:
    with pytest.raises(FormatError) as caught:
        split_line(raw)
    return caught.value.code


def test_a_line_without_payload_is_cut_into_its_parts() -> None:
    line = split_line(HEAD + b"}")
    assert line == (b'{"v":1}', SIG.encode(), HEAD, None)


def test_a_line_with_payload_is_cut_into_its_parts() -> None:
    line = split_line(HEAD + b',"payload":{"a":"}"}}')
    assert line == (b'{"v":1}', SIG.encode(), HEAD, b'{"a":"}"}')


@given(
    st.binary(max_size=40),
    st.binary(min_size=86, max_size=86),
    st.none() | st.binary(min_size=1, max_size=40),
)
def test_what_is_put_together_is_cut_apart(event: bytes, sig: bytes, payload: bytes | None) -> None:
    """E-1: EVENT ends where the first `,"sig":"` begins, whatever stands in it."""
    head = b'{"event":' + event + b',"sig":"' + sig + b'"'
    if b',"sig":"' in event + b',"sig":'[:-1]:
        return
    tail = b"}" if payload is None else b',"payload":' + payload + b"}"
    assert split_line(head + tail) == (event, sig, head, payload)


@pytest.mark.parametrize("cut", range(1, len(HEAD) + 13))
def test_a_line_that_is_cut_anywhere_is_no_event(cut: int) -> None:
    assert code_of((HEAD + b',"payload":1}')[:cut]) == "framing"


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", "blank-line"),
        (b" ", "framing"),
        (b"\xef\xbb\xbf" + HEAD + b"}", "bom"),
        (b" " + HEAD + b"}", "framing"),
        (HEAD + b"} ", "framing"),
        (HEAD + b"}}", "framing"),
        (HEAD + b',"payload":}', "framing"),
        (HEAD + b',"payload":1', "framing"),
        (HEAD + b',"payload" :1}', "framing"),
        (HEAD + b',"other":1}', "framing"),
        (HEAD.replace(b"s" * 86, b"s" * 85) + b"}", "framing"),
        (HEAD.replace(b"s" * 86, b"s" * 87) + b"}", "framing"),
        (b"null", "framing"),
        (b"x" * (MAX_LINE_BYTES + 1), "line-too-long"),
        (b"\xef\xbb\xbf" + b"x" * MAX_LINE_BYTES, "line-too-long"),
    ],
)
def test_what_has_another_shape_is_refused_by_name(raw: bytes, code: str) -> None:
    assert code_of(raw) == code


def test_the_longest_line_passes() -> None:
    """E-2."""
    line = HEAD + b',"payload":'
    assert split_line(line + b"x" * (MAX_LINE_BYTES - len(line) - 1) + b"}").payload


@pytest.mark.parametrize("byte", range(0x20))
def test_every_control_byte_is_named_with_its_place(byte: int) -> None:
    """E-3."""
    fault = control_byte(b"ab" + bytes([byte]) + b"\n")
    assert fault
    assert (fault.rule, fault.code) == ("E-3", "raw-control")
    assert "byte 3 of the line is" in str(fault)


def test_other_bytes_are_no_control_bytes() -> None:
    assert control_byte(bytes(range(0x20, 0x100))) is None


def test_ids_and_commitments_are_blake3_in_derive_key_mode() -> None:
    """E-11, E-12, E-19."""
    data = b"x" * 5000
    assert event_id(data) == blake3(data, derive_key_context=ID_CONTEXT).hexdigest()
    assert commitment(data) == blake3(data, derive_key_context=PAYLOAD_CONTEXT).hexdigest()
    assert (
        next_key_commitment(data[:32]) == blake3(data[:32], derive_key_context=NEXT_KEY_CONTEXT).hexdigest()
    )
    assert len({event_id(data), commitment(data), next_key_commitment(data)}) == 3
    assert event_id(b"") != event_id(b"x") == event_id(b"x")  # hashing one thing leaves no trace for the next


def test_a_built_line_is_what_it_says() -> None:
    """E-9, E-12, E-13: the signature covers EVENT, which commits to the payload, which holds the salt."""
    built = build_line({"v": 1, "kind": "create"}, {"text": "t"}, SALT, KEY.sign)
    line = split_line(built.raw)
    assert built.id == event_id(line.head)
    assert line.payload == b'{"salt":"AAECAwQFBgcICQoLDA0ODw","text":"t"}'
    assert built.payload == {"salt": "AAECAwQFBgcICQoLDA0ODw", "text": "t"}
    assert built.event == {"v": 1, "kind": "create", "commit": commitment(line.payload)}
    assert verify_signature(KEY.public, SIGNED_PREFIX + line.event, unb64(line.sig, 64) or b"")


def test_a_line_without_payload_commits_to_nothing() -> None:
    built = build_line({"v": 1}, None, SALT, KEY.sign)
    assert split_line(built.raw).payload is None
    assert built.event == {"v": 1}
    assert built.payload is None


def test_building_changes_nothing_that_it_is_given() -> None:
    event, payload = {"v": 1}, {"text": "t"}
    build_line(event, payload, SALT, KEY.sign)
    assert (event, payload) == ({"v": 1}, {"text": "t"})


def test_a_line_that_would_be_too_long_is_not_built() -> None:
    room = MAX_LINE_BYTES - len(build_line({"v": 1}, {"text": ""}, SALT, KEY.sign).raw)
    assert len(build_line({"v": 1}, {"text": "x" * room}, SALT, KEY.sign).raw) == MAX_LINE_BYTES
    with pytest.raises(RecordError, match="65536 bytes; at most 65535"):
        build_line({"v": 1}, {"text": "x" * (room + 1)}, SALT, KEY.sign)


@pytest.mark.parametrize("size", [4, 5, 33, 60_000])
def test_a_blank_is_null_and_spaces(size: int) -> None:
    """E-4."""
    assert blanked(size) == b"null" + b" " * (size - 4)
    assert is_blanked(blanked(size))


@pytest.mark.parametrize(
    "payload", [b"", b"nul", b"null\t", b"null x", b" null", b"nullnull", b"{}", b"null\xc2\xa0"]
)
def test_nothing_else_is_a_blank(payload: bytes) -> None:
    assert not is_blanked(payload)


def test_an_event_shows_its_clock_and_who_wrote_it() -> None:
    """E-16: where the line holds no `at`, it is `ts`."""
    chain = started(1)
    decoded = {**chain.members("create"), "seen": ["ab"]}
    event = event_value(decoded, "id", {"text": "t"}, chain="c", offset=5, size=6)
    assert (event.at, event.ts, event.seen, event.targets) == (decoded["ts"], decoded["ts"], ("ab",), ())
    assert (event.by.name, event.by.role, event.by.via) == ("alice", "user", "cli")
    assert (event.chain, event.offset, event.size, event.erased) == ("c", 5, 6, False)
    assert event_value({**decoded, "at": "later"}, "id", None, erased=True).at == "later"
