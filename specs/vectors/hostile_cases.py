"""The vectors with signatures that no honest signer makes, and that Ed25519 libraries judge differently.

Implements specs/event.md (E-9, E-10) as examples, made by specs/vectors/ed25519.py. In most of the invalid
ones the equation holds for whoever decodes carelessly, refuses nothing, or multiplies by the cofactor.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from ledger.canonical import b64, encode, unb64
from ledger.event import ROTATE_PREFIX, next_key_commitment
from specs.vectors import ed25519
from specs.vectors.builder import Chain, Sign, key
from specs.vectors.cases import Case, started
from specs.vectors.ed25519 import BASE, NEUTRAL, Point

BAD = 3
AFTER = "After it."
SCALAR, _ = ed25519.secret_scalar(key(1).seed)
ORDER_8 = ed25519.of_order_8()
MIXED_KEY = ed25519.encoded(ed25519.add(ed25519.times(SCALAR, BASE), ORDER_8))
"""Key 1 plus a point of order 8: no point of small order, but it has a part of one."""

NEUTRAL_BEYOND_P = (ed25519.P + 1).to_bytes(32, "little")
ZERO = bytes(32)
"""As a point: y = 0, of order 4."""


def valid_hostile_cases() -> Iterator[Case]:
    """Give the odd signatures that are good."""
    chain = Chain()
    chain.genesis(key=MIXED_KEY.hex(), by=signer(MIXED_KEY, rest=0))
    for part in (NEUTRAL, ORDER_8):
        event = chain.members("confirm", targets=["ab" * 32])
        chain.raw(event, by=signer(MIXED_KEY, rest=0 if part == NEUTRAL else 7, part=part))
    what = "A key that has a part of order 8; in each signature k·A and R lose it or cancel it out."
    yield Case("key-of-mixed-order", what, chain.data)


def hostile_cases() -> Iterator[Case]:
    """Give the odd signatures that are refused."""
    yield from _signatures()
    yield from _geneses()
    yield from _rotations()


def signer(
    public: bytes, scalar: int = SCALAR, *, rest: int | None = None, part: Point = NEUTRAL, least: int = 1
) -> Sign:
    """Return who signs with R = r·B + `part` and S = r + k·scalar, r ≥ `least`.

    With `rest`, r is the first for which k has this rest modulo 8.
    """

    def sign(message: bytes) -> bytes:
        for r in count(least):
            first = ed25519.encoded(ed25519.add(ed25519.times(r, BASE), part))
            k = ed25519.challenge(first, public, message)
            if rest is None or k % 8 == rest:
                return first + ed25519.closing(r, k, scalar)
        raise AssertionError

    return sign


def beyond_p(message: bytes) -> bytes:
    """Sign with key 1 and the neutral R, of which y is written as p + 1."""
    k = ed25519.challenge(NEUTRAL_BEYOND_P, key(1).public, message)
    return NEUTRAL_BEYOND_P + ed25519.closing(0, k, SCALAR)


def _signatures() -> Iterator[Case]:
    """By key 1, in the middle of a chain."""
    public = key(1).public
    for name, what, sign in (
        ("r-small-order", "R is the neutral point; the equation holds.", signer(public, least=0)),
        ("r-not-canonical", "R is the neutral point, its y written as p + 1; the equation holds.", beyond_p),
        (
            "r-mixed-order",
            "R has a part of order 8: the equation holds with the cofactor only.",
            signer(public, part=ORDER_8),
        ),
        ("all-zero", "64 zero bytes.", lambda _: bytes(64)),
    ):
        chain = started(1)
        chain.raw(chain.members("confirm", targets=[chain.ids[1]]), by=sign)
        chain.create(AFTER)
        yield Case(f"sig-{name}", what, chain.data, [("signature", BAD)])


def _geneses() -> Iterator[Case]:
    """The key itself is hostile: of small order (then anybody can sign by it), not canonical, mixed."""
    order_8 = ed25519.encoded(ORDER_8)
    for name, what, public, sign in (
        (
            "small-order",
            "A key of order 8, and an R of large order; the equation holds.",
            order_8,
            signer(order_8, 0, rest=0),
        ),
        (
            "not-canonical",
            "The neutral point as key, its y written as p + 1; the equation holds.",
            NEUTRAL_BEYOND_P,
            signer(NEUTRAL_BEYOND_P, 0),
        ),
        (
            "mixed-order",
            "A key with a part of order 8: the equation holds with the cofactor only.",
            MIXED_KEY,
            signer(MIXED_KEY, rest=1),
        ),
        ("zero", "A key of 32 and a signature of 64 zero bytes; the equation holds.", ZERO, None),
    ):
        chain = Chain()
        nonce = _nonce_for_zero() if sign is None else bytes(range(16))
        chain.genesis(key=public.hex(), nonce=b64(nonce), by=sign or (lambda _: bytes(64)))
        chain.create(AFTER)
        yield Case(f"genesis-key-{name}", what, chain.data, [("signature", 1), ("no-key", None)])


def _nonce_for_zero() -> bytes:
    """Return the first nonce for which R + k·A = (1 + k)·A is neutral, A and R of order 4."""
    rests: list[int] = []

    def seen(message: bytes) -> bytes:
        rests.append(ed25519.challenge(ZERO, ZERO, message) % 4)
        return bytes(64)

    for number in count():
        nonce = number.to_bytes(16, "big")
        Chain().genesis(key=ZERO.hex(), nonce=b64(nonce), by=seen)
        if rests[-1] == 3:
            return nonce
    raise AssertionError


def _rotations() -> Iterator[Case]:
    order_8 = ed25519.encoded(ORDER_8)
    chain = Chain()
    chain.genesis(next=next_key_commitment(order_8))
    chain.create("Before it.")
    event = chain.members("rotate", key=order_8.hex(), next=next_key_commitment(key(2).public))
    chain.raw(event, by=signer(order_8, 0, rest=0))
    chain.create("Signed by the old key, still in force.")
    what = "A rotate to a key of order 8 that was committed to; the equation holds."
    yield Case("rotate-key-small-order", what, chain.data, [("signature", BAD)])

    chain = started(1)
    event = chain.members("rotate", key=key(2).public.hex(), next=next_key_commitment(key(3).public))
    good = key(1).sign(ROTATE_PREFIX + encode(event))
    event["proof"] = b64(plus_order(good))
    chain.raw(event, by=2)
    chain.create("Signed by the old key, still in force.")
    yield Case("rotate-proof-malleable", "S + L in place of S in a proof.", chain.data, [("key", BAD)])

    chain = started(4)
    raw = chain.lines[BAD - 1]
    sig = raw[(at := raw.index(b',"sig":"') + 8) : at + 86]
    high = plus_order(unb64(sig, 64) or b"", times=8)
    chain.replace(BAD, sig, b64(high).encode())
    what = "S + 8·L in place of S: one of its highest three bits is set."
    yield Case("sig-malleable-high", what, chain.data, [("signature", BAD)])


def plus_order(signature: bytes, times: int = 1) -> bytes:
    """Return a signature with L added to its S."""
    scalar = int.from_bytes(signature[32:], "little") + times * ed25519.L
    return signature[:32] + scalar.to_bytes(32, "little")
