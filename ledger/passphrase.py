"""Passphrases of private keys: where they come from, and how one seals a seed.

Implements specs/keys.md (N-8…N-11). A variable, a file, or a person at a terminal gives one. Nobody is asked unless the
command line brought an `ask`: hooks, agents and the library never are. No error carries what was given. Argon2id makes a
key of it, and secretbox seals with that; PyNaCl's binding of Argon2 is loaded only where a sealed key is met.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ledger.durable import open_file
from ledger.errors import KeyFileError

VARIABLE, FILE_VARIABLE = "MUNIMENT_PASSPHRASE", "MUNIMENT_PASSPHRASE_FILE"
NEW_VARIABLE, NEW_FILE_VARIABLE = "MUNIMENT_NEW_PASSPHRASE", "MUNIMENT_NEW_PASSPHRASE_FILE"

_MAX_BYTES = 4096

OPS, MEMORY = 3, 64 << 20
"""How often Argon2id goes over how many bytes of memory (RFC 9106, section 4, second choice)."""

_MOST_OPS, _MOST_MEMORY = 16, 1 << 30
_SALT_BYTES, _KEY_BYTES, _NONCE_BYTES, _TAG_BYTES, _SEED_BYTES = 16, 32, 24, 16, 32

Ask = Callable[[str], str]
"""Asks a person, who sees the text given, and returns the answer."""

_remembered: list[str] = []
"""What opened a key in this process: one person is asked once for both keys."""


def of_key(path: Path, opens: Callable[[str], bytes | None], ask: Ask | None = None) -> bytes:
    """Return what `opens` makes of the passphrase of the key at `path`; it returns None for a wrong one.

    `ask` is there only where a person sits at a terminal.

    Raises:
        KeyFileError: nothing gives a passphrase, or the one given is wrong.
    """
    for passphrase in _remembered:
        if seed := opens(passphrase):
            return seed
    passphrase, source = _found(path, ask)
    seed = opens(passphrase)
    if seed is None:
        raise KeyFileError(f"the passphrase {source} does not open {path}")
    _remembered.append(passphrase)
    return seed


def _found(path: Path, ask: Ask | None) -> tuple[str, str]:
    given = from_environment(VARIABLE, FILE_VARIABLE)
    if given:
        return given
    if ask is None:
        raise KeyFileError(
            f"{path} is under a passphrase and nobody can be asked here: set {FILE_VARIABLE} (or {VARIABLE}); "
            "reading works without it"
        )
    return ask(f"Passphrase of {path}: "), "that you gave"


def from_environment(variable: str, file_variable: str) -> tuple[str, str] | None:
    """Return the passphrase that one of these variables gives, and where it stood; None if neither is set.

    Raises:
        KeyFileError: the file cannot be read, is open to others, or is empty.
    """
    if value := os.environ.get(variable):
        return value, f"in {variable}"
    name = os.environ.get(file_variable)
    return (_from_file(Path(name), file_variable), f"in {name}") if name else None


def _from_file(path: Path, variable: str) -> str:
    """Return the first line of a file that its owner alone can read."""
    try:
        fd = open_file(path)
        try:
            mode = stat.S_IMODE(os.fstat(fd).st_mode)
            data = os.read(fd, _MAX_BYTES)
        finally:
            os.close(fd)
    except OSError as error:
        raise KeyFileError(f"{path} ({variable}) cannot be read: {error.strerror}") from None
    if mode & 0o077:
        raise KeyFileError(f"{path} ({variable}) is open to others (mode {mode:o}): run chmod 600 on it")
    line = data.split(b"\n", 1)[0].rstrip(b"\r").decode("utf-8", "surrogateescape")
    if not line:
        raise KeyFileError(f"the first line of {path} ({variable}) is empty: it must be the passphrase")
    return line


def remember(passphrase: str) -> None:
    """Try this passphrase first from now on, in this process."""
    _remembered.insert(0, passphrase)


def known() -> str:
    """Return the passphrase that last opened a key in this process, or ""."""
    return _remembered[-1] if _remembered else ""


def forget() -> None:
    """Forget what was given so far."""
    _remembered.clear()


# --- a sealed seed ---


def is_sealed(value: dict[str, Any]) -> bool:
    """Return whether the members of a key file can be those of a sealed seed with bearable costs."""
    try:
        sizes = len(bytes.fromhex(value["sealed"])), len(bytes.fromhex(value["salt"]))
        ops, memory = value["ops"], value["memory"]
    except (KeyError, TypeError, ValueError):
        return False
    if type(ops) is not int or type(memory) is not int:
        return False
    right = sizes == (_NONCE_BYTES + _TAG_BYTES + _SEED_BYTES, _SALT_BYTES)
    return right and 1 <= ops <= _MOST_OPS and 8192 <= memory <= _MOST_MEMORY


def seal(seed: bytes, passphrase: str) -> dict[str, Any]:
    """Return `seed` sealed under `passphrase`, as the members of a key file: nonce ‖ tag ‖ ciphertext is `sealed`."""
    from nacl import bindings

    salt, nonce = os.urandom(_SALT_BYTES), os.urandom(_NONCE_BYTES)
    box = nonce + bindings.crypto_secretbox(seed, nonce, _key(passphrase, salt, OPS, MEMORY))
    return {"sealed": box.hex(), "salt": salt.hex(), "ops": OPS, "memory": MEMORY}


def unseal(value: dict[str, Any], passphrase: str) -> bytes | None:
    """Return the seed that members which `is_sealed` accepts hold, None if the passphrase is another one."""
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
