"""Signed notes: what is taken, what is refused, and that no byte of one can be changed.

Tests specs/proofs.md (T-10…T-15).
"""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import note
from ledger.errors import FormatError
from ledger.note import COSIGNATURE, Note, NoteKey, NoteSignature
from ledger.signing import SigningKey
from tests.proofs.fake_witness import cosign

LOG = SigningKey(b"\x01" * 32)
WITNESS = SigningKey(b"\x02" * 32)
STRANGER = SigningKey(b"\x03" * 32)
TEXT = b"example.com/log\n7\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n"

# The example of Go's golang.org/x/mod/sumdb/note, which every implementation is tried on.
PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
PETERS_NOTE = (
    "If you think cryptography is the answer to your problem,\n"
    "then you don't know what your problem is.\n"
    "\n"
    "— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n"
).encode()

LOG_KEY = NoteKey("example.com/log", LOG.public)
WITNESS_KEY = NoteKey("witness.example/w1", WITNESS.public, COSIGNATURE)
STRANGER_KEY = NoteKey("example.com/stranger", STRANGER.public)


def signed(text: bytes = TEXT) -> bytes:
    own = note.sign(text, LOG_KEY.name, LOG)
    return Note(text, (own, cosign(text, WITNESS_KEY.name, WITNESS, 1_700_000_000))).encode()


def code(data: bytes, *keys: NoteKey) -> str:
    with pytest.raises(FormatError) as caught:
        note.verify(note.parse(data), keys)
    return caught.value.code


def test_the_published_example_verifies() -> None:
    key = NoteKey.from_vkey(PETER)
    parsed = note.parse(PETERS_NOTE)
    assert [each.key.name for each in note.verify(parsed, [key])] == ["PeterNeumann"]
    assert parsed.encode() == PETERS_NOTE
    assert key.vkey == PETER


def test_a_note_is_verified_by_the_keys_that_are_known() -> None:
    parsed = note.parse(signed())
    both = note.verify(parsed, [LOG_KEY, WITNESS_KEY])
    assert [(each.key, each.time) for each in both] == [(LOG_KEY, None), (WITNESS_KEY, 1_700_000_000)]
    assert [each.key for each in note.verify(parsed, [LOG_KEY, STRANGER_KEY])] == [LOG_KEY]


def test_a_note_by_no_known_key_is_refused() -> None:
    assert code(signed(), STRANGER_KEY) == "note-unknown-key"
    assert code(signed()) == "note-unknown-key"


def test_one_known_signature_that_fails_refuses_the_note() -> None:
    bad = NoteSignature(WITNESS_KEY.name, WITNESS_KEY.key_id, b"\0" * 72)
    data = Note(TEXT, (note.sign(TEXT, LOG_KEY.name, LOG), bad)).encode()
    assert code(data, LOG_KEY, WITNESS_KEY) == "note-signature"
    assert note.verify(note.parse(data), [LOG_KEY])  # who does not know the witness cannot judge its line


def test_same_name_or_same_id_alone_is_another_key() -> None:
    other_name = NoteSignature("example.com/other", LOG_KEY.key_id, b"\0" * 64)
    other_id = NoteSignature(LOG_KEY.name, b"\0\0\0\0", b"\0" * 64)
    data = Note(TEXT, (other_name, other_id, note.sign(TEXT, LOG_KEY.name, LOG))).encode()
    assert len(note.verify(note.parse(data), [LOG_KEY])) == 1


def test_a_cosignature_is_of_one_time_and_one_kind() -> None:
    line = cosign(TEXT, WITNESS_KEY.name, WITNESS, 5)
    assert note.check(TEXT, line, WITNESS_KEY) == (WITNESS_KEY, 5)
    later = NoteSignature(line.name, line.key_id, (6).to_bytes(8, "big") + line.signature[8:])
    assert note.check(TEXT, later, WITNESS_KEY) is None
    plain = NoteKey(WITNESS_KEY.name, WITNESS.public)
    assert note.check(TEXT, line, plain) is None
    beyond = cosign(TEXT, WITNESS_KEY.name, WITNESS, 2**63)
    assert note.check(TEXT, beyond, WITNESS_KEY) is None


def test_the_text_ends_at_the_last_blank_line() -> None:
    text = b"one\n\ntwo\n"
    data = Note(text, (note.sign(text, LOG_KEY.name, LOG),)).encode()
    assert note.parse(data).text == text
    assert note.verify(note.parse(data), [LOG_KEY])


GOOD_LINE = note.sign(TEXT, LOG_KEY.name, LOG).line()
ENCODED = base64.b64encode(LOG_KEY.key_id + b"\0" * 64)


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(TEXT, id="no blank line"),
        pytest.param(TEXT + b"\n", id="no signature"),
        pytest.param(TEXT + GOOD_LINE, id="no blank line before the signature"),
        pytest.param(TEXT + b"\n" + GOOD_LINE[:-1], id="no line feed at the end"),
        pytest.param(TEXT + b"\n" + GOOD_LINE + b"\n", id="a blank line at the end"),
        pytest.param(TEXT + b"\n" + GOOD_LINE + b"junk\n", id="a line that is no signature"),
        pytest.param(TEXT + b"\n" + b"junk\n" + GOOD_LINE, id="one before it"),
        pytest.param(TEXT + b"\n" + GOOD_LINE.replace("—".encode(), b"-"), id="a hyphen"),
        pytest.param(TEXT + b"\n" + GOOD_LINE.replace("— ".encode(), "—".encode()), id="no space"),
        pytest.param(TEXT + b"\n" + GOOD_LINE.replace("— ".encode(), "—  ".encode()), id="two spaces"),
        pytest.param(TEXT + b"\n" + GOOD_LINE.replace(b"\n", b" \n"), id="a space at the end"),
        pytest.param(TEXT + b"\n" + GOOD_LINE.replace(b"\n", b"\r\n"), id="a carriage return"),
        pytest.param(TEXT + b"\n" + GOOD_LINE.replace(b"example.com/log", b"a+b"), id="a plus in the name"),
        pytest.param(
            TEXT + b"\n" + GOOD_LINE.replace(b"example.com/log", "a\u2003b".encode()), id="a wide space"
        ),
        pytest.param(TEXT + b"\n" + GOOD_LINE.replace(b"=", b""), id="no padding"),
        pytest.param("— n ".encode() + b"AAAA\n", id="no text"),
        pytest.param(TEXT + "\n— n AAAAAA==\n".encode(), id="a key id and no signature"),
        pytest.param(TEXT + b"\n" + "— n ".encode() + ENCODED[:-2] + b"B=\n", id="odd low bits"),
        pytest.param(TEXT + "\n— n \n".encode(), id="an empty signature"),
        pytest.param(b"caf\xe9\n\n" + GOOD_LINE, id="not UTF-8"),
        pytest.param(b"a\tb\n\n" + GOOD_LINE, id="a tab"),
        pytest.param(TEXT + b"\n" + GOOD_LINE * (note.MAX_SIGNATURES + 1), id="too many signatures"),
        pytest.param(b"x" * note.MAX_BYTES + b"\n\n" + GOOD_LINE, id="too long"),
    ],
)
def test_a_malformed_note_is_refused_as_a_whole(data: bytes) -> None:
    assert code(data, LOG_KEY) == "note-malformed"


def test_sixteen_signatures_and_more_are_taken() -> None:
    line = note.sign(TEXT, STRANGER_KEY.name, STRANGER)
    data = Note(TEXT, (line,) * 15 + (note.sign(TEXT, LOG_KEY.name, LOG),)).encode()
    assert note.verify(note.parse(data), [LOG_KEY])


def test_no_single_byte_of_a_note_can_be_changed() -> None:
    """Every byte by each of a few others: refused, or only a line of a key that nobody knows is concerned."""
    data = Note(TEXT, (note.sign(TEXT, LOG_KEY.name, LOG),)).encode()
    for at in range(len(data)):
        for byte in {0, 10, 32, 43, 65, data[at] ^ 1, data[at] ^ 0x80} - {data[at]}:
            changed = data[:at] + bytes([byte]) + data[at + 1 :]
            assert code(changed, LOG_KEY)


def test_no_part_of_a_vkey_can_be_changed() -> None:
    vkey = LOG_KEY.vkey
    assert NoteKey.from_vkey(vkey) == LOG_KEY
    for at in range(len(vkey)):
        for changed in (vkey[:at], vkey[at + 1 :], vkey[:at] + vkey[at + 1 :], f"{vkey[:at]}+{vkey[at:]}"):
            with pytest.raises(FormatError):
                NoteKey.from_vkey(changed)
        for char in "0Aa+ =\n":
            if vkey[at] != char:
                with pytest.raises(FormatError):
                    NoteKey.from_vkey(vkey[:at] + char + vkey[at + 1 :])


@pytest.mark.parametrize("type_", [0, 2, 6, 255])
def test_keys_of_other_types_are_refused(type_: int) -> None:
    with pytest.raises(FormatError, match="cannot verify"):
        NoteKey("n", LOG.public, type_)


@given(st.binary(max_size=300))
def test_any_bytes_are_a_note_that_comes_back_or_an_error(data: bytes) -> None:
    try:
        parsed = note.parse(data)
    except FormatError:
        return
    assert parsed.encode() == data


NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
PIECES = st.sampled_from(
    [
        TEXT,
        b"\n",
        b"\n\n",
        GOOD_LINE,
        "— ".encode(),
        b"name ",
        b"AAAAAAAA\n",
        ENCODED,
        b"=",
        b" ",
        b"x",
        b"\xff",
    ]
)


@given(st.lists(PIECES, max_size=12).map(b"".join))
def test_pieces_of_notes_put_together_anyhow_are_one_or_an_error(data: bytes) -> None:
    try:
        parsed = note.parse(data)
    except FormatError:
        return
    assert parsed.encode() == data
    assert parsed.signatures


@given(st.binary(max_size=80).map(lambda raw: raw.replace(b"\n", b"").decode("utf-8", "ignore")), NAMES)
def test_what_we_sign_under_a_name_that_is_allowed_verifies(line: str, name: str) -> None:
    text = "".join(char for char in line if char >= " ").encode() + b"\n"
    try:
        key = NoteKey(name, LOG.public)
    except FormatError:
        return
    data = Note(text, (note.sign(text, name, LOG),)).encode()
    assert note.verify(note.parse(data), [key]) == ((key, None),)
    assert NoteKey.from_vkey(key.vkey) == key
