"""The proposals of two kinds of files that the readers of documents cannot judge alone.

Implements specs/cli.md (X-36) and specs/import.md (I-5, I-25). A document that the ledger rendered proposes nothing. A
file of events that were set aside proposes the texts of its good events; `ledger.salvage` judges them. `importing` signs
the proposals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path

import orjson

from documents.folders import document_folders
from documents.proposal import memory_key
from documents.reading.any_document import ENDINGS, Document
from documents.replayed_documents import replayed
from documents.scope import Scope
from ledger import reader
from ledger.errors import LedgerError, SecretError
from ledger.event import By, split_line
from ledger.memory import Memory
from ledger.salvage import OPENING, Salvage, salvage
from projections import commonmark
from projections.local import Settled
from projections.query import LogFilter
from projections.recall import Recall
from projections.shown_blocks import digest


@dataclass(frozen=True, slots=True)
class Refused:
    """A memory that was not imported: the line it begins in (None if unknown), and why; never its text.

    `record` is the id that another program gave it, if it has no line.
    """

    line: int | None
    error: LedgerError
    record: str = ""

    @property
    def why(self) -> str:
        """The reason in words."""
        if isinstance(self.error, SecretError):
            return (
                f"it looks like a secret ({', '.join(self.error.rules)}): leave it out, "
                "or import again with --redact"
            )
        return str(self.error)


@dataclass(slots=True)
class Imported:
    """The result for one document."""

    path: Path
    kind: str
    warnings: tuple[str, ...] = ()
    new: int = 0
    known: int = 0
    confirmed: int = 0
    redacted: int = 0
    refused: list[Refused] = field(default_factory=list)
    gone: int = 0
    """How many entries were left out because they were deleted or replaced since."""
    ours: bool = False
    """Whether it is a document of this ledger, which is not imported."""
    titles: int = 0
    """How many of its headings and rules were left out, since they are no memories (I-29)."""
    planned: list[Memory] = field(default_factory=list)
    """The memories that a dry run would store."""
    untaken: int = 0
    """How many lines of a file of events could not be imported."""
    lines: dict[str, int | None] = field(default_factory=dict)
    """The line of each memory in a file of records, by its key; None in a file without lines."""
    adopted: bool = False
    """Whether it is a document of this ledger that is wholly in the log now, and was rewritten."""
    ids: list[str] = field(default_factory=list)
    """The ids of the memories that have the document's texts now, one for each that was not refused."""
    by: By | None = None
    """The author, if it is not the person who imports."""

    def refuse(self, line: int | None, error: LedgerError, record: str = "") -> None:
        """Note a memory that was not imported."""
        self.refused.append(Refused(line, error, record))


EVENTS = "events"
"""The kind of a file of events that were set aside (I-25)."""


# --- documents of the ledger itself ---


class OwnDocuments:
    """The documents of the ledger itself among those that are imported."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._folder = scope.workspace.place.documents
        self._read: dict[Path, str] = {}
        self._folders = document_folders(scope.workspace)
        self._rendered = scope.workspace.local.rendered(self._folder)

    def proposed(self, document: Document, done: Imported) -> Iterable[Memory]:
        """Return the memories of a document, none of one that this ledger rendered: `adopt` takes its edits."""
        said = [proposal.memory for proposal in document.proposals if proposal.memory is not None]
        names = [name for folder in self._folders if (name := _name_in(folder, document.path))]
        if not names:
            kept = [
                memory for memory in said if not (memory.type == "note" and commonmark.is_bare(memory.body))
            ]
            done.titles = len(said) - len(kept)
            return kept
        name = self._name(document.path)
        now = digest(document.path.read_bytes())
        local = self._scope.workspace.local
        # Nobody typed an earlier rendering, and an erased text must not come back from it.
        if name in self._rendered or any(local.is_rendering(self._folder, one, now) for one in names):
            done.ours = True
            done.warnings = (
                f"{document.path} is a document of this ledger: muniment adopt adopts what you changed there",
            )
            return ()
        self._read[document.path] = now
        return said

    def adopt(self, files: Iterable[Imported]) -> list[str]:
        """Mark own documents whose whole text is in the ledger now, so that they are rendered again."""
        due = [(done, self._name(done.path)) for done in files if done.path in self._read and _is_whole(done)]
        if not due:
            return []
        ours = replayed(self._scope.workspace).keys()
        adopted: list[str] = []
        for done, name in due:
            written = name in ours or name.replace("memory/", "memory/archive/", 1) in ours
            if written and self._stands(done) and digest(done.path.read_bytes()) == self._read[done.path]:
                adopted.append(name)
                changed = done.path.stat().st_mtime_ns
                settled = Settled(name, self._read[done.path], changed)
                self._scope.workspace.local.settle(self._folder, [settled])
                done.adopted = True
        return adopted

    def _stands(self, done: Imported) -> bool:
        index = self._scope.workspace.index
        entries = (index.entry(id_) for id_ in done.ids)
        return all(entry is not None and entry.status == "active" for entry in entries)

    def _name(self, path: Path) -> str:
        """Return the path within the documents of this ledger, or ""."""
        return _name_in(self._folder, path)


def _name_in(folder: Path, path: Path) -> str:
    try:
        return path.resolve().relative_to(folder.resolve()).as_posix() if path.is_file() else ""
    except ValueError:
        return ""


def _is_whole(done: Imported) -> bool:
    """Return whether everything in a document was imported."""
    return not done.refused and (not done.warnings or not done.path.read_bytes().strip())


# --- events that were set aside ---


class SetAside:
    """Events that were set aside, on their way back into the ledger (I-25)."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._back: list[tuple[str, Memory]] = []

    def proposed(self, done: Imported, change: Callable[[Memory], Memory]) -> Iterator[Memory]:
        """Yield the memories of the good events of a file.

        A memory that came back before, and was deleted, replaced or erased since, stays away.
        """
        read = self._read(done.path)
        for found in read.found:
            before = self._scope.workspace.local.fact(_fact(found.id))
            entry = self._scope.workspace.index.entry(before) if before else None
            if before and (entry is None or not entry.live):
                done.gone += 1
                continue
            memory = change(found.memory)
            done.lines[memory_key(memory)] = found.line
            self._back.append((found.id, memory))
            yield memory
        done.untaken = len(read.untaken)
        done.warnings = tuple(f"{done.path}: {said}" for said in self._reasons(read))

    def _read(self, path: Path) -> Salvage:
        index, memory = self._scope.workspace.index, Recall(self._scope.workspace)
        founding = memory.log(LogFilter(kinds=("genesis", "rotate"), own=True))
        heads = [orjson.loads(split_line(memory.line(row.id)).event) for row in founding]
        # A stolen key may have signed these: a person must look at them first.
        good = [head for head, after in zip_longest(heads, heads[1:]) if "since" not in (after or {})]
        keys = [bytes.fromhex(head["key"]) for head in reversed(good)]
        erased = {id_ for row in memory.log(LogFilter(kinds=("erase",))) for id_ in row.targets}
        with reader.opened(path) as fd:
            return salvage(reader.lines(fd), keys, lambda id_: bool(index.ids(id_)), erased)

    def _reasons(self, read: Salvage) -> Iterator[str]:
        """Yield why lines were skipped, and which ones changed current memories, for a person to repeat."""
        numbers: dict[str, list[int]] = {}
        for number, why in sorted(read.untaken.items()):
            numbers.setdefault(why, []).append(number)
        for why, some in numbers.items():
            named = ", ".join(map(str, some[:20])) + (", …" if len(some) > 20 else "")
            yield f"{'line' if len(some) == 1 else 'lines'} {named} not taken: {why}"
        index = self._scope.workspace.index
        for each in read.pointing:
            live = [id_ for id_ in each.targets if (entry := index.entry(id_)) is not None and entry.live]
            if live:
                ids = " ".join(id_[:12] for id_ in live)
                yield f"line {each.line} is a {each.kind} of a current memory: {ids}; change it again if it is right"

    def remember(self, id_of: Callable[[Memory], str | None]) -> None:
        """Note the memory as which each event came back."""
        local = self._scope.workspace.local
        for event, memory in self._back:
            id_ = id_of(memory)
            if id_ and local.fact(_fact(event)) != id_:
                local.note(_fact(event), id_)


def _fact(event: str) -> str:
    return f"back {event}"


def is_events(path: Path) -> bool:
    """Return whether a file holds lines of a chain, whole or damaged, which are never notes (I-25)."""
    try:
        with path.open("rb") as stream:
            begin = stream.read(reader.BLOCK)
    except OSError:
        return False  # the reader reports why
    if begin.startswith(OPENING) or ".jsonl.torn-" in path.name:
        return True
    return path.suffix.lower() not in ENDINGS and b"\n" + OPENING in begin
