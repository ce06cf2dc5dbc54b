"""Checkpoints: their text, and by whom they are signed.

Tests specs/proofs.md (T-20, T-21).
"""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger import note
from ledger.errors import FormatError
from ledger.note import NoteKey
from ledger.signing import SigningKey
from proofs import checkpoint
from proofs.checkpoint import Checkpoint, Origin
from tests.proofs.fake_witness import cosign

KEY = SigningKey(b"\x01" * 32)
OTHER = SigningKey(b"\x02" * 32)
GENESIS = "ab" * 32
ORIGIN = f"muniment/{GENESIS}/0"
MADE = Checkpoint(ORIGIN, 3, b"\x07" * 32)
ROOT = base64.b64encode(MADE.root).decode()


def test_a_checkpoint_is_signed_under_its_origin_and_opens_again() -> None:
    data = checkpoint.sign(MADE, KEY)
    assert len(checkpoint.signatures(data, [NoteKey(ORIGIN, KEY.public)])) == 1
    assert checkpoint.parse(data)[0] == MADE
    assert data.decode().startswith(f"{ORIGIN}\n3\n{ROOT}\n\n— {ORIGIN} ")


def test_the_origin_says_genesis_and_epoch() -> None:
    assert Origin.of(ORIGIN) == (GENESIS, 0)
    assert str(Origin(GENESIS, 12)) == f"muniment/{GENESIS}/12"
    for other in (
        f"muniment/{GENESIS}",
        f"{ORIGIN}/",
        f"muniment/{GENESIS}/01",
        f"x{ORIGIN}",
        ORIGIN.upper(),
    ):
        assert Origin.of(other) is None


def test_a_key_of_another_origin_is_unknown() -> None:
    data = checkpoint.sign(MADE, KEY)
    for key in (NoteKey(f"{ORIGIN}0", KEY.public), NoteKey(ORIGIN, OTHER.public)):
        with pytest.raises(FormatError) as caught:
            checkpoint.signatures(data, [key])
        assert caught.value.code == "note-unknown-key"


def test_a_witness_alone_does_not_make_a_checkpoint() -> None:
    text = MADE.text()
    line = cosign(text, "w", OTHER, 9)
    witness = NoteKey("w", OTHER.public, note.COSIGNATURE)
    data = note.Note(text, (line,)).encode()
    with pytest.raises(FormatError, match="not signed by the log's own key"):
        checkpoint.signatures(data, [NoteKey(ORIGIN, KEY.public)], [witness])
    both = note.Note(text, (note.sign(text, ORIGIN, KEY), line)).encode()
    signed = checkpoint.signatures(both, [NoteKey(ORIGIN, KEY.public)], [witness])
    assert [each.time for each in signed] == [None, 9]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        f"{ORIGIN}\n3\n",
        f"{ORIGIN}\n3\n{ROOT}",
        f"\n3\n{ROOT}\n",
        f"{ORIGIN}\n03\n{ROOT}\n",
        f"{ORIGIN}\n+3\n{ROOT}\n",
        f"{ORIGIN}\n-3\n{ROOT}\n",
        f"{ORIGIN}\n3 \n{ROOT}\n",
        f"{ORIGIN}\n٣\n{ROOT}\n",
        f"{ORIGIN}\n{2**53}\n{ROOT}\n",
        f"{ORIGIN}\n3\n{ROOT[:-1]}\n",
        f"{ORIGIN}\n3\n{ROOT[:40]}\n",
        f"{ORIGIN}\n3\n{ROOT}\n\nmore\n",
    ],
)
def test_a_malformed_text_is_refused(text: str) -> None:
    with pytest.raises(FormatError) as caught:
        checkpoint.parse_text(text.encode())
    assert caught.value.code == "checkpoint-malformed"


def test_extension_lines_of_foreign_logs_are_kept() -> None:
    text = f"example.com/log\n0\n{ROOT}\none\ntwo\n".encode()
    assert checkpoint.parse_text(text).extensions == ("one", "two")
    assert checkpoint.parse_text(text).text() == text


@given(st.binary(max_size=200))
def test_any_text_is_a_checkpoint_that_comes_back_or_an_error(text: bytes) -> None:
    try:
        parsed = checkpoint.parse_text(text)
    except FormatError:
        return
    assert parsed.text() == text
