"""Takes the session buffer into today's daily notes, and remembers up to where.

Implements specs/capture.md (K-90…K-95). The buffer is a person's and a session's file: it is read and never written. What
was taken is known by the bytes at its beginning; where these are others than before, by its entries.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import orjson

from documents.scope import Scope
from documents.session_buffer import BUFFER_NAME, BufferEntry, ended, read_buffer
from learning.detection.personal import personal_in
from ledger.command import Create
from ledger.errors import RecordError, SecretError, StorageError, UsageError
from ledger.event import By
from ledger.instant import written
from ledger.memory import Memory, Provenance
from ledger.path_names import name_of
from projections.notes import notes_after
from projections.workspace import Workspace

MOST_BYTES = 32 << 20
"""A larger buffer is none that anybody appends to."""

Outcome = Literal["noted", "known", "refused"]


@dataclass(frozen=True, slots=True)
class Noted:
    """What became of one entry of the buffer: the note that stands for it, or why there is none."""

    entry: BufferEntry
    outcome: Outcome
    day: str
    id: str = ""
    why: str = ""
    secret: bool = False


@dataclass(frozen=True, slots=True)
class CheckpointOutcome:
    """What a checkpoint did; `open_line` says that the last line has no end yet and waits for it."""

    path: Path
    found: bool
    notes: list[Noted] = field(default_factory=list)
    open_line: bool = False


@dataclass(frozen=True, slots=True)
class _Pointer:
    """What of a buffer was taken: its first `size` bytes by their digest, each entry by its own (K-93).

    `seq` and `id` name the newest event of then.
    """

    size: int = 0
    digest: str = ""
    entries: tuple[str, ...] = ()
    seq: int = -1
    id: str = ""


def checkpoint(scope: Scope, by: By, *, dry: bool = False) -> CheckpointOutcome:
    """Make daily notes of what is new in the buffer.

    Args:
        scope: the ledger; its own folder has the buffer, wherever the documents lie (specs/capture.md, K-90).
        by: who runs it.
        dry: decide, and write nothing.

    Raises:
        UsageError: the buffer is a link, no file, or too large.
        StorageError: it cannot be read; and what `Scope.write` raises.
    """
    path = scope.workspace.place.own_folder / BUFFER_NAME
    scope.workspace.index  # noqa: B018 - no ledger is said before no buffer
    data = _contents(path)
    if data is None:
        return CheckpointOutcome(path, found=False)
    secret = scope.workspace.local.secret()
    pointer = _pointer(scope, path)
    end = ended(data)
    entries = list(_new(scope, data, pointer, secret))
    notes = _written(scope, entries, by, dry=dry)
    if not dry:
        digests = [_digest(secret, entry) for entry in read_buffer(data)]
        seq = scope.workspace.index.seq()
        _note(scope, path, _Pointer(end, _mac(secret, data[:end]), tuple(digests), seq, _id_at(scope, seq)))
    return CheckpointOutcome(path, found=True, notes=notes, open_line=bool(data[end:].strip()))


# --- what is new ---


def _new(scope: Scope, data: bytes, pointer: _Pointer, secret: bytes) -> Iterator[BufferEntry]:
    """Give the entries that were not taken yet (K-93, K-94)."""
    stands = pointer.size <= len(data) and _mac(secret, data[: pointer.size]) == pointer.digest
    taken: Counter[str] = Counter() if stands else Counter(pointer.entries)
    noted = Counter(
        (entry.memory.text, entry.memory.details)
        for entry in notes_after(scope.workspace.index, pointer.seq)
        if entry.memory.provenance.file == BUFFER_NAME
    )
    for entry in read_buffer(data, pointer.size if stands else 0):
        digest, said = _digest(secret, entry), (entry.text, entry.details)
        if taken[digest]:
            taken[digest] -= 1
        elif noted[said]:
            # the log has it: a run died before it could remember, or what it remembered is gone
            noted[said] -= 1
        else:
            yield entry


def _digest(secret: bytes, entry: BufferEntry) -> str:
    return _mac(secret, "\n".join((entry.text, *entry.details)).encode("utf-8", "surrogatepass"), size=8)


def _mac(secret: bytes, data: bytes, size: int = 16) -> str:
    """Return a digest under this ledger's local secret, so that what is remembered says nothing of the text."""
    return hashlib.blake2b(data, key=secret, digest_size=size).hexdigest()


def _contents(path: Path) -> bytes | None:
    """Return the buffer's bytes, None where there is none."""
    if path.is_symlink():
        raise UsageError(f"{path} is a link, through which nothing is read: put the file itself there")
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}; nothing was noted") from error
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        raise UsageError(f"{path} is no file: the session buffer is a markdown file")
    with os.fdopen(descriptor, "rb") as stream:
        if status.st_size > MOST_BYTES:
            raise UsageError(
                f"{path} has more than {MOST_BYTES >> 20} MiB: begin a new buffer, and keep this one elsewhere"
            )
        return stream.read(MOST_BYTES)


# --- the notes ---


def _written(scope: Scope, entries: list[BufferEntry], by: By, *, dry: bool) -> list[Noted]:
    today = written(scope.workspace.clock())[:10]
    notes: list[Noted] = []
    good: list[tuple[int, Memory]] = []
    for entry in entries:
        record = _record(entry, today)
        try:
            _refuse_personal(entry)
            scope.workspace.ledger.screened(record.to_payload(), redact=False)
        except (SecretError, RecordError) as error:
            notes.append(
                Noted(
                    entry,
                    "refused",
                    record.provenance.date,
                    why=str(error),
                    secret=isinstance(error, SecretError),
                )
            )
            continue
        good.append((len(notes), record))
        notes.append(Noted(entry, "noted", record.provenance.date))
    if dry or not good:
        return notes
    results = scope.write([Create(record) for _, record in good], by)
    for (at, _), result in zip(good, results, strict=True):
        outcome: Outcome = "known" if result.known else "noted"
        notes[at] = Noted(notes[at].entry, outcome, notes[at].day, result.id)
    return notes


def _record(entry: BufferEntry, today: str) -> Memory:
    origin = Provenance(session=entry.session, file=BUFFER_NAME, date=entry.day or today)
    return Memory(
        entry.text,
        entry.details,
        type="note",
        section=entry.section,
        tier="daily",
        source="auto",
        provenance=origin,
    )


def _refuse_personal(entry: BufferEntry) -> None:
    """Raise RecordError for what reaches a person (K-67)."""
    for text in (entry.text, *entry.details):
        if found := personal_in(text):
            article = "an" if found.startswith("e") else "a"
            raise RecordError(
                f"it holds {article} {found}, which nothing notes by itself: muniment add stores it"
            )


# --- the pointer ---


def _pointer(scope: Scope, path: Path) -> _Pointer:
    """Return what is remembered of this buffer; nothing where the log is not the one of then."""
    try:
        value: dict[str, Any] = orjson.loads(scope.workspace.local.fact(_fact(path)) or b"{}")
        pointer = _Pointer(**{**value, "entries": tuple(value.get("entries", ()))})
        return pointer if _id_at(scope, pointer.seq) == pointer.id else _Pointer()
    except (ValueError, TypeError):
        return _Pointer()


def _note(scope: Scope, path: Path, pointer: _Pointer) -> None:
    value = {
        "size": pointer.size,
        "digest": pointer.digest,
        "entries": list(pointer.entries),
        "seq": pointer.seq,
        "id": pointer.id,
    }
    scope.workspace.local.note(_fact(path), orjson.dumps(value).decode())


def forget(workspace: Workspace, path: Path) -> None:
    """Forget what was taken of a buffer: what it said could be guessed (Z-30). The log still knows what is a note already."""
    workspace.local.note(_fact(path), "")


def _id_at(scope: Scope, seq: int) -> str:
    return (scope.workspace.index.at_seq(seq) if seq >= 0 else None) or ""


def _fact(path: Path) -> str:
    return f"buffer {name_of(path)}"
