"""Key files: one private key for each ledger, and the next one, outside every ledger's directory.

Implements specs/files.md (F-2, F-16) and specs/keys.md (N-1…N-6, N-8, N-9, N-12). A file is one JSON object
{"ledger","public","seed"} in hex, mode 0600, in a directory of mode 0700; under a passphrase `sealed` replaces
`seed`. No error here carries a byte of what a key file holds.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from ledger import durable
from ledger.durable import open_file, private_folder, storage_error, write_new
from ledger.errors import KeyFileError, LedgerExistsError
from ledger.event import next_key_commitment
from ledger.named_tuple import NamedTuple
from ledger.signing import SigningKey
from ledger.steps import reached

VARIABLE = "MUNIMENT_KEY"
"""The environment's key: the seed as 64 hex digits."""

KEY, NEXT, COMING = "key", "next", "coming"
"""The three files of a ledger: the key in use, the next one, and, while a rotation is under way, the one after.

That one is stored, durably, before any event names it.
"""

if TYPE_CHECKING:
    from ledger.passphrase import Ask

_MAX_BYTES = 4096


class StoredKey(NamedTuple):
    """A key file that was read: whose it is, and whether a passphrase opens it; the private part stays inside."""

    path: Path
    public: bytes
    value: dict[str, Any]
    ask: Ask | None = None

    @property
    def sealed(self) -> bool:
        """Whether it is under a passphrase."""
        return "sealed" in self.value

    def __repr__(self) -> str:
        return f"StoredKey({str(self.path)!r}, public={self.public.hex()})"

    def open(self) -> SigningKey:
        """Return the private key.

        Raises:
            KeyFileError: its passphrase is missing or wrong, or the file is damaged.
        """
        if not self.sealed:
            key = _key_of(self.value)
        else:
            from ledger import passphrase

            if not passphrase.is_sealed(self.value):
                raise _unreadable(self.path)
            seed = passphrase.of_key(self.path, lambda given: passphrase.unseal(self.value, given), self.ask)
            key = SigningKey(seed)
        if key is None or key.public != self.public:
            raise KeyFileError(
                f"{self.path} is not the key of this ledger, or it is damaged: restore the right one"
            )
        return key


class KeyDirectory:
    """The folder of all private keys of one user, `<home>/keys`.

    `ask` asks a person for a passphrase; None if nobody sits at a terminal.
    """

    def __init__(self, path: Path, ask: Ask | None = None) -> None:
        self.path = path
        self.ask = ask

    def path_of(self, ledger_id: str, name: str = KEY) -> Path:
        """Return where a key of a ledger lies: the one in use, the next or the coming one."""
        return self.path / f"{ledger_id}.{name}"

    def store(self, ledger_id: str, key: SigningKey, name: str = KEY) -> None:
        """Store one key in a new file of mode 0600; raises as `put_new` does."""
        self.put_new(self.path_of(ledger_id, name), file_of(ledger_id, key))

    def put_new(self, path: Path, data: bytes) -> None:
        """Make a key file, which must not exist yet.

        Raises:
            LedgerExistsError: a key is there already; it is not touched.
            StorageError: the folder cannot be written.
        """
        try:
            private_folder(self.path)
            write_new(path, data, 0o600)
        except FileExistsError:
            raise LedgerExistsError(
                f"a key is there already: {path}; move it away only if you are sure"
            ) from None
        except OSError as error:
            raise storage_error(error, "storing the key", path) from None

    def put(self, path: Path, data: bytes) -> None:
        """Write a key file durably, replacing an existing one.

        Raises:
            StorageError: the folder cannot be written; the old file is kept.
        """
        durable.keep_file(path, data, "storing the key", left="the old file is kept")

    def load(self, ledger_id: str, public: bytes | None = None) -> SigningKey:
        """Return the private key in use of a ledger; with `public`, only if it is the key with these 32 bytes.

        The environment's key counts first, where it is the one asked for (N-12).

        Raises:
            KeyFileError: missing, open to others, not readable as a key, another key than `public`, or its passphrase
                is missing or wrong.
        """
        ours = environment_key()
        if ours is not None and public in (None, ours.public):
            return ours
        try:
            found = self.stored(ledger_id)
            if public is not None and found.public != public:
                raise KeyFileError(
                    f"{found.path} is not the key that the chain is signed with now: restore the right one"
                )
        except KeyFileError as error:
            if ours is None:
                raise
            raise KeyFileError(f"{VARIABLE} does not hold the key that is in force, and {error}") from None
        return found.open()

    def stored(self, ledger_id: str, name: str = KEY) -> StoredKey:
        """Return what a ledger's key file says, without opening it.

        Raises:
            KeyFileError: missing, open to others, not readable as a key, or another ledger's.
        """
        path = self.path_of(ledger_id, name)
        found = read_key(path, ask=self.ask)
        if found.value.get("ledger") != ledger_id:
            raise KeyFileError(
                f"{path} is not the key of this ledger, or it is damaged: restore the right one"
            )
        return found

    def has(self, ledger_id: str) -> bool:
        """Return whether a private key for this ledger is here."""
        return os.path.exists(self.path_of(ledger_id))

    def check(self, ledger_id: str, public: bytes, commitment: str) -> None:
        """Refuse where the key in force is not here, without opening it.

        Good is also the next key in use already: the chain then went back behind a rotation, or one was not finished
        (N-19, N-21).

        Raises:
            KeyFileError: neither is here.
        """
        ours = environment_key()
        if ours is not None and ours.public == public:
            return
        found = self._public(ledger_id, KEY)
        if found != public and not (found and next_key_commitment(found) == commitment):
            if self.rotating(ledger_id) and self._is(ledger_id, NEXT, public):
                return
            self.stored(ledger_id)
            raise KeyFileError(
                f"{self.path_of(ledger_id)} is not the key that the chain is signed with now: restore the right one"
            )

    # --- a rotation under way (N-20, N-21) ---

    def rotating(self, ledger_id: str) -> bool:
        """Return whether a rotation was begun here and its files are not in order yet."""
        return os.path.lexists(self.path_of(ledger_id, COMING))

    def settle(self, ledger_id: str, public: bytes, commitment: str) -> None:
        """Put the files in order after a rotation: the next key becomes the key, the coming one the next.

        Each step is one rename; after a crash between two the next call continues. It moves no key that
        the chain does not name; a coming key that it does not name goes, where the key in force is here. The caller
        holds the chain's lock.

        Args:
            ledger_id: the ledger.
            public: the key in force, which the chain says.
            commitment: the commitment to the next one, which the chain says.

        Raises:
            StorageError: the folder cannot be written.
        """
        if not self.rotating(ledger_id):
            return
        if self._is(ledger_id, NEXT, public) and not self._is(ledger_id, KEY, public):
            self._rename(ledger_id, NEXT, KEY)
            reached("rotate.renamed")
        coming = self._public(ledger_id, COMING)
        if coming is not None and next_key_commitment(coming) == commitment:
            self._rename(ledger_id, COMING, NEXT)
            reached("rotate.settled")
        elif coming is not None and self._is(ledger_id, KEY, public):
            self.path_of(ledger_id, COMING).unlink(missing_ok=True)  # its rotation died before the event

    def _is(self, ledger_id: str, name: str, public: bytes) -> bool:
        return self._public(ledger_id, name) == public

    def _public(self, ledger_id: str, name: str) -> bytes | None:
        try:
            return self.stored(ledger_id, name).public
        except KeyFileError:
            return None

    def _rename(self, ledger_id: str, old: str, new: str) -> None:
        path = self.path_of(ledger_id, new)
        try:
            self.path_of(ledger_id, old).replace(path)
            durable.sync_directory(self.path)
        except OSError as error:
            raise storage_error(
                error,
                "putting the new key in place",
                path,
                left="the rotation is stored; the next write continues it",
            ) from None


def file_of(ledger_id: str, key: SigningKey, phrase: str = "") -> bytes:
    """Return the bytes of a key file; with a `phrase` the seed is sealed under it."""
    value: dict[str, Any] = {"ledger": ledger_id, "public": key.public.hex()}
    if phrase:
        from ledger import passphrase

        value |= passphrase.seal(key.seed, phrase)
    else:
        value["seed"] = key.seed.hex()
    return orjson.dumps(value) + b"\n"


def environment_key() -> SigningKey | None:
    """Return the key that the environment holds, None if it holds none (N-12).

    Raises:
        KeyFileError: it is not 64 hex digits.
    """
    value = os.environ.get(VARIABLE)
    if not value:
        return None
    try:
        return SigningKey(bytes.fromhex(value.strip()))
    except ValueError:
        raise KeyFileError(f"{VARIABLE} is not the 64 hex digits of a seed") from None


def read_key(path: Path, *, anybodys: bool = False, ask: Ask | None = None) -> StoredKey:
    """Return what the key file at `path` says, without opening it.

    Args:
        path: any key file.
        anybodys: it lies on a medium that may know no modes; who can read it is not looked at.
        ask: asks a person for its passphrase, when it is opened.

    Raises:
        KeyFileError: missing, not readable as a key, or open to others.
    """
    value = _read(path, anybodys=anybodys)
    try:
        public = bytes.fromhex(value["public"]) if value else b""
    except (KeyError, TypeError, ValueError):
        public = b""
    if value is None or len(public) != 32 or not ("sealed" in value or _key_of(value)):
        raise _unreadable(path)
    found = StoredKey(path, public, value, ask)
    if not found.sealed:
        found.open()
    return found


def _unreadable(path: Path) -> KeyFileError:
    return KeyFileError(f"{path} cannot be read as a key: restore it from your backup")


def _read(path: Path, *, anybodys: bool) -> dict[str, Any] | None:
    """Return the object in a key file, None if it holds none.

    Raises:
        KeyFileError: missing, not readable, or open to others.
    """
    try:
        fd = open_file(path)
    except FileNotFoundError:
        what = "the next key" if path.suffix == f".{NEXT}" else "the private key"
        raise KeyFileError(
            f"{what} of this ledger is missing ({path}): restore it from your backup; "
            "reading works without it"
        ) from None
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise KeyFileError(
                f"{path} cannot be read as a key: {error.strerror}; restore it from your backup"
            ) from None
        raise KeyFileError(
            f"{path} cannot be read: {error.strerror}; make it readable for you (chmod 700 {path.parent}, chmod 600 {path})"
        ) from None
    try:
        mode = stat.S_IMODE(os.fstat(fd).st_mode)
        if mode & 0o077 and not anybodys:
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
