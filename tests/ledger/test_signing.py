"""Signatures are judged as libsodium judges them, on friendly and on hostile inputs.

Tests specs/event.md (E-9, E-10), with the public CCTV vectors (data/cctv) and, where they are at hand, those of
Wycheproof.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ledger.signing import SigningKey, verify_signature

VECTORS = Path(__file__).resolve().parents[3] / "shared" / "data" / "vectors"
ORIGINAL = VECTORS / "C2SP__CCTV" / "ed25519" / "ed25519vectors.json"
CCTV = Path(__file__).parent / "data" / "cctv" / "ed25519.json"
WYCHEPROOF = VECTORS / "C2SP__wycheproof" / "testvectors_v1" / "ed25519_test.json"
ORDER = 2**252 + 27742317777372353535851937790883648493


def read(path: Path) -> Any:
    if not path.exists():
        pytest.skip(f"the public vectors {path.name} are not at hand")
    return json.loads(path.read_text("utf-8"))


def test_a_known_key_signs_as_rfc_8032_says() -> None:
    """RFC 8032, 7.1, test 2."""
    seed = bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
    key = SigningKey(seed)
    assert key.public.hex() == "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
    signature = key.sign(b"\x72")
    assert signature.hex() == (
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
    )
    assert verify_signature(key.public, b"\x72", signature)


def test_every_changed_bit_is_refused() -> None:
    key = SigningKey(bytes(32))
    signature = key.sign(b"message")
    for at in range(512):
        changed = bytearray(signature)
        changed[at // 8] ^= 1 << at % 8
        assert not verify_signature(key.public, b"message", bytes(changed))
    assert not verify_signature(key.public, b"messagf", signature)
    assert not verify_signature(SigningKey(bytes([1]) * 32).public, b"message", signature)


def test_s_plus_l_is_refused() -> None:
    """The same signature cannot be written in two ways."""
    key = SigningKey(bytes(32))
    signature = key.sign(b"message")
    scalar = int.from_bytes(signature[32:], "little") + ORDER
    assert not verify_signature(key.public, b"message", signature[:32] + scalar.to_bytes(32, "little"))


def test_a_key_of_small_order_is_refused() -> None:
    """Under such a key one signature would fit many messages."""
    neutral = (1).to_bytes(32, "little")
    assert not verify_signature(neutral, b"anything", neutral + bytes(32))


@pytest.mark.parametrize("size", [0, 1, 63, 65, 128])
def test_a_signature_of_another_length_is_refused(size: int) -> None:
    """Bytes never move between signature and message."""
    key = SigningKey(bytes(32))
    whole = key.sign(b"message") + b"message"
    assert not verify_signature(key.public, whole[size:], whole[:size])


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_key_of_another_length_is_refused(size: int) -> None:
    assert not verify_signature(bytes(size), b"message", bytes(64))


@pytest.mark.parametrize("size", [0, 31, 33, 64])
def test_a_seed_has_32_bytes(size: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        SigningKey(bytes(size))


def test_a_key_shows_only_its_public_half() -> None:
    key = SigningKey(bytes([7]) * 32)
    assert key.public.hex() in repr(key)
    assert key.seed.hex() not in repr(key)


class Vector(NamedTuple):
    """A CCTV vector."""

    number: int
    key: str
    sig: str
    msg: str
    flags: set[str]


def cctv() -> Iterator[Vector]:
    """Give the CCTV vectors from their compact form (data/cctv/README.md)."""
    tables = json.loads(CCTV.read_text("utf-8"))
    for number, (key, r, s, message, bits) in enumerate(tables["vectors"]):
        flags = {flag for bit, flag in enumerate(tables["flags"]) if bits >> bit & 1}
        sig = tables["r"][r] + tables["s"][s]
        yield Vector(number, tables["keys"][key], sig, tables["messages"][message], flags)


def test_the_cctv_vectors_pin_the_rule() -> None:
    """E-10: a low-order component passes where the equation holds without cofactor; nothing else odd does."""
    refused = {"low_order_A", "low_order_R", "low_order_residue"}
    accepted = []
    for vector in cctv():
        sig = bytes.fromhex(vector.sig)
        good = verify_signature(bytes.fromhex(vector.key), vector.msg.encode(), sig)
        assert good == (not vector.flags & refused), vector.number
        assert not (good and vector.flags & {"non_canonical_A", "non_canonical_R", "reencoded_k"})
        accepted += [vector.number] if good else []
    assert len(accepted) == 43
    assert vector.number == 913


def test_the_compact_cctv_vectors_are_the_public_ones() -> None:
    """Nothing was left out or changed; needs the original at hand."""
    public = [
        Vector(vector["number"], vector["key"], vector["sig"], vector["msg"], set(vector["flags"] or ()))
        for vector in read(ORIGINAL)
    ]
    assert list(cctv()) == public


def test_the_wycheproof_vectors_are_judged_as_they_say() -> None:
    vectors = read(WYCHEPROOF)
    count = 0
    for group in vectors["testGroups"]:
        public = bytes.fromhex(group["publicKey"]["pk"])
        for case in group["tests"]:
            good = verify_signature(public, bytes.fromhex(case["msg"]), bytes.fromhex(case["sig"]))
            assert good == (case["result"] == "valid"), case["tcId"]
            count += 1
    assert count == vectors["numberOfTests"]
