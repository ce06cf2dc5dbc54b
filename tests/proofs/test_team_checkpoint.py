"""Team checkpoints: their text, and that no other text passes for one.

Tests specs/team.md (TM-50).
"""

from __future__ import annotations

import base64
from hashlib import sha256

import pytest

from ledger.errors import FormatError
from ledger.signing import SigningKey
from proofs.team_checkpoint import ChainRoot, TeamCheckpoint, parse, sign, signers_of
from writers.signatures import is_signed

KEY = SigningKey(b"\x01" * 32)
TEAM, FIRST, SECOND, ROSTER = "ab" * 16, "11" * 32, "22" * 32, "cd" * 32
CHAINS = (ChainRoot(SECOND, 1, 300, b"\x08" * 32), ChainRoot(FIRST, 0, 3, b"\x07" * 32))
MADE = TeamCheckpoint(TEAM, (ROSTER,), CHAINS)


def test_the_text_has_every_chain_under_a_root_of_their_leaves() -> None:
    one = sha256(b"\x00" + b"\x11" * 32 + bytes(8) + bytes(7) + b"\x03" + b"\x07" * 32).digest()
    two = sha256(b"\x00" + b"\x22" * 32 + bytes(7) + b"\x01" + bytes(6) + b"\x01\x2c" + b"\x08" * 32).digest()
    root = base64.b64encode(sha256(b"\x01" + one + two).digest()).decode()
    seven, eight = (base64.b64encode(each.root).decode() for each in reversed(CHAINS))
    assert MADE.text().decode().splitlines() == [
        f"muniment-team/{TEAM}",
        "2",
        root,
        f"roster {ROSTER}",
        f"chain {FIRST} 0 3 {seven}",
        f"chain {SECOND} 1 300 {eight}",
    ]


@pytest.mark.parametrize("number", [1, 127, 128, 129, 300])
def test_any_number_of_chains_comes_back(number: int) -> None:
    chains = tuple(ChainRoot(f"{at:064x}", 0, at + 1, bytes(32)) for at in range(number))
    made = TeamCheckpoint(TEAM, (ROSTER,), chains)
    found, signed = parse(sign(made, FIRST, KEY))
    assert found == made
    assert signers_of(signed) == [FIRST]
    assert is_signed(signed, FIRST, KEY.public)


def test_no_byte_of_the_text_can_be_another() -> None:
    data = sign(MADE, FIRST, KEY)
    for at in range(len(MADE.text())):
        changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        try:
            found, signed = parse(changed)
        except FormatError:
            continue
        assert found != MADE
        assert not is_signed(signed, FIRST, KEY.public)
