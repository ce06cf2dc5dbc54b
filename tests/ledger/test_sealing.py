"""A seed under a passphrase: it comes back with the passphrase and with nothing else.

Tests specs/keys.md (N-8, N-9).
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nacl.pwhash import argon2id
from nacl.secret import SecretBox

from ledger.passphrase import MEMORY, OPS, is_sealed, seal, unseal

SEED = bytes(range(32))


@pytest.mark.usefixtures("light_sealing")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(min_size=1), st.text(min_size=1))
def test_only_the_passphrase_opens_it(passphrase: str, other: str) -> None:
    """Whatever people type; what looks the same is the same."""
    import unicodedata

    box = seal(SEED, passphrase)
    assert unseal(box, passphrase) == SEED
    assert unseal(box, unicodedata.normalize("NFD", passphrase)) == SEED
    same = unicodedata.normalize("NFC", passphrase) == unicodedata.normalize("NFC", other)
    assert (unseal(box, other) == SEED) == same
    assert SEED.hex() not in box["sealed"]


def test_a_stranger_opens_it_by_the_spec() -> None:
    """N-9: Argon2id 1.3, one lane; nonce ‖ tag ‖ ciphertext of XSalsa20-Poly1305."""
    members = seal(SEED, "correct horse")
    salt, box = bytes.fromhex(members["salt"]), bytes.fromhex(members["sealed"])
    key = argon2id.kdf(32, b"correct horse", salt, opslimit=members["ops"], memlimit=members["memory"])
    assert SecretBox(key).decrypt(box) == SEED
    assert (members["ops"], members["memory"]) == (OPS, MEMORY) == (3, 64 << 20)


@pytest.mark.usefixtures("light_sealing")
def test_two_seals_of_one_seed_differ() -> None:
    assert seal(SEED, "correct horse")["sealed"] != seal(SEED, "correct horse")["sealed"]


GOOD = {"sealed": bytes(72).hex(), "salt": bytes(16).hex(), "ops": 3, "memory": 64 << 20}


@pytest.mark.parametrize(
    "change",
    [
        {"sealed": "00"},
        {"sealed": 7},
        {"salt": "x" * 32},
        {"salt": ""},
        {"ops": 0},
        {"ops": 17},
        {"ops": "3"},
        {"ops": True},
        {"memory": 1 << 40},
        {"memory": 4096},
        {"memory": 6.5e7},
    ],
    ids=str,
)
def test_what_cannot_be_right_is_refused_before_it_costs_anything(change: dict[str, Any]) -> None:
    """N-8: nobody has us hash for hours or take all memory."""
    assert is_sealed(GOOD)
    assert not is_sealed({**GOOD, **change})
    assert not is_sealed({name: value for name, value in GOOD.items() if name not in change})
