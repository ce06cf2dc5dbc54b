"""Takes what a person changed in a document into the log, before the document is written again.

Implements specs/editing.md (D-2, D-8, D-10…D-12, D-15…D-17). `capture.edits` says what an edit means; here
it meets the log as it is now: what was erased, deleted or replaced since stays so, and a second look at the same edit changes nothing. A
part of the composition root beside memledger.py (specs/adr/0001).
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from capture.daily_notes import day_of
from capture.edits import Edit, Shown, alike, compare, said
from capture.memory_file import Page
from capture.memory_units import Unit, read_units
from ledger.command import Command, Confirm, Create, Delete, Supersede, Written
from ledger.errors import NotFoundError, RecordError, SecretError, StateError
from ledger.event import By
from ledger.memory import Memory
from projections import commonmark
from projections.committed import is_tracked
from projections.edited import edited
from projections.files import digest
from projections.shown import ShownBlock, key_maker, keys_of, packed, unpacked

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
_A_CHANGE = 0.5
"""What a change counts, where something that came or went counts one: how far a document is from a rendering."""
_IN_PLACE = ("supersede", "confirm")
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
    units: list[Unit] = field(default_factory=list)
    entries: dict[bytes, str] = field(default_factory=dict)
    """The ids of the entries of the base by the keys of their blocks."""

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


def examine(
    memory: Keeping, folder: Path, path: str, *, accept: bool = False, elsewhere: Collection[bytes] = ()
) -> Adoption:
    """Say what an edited document comes to; nothing is written.

    Args:
        memory: the ledger, whose index is caught up.
        folder: where the document lies.
        path: its path in it.
        accept: a person has said that what it takes out is meant.
        elsewhere: the keys of what stands in other documents; what is there was moved and not taken out.
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
    renderings = _Renderings(memory, folder, path)
    day = day_of(Path(path).name)
    page = Page(path, title=day or commonmark.TITLE, day=day, unescape=commonmark.unescape)
    try:
        units, headings = read_units(data, page, key_maker(memory.local.secret()), renderings.keys)
    except RecordError as error:
        adoption.guard = str(error).replace("imported", "taken in").replace("import it again", "go on")
        return adoption
    units = [unit for unit in units if not renderings.is_erased(unit.key)]
    set_back = memory.local.is_rendering(folder, path, adoption.digest)
    base, edits = renderings.base_of(units, headings, last=set_back or not units)
    adoption.units = units
    adoption.entries = {shown.key: shown.id for shown in base if shown.key}
    moved = {shown.id for shown in base if shown.key in elsewhere}
    _settle(adoption, [edit for edit in edits if not _takes_out(edit, moved)], memory)
    if not accept:
        adoption.guard = _mass_deletion(adoption, len(base), empty=not units)
    return adoption


class _Renderings:
    """What the remembered renderings of a document showed, the latest first; those of this folder before others."""

    def __init__(self, memory: Keeping, folder: Path, path: str) -> None:
        self._memory = memory
        self._index = memory.index
        self._local = memory.local
        self._folder = folder
        self._path = path
        own = [blocks for _, blocks in memory.local.shown(folder, path)]
        self._all = [unpacked(blocks) for blocks in [*own, *memory.local.shown_elsewhere(folder, path)]]
        self._entries: dict[str, tuple[str, Memory | None]] = {}
        self.keys = {block.key for blocks in self._all for block in blocks if block.key}

    def is_erased(self, key: bytes) -> bool:
        """Say whether a block with this key was ever rendered for a memory that is erased now (D-2)."""
        id_ = self._local.id_of_block(key)
        return bool(id_) and self._entry(id_)[1] is None

    def base_of(
        self, units: Sequence[Unit], headings: Mapping[str, int], *, last: bool
    ) -> tuple[list[Shown], list[Edit]]:
        """Return the rendering that a document descends from, and what it takes to come from it (D-2).

        Args:
            units: the document's.
            headings: its own headings.
            last: it is the last one in any case.
        """
        first = self._compared(self._all[0] if self._all else [], units, headings)
        if last or all(edit.proposal.action == "create" for edit in first[1]):
            return first
        if is_tracked(self._folder, self._path):
            return self._closest(first, units, headings)
        if not self._may_be_older(units, first):
            return first
        there = Counter(unit.key for unit in units)
        newest = {block.key for block in self._all[0]}
        for blocks in self._all[1:]:
            shown = Counter(block.key for block in blocks if block.key)
            if shown and shown <= there and not (newest - shown.keys()) & there.keys():
                return self._compared(blocks, units, headings)  # it only adds to this one
        return first

    def _may_be_older(self, units: Sequence[Unit], first: tuple[list[Shown], list[Edit]]) -> bool:
        """Say whether a document lacks what came last, or has what was replaced, and something was typed besides.

        Who only takes something out has seen it.
        """
        base, edits = first
        said_before = {shown.id: shown.memory for shown in base}
        keys = {unit.line: unit.key for unit in units}
        typed = lacking = False
        for edit in edits:
            action, now = edit.proposal.action, edit.proposal.memory
            if action == "delete":
                lacking = True
            elif now is not None:
                known = keys.get(edit.line) in self.keys
                before = said_before.get(edit.proposal.targets[0]) if action == "supersede" else None
                lacking |= action == "supersede" and (known or before is None or not alike(before, now))
                typed |= not known and not _secret_in(self._memory, now)
        return typed and lacking

    def _closest(
        self, best: tuple[list[Shown], list[Edit]], units: Sequence[Unit], headings: Mapping[str, int]
    ) -> tuple[list[Shown], list[Edit]]:
        """Return the rendering from which the fewest changes lead to a document that git may have brought."""
        least = _distance(best[1])
        there = Counter(unit.key for unit in units)
        for blocks in self._all[1:]:
            unknown = (there - Counter(block.key for block in blocks)).total()
            if unknown * _A_CHANGE < least:  # else it cannot be closer
                compared = self._compared(blocks, units, headings)
                if (distance := _distance(compared[1])) < least:
                    best, least = compared, distance
        return best

    def _compared(
        self, blocks: Sequence[ShownBlock], units: Sequence[Unit], headings: Mapping[str, int]
    ) -> tuple[list[Shown], list[Edit]]:
        base = [self._shown(block) for block in blocks]
        return base, compare(units, headings, base, document=self._path)

    def _shown(self, block: ShownBlock) -> Shown:
        id_, memory = self._entry(block.id)
        return Shown(id_, block.key, memory, block.stale)

    def _entry(self, prefix: str) -> tuple[str, Memory | None]:
        """Return the full id and the memory of an entry, None where it is erased or unknown."""
        if prefix not in self._entries:
            ids = self._index.ids(prefix)
            entry = self._index.entry(ids[0]) if len(ids) == 1 else None
            stands = entry is not None and entry.status != "erased"
            self._entries[prefix] = (ids[0] if ids else prefix, entry.memory if entry and stands else None)
        return self._entries[prefix]


def _takes_out(edit: Edit, ids: Collection[str]) -> bool:
    return edit.proposal.action == "delete" and edit.proposal.targets[0] in ids


def _distance(edits: Iterable[Edit]) -> float:
    return sum(_A_CHANGE if edit.proposal.action in _IN_PLACE else 1 for edit in edits)


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
    if (same := index.same(memory)) is not None:
        entry = index.entry(same)
        return Confirm((same,)) if entry is not None and entry.status == "candidate" else None
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
    everywhere = list(edited(memory.documents(folder), memory.local))
    stands = {}
    if len(everywhere) > 1:
        stands = {path: {unit.key for unit in examine(memory, folder, path).units} for path in everywhere}
    done = []
    for path in everywhere if paths is None else list(edited(memory.documents(folder), memory.local, paths)):
        elsewhere = {key for other, keys in stands.items() if other != path for key in keys}
        done.append(_adopted(memory, folder, path, accept=accept, elsewhere=elsewhere))
    return done


def _adopted(
    memory: Keeping, folder: Path, path: str, *, accept: bool, elsewhere: Collection[bytes]
) -> Adoption:
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
