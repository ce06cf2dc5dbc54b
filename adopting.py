"""Takes what a person changed in a document into the log, before the document is written again.

Implements specs/editing.md (D-8, D-10…D-12, D-15…D-17). `descent` says what the edit descends from and what it means;
here it meets the log as it is now: what was erased, deleted or replaced since stays so, and a second look at the same
edit changes nothing. A part of the composition root beside memledger.py (specs/adr/0001).
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from capture.edits import Edit, said
from capture.matching import alike
from capture.memory_units import Unit
from capture.proposal import Proposal
from descent import Renderings, read_document, secret_in
from ledger.command import Command, Confirm, Create, Delete, Supersede, Written
from ledger.errors import NotFoundError, RecordError, StateError
from ledger.event import By
from ledger.memory import Memory
from projections.edited import edited
from projections.files import digest
from projections.shown import ShownBlock, keys_of, packed

if TYPE_CHECKING:
    from keeping import Keeping
    from ledger.fold import Entry
    from projections.index import Index

MAX_BYTES = 1024 * 1024
"""A larger document is left to the person (D-16)."""
MAX_LINES = 20_000
"""A longer one too: reading it would take as long as everything else together."""
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
    units: Sequence[Unit] = field(default_factory=list)
    entries: dict[bytes, str] = field(default_factory=dict)
    """The ids of the entries of the base by the keys of their blocks."""
    gone: dict[bytes, str] = field(default_factory=dict)
    """Of these the ones that the document has no more, be it that they were moved."""

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


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What other edited documents of the folder say: the keys of what stands there, and of what was taken out with its ids."""

    standing: Collection[bytes] = ()
    gone: Mapping[bytes, str] = field(default_factory=dict)


def examine(
    memory: Keeping, folder: Path, path: str, *, accept: bool = False, elsewhere: Elsewhere | None = None
) -> Adoption:
    """Say what an edited document comes to; nothing is written.

    Args:
        memory: the ledger, whose index is caught up.
        folder: where the document lies.
        path: its path in it.
        accept: a person has said that what it takes out is meant.
        elsewhere: what other documents say; what stands there was moved, and not taken out.
    """
    with (folder / path).open("rb") as stream:
        status = os.fstat(stream.fileno())
        data = stream.read()
    adoption = Adoption(path, digest(data), status)
    if len(data) > MAX_BYTES:
        adoption.guard = f"larger than {MAX_BYTES >> 20} MiB: make it smaller; the log goes on meanwhile"
        return adoption
    lines = data.count(b"\n")
    if lines > MAX_LINES:
        adoption.guard = f"longer than {MAX_LINES:,} lines: make it shorter; the log goes on meanwhile"
        return adoption
    renderings = Renderings(memory, folder, path)
    try:
        units, compared = read_document(memory, data, path, renderings)
    except RecordError as error:
        adoption.guard = str(error).replace("imported", "taken in").replace("import it again", "go on")
        return adoption
    set_back = memory.local.is_rendering(folder, path, adoption.digest)
    base, edits = renderings.base_of(units, compared, last=set_back or not units)
    adoption.units = units
    adoption.entries = {shown.key: shown.id for shown in base if shown.key}
    keys = {id_: key for key, id_ in adoption.entries.items()}
    gone = [edit.proposal.targets[0] for edit in edits if edit.proposal.action == "delete"]
    adoption.gone = {keys[id_]: id_ for id_ in gone if id_ in keys}
    _settle(adoption, list(_moved(edits, adoption, elsewhere or Elsewhere(), memory.index)), memory)
    if not accept:
        adoption.guard = _mass_deletion(adoption, len(base), empty=not units)
    return adoption


def _moved(edits: Iterable[Edit], adoption: Adoption, elsewhere: Elsewhere, index: Index) -> Iterator[Edit]:
    """Give the edits; what left one document for another is one supersede there, and no delete here (D-7)."""
    keys = {unit.line: unit.key for unit in adoption.units}
    moved = {id_ for key, id_ in adoption.gone.items() if key in elsewhere.standing}
    for edit in edits:
        proposal = edit.proposal
        if proposal.action == "delete":
            if proposal.targets[0] not in moved:
                yield edit
            continue
        id_ = elsewhere.gone.get(keys.get(edit.line, b"")) if proposal.action == "create" else None
        entry = index.entry(id_) if id_ else None
        if entry is None or proposal.memory is None or index.same(proposal.memory) is not None:
            yield edit
        else:
            yield Edit(Proposal("supersede", _brought(entry.memory, proposal.memory), (entry.id,)), edit.line)


def _brought(old: Memory, new: Memory) -> Memory:
    """Return a memory as it is in the document to which it was moved."""
    where = replace(old.provenance, file=new.provenance.file, date=new.provenance.date or old.provenance.date)
    return replace(
        old, section=new.section, topic=new.topic, tier=new.tier, place=new.place, provenance=where
    )


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
            rule = secret_in(memory, proposal.memory)
            if rule:
                adoption.held[edit.line] = rule
                gone += _given_up(index, edit)
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


def _given_up(index: Index, edit: Edit) -> tuple[str, ...]:
    """Return the memory in whose place a text stands now that is held back, where that is another text."""
    old = index.entry(edit.proposal.targets[0]) if edit.proposal.targets else None
    new = edit.proposal.memory
    if old is None or new is None or old.status not in ("active", "candidate") or alike(old.memory, new):
        return ()
    return (old.id,)


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
    if (same := index.same(memory)) is not None:
        entry = index.entry(same)
        return Confirm((same,)) if entry is not None and entry.status == "candidate" else None
    deleted = index.deleted_same(memory)
    return Create(memory) if deleted is None else Supersede((deleted,), memory, restore=True)


def _says(entry: Entry, memory: Memory) -> bool:
    return (
        entry.status == "active"
        and said(entry.memory) == said(memory)
        and _besides(entry.memory) == _besides(memory)
    )


_besides = attrgetter("place", "title", "topic", "when_to_use", "tags", "importance", "extra")
"""What documents show or follow of a memory beside what `said` gives."""


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
    done = []
    for path, elsewhere in _edits(memory, folder, paths):
        done.append(_adopted(memory, folder, path, accept=accept, elsewhere=elsewhere))
    return done


def examined(
    memory: Keeping, folder: Path, paths: Iterable[str] | None = None, *, accept: bool = False
) -> Iterator[Adoption]:
    """Say what `adopt` would do; nothing is written."""
    for path, elsewhere in _edits(memory, folder, paths):
        yield examine(memory, folder, path, accept=accept, elsewhere=elsewhere)


def _edits(memory: Keeping, folder: Path, paths: Iterable[str] | None) -> Iterator[tuple[str, Elsewhere]]:
    """Give the edited documents among `paths`, each with what all the others say."""
    everywhere = list(edited(memory.documents(folder), memory.local))
    looks = {path: examine(memory, folder, path) for path in everywhere} if len(everywhere) > 1 else {}
    for path in everywhere if paths is None else list(edited(memory.documents(folder), memory.local, paths)):
        others = [look for other, look in looks.items() if other != path]
        standing = {unit.key for look in others for unit in look.units}
        gone = {key: id_ for look in others if not look.guard for key, id_ in look.gone.items()}
        yield path, Elsewhere(standing, gone)


def _adopted(memory: Keeping, folder: Path, path: str, *, accept: bool, elsewhere: Elsewhere) -> Adoption:
    """Take one document's edit in; look again where the log went on between the look and the write."""
    refused = ""
    for _ in range(_LOOKS):
        adoption = examine(memory, folder, path, accept=accept, elsewhere=elsewhere)
        if adoption.guard:
            return adoption
        results: list[Written] = []
        try:
            if adoption.commands:
                by = By(memory.by.name, "user", "edit")
                results = memory.write(adoption.commands, by, render=False)
        except (NotFoundError, RecordError, StateError) as error:
            refused = str(error)
            continue
        _remember(memory, folder, adoption, results)
        return adoption
    adoption = examine(memory, folder, path, accept=accept, elsewhere=elsewhere)
    adoption.guard = f"not taken in: {refused}"
    return adoption


def _remember(memory: Keeping, folder: Path, adoption: Adoption, results: Sequence[Written]) -> None:
    """Note what the document says as what the next edit descends from, and that ours may take its place (D-2)."""
    new = {line: written.id for line, written in zip(adoption.lines, results, strict=True) if line}
    blocks = []
    for unit in adoption.units:
        id_ = new.get(unit.line) or adoption.entries.get(unit.key) or memory.index.same(unit.memory)
        if id_ and unit.line not in adoption.held:
            blocks.append(ShownBlock(id_[:32], unit.key, unit.stale))
    digest_ = (
        adoption.digest if not adoption.held else ""
    )  # of one that holds a secret nothing takes the place
    memory.local.settle(folder, adoption.path, digest_, adoption.status, packed(blocks), keys_of(blocks))
