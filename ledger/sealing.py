"""A seed under a passphrase: Argon2id makes the key, secretbox seals with it.

Implements specs/keys.md (N-8, N-9). Pure bytes in and out; where passphrases come from is `ledger.passphrase`. PyNaCl's
binding of Argon2 is loaded only where a sealed key is met.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

OPS, MEMORY = 3, 64 << 20
"""How often Argon2id goes over how many bytes of memory (RFC 9106, section 4, second choice)."""

_MOST_OPS, _MOST_MEMORY = 16, 1 << 30
_SALT_BYTES, _KEY_BYTES, _NONCE_BYTES, _TAG_BYTES, _SEED_BYTES = 16, 32, 24, 16, 32


def is_sealed(value: dict[str, Any]) -> bool:
    """Say whether the members of a key file can be those of a sealed seed, and do not ask for too much."""
    try:
        sizes = len(bytes.fromhex(value["sealed"])), len(bytes.fromhex(value["salt"]))
        ops, memory = value["ops"], value["memory"]
    except (KeyError, TypeError, ValueError):
        return False
    if type(ops) is not int or type(memory) is not int:
        return False
    right = sizes == (_NONCE_BYTES + _TAG_BYTES + _SEED_BYTES, _SALT_BYTES)
    return right and 1 <= ops <= _MOST_OPS and 8192 <= memory <= _MOST_MEMORY


def seal(seed: bytes, passphrase: str, random: Callable[[int], bytes] = os.urandom) -> dict[str, Any]:
    """Return `seed` sealed under `passphrase`, as the members of a key file: nonce ‖ tag ‖ ciphertext is `sealed`."""
    from nacl import bindings

    salt, nonce = random(_SALT_BYTES), random(_NONCE_BYTES)
    box = nonce + bindings.crypto_secretbox(seed, nonce, _key(passphrase, salt, OPS, MEMORY))
    return {"sealed": box.hex(), "salt": salt.hex(), "ops": OPS, "memory": MEMORY}


def unseal(value: dict[str, Any], passphrase: str) -> bytes | None:
    """Return the seed that members which `is_sealed` accepts hold, None where the passphrase is another one."""
    from nacl import bindings
    from nacl.exceptions import CryptoError

    box = bytes.fromhex(value["sealed"])
    key = _key(passphrase, bytes.fromhex(value["salt"]), value["ops"], value["memory"])
    try:
        return bindings.crypto_secretbox_open(box[_NONCE_BYTES:], box[:_NONCE_BYTES], key)
    except CryptoError:
        return None


def _key(passphrase: str, salt: bytes, ops: int, memory: int) -> bytes:
    """Return the key that Argon2id (version 1.3, one lane) makes of a passphrase in NFC."""
    import unicodedata

    from nacl.bindings import crypto_pwhash_alg
    from nacl.bindings.crypto_pwhash import crypto_pwhash_ALG_ARGON2ID13

    said = unicodedata.normalize("NFC", passphrase).encode("utf-8", "surrogateescape")
    return crypto_pwhash_alg(_KEY_BYTES, said, salt, ops, memory, crypto_pwhash_ALG_ARGON2ID13)
