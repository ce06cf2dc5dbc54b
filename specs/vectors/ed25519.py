"""Ed25519 in plain numbers, slow and not secret-safe: for signatures that libsodium would never make.

Follows RFC 8032, 5.1 (the curve, encodings, signing). A `Point` is affine, (x, y). Signing takes the scalars
apart, so that a test vector can choose R and A that no honest signer has. `verifies` is specs/event.md (E-10)
as numbers, `equation` its last condition alone.
"""

from __future__ import annotations

import hashlib

Point = tuple[int, int]

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
NEUTRAL: Point = (0, 1)
BASE: Point = (
    15112221349535400772501151409588531511454012693041857206046113283949847762202,
    46316835694926478169428394003475163141307993866256225615783033603165251855960,
)


def add(a: Point, b: Point) -> Point:
    """Return the sum of two points; the formula is complete, it has no exceptions."""
    product = D * a[0] * b[0] * a[1] * b[1] % P
    x = (a[0] * b[1] + b[0] * a[1]) * pow(1 + product, -1, P)
    y = (a[1] * b[1] + a[0] * b[0]) * pow(1 - product, -1, P)
    return x % P, y % P


def times(scalar: int, point: Point) -> Point:
    """Return the point added to itself `scalar` times; the scalar is taken as it is, not modulo L."""
    total = NEUTRAL
    while scalar:
        if scalar & 1:
            total = add(total, point)
        point = add(point, point)
        scalar >>= 1
    return total


def encoded(point: Point) -> bytes:
    """Return the 32 bytes of a point (5.1.2): y, and the lowest bit of x on top."""
    return (point[1] | (point[0] & 1) << 255).to_bytes(32, "little")


def decoded(data: bytes) -> Point | None:
    """Return the point of 32 bytes (5.1.3), or None; y ≥ p and x = 0 with its sign set are taken, as by many."""
    number = int.from_bytes(data, "little")
    y = number % 2**255 % P
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    if x * x % P != square:
        return None
    return (-x % P if x & 1 != number >> 255 else x), y


def challenge(r: bytes, a: bytes, message: bytes) -> int:
    """Return k, the hash of R, A and the message, modulo L (5.1.6, step 4)."""
    return int.from_bytes(hashlib.sha512(r + a + message).digest(), "little") % L


def secret_scalar(seed: bytes) -> tuple[int, bytes]:
    """Return s and the prefix of a private key (5.1.5)."""
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little")
    return scalar & (2**254 - 8) | 2**254, digest[32:]


def sign(seed: bytes, message: bytes) -> bytes:
    """Return the usual signature (5.1.6)."""
    scalar, prefix = secret_scalar(seed)
    r = int.from_bytes(hashlib.sha512(prefix + message).digest(), "little") % L
    first = encoded(times(r, BASE))
    k = challenge(first, encoded(times(scalar, BASE)), message)
    return first + closing(r, k, scalar)


def closing(r: int, k: int, scalar: int) -> bytes:
    """Return the bytes of S = r + k·s modulo L."""
    return ((r + k * scalar) % L).to_bytes(32, "little")


def equation(public: bytes, message: bytes, signature: bytes, *, cofactor: int = 1) -> bool:
    """Say whether S·B = R + k·A, both sides times `cofactor`; nothing is refused that decodes."""
    a, r = decoded(public), decoded(signature[:32])
    if a is None or r is None:
        return False
    k = challenge(signature[:32], public, message)
    left = times(int.from_bytes(signature[32:], "little"), BASE)
    return times(cofactor, left) == times(cofactor, add(r, times(k, a)))


def verifies(public: bytes, message: bytes, signature: bytes) -> bool:
    """Say whether a signature is good by the whole rule of E-10."""
    for data in (public, signature[:32]):
        point = decoded(data)
        if point is None or encoded(point) != data or times(8, point) == NEUTRAL:
            return False
    return int.from_bytes(signature[32:], "little") < L and equation(public, message, signature)


def of_order_8() -> Point:
    """Return the point of order 8 that RFC 8032 implies and CCTV lists first: L times a point outside."""
    y = 2
    while True:
        y += 1
        point = decoded(y.to_bytes(32, "little"))
        torsion = times(L, point) if point else NEUTRAL
        if times(4, torsion) != NEUTRAL:
            return torsion
