"""Takes what a person changed in a document into the log, before the document is written again.

Implements specs/editing.md (D-2, D-8, D-10…D-12, D-15…D-17). `capture.edits` says what an edit means; here it meets the log as it is
now: what was erased, deleted or replaced since stays so, and a second look at the same edit changes nothing. A
part of the composition root beside memledger.py (specs/adr/0001).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from capture.daily_notes import day_of
from capture.edits import Edit, Shown, compare, said
from capture.memory_file import Page
from capture.memory_units import read_units
from ledger.command import Command, Confirm, Create, Delete, Supersede
from ledger.errors import NotFoundError, RecordError, SecretError, StateError
from ledger.event import By
from ledger.memory import Memory
from projections import commonmark
from projections.edited import edited
from projections.files import digest
from projections.shown import key_maker, unpacked

if TYPE_CHECKING:
    from keeping import Keeping
    from ledger.fold import Entry
    from projections.index import Index

MAX_BYTES = 1024 * 1024
"""A larger document is left to the person (D-16)."""
MANY = 5
"""An edit that takes out more entries than this, and more than half, is one that a person must accept (D-16)."""

_LOOKS = 3
_ACCEPT = "memledger adopt --accept {path} takes the edit as it is; memledger replay --overwrite writes ours"


@dataclass(slots=True)
class Adoption:
    """What is to be learned from one edited document.

    `commands` are what it comes to as the log is now; `lines` the line (from 1, 0 where it is gone) that each
    comes from; `held` the lines that hold a secret, with the rule; `guard` is why nothing of it is taken, ""
    where nothing stands in the way.
    """

    path: str
    digest: str
    status: os.stat_result
    commands: list[Command] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    held: dict[int, str] = field(default_factory=dict)
    guard: str = ""

    @property
    def paused(self) -> str:
        """Why the document is not written again, "" where it may be."""
        if self.guard:
            return self.guard
        if self.held:
            named = ", ".join(f"line {line} ({rule})" for line, rule in sorted(self.held.items()))
            return f"not taken in, it looks like a secret: {named}; take it out of the file, and rotate it"
        return ""

    def counts(self) -> dict[str, int]:
        """Return how many memories are new, changed, confirmed and taken out; kinds without any are left out."""
        names = {Create: "new", Supersede: "changed", Confirm: "confirmed", Delete: "taken out"}
        found: dict[str, int] = {}
        for command in self.commands:
            name = names.get(type(command), "")
            found[name] = found.get(name, 0) + (len(command.targets) if isinstance(command, Delete) else 1)
        return found


def examine(memory: Keeping, folder: Path, path: str, *, accept: bool = False) -> Adoption:
    """Say what an edited document comes to; nothing is written.

    Args:
        memory: the ledger, whose index is caught up.
        folder: where the document lies.
        path: its path in it.
        accept: a person has said that what it takes out is meant.
    """
    with (folder / path).open("rb") as stream:
        status = os.fstat(stream.fileno())
        data = stream.read()
    adoption = Adoption(path, digest(data), status)
    if len(data) > MAX_BYTES:
        adoption.guard = f"larger than {MAX_BYTES >> 20} MiB: make it smaller; the log goes on meanwhile"
        return adoption
    key = key_maker(memory.local.secret())
    base = list(_base(memory, folder, path))
    day = day_of(Path(path).name)
    page = Page(path, title=day or commonmark.TITLE, day=day, unescape=commonmark.unescape)
    try:
        units, headings = read_units(data, page, key, {shown.key for shown in base if shown.key})
    except RecordError as error:
        adoption.guard = str(error).replace("imported", "taken in").replace("import it again", "go on")
        return adoption
    edits = compare(units, headings, base, document=path)
    _settle(adoption, edits, memory)
    if not accept:
        adoption.guard = _mass_deletion(adoption, len(base), empty=not units)
    return adoption


def _base(memory: Keeping, folder: Path, path: str) -> Iterator[Shown]:
    """Give what the rendering showed that the document descends from: the last one (D-2).

    Behind it, without their text, blocks of earlier ones that were erased since: they must not come back.
    """
    index = memory.index
    known: set[tuple[str, bytes]] = set()
    renderings = [blocks for _, blocks in memory.local.shown(folder, path)]
    for number, blocks in enumerate([*renderings, *memory.local.shown_elsewhere(folder, path)]):
        for block in unpacked(blocks):
            if number and (not block.key or (block.id, block.key) in known):
                continue
            known.add((block.id, block.key))
            ids = index.ids(block.id)
            entry = index.entry(ids[0]) if len(ids) == 1 else None
            stands = entry is not None and entry.status != "erased"
            if not number or not stands:
                said_there = entry.memory if entry and stands else None
                yield Shown(ids[0] if ids else block.id, block.key, said_there, block.stale)


def _mass_deletion(adoption: Adoption, shown: int, *, empty: bool) -> str:
    gone = adoption.counts().get("taken out", 0)
    if not gone or not (empty or (gone > MANY and gone * 2 > shown)):
        return ""
    what = "it is empty" if empty else f"it takes out {gone} of {shown} entries"
    return f"{what}, so nothing was taken in: {_ACCEPT.format(path=adoption.path)}"


# --- against the log as it is now ---


def _settle(adoption: Adoption, edits: Sequence[Edit], memory: Keeping) -> None:
    """Turn edits into commands, but for what the log says already."""
    index = memory.index
    gone: list[str] = []
    for edit in edits:
        proposal = edit.proposal
        if proposal.memory is not None:
            rule = _secret_in(memory, proposal.memory)
            if rule:
                adoption.held[edit.line] = rule
                continue
        command = _command(index, edit)
        if isinstance(command, Delete):
            gone += command.targets
        elif command is not None:
            adoption.commands.append(command)
            adoption.lines.append(edit.line)
    for at in range(0, len(gone), 16):
        adoption.commands.append(Delete(tuple(gone[at : at + 16]), f"taken out of {adoption.path}"))
        adoption.lines.append(0)


def _secret_in(memory: Keeping, said_there: Memory) -> str:
    try:
        memory.ledger.screened(said_there.to_payload(), redact=False)
    except SecretError as error:
        return ", ".join(error.rules)
    return ""


def _command(index: Index, edit: Edit) -> Command | None:
    """Return what an edit comes to now, None where the log says it already, or has gone on (D-12)."""
    proposal = edit.proposal
    target = index.entry(proposal.targets[0]) if proposal.targets else None
    memory = proposal.memory
    if memory is None:
        if target is None or target.status not in ("active", "candidate"):
            return None
        return Delete(proposal.targets) if proposal.action == "delete" else Confirm(proposal.targets)
    if target is None or target.status == "erased":
        return _learned(index, memory)
    if any(_says(entry, memory) for entry in _successors(index, target)):
        return None
    return Supersede(proposal.targets, memory, restore=True)


def _learned(index: Index, memory: Memory) -> Command | None:
    """Return the create of a memory, or the supersede that brings back the one that said the same (D-11)."""
    if index.same(memory) is not None:
        return None
    deleted = index.deleted_same(memory)
    return Create(memory) if deleted is None else Supersede((deleted,), memory, restore=True)


def _says(entry: Entry, memory: Memory) -> bool:
    return (
        entry.status == "active" and said(entry.memory) == said(memory) and entry.memory.place == memory.place
    )


def _successors(index: Index, entry: Entry) -> Iterator[Entry]:
    """Give what became of a memory that was replaced."""
    todo, seen = list(entry.superseded_by), set[str]()
    while todo:
        id_ = todo.pop()
        if id_ not in seen and (newer := index.entry(id_)) is not None:
            seen.add(id_)
            yield newer
            todo += newer.superseded_by


# --- doing it ---


def adopt(
    memory: Keeping, folder: Path, paths: Iterable[str] | None = None, *, accept: bool = False
) -> list[Adoption]:
    """Take the edits of documents in; of each, say what was done. What is rendered then is the caller's.

    Args:
        memory: the ledger.
        folder: where the documents lie.
        paths: which of them; all that were rendered there by default.
        accept: take also what a guard would keep back.

    Raises:
        As `Ledger.write` does.
    """
    return [
        _adopted(memory, folder, path, accept=accept)
        for path in list(edited(memory.documents(folder), memory.local, paths))
    ]


def _adopted(memory: Keeping, folder: Path, path: str, *, accept: bool) -> Adoption:
    """Take one document's edit in; look again where the log went on between the look and the write."""
    adoption = examine(memory, folder, path, accept=accept)
    refused = ""
    for look in range(_LOOKS):
        if look:
            adoption = examine(memory, folder, path, accept=accept)
        if adoption.guard:
            return adoption
        try:
            if adoption.commands:
                memory.write(adoption.commands, By(memory.by.name, "user", "edit"), render=False)
        except (NotFoundError, RecordError, StateError) as error:
            refused = str(error)
            continue
        if not adoption.held:
            memory.local.settle(folder, path, adoption.digest, adoption.status)
        return adoption
    adoption.guard = f"not taken in: {refused}"
    return adoption
