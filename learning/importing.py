"""Turns documents into signed events: in batches, each statement once, a refused statement without the others.

Implements specs/cli.md (X-32…X-36) and specs/import.md for writers. Events that were set aside (I-25) count as a document,
and so do the files of another memory program (I-31).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from documents.other_memories.readers import READERS
from documents.proposal import memory_key
from documents.reading.any_document import KINDS, read_documents
from documents.reading.exported import is_export, read_export
from documents.scope import Scope
from learning.file_proposals import EVENTS, Imported, OwnDocuments, SetAside, is_events
from learning.writer import each_written
from ledger.command import Confirm, Create
from ledger.errors import LedgerError, RecordError, SecretError
from ledger.event import By
from ledger.memory import Memory
from ledger.preconditions import left_to_a_person
from ledger.progress import Progress, untold
from ledger.schema import MAX_TARGETS
from ledger.view import statement_key
from projections import commonmark
from projections.recall import Recall

EXPORT = "export"
"""The kind of a file that `export` wrote (I-30)."""

BATCH = 500
"""How many memories are signed and synced at once."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """How to import memories; `change` is applied to each.

    If `agrees`, the import confirms a waiting candidate, since the importer says the same.
    """

    by: By
    change: Callable[[Memory], Memory] = lambda memory: memory
    redact: bool = False
    dry_run: bool = False
    agrees: bool = True
    progress: Progress = untold


def import_paths(
    scope: Scope,
    paths: Sequence[Path],
    wishes: Wishes,
    on_error: Callable[[Path, LedgerError], None],
) -> list[Imported]:
    """Import every document under the paths; documents of this ledger are rendered once, at the end.

    Args:
        scope: the ledger.
        paths: files and folders.
        wishes: how.
        on_error: is called with each unreadable file.

    Raises:
        NotFoundError: a path does not exist; nothing was imported.
        KeyFileError, ChainError, BusyError, StorageError: as `Ledger.write`; earlier batches stay written.
    """
    own = OwnDocuments(scope)
    work = _Work(scope, wishes)
    aside = SetAside(scope)

    def take_events(path: Path) -> None:
        done = Imported(path, EVENTS)
        work.files.append(done)
        for said in aside.proposed(done, wishes.change):
            work.take(done, said)

    events = [path for path in paths if path.is_file() and is_events(path)]
    exports = [path for path in paths if path.is_file() and path not in events and is_export(path)]
    others = [path for path in paths if path not in events and path not in exports]
    documents = read_documents(others, on_error, commonmark.unescape)
    for path in events:
        take_events(path)
    for path in exports:
        try:
            work.take_export(path)
        except RecordError as error:
            on_error(path, error)
    for document in documents:
        if is_events(document.path):
            take_events(document.path)
            continue
        done = Imported(document.path, document.kind, document.warnings)
        work.files.append(done)
        for said in own.proposed(document, done):
            work.take(done, wishes.change(said))
    work.flush()
    if wishes.dry_run:
        return work.files
    aside.remember(work.id_of)
    work.confirm_candidates()
    adopted = own.adopt(work.files)
    if adopted or work.wrote:
        scope.documents.render_unless_held(everything=bool(adopted))
    return work.files


def import_foreign(
    scope: Scope,
    origin: str,
    paths: Sequence[Path],
    wishes: Wishes,
    on_error: Callable[[Path, LedgerError], None],
) -> list[Imported]:
    """Import the memories of another program; read all of them before writing any (I-31).

    Args:
        scope: the ledger.
        origin: the program, one of `READERS`.
        paths: its files or folders.
        wishes: how.
        on_error: is called with each unreadable document of a folder.

    Raises:
        NotFoundError, UsageError, FormatError, StorageError: a path is not a file of the program, or it is damaged.
        KeyFileError, ChainError, BusyError, StorageError: as `Ledger.write`; earlier batches stay written.
    """
    sources = [source for path in paths for source in READERS[origin].read(path, on_error)]
    work = _Work(scope, wishes)
    for source in sources:
        done = Imported(source.path, source.kind, titles=source.titles, by=source.by)
        work.files.append(done)
        for line, said in source.memories:
            wanted = wishes.change(said)
            done.lines[memory_key(wanted)] = line
            if work.is_gone(wanted):
                done.gone += 1
            else:
                work.take(done, wanted)
        counted = (f"{done.path}: {warning}" for warning in source.left_out.warnings())
        done.warnings = (*source.warnings, *counted)
    work.flush()
    if work.wrote:
        scope.documents.render_unless_held()
    return work.files


class _Work:
    """Memories on their way into the ledger, a batch at a time."""

    def __init__(self, scope: Scope, wishes: Wishes) -> None:
        self.files: list[Imported] = []
        self.wrote = False
        self._scope = scope
        self._wishes = wishes
        # Another number of empty lines at a body's end makes another statement (M-8), but no new memory (I-5).
        self._known = {
            memory_key(entry.memory): entry.id for entry in Recall(scope.workspace).each(archived=True)
        }
        self._planned: set[str] = set()
        self._waiting: list[tuple[Imported, Memory]] = []
        self._candidates: dict[str, Imported] = {}
        self._taken = 0

    def take(self, done: Imported, memory: Memory) -> None:
        """Take one memory of a document, and write a full batch."""
        self._taken += 1
        self._wishes.progress(self._taken, 0)
        known = self._known.get(memory_key(memory))
        if known is not None:
            self._is_known(done, known)
        elif self._wishes.dry_run:
            self._try(done, memory)
        else:
            self._waiting.append((done, memory))
            if len(self._waiting) >= BATCH:
                self.flush()

    def is_gone(self, memory: Memory) -> bool:
        """Return whether this memory was here, was deleted or replaced since, and no other one says it now (I-32)."""
        index = self._scope.workspace.index
        known = memory_key(memory) in self._known or index.same(memory) is not None
        return not known and bool(index.said_until(memory))

    def take_export(self, path: Path) -> None:
        """Take the rows of an export; a memory that this ledger knows by its id is not new, and does not come back (I-30).

        Raises:
            RecordError: the export is incomplete.
        """
        done = Imported(path, EXPORT)
        self.files.append(done)
        for row in read_export(path):
            here = self._scope.workspace.index.entry(row.id) if row.id else None
            if row.error is not None:
                done.refuse(row.line, row.error)
            elif row.memory is None or (here is not None and not here.live):
                done.gone += 1
            elif here is not None:
                self._is_known(done, here.id)
            else:
                said = self._wishes.change(row.memory)
                done.lines[memory_key(said)] = row.line
                self.take(done, said)

    def flush(self) -> None:
        """Write the batch."""
        items, self._waiting = self._waiting, []
        wishes = self._wishes
        results = [
            result
            for by, some in groupby(items, lambda each: each[0].by or wishes.by)
            for result in each_written(
                self._scope.workspace, [Create(memory) for _, memory in some], by, redact=wishes.redact
            )
        ]
        for (done, memory), result in zip(items, results, strict=True):
            if isinstance(result, LedgerError):
                _refuse(done, memory, result)
            elif result.known:
                self._is_known(done, result.id)
                self._known[memory_key(memory)] = result.id
            else:
                self.wrote = True
                done.new += 1
                done.redacted += bool(result.redacted)
                done.ids.append(result.id)
                self._known[memory_key(memory)] = result.id

    def _is_known(self, done: Imported, id_: str) -> None:
        done.known += 1
        done.ids.append(id_)
        if done.kind in KINDS and id_ not in self._candidates:
            entry = self._scope.workspace.index.entry(id_)
            if entry is None or not self._wishes.agrees or left_to_a_person(entry, self._wishes.by):
                return
            if entry.status == "candidate":
                done.confirmed += 1
                self._candidates[id_] = done

    def _try(self, done: Imported, memory: Memory) -> None:
        """Note the outcome that a memory would have; write nothing."""
        statement = statement_key(memory)
        standing = self._scope.workspace.index.same(memory)
        try:
            payload, rules = self._scope.workspace.ledger.screened(memory.to_payload(), self._wishes.redact)
        except (SecretError, RecordError) as error:
            _refuse(done, memory, error)
            return
        if standing is not None:
            self._is_known(done, standing)
        elif statement in self._planned:
            done.known += 1
        else:
            self._planned.add(statement)
            done.planned.append(Memory.from_payload(payload or {}))
            done.new += 1
            done.redacted += bool(rules)

    def id_of(self, memory: Memory) -> str | None:
        """Return the id of the existing memory that says the same as an imported one."""
        return self._known.get(memory_key(memory))

    def confirm_candidates(self) -> None:
        """Confirm candidates that a person's document repeats."""
        ids = list(self._candidates)
        commands = [Confirm(tuple(ids[at : at + MAX_TARGETS])) for at in range(0, len(ids), MAX_TARGETS)]
        if commands:
            self._scope.workspace.append(commands, self._wishes.by)
            self.wrote = True


def _refuse(done: Imported, memory: Memory, error: LedgerError) -> None:
    """Note a refused memory, with its line in the file or its record in a database."""
    key = memory_key(memory)
    line = done.lines[key] if key in done.lines else line_of(done.path, memory)
    done.refuse(line, error, "" if line else memory.provenance.message)


def line_of(path: Path, memory: Memory) -> int | None:
    """Return the number of the line in which a memory begins in its document, None if it is not found."""
    try:
        text = path.read_bytes().decode("utf-8", "replace")
    except OSError:
        return None
    for said in (memory.body.rstrip("\r\n"), memory.text, memory.title):
        if said and (at := text.find(said)) >= 0:
            return text.count("\n", 0, at) + 1
    return None


def errors_of(files: Iterable[Imported]) -> Iterator[LedgerError]:
    """Yield every error by which something was refused."""
    for done in files:
        for refused in done.refused:
            yield refused.error
