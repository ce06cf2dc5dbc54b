"""Copies the session buffer into today's daily notes.

Implements specs/capture.md (K-90…K-93, K-95). The buffer belongs to a person and a session: this module reads it and never
writes it. The log shows which entries were noted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from documents.scope import Scope
from documents.session_buffer import BUFFER_NAME, BufferEntry, ended, read_buffer
from learning import erased_entries
from learning.detection.personal import personal_in
from ledger.command import Create
from ledger.durable import read_file
from ledger.errors import RecordError, SecretError, StorageError, UsageError
from ledger.event import By
from ledger.instant import written
from ledger.memory import Memory, Provenance
from projections.notes import notes_after

MOST_BYTES = 32 << 20
"""A larger file is not a session buffer."""

NoteOutcome = Literal["noted", "known", "refused"]


@dataclass(frozen=True, slots=True)
class Noted:
    """The result for one entry of the buffer: its note, or why it has none."""

    entry: BufferEntry
    outcome: NoteOutcome
    day: str
    id: str = ""
    why: str = ""
    secret: bool = False


@dataclass(frozen=True, slots=True)
class CheckpointOutcome:
    """The result of a checkpoint; `open_line` means that the last line has no line end yet, and waits for it."""

    path: Path
    found: bool
    notes: list[Noted] = field(default_factory=list)
    open_line: bool = False


def checkpoint(scope: Scope, by: By, *, dry: bool = False) -> CheckpointOutcome:
    """Write daily notes of the new entries of the buffer.

    Args:
        scope: the ledger; the buffer is in its own folder, wherever its documents are (specs/capture.md, K-90).
        by: the author.
        dry: decide, and write nothing.

    Raises:
        UsageError: the buffer is a link, not a file, or too large.
        StorageError: it cannot be read; otherwise as `Scope.write`.
    """
    path = scope.workspace.place.own_folder / BUFFER_NAME
    scope.workspace.index  # noqa: B018 - a missing ledger is reported before a missing buffer
    data = _contents(path)
    if data is None:
        return CheckpointOutcome(path, found=False)
    if not dry:
        erased_entries.note(scope.workspace)
    notes = _written(scope, list(_new(scope, data)), by, dry=dry)
    return CheckpointOutcome(path, found=True, notes=notes, open_line=bool(data[ended(data) :].strip()))


# --- new entries ---


def _new(scope: Scope, data: bytes) -> Iterator[BufferEntry]:
    """Yield the entries that never had a note in the log, deleted notes included (K-93)."""
    noted, is_erased = set(), erased_entries.matcher(scope.workspace)
    for note in notes_after(scope.workspace.index, -1):
        memory = note.memory
        if memory.provenance.file == BUFFER_NAME:
            noted |= {(memory.text, memory.details, day) for day in ("", memory.provenance.date)}
    for entry in read_buffer(data):
        said = (entry.text, entry.details, entry.day)
        if said not in noted and not is_erased(entry.text, entry.details):
            noted.add(said)
            yield entry


def _contents(path: Path) -> bytes | None:
    """Return the buffer's bytes, None if the file is missing."""
    if path.is_symlink():
        raise UsageError(f"{path} is a link, through which nothing is read: put the file itself there")
    if path.exists() and not path.is_file():
        raise UsageError(f"{path} is not a file: the session buffer is a markdown file")
    try:
        if path.stat().st_size > MOST_BYTES:
            most = MOST_BYTES >> 20
            raise UsageError(
                f"{path} has more than {most} MiB: start a new buffer, and move this one elsewhere"
            )
        return read_file(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}; nothing was noted") from error


# --- the notes ---


def _written(scope: Scope, entries: list[BufferEntry], by: By, *, dry: bool) -> list[Noted]:
    today = written(scope.workspace.clock())[:10]
    notes: list[Noted] = []
    good: list[tuple[int, Memory]] = []
    for entry in entries:
        record = _record(entry, today)
        day = record.provenance.date
        try:
            _refuse_personal(entry)
            scope.workspace.ledger.screened(record.to_payload(), redact=False)
        except (SecretError, RecordError) as error:
            secret = isinstance(error, SecretError)
            notes.append(Noted(entry, "refused", day, why=str(error), secret=secret))
            continue
        good.append((len(notes), record))
        notes.append(Noted(entry, "noted", day))
    if dry or not good:
        return notes
    results = scope.write([Create(record) for _, record in good], by)
    for (at, _), result in zip(good, results, strict=True):
        outcome: NoteOutcome = "known" if result.known else "noted"
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
    """Raise RecordError for an entry with personal data (K-67)."""
    for text in (entry.text, *entry.details):
        if found := personal_in(text):
            article = "an" if found.startswith("e") else "a"
            raise RecordError(
                f"it holds {article} {found}, which is never noted automatically: run muniment add to store it"
            )
