"""The content of the other documents of a folder: an entry that left one document for another was moved, not removed.

Implements specs/editing.md (D-7, D-35).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path

from documents.adopting.adoption import Adoption
from documents.proposal import Proposal
from documents.reading.edits import Edit
from documents.reading.memory_units import Unit
from documents.reading.shown_entries import Shown
from ledger.durable import read_file
from ledger.memory import Memory
from projections.index import Index
from projections.local import Local
from projections.shown_blocks import digest, unpacked

SaidKey = tuple[object, ...]


class Elsewhere:
    """The content of all documents of a folder except one.

    Args:
        looks: every edited or new document of the folder, each examined by itself.
        path: the path of the excepted document.
        folder: the folder.
        local: it remembers the content of the documents that nobody edited.
    """

    def __init__(self, looks: Mapping[str, Adoption], path: str, folder: Path, local: Local) -> None:
        others = [look for other, look in looks.items() if other != path]
        self._edited = {path, *looks}
        self._folder = folder
        self._local = local
        self._standing: dict[bytes, str] = {}
        self._said: set[SaidKey] = set()
        self._gone: dict[bytes | SaidKey, str] = {}
        self.unread = [look.path for look in others if look.unread]
        """The paths of the documents that cannot be read."""
        for look in others:
            self._standing.update((unit.key, look.entries.get(unit.key, "")) for unit in look.units)
            self._said.update(said(unit.memory) for unit in look.units if unit.key not in look.entries)
            left = set(look.gone.values())
            self._gone.update((shown.key, shown.id) for shown in look.base if shown.id in left)
            self._gone.update(
                (said(shown.memory), shown.id) for shown in look.base if shown.memory and shown.id in left
            )

    def has(self, shown: Shown) -> bool:
        """Return whether another document has an entry that is missing in this one."""
        if self._standing.get(shown.key, "-") in ("", shown.id):
            return True
        return (shown.memory is not None and said(shown.memory) in self._said) or shown.id[:32] in self._ids

    def having(self, base: Iterable[Shown], units: Iterable[Unit], edits: Iterable[Edit]) -> set[str]:
        """Return the ids of entries of the base that the document lacks and others have."""
        if not any(edit.proposal.targets for edit in edits):
            return set()
        there = {unit.key for unit in units}
        return {shown.id for shown in base if shown.key not in there and self.has(shown)}

    def lost(self, key: bytes, memory: Memory) -> str:
        """Return the id of the entry that moved from another document into this one, or ""."""
        return self._gone.get(key) or self._gone.get(said(memory)) or ""

    @cached_property
    def _ids(self) -> set[str]:
        """The id prefixes of the entries in documents that nobody edited."""
        found = set()
        for path, last in self._local.shown_last(self._folder).items():
            if path in self._edited:
                continue
            try:
                now = digest(read_file(self._folder / path))
            except OSError:
                continue
            blocks = dict(reversed(self._local.shown(self._folder, path))).get(
                now, last
            )  # git may have set it back
            found |= {block.id for block in unpacked(blocks)}
        return found


def moved(edits: Iterable[Edit], adoption: Adoption, elsewhere: Elsewhere, index: Index) -> Iterator[Edit]:
    """Yield the edits; a moved entry is one supersede in its new document, and no delete in the old one."""
    keys = {unit.line: unit.key for unit in adoption.units}
    base = {shown.id: shown for shown in adoption.base}
    for edit in edits:
        proposal = edit.proposal
        if proposal.action == "delete":
            if not elsewhere.has(base[proposal.targets[0]]):
                yield edit
            continue
        new = proposal.memory
        if proposal.action != "create" or new is None or index.same(new) is not None:
            yield edit
            continue
        id_ = elsewhere.lost(keys.get(edit.line, b""), new)
        entry = index.entry(id_) if id_ else None
        if entry is None:
            yield edit
        else:
            yield Edit(Proposal("supersede", _brought(entry.memory, new), (entry.id,)), edit.line)


def said(memory: Memory) -> SaidKey:
    """Return the words of a memory, which are the same in a document of any kind."""
    return (memory.text.strip(), memory.details, memory.body.strip())


def _brought(old: Memory, new: Memory) -> Memory:
    """Return a memory as it is in the document to which it was moved."""
    where = old.provenance._replace(file=new.provenance.file, date=new.provenance.date or old.provenance.date)
    return old._replace(
        section=new.section,
        topic=new.topic,
        tier=new.tier,
        place=new.place,
        when_to_use=new.when_to_use or old.when_to_use,
        tags=new.tags or old.tags,
        provenance=where,
    )
