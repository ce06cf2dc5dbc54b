r"""Signed notes: text with signature lines under it, parsed strictly.

Implements specs/proofs.md (T-10…T-15), which narrows c2sp.org/signed-note. Layout:

    text, which ends in LF
    LF
    U+2014 SPACE name SPACE base64(key id (4 bytes) ‖ signature) LF      (one or more)

A key id is SHA-256(name ‖ 0A ‖ type ‖ public key)[:4]. A type 01 signature is Ed25519 over the text; a type 04
one (a cosignature, c2sp.org/tlog-cosignature) is the time as 8 bytes, big-endian, and Ed25519 over
`cosignature/v1\ntime <seconds>\n` ‖ text. What a note says counts only after `verify`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ledger.errors import FormatError
from ledger.lazy_pattern import lazy_pattern
from ledger.signing import SigningKey, verify_signature

ED25519 = 1
COSIGNATURE = 4
MAX_BYTES = 1 << 20
MAX_SIGNATURES = 64

_DASH = "— "
_KEY_BYTES = 32
_ID_BYTES = 4
_CONTROL = lazy_pattern(rb"[\x00-\x09\x0b-\x1f]")
_TYPES = {ED25519: "an Ed25519 key", COSIGNATURE: "a witness's key"}
_MAX_TIME = 2**63 - 1
_SHOWN = 100


@dataclass(frozen=True, slots=True)
class NoteKey:
    """A public key that notes are verified by: its name, type (ED25519 or COSIGNATURE) and 32 bytes.

    Raises:
        FormatError: the name, the type or the length is not allowed.
    """

    name: str
    public: bytes
    type: int = ED25519

    def __post_init__(self) -> None:
        check_name(self.name)
        if self.type not in _TYPES:
            raise _malformed(f"a key of type {self.type:02x}, which this version cannot verify")
        if len(self.public) != _KEY_BYTES:
            raise _malformed(f"a public key of {len(self.public)} bytes where there must be {_KEY_BYTES}")

    @classmethod
    def from_vkey(cls, vkey: str) -> NoteKey:
        """Return the key that a vkey spells: `name+<key id in hex>+<base64 of type and public key>`.

        Raises:
            FormatError: it is none, its key id is wrong, or it is of another type.
        """
        name, _, rest = vkey.partition("+")
        written_id, _, encoded = rest.partition("+")
        raw = unb64(encoded)
        if not raw or not re.fullmatch(r"[0-9a-f]{8}", written_id):
            raise _no_key(vkey, "it is not written name+hex+base64")
        key = cls(name, raw[1:], raw[0])
        if key.key_id.hex() != written_id:
            raise _no_key(vkey, "its name or bytes are not those that its id was made of")
        return key

    @property
    def key_id(self) -> bytes:
        """The 4 bytes that name this key in a signature line."""
        return hashlib.sha256(b"%s\n%c%s" % (self.name.encode(), self.type, self.public)).digest()[:_ID_BYTES]

    @property
    def vkey(self) -> str:
        """The key as text, as `--key` and policy files take it."""
        encoded = base64.b64encode(bytes([self.type]) + self.public).decode()
        return f"{self.name}+{self.key_id.hex()}+{encoded}"


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """One signature line; `signature` are the bytes after the key id."""

    name: str
    key_id: bytes
    signature: bytes

    def line(self) -> bytes:
        """Return the line with its LF."""
        encoded = base64.b64encode(self.key_id + self.signature).decode()
        return f"{_DASH}{self.name} {encoded}\n".encode()


@dataclass(frozen=True, slots=True)
class Note:
    """A parsed note: nothing in it is verified."""

    text: bytes
    signatures: tuple[NoteSignature, ...]

    def encode(self) -> bytes:
        """Return the note's bytes; `parse` of them gives this note."""
        return self.text + b"\n" + b"".join(each.line() for each in self.signatures)


class VerifiedSignature(NamedTuple):
    """A signature that holds: by which key, and for a cosignature its time in seconds since 1970, else None."""

    key: NoteKey
    time: int | None


def check_name(name: str) -> None:
    """Raise FormatError if `name` is not a key name: empty, or with a Unicode space, a control or a plus."""
    if not name or "+" in name or any(char.isspace() or char < " " for char in name):
        raise _malformed("a key name is not empty and holds no space and no plus")
    try:
        name.encode()
    except UnicodeEncodeError:
        raise _malformed("a key name is not UTF-8") from None


def parse(data: bytes) -> Note:
    """Return the note that `data` spells; every byte has its place, and nothing is skipped.

    Raises:
        FormatError: it is none; one malformed signature line is enough.
    """
    if len(data) > MAX_BYTES:
        raise _malformed(f"the note has more than {MAX_BYTES} bytes")
    if _CONTROL.search(data):
        raise _malformed("a control character stands in the note")
    try:
        data.decode()
    except UnicodeDecodeError:
        raise _malformed("the note is not UTF-8") from None
    head, blank, tail = data.rpartition(b"\n\n")
    if not blank:
        raise _malformed("no blank line stands between text and signatures")
    text = head + b"\n"
    signatures = parse_signatures(tail)
    if not signatures:
        raise _malformed("the note has no signature")
    return Note(text, signatures)


def parse_signatures(data: bytes) -> tuple[NoteSignature, ...]:
    """Return the signature lines in `data`, which may be none (as a witness answers them).

    Raises:
        FormatError: one of them is malformed, or there are too many.
    """
    if not data:
        return ()
    if not data.endswith(b"\n"):
        raise _malformed("the last line lacks its line feed")
    lines = data[:-1].split(b"\n")
    if len(lines) > MAX_SIGNATURES:
        raise _malformed(f"there are more than {MAX_SIGNATURES} signatures")
    return tuple(_signature(line) for line in lines)


def verify(note: Note, keys: Iterable[NoteKey]) -> tuple[VerifiedSignature, ...]:
    """Return what the known `keys` signed of this note, in its order; lines of unknown keys say nothing.

    Raises:
        FormatError: a line by a known key does not verify, or no line is by a known key.
    """
    known: dict[tuple[str, bytes], list[NoteKey]] = {}
    for key in keys:
        known.setdefault((key.name, key.key_id), []).append(key)
    found = []
    for each in note.signatures:
        candidates = known.get((each.name, each.key_id), ())
        held = [verified for key in candidates if (verified := check(note.text, each, key))]
        if candidates and not held:
            message = f"the signature of {each.name} does not match: the text or the line was changed"
            raise FormatError("T-14", message, code="note-signature")
        found += held[:1]
    if not found:
        raise FormatError("T-14", "none of the given keys signed this", code="note-unknown-key")
    return tuple(found)


def check(text: bytes, signature: NoteSignature, key: NoteKey) -> VerifiedSignature | None:
    """Return what `signature` says of `text` where it is by `key` and holds, else None."""
    if (signature.name, signature.key_id) != (key.name, key.key_id):
        return None
    time, message, raw = None, text, signature.signature
    if key.type == COSIGNATURE:
        time, raw = int.from_bytes(raw[:8], "big"), raw[8:]
        if time > _MAX_TIME:
            return None
        message = cosigned(text, time)
    return VerifiedSignature(key, time) if verify_signature(key.public, message, raw) else None


def cosigned(text: bytes, time: int) -> bytes:
    """Return the bytes that a cosignature of `text` at `time` (seconds since 1970) signs."""
    return b"cosignature/v1\ntime %d\n%s" % (time, text)


def sign(text: bytes, name: str, key: SigningKey) -> NoteSignature:
    """Return the type 01 signature of `text` under `name`."""
    return NoteSignature(name, NoteKey(name, key.public).key_id, key.sign(text))


def unb64(encoded: str | bytes) -> bytes | None:
    """Return what standard base64 spells, None if it is not the one spelling of these bytes."""
    try:
        raw = base64.b64decode(encoded, validate=True)
    except (ValueError, binascii.Error):
        return None
    spelt = encoded if isinstance(encoded, bytes) else encoded.encode()
    return raw if base64.b64encode(raw) == spelt else None


def _signature(line: bytes) -> NoteSignature:
    try:
        text = line.decode()
    except UnicodeDecodeError:
        raise _malformed("a signature line is not UTF-8") from None
    if not text.startswith(_DASH):
        raise _malformed("a line where a signature must stand does not begin with a dash")
    name, _, encoded = text.removeprefix(_DASH).partition(" ")
    check_name(name)
    raw = unb64(encoded)
    if raw is None or len(raw) <= _ID_BYTES:
        raise _malformed(f"the signature of {name} is not base64 of a key id and a signature")
    return NoteSignature(name, raw[:_ID_BYTES], raw[_ID_BYTES:])


def _no_key(vkey: str, why: str) -> FormatError:
    return FormatError("T-12", f"{vkey[:_SHOWN]!r} is not a key: {why}", code="note-malformed")


def _malformed(what: str) -> FormatError:
    return FormatError("T-11", f"malformed signed note: {what}", code="note-malformed")
