"""Ed25519 as libsodium does it, and the pair of keys that a ledger signs with.

Implements specs/event.md (E-9, E-10, E-19).
"""

from __future__ import annotations

from nacl import bindings
from nacl.exceptions import BadSignatureError

_SEED_BYTES = 32
_SIGNATURE_BYTES = 64


def verify_signature(public: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether `signature` over `message` is by the 32-byte key `public`, by libsodium's rule (E-10)."""
    if len(signature) != _SIGNATURE_BYTES:
        return False
    try:
        bindings.crypto_sign_open(signature + message, public)
    except (BadSignatureError, ValueError):
        return False
    return True


class SigningKey:
    """An Ed25519 private key made from a 32-byte seed; `public` is its 32-byte public key."""

    __slots__ = ("_secret", "public", "seed")

    def __init__(self, seed: bytes) -> None:
        if len(seed) != _SEED_BYTES:
            raise ValueError(f"a seed has {_SEED_BYTES} bytes")
        self.seed = seed
        self.public, self._secret = bindings.crypto_sign_seed_keypair(seed)

    def __repr__(self) -> str:
        return f"SigningKey(public={self.public.hex()})"

    def sign(self, message: bytes) -> bytes:
        """Return the 64-byte signature of `message`."""
        return bindings.crypto_sign(message, self._secret)[:_SIGNATURE_BYTES]
