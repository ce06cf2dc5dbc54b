"""Checkpoints: what a ledger signs to say "this is my tree", as C2SP signed notes.

Implements specs/proofs.md (T-20, T-21), which narrows c2sp.org/tlog-checkpoint. Layout of the text:

    muniment/<genesis id>/<epoch> LF
    <number of events, decimal> LF
    <base64 of the root, 32 bytes> LF

The key's name is the first line. A checkpoint of n events is signed by the key in force at the n-th.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from ledger import note
from ledger.errors import FormatError
from ledger.lazy_pattern import lazy_pattern
from ledger.note import NoteKey, VerifiedSignature
from ledger.signing import SigningKey

MAX_SIZE = 2**53 - 1
_NUMBER = lazy_pattern(r"0|[1-9][0-9]{0,15}")
_ORIGIN = lazy_pattern(r"muniment/([0-9a-f]{64})/(0|[1-9][0-9]{0,15})")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A tree of `size` events under `root` (32 bytes), as the ledger and epoch `origin` says it.

    `extensions` are further lines that a foreign log may have; ours have none.
    """

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    def text(self) -> bytes:
        """Return the text that is signed."""
        root = base64.b64encode(self.root).decode()
        return "".join(f"{line}\n" for line in (self.origin, self.size, root, *self.extensions)).encode()


class Origin(NamedTuple):
    """Which chain a checkpoint of ours is of: the genesis id, and the epoch of its newest event."""

    genesis: str
    epoch: int

    def __str__(self) -> str:
        return f"muniment/{self.genesis}/{self.epoch}"

    @classmethod
    def of(cls, origin: str) -> Origin | None:
        """Return what the first line of a checkpoint names; None if it is not a muniment's."""
        found = _ORIGIN.fullmatch(origin)
        return cls(found[1], int(found[2])) if found else None


def parse_text(text: bytes) -> Checkpoint:
    """Return the checkpoint that a note's text spells.

    Raises:
        FormatError: it is none.
    """
    try:
        lines = text.decode().split("\n")
    except UnicodeDecodeError:
        raise _malformed("it is not UTF-8") from None
    if lines.pop() != "" or len(lines) < 3 or not all(lines):
        raise _malformed("it needs an origin, a size and a root, each on a line of its own")
    origin, size, encoded, *extensions = lines
    if not _NUMBER.fullmatch(size) or int(size) > MAX_SIZE:
        raise _malformed("its size is not a decimal number")
    root = note.unb64(encoded)
    if root is None or len(root) != 32:
        raise _malformed("its root is not the base64 of 32 bytes")
    return Checkpoint(origin, int(size), root, tuple(extensions))


def parse(data: bytes) -> tuple[Checkpoint, note.Note]:
    """Return the checkpoint in a note, unverified, and the note.

    Raises:
        FormatError: it is not a checkpoint.
    """
    parsed = note.parse(data)
    return parse_text(parsed.text), parsed


def sign(checkpoint: Checkpoint, key: SigningKey) -> bytes:
    """Return the signed note. What a ledger may sign at all, proofs/signed_checkpoints.py decides."""
    return note.Note(checkpoint.text(), (note.sign(checkpoint.text(), checkpoint.origin, key),)).encode()


def signatures(
    data: bytes, log_keys: Iterable[NoteKey], others: Iterable[NoteKey] = ()
) -> tuple[VerifiedSignature, ...]:
    """Return what known keys signed of a checkpoint's note; one of `log_keys` signed it under its own origin.

    Args:
        data: the note.
        log_keys: the keys that may have made the checkpoint; those of other origins count for nothing.
        others: keys of witnesses; what they cosigned is returned, too.

    Raises:
        FormatError: malformed, no such signature, or one by a known key that does not hold.
    """
    checkpoint, parsed = parse(data)
    own = [key for key in log_keys if key.type == note.ED25519 and key.name == checkpoint.origin]
    signed = note.verify(parsed, [*own, *others])
    if not any(each.key in own for each in signed):
        message = "the checkpoint is not signed by the log's own key"
        raise FormatError("T-21", message, code="note-unknown-key")
    return signed


def _malformed(what: str) -> FormatError:
    return FormatError("T-20", f"malformed checkpoint: {what}", code="checkpoint-malformed")
