"""A seed under a passphrase: Argon2id makes the key, secretbox seals with it.

Implements specs/keys.md (N-8, N-9). Pure bytes in and out; where passphrases come from is `ledger.passphrase`. PyNaCl's
binding of Argon2 is loaded only where a sealed key is met.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

OPS, MEMORY = 3, 64 << 20
"""How often Argon2id goes over how many bytes of memory (RFC 9106, section 4, second choice)."""

_MOST_OPS, _MOST_MEMORY = 16, 1 << 30
_SALT_BYTES, _KEY_BYTES, _NONCE_BYTES, _TAG_BYTES, _SEED_BYTES = 16, 32, 24, 16, 32


@dataclass(frozen=True, slots=True)
class Sealed:
    """A sealed seed: nonce ‖ tag ‖ ciphertext in `box`, and what Argon2id was told."""

    box: bytes
    salt: bytes
    ops: int
    memory: int

    def members(self) -> dict[str, Any]:
        """Return it as the members of a key file."""
        return {"sealed": self.box.hex(), "salt": self.salt.hex(), "ops": self.ops, "memory": self.memory}


def sealed_of(value: dict[str, Any]) -> Sealed | None:
    """Return what the members of a key file say; None where they cannot be right, or ask for too much."""
    try:
        found = Sealed(
            bytes.fromhex(value["sealed"]), bytes.fromhex(value["salt"]), value["ops"], value["memory"]
        )
    except (KeyError, TypeError, ValueError):
        return None
    if type(value["ops"]) is not int or type(value["memory"]) is not int:
        return None
    sizes = (len(found.box), len(found.salt)) == (_NONCE_BYTES + _TAG_BYTES + _SEED_BYTES, _SALT_BYTES)
    return found if sizes and 1 <= found.ops <= _MOST_OPS and 8192 <= found.memory <= _MOST_MEMORY else None


def seal(seed: bytes, passphrase: str, random: Callable[[int], bytes] = os.urandom) -> Sealed:
    """Return `seed` sealed under `passphrase`."""
    from nacl import bindings

    salt, nonce = random(_SALT_BYTES), random(_NONCE_BYTES)
    key = _key(passphrase, salt, OPS, MEMORY)
    return Sealed(nonce + bindings.crypto_secretbox(seed, nonce, key), salt, OPS, MEMORY)


def unseal(sealed: Sealed, passphrase: str) -> bytes | None:
    """Return the seed, None where the passphrase is another one."""
    from nacl import bindings
    from nacl.exceptions import CryptoError

    key = _key(passphrase, sealed.salt, sealed.ops, sealed.memory)
    try:
        return bindings.crypto_secretbox_open(sealed.box[_NONCE_BYTES:], sealed.box[:_NONCE_BYTES], key)
    except CryptoError:
        return None


def _key(passphrase: str, salt: bytes, ops: int, memory: int) -> bytes:
    """Return the key that Argon2id (version 1.3, one lane) makes of a passphrase in NFC."""
    import unicodedata

    from nacl.bindings import crypto_pwhash_alg
    from nacl.bindings.crypto_pwhash import crypto_pwhash_ALG_ARGON2ID13

    said = unicodedata.normalize("NFC", passphrase).encode("utf-8", "surrogateescape")
    return crypto_pwhash_alg(_KEY_BYTES, said, salt, ops, memory, crypto_pwhash_ALG_ARGON2ID13)
