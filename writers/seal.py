"""What a team's host may not read: sealed lines, the keys that open them, and the boxes that bring these to members.

Implements specs/team.md (TM-60…TM-62). A line of a chain is sealed by itself, so that it travels as a line still:

    base64(key id (4 bytes) ‖ nonce (24) ‖ XChaCha20-Poly1305(line without LF))

The additional data are team id (16 bytes) ‖ genesis id (32) ‖ seq (8, big-endian), so a line opens at its own place alone.
The nonce is BLAKE2b-192, keyed, of additional data ‖ line: the same line gives the same bytes for every sender, and no
nonce serves two lines. Nothing random is drawn here but new keys.
"""

from __future__ import annotations

import binascii
import hashlib
import os
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence

from nacl import bindings
from nacl.exceptions import CryptoError

from ledger.named_tuple import NamedTuple
from ledger.note import unb64
from ledger.signing import SigningKey

KEY_BYTES = 32
_ID_BYTES, _NONCE_BYTES = 4, 24
_NAMED_BY = _ID_BYTES + _NONCE_BYTES
_LINE, _KEY, _BOX, _NOTE = b"muniment line", b"muniment key", b"muniment box", b"muniment note"


class SealKey(NamedTuple):
    """A key that a team's lines are sealed with: 32 bytes."""

    secret: bytes

    def __repr__(self) -> str:
        return f"SealKey({self.name[:8]})"

    @property
    def name(self) -> str:
        """Its SHA-256, in hex, by which rosters name it."""
        return hashlib.sha256(self.secret).hexdigest()

    @property
    def id(self) -> bytes:
        """The 4 bytes that name it in a line."""
        return hashlib.sha256(self.secret).digest()[:_ID_BYTES]


KeysOf = Callable[[bytes], Iterable[SealKey]]
"""Returns the known keys with an id of 4 bytes; several may have the same."""


class Seal(NamedTuple):
    """What a roster says of the key that lines are sealed with from then on (TM-61).

    Args:
        key: its name.
        was: earlier keys, each by its name and sealed under this one, in base64; sorted.
        boxes: for each member by their genesis id the key, sealed for them, in base64; sorted.
    """

    key: str
    was: tuple[tuple[str, str], ...]
    boxes: tuple[tuple[str, str], ...]


def new_key(*, random: Callable[[int], bytes] = os.urandom) -> SealKey:
    """Return a key that nobody else has."""
    return SealKey(random(KEY_BYTES))


# --- lines ---


class LineSeal:
    """Seals and opens the lines of one chain.

    Args:
        team: the team id.
        genesis: the id of the chain's genesis.
    """

    def __init__(self, team: str, genesis: str) -> None:
        self._place = bytes.fromhex(team) + bytes.fromhex(genesis)

    def sealed(self, key: SealKey, key_id: bytes, seq: int, line: bytes) -> bytes:
        """Return a line without its LF as it travels; `key_id` is that of the key."""
        at = self._place + seq.to_bytes(8, "big")
        return _sealed(key.secret, key_id, at, line, _LINE)

    def opened(self, keys: KeysOf, seq: int, line: bytes) -> bytes:
        """Return what a line says; the line itself if no known key opens it at this place (TM-60)."""
        if not is_sealed(line) or (raw := unb64(line)) is None:
            return line
        at = self._place + seq.to_bytes(8, "big")
        found = (_opened(key.secret, raw, at) for key in keys(raw[:_ID_BYTES]))
        return next((each for each in found if each is not None), line)


def is_sealed(line: bytes) -> bool:
    """Return whether a line is sealed: an event begins with a brace."""
    return not line.startswith(b"{")


# --- keys, under keys ---


def roster_seal(key: SealKey, earlier: Iterable[SealKey], members: Iterable[tuple[str, bytes]]) -> Seal:
    """Return the lines of a roster that bring a key to its members.

    Args:
        key: the key.
        earlier: those that it takes the place of.
        members: their genesis ids, each with the public key of their chain in force.
    """
    was = {each.name: _under(key.secret, each) for each in earlier if each != key}
    boxes = {genesis: _boxed(key, public) for genesis, public in members}
    return Seal(key.name, tuple(sorted(was.items())), tuple(sorted(boxes.items())))


def opened_box(seal: Seal, genesis: str, signer: SigningKey) -> SealKey | None:
    """Return the key of a roster in its box for a member; None if this member's key opens none."""
    box = dict(seal.boxes).get(genesis)
    secret = bindings.crypto_sign_ed25519_sk_to_curve25519(signer.seed + signer.public)
    public = bindings.crypto_sign_ed25519_pk_to_curve25519(signer.public)
    try:
        found = SealKey(bindings.crypto_box_seal_open(unb64(box or "") or b"", public, secret))
    except (CryptoError, ValueError, TypeError):
        return None
    return found if found.name == seal.key else None


def earlier_keys(seal: Seal, key: SealKey) -> Sequence[SealKey]:
    """Return the earlier keys that a roster names, opened by its key; one that is not what it is said to be is left out."""
    found = []
    for name, under in seal.was:
        secret = _opened(key.secret, unb64(under) or b"", b"")
        if secret is not None and SealKey(secret).name == name:
            found.append(SealKey(secret))
    return found


# --- a key for who is invited ---


def invited_name(secret: bytes) -> str:
    """Return the name of the note that brings the key to who knows an invitation's secret (TM-62)."""
    return hashlib.sha256(secret).hexdigest()[:32]


def invited_note(key: SealKey, team: str, secret: bytes) -> bytes:
    """Return that note; it opens for this team alone."""
    return _under(_of_invitation(team, secret), key).encode()


def invited_key(data: bytes, team: str, secret: bytes) -> SealKey | None:
    """Return the key in that note; None if the secret does not open it for this team."""
    found = _opened(_of_invitation(team, secret), unb64(data) or b"", b"")
    return SealKey(found) if found is not None and len(found) == KEY_BYTES else None


def _of_invitation(team: str, secret: bytes) -> bytes:
    return hashlib.blake2b(bytes.fromhex(team), digest_size=KEY_BYTES, key=secret, person=_NOTE).digest()


# --- what libsodium does ---


def _sealed(secret: bytes, key_id: bytes, at: bytes, text: bytes, person: bytes) -> bytes:
    nonce = hashlib.blake2b(at + text, digest_size=_NONCE_BYTES, key=secret, person=person).digest()
    box = bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(text, at, nonce, secret)
    return binascii.b2a_base64(key_id + nonce + box, newline=False)


def _opened(secret: bytes, raw: bytes, at: bytes) -> bytes | None:
    try:
        return bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(
            raw[_NAMED_BY:], at, raw[_ID_BYTES:_NAMED_BY], secret
        )
    except (CryptoError, ValueError, TypeError):
        return None


def _under(secret: bytes, key: SealKey) -> str:
    """Return one key sealed under another, as a line is."""
    return _sealed(secret, SealKey(secret).id, b"", key.secret, _KEY).decode()


def _boxed(key: SealKey, signer: bytes) -> str:
    """Return a key as libsodium's sealed box for the X25519 form of a public key.

    Its one-time key is derived of the key and of who it is for, so that the same box has the same bytes.
    """
    public = bindings.crypto_sign_ed25519_pk_to_curve25519(signer)
    seed = hashlib.blake2b(public, digest_size=KEY_BYTES, key=key.secret, person=_BOX).digest()
    once, secret = bindings.crypto_box_seed_keypair(seed)
    nonce = hashlib.blake2b(once + public, digest_size=_NONCE_BYTES).digest()
    return b64encode(once + bindings.crypto_box(key.secret, nonce, public, secret)).decode()
