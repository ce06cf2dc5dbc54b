"""A writer's signature under a note: by a chain's key, under the chain's name.

Implements specs/team.md (TM-11): type 01 (T-13) under the name `muniment/<genesis>`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from ledger import note
from ledger.note import Note, NoteKey, NoteSignature
from ledger.signing import SigningKey


def name_of(genesis: str) -> str:
    """Return the name under which the writer with this genesis id signs notes."""
    return f"muniment/{genesis}"


def note_name(genesis: str, data: bytes) -> str:
    """Return under which name a note of this writer travels: one with other bytes has another, and takes no other's place."""
    return f"{genesis}.{hashlib.sha256(data).hexdigest()[:12]}"


def signed_note(text: bytes, genesis: str, key: SigningKey, beside: Iterable[NoteSignature] = ()) -> bytes:
    """Return the note of `text` with the signatures `beside` and, last, the writer's own."""
    own = note.sign(text, name_of(genesis), key)
    return Note(text, (*(each for each in beside if each != own), own)).encode()


def is_signed(found: Note, genesis: str, public: bytes) -> bool:
    """Return whether a signature in `found` is the writer's by this 32-byte key; all other lines say nothing."""
    key = NoteKey(name_of(genesis), public)
    return any(note.check(found.text, each, key) for each in found.signatures)
