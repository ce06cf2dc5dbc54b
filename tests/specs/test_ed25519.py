"""The plain Ed25519 of the vectors' maker is libsodium's on honest input, and hostile vectors are what they say.

Tests specs/event.md (E-10) and specs/vectors/ed25519.py.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from nacl import bindings

from ledger.canonical import unb64
from ledger.event import SIGNED_PREFIX, split_line
from ledger.signing import SigningKey, verify_signature
from specs.vectors import ed25519, make_vectors
from specs.vectors.ed25519 import NEUTRAL, L
from tests.ledger.test_signing import cctv

VECTORS = Path(make_vectors.__file__).parent


@pytest.mark.parametrize("seed", range(3))
def test_keys_and_signatures_are_those_of_libsodium(seed: int) -> None:
    rnd = random.Random(seed)
    private, message = rnd.randbytes(32), rnd.randbytes(rnd.randrange(200))
    key = SigningKey(private)
    assert ed25519.encoded(ed25519.times(ed25519.secret_scalar(private)[0], ed25519.BASE)) == key.public
    assert ed25519.sign(private, message) == key.sign(message)


def test_points_add_as_in_libsodium() -> None:
    rnd = random.Random(1)
    a, b = (ed25519.times(rnd.randrange(1, L), ed25519.BASE) for _ in range(2))
    both = bindings.crypto_core_ed25519_add(ed25519.encoded(a), ed25519.encoded(b))
    assert ed25519.encoded(ed25519.add(a, b)) == both
    assert ed25519.decoded(both) == ed25519.add(a, b)


def test_of_random_bytes_the_same_half_are_points() -> None:
    """A point off the curve is none for either."""
    rnd = random.Random(2)
    taken = 0
    for _ in range(30):
        data = (rnd.getrandbits(256) & ~(1 << 254)).to_bytes(32, "little")  # below p
        point = ed25519.decoded(data)
        assert point is None or ed25519.encoded(point) == data
        main = point is not None and ed25519.times(L, point) == NEUTRAL
        assert bindings.crypto_core_ed25519_is_valid_point(data) == main
        taken += point is not None
    assert 5 < taken < 25


def test_the_equation_holds_for_honest_signatures_alone() -> None:
    key = SigningKey(bytes([9]) * 32)
    signature = key.sign(b"message")
    assert ed25519.equation(key.public, b"message", signature)
    assert not ed25519.equation(key.public, b"messagf", signature)
    assert not ed25519.equation(key.public, b"messagf", signature, cofactor=8)
    assert not ed25519.equation(b"\x02" + bytes(31), b"message", signature)


def test_the_point_of_order_8_has_that_order() -> None:
    point = ed25519.of_order_8()
    assert [ed25519.times(n, point) == NEUTRAL for n in (1, 2, 4, 8)] == [False, False, False, True]


def test_the_rule_as_the_text_states_it_is_that_of_libsodium() -> None:
    """E-10, with nothing but numbers, on one CCTV vector of each kind; all of them take ten seconds."""
    differ = []
    kinds = {frozenset(vector.flags): vector for vector in cctv()}
    for vector in kinds.values():
        key, sig, message = bytes.fromhex(vector.key), bytes.fromhex(vector.sig), vector.msg.encode()
        if ed25519.verifies(key, message, sig) != verify_signature(key, message, sig):
            differ.append(vector.number)
    assert differ == []


NEVER, COFACTOR, ALWAYS = (False, False), (False, True), (True, True)


@pytest.mark.parametrize(
    ("name", "line", "holds"),
    [
        ("valid/key-of-mixed-order", 1, ALWAYS),
        ("valid/key-of-mixed-order", 2, ALWAYS),
        ("valid/key-of-mixed-order", 3, ALWAYS),
        ("invalid/genesis-key-mixed-order", 1, COFACTOR),
        ("invalid/genesis-key-not-canonical", 1, ALWAYS),
        ("invalid/genesis-key-small-order", 1, ALWAYS),
        ("invalid/genesis-key-zero", 1, ALWAYS),
        ("invalid/genesis-weak-key", 1, ALWAYS),
        ("invalid/rotate-key-small-order", 3, ALWAYS),
        ("invalid/sig-all-zero", 3, NEVER),
        ("invalid/sig-malleable", 3, ALWAYS),
        ("invalid/sig-malleable-high", 3, ALWAYS),
        ("invalid/sig-r-mixed-order", 3, COFACTOR),
        ("invalid/sig-r-not-canonical", 3, ALWAYS),
        ("invalid/sig-r-small-order", 3, ALWAYS),
    ],
)
def test_a_hostile_vector_has_the_one_fault_that_it_is_named_for(
    name: str, line: int, holds: tuple[bool, bool]
) -> None:
    """A library without the one refusal, or with the cofactor, would take what the rule refuses."""
    lines = (VECTORS / f"{name}.jsonl").read_bytes().splitlines()
    parts = split_line(lines[line - 1])
    keys = (json.loads(split_line(raw).event).get("key") for raw in reversed(lines[:line]))
    key = bytes.fromhex(next(key for key in keys if key))
    message, signature = SIGNED_PREFIX + parts.event, unb64(parts.sig, 64) or b""
    found = [ed25519.equation(key, message, signature, cofactor=cofactor) for cofactor in (1, 8)]
    assert tuple(found) == holds
    good = name.startswith("valid/")
    assert verify_signature(key, message, signature) == ed25519.verifies(key, message, signature) == good


def test_a_vector_has_an_r_of_mixed_order_that_is_good() -> None:
    """Whoever refuses every point outside of the main subgroup refuses a chain that is sound."""
    raw = (VECTORS / "valid/key-of-mixed-order.jsonl").read_bytes().splitlines()[2]
    first = ed25519.decoded((unb64(split_line(raw).sig, 64) or b"")[:32])
    assert first
    assert ed25519.times(L, first) != NEUTRAL
