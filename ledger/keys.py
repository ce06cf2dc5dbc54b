"""Key files: one private key for each ledger, and the next one, outside every ledger's directory.

Implements specs/chain.md (C-22) and specs/files.md (F-16). A file is one JSON object
{"ledger","public","seed"} in hex, mode 0600, in a directory of mode 0700. No error here carries a byte of
what a key file holds.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from ledger.durable import private_folder, storage_error, write_new
from ledger.errors import KeyFileError, LedgerExistsError
from ledger.signing import SigningKey

_MAX_BYTES = 4096


@dataclass(frozen=True, slots=True)
class KeyDirectory:
    """The folder of all private keys of one user, `<home>/keys`."""

    path: Path

    def path_of(self, ledger_id: str, *, following: bool = False) -> Path:
        """Return where the key of a ledger (or, `following`, the next one) lies."""
        return self.path / f"{ledger_id}.{'next' if following else 'key'}"

    def create(self, ledger_id: str, current: SigningKey, following: SigningKey) -> None:
        """Store both keys of a new ledger.

        Raises:
            LedgerExistsError: a key for this ledger is there already; it is not touched.
            StorageError: the folder cannot be written.
        """
        for key, ahead in ((current, False), (following, True)):
            self.store(ledger_id, key, following=ahead)

    def store(self, ledger_id: str, key: SigningKey, *, following: bool = False) -> None:
        """Store one key in a new file of mode 0600; raises as `create` does."""
        path = self.path_of(ledger_id, following=following)
        value = {"ledger": ledger_id, "public": key.public.hex(), "seed": key.seed.hex()}
        try:
            private_folder(self.path)
            write_new(path, orjson.dumps(value) + b"\n", 0o600)
        except FileExistsError:
            raise LedgerExistsError(
                f"a key is there already: {path}; move it away only if you are sure"
            ) from None
        except OSError as error:
            raise storage_error(error, "storing the key", path) from None

    def load(self, ledger_id: str, public: bytes | None = None, *, following: bool = False) -> SigningKey:
        """Return the private key of a ledger; with `public`, only if it is the key with these 32 bytes.

        Raises:
            KeyFileError: missing, open to others, not readable as a key, or another key than `public`.
        """
        path = self.path_of(ledger_id, following=following)
        value = _read(path)
        key = _key_of(value) if value is not None else None
        if value is None or key is None:
            raise KeyFileError(f"{path} cannot be read as a key: bring it back from your backup")
        if value.get("ledger") != ledger_id or value.get("public") != key.public.hex():
            raise KeyFileError(
                f"{path} is not the key of this ledger, or it is damaged: bring the right one back"
            )
        if public is not None and key.public != public:
            raise KeyFileError(
                f"{path} is not the key that the chain is signed with now: bring the right one back"
            )
        return key

    def has(self, ledger_id: str) -> bool:
        """Say whether a private key for this ledger lies here."""
        return os.path.exists(self.path_of(ledger_id))


def _read(path: Path) -> dict[str, Any] | None:
    """Return the object in a key file, None where it holds none.

    Raises:
        KeyFileError: missing, not readable, or open to others.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        raise KeyFileError(
            f"the private key of this ledger is missing ({path}): bring it back from your backup; "
            "reading works without it"
        ) from None
    except OSError as error:
        raise KeyFileError(
            f"{path} cannot be read: {error.strerror}; let yourself read it (chmod 700 {path.parent}, chmod 600 {path})"
        ) from None
    try:
        mode = stat.S_IMODE(os.fstat(fd).st_mode)
        if mode & 0o077:
            raise KeyFileError(
                f"{path} is open to others (mode {mode:o}): run chmod 600 on it, or rotate the key"
            )
        return _object(fd)
    finally:
        os.close(fd)


def _object(fd: int) -> dict[str, Any] | None:
    """Return the object that a file holds. A decoding error would hold its text, so none gets out."""
    try:
        value = orjson.loads(os.read(fd, _MAX_BYTES))
    except (OSError, ValueError):
        return None
    return value if isinstance(value, dict) else None


def _key_of(value: dict[str, Any]) -> SigningKey | None:
    try:
        return SigningKey(bytes.fromhex(value["seed"]))
    except (ValueError, KeyError, TypeError):
        return None
