"""Which memory a line is that stood once and stands no more: who cuts it and pastes it back has not learned it anew.

Implements specs/editing.md (D-73) on the ledger's side: local.db knows the keys of all blocks that were ever rendered,
the log what became of their entries.
"""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import cached_property
from typing import TYPE_CHECKING

from documents.reading.edits import said
from documents.reading.forms import is_block, unmarked, words_said
from documents.reading.memory_units import Unit
from documents.reading.shown_entries import GoneMemories, Once
from ledger.fold import Entry
from ledger.instant import written
from ledger.memory import Memory
from projections.index import Index

if TYPE_CHECKING:
    from projections.workspace import Workspace


_LATELY = 86_400_000_000
"""So long, in microseconds, a line that was taken out may come back changed: a day."""
_MOST = 100
"""So many of those that were taken out last are looked at."""
_NEARLY = 0.8
"""From this likeness on (0 to 1, `difflib`) one is it."""


class Formerly(GoneMemories):
    """What the log knows of memories that stand no more; each unit is looked for once."""

    def __init__(self, memory: Workspace) -> None:
        self._memory = memory
        self._found: dict[int, Once | None] = {}
        self._near: dict[int, Once | None] = {}

    def exactly(self, unit: Unit) -> Once | None:
        """Return the memory that said what a unit says and stands no more, None for none."""
        if unit.line not in self._found:
            self._found[unit.line] = _once(self._memory, unit)
        return self._found[unit.line]

    def nearly(self, unit: Unit) -> Once | None:
        """Return the memory most like a unit of those that edits took out within a day, None for none."""
        if unit.line not in self._near:
            self._near[unit.line] = self._most_like(unit)
        return self._near[unit.line]

    def _most_like(self, unit: Unit) -> Once | None:
        new = unit.unwrapped or unit.memory
        if not self._lately or new.topic or self._memory.index.same(unit.memory) is not None:
            return None
        matcher = SequenceMatcher(None, autojunk=False)
        matcher.set_seq2(_line(new))
        best, found = _NEARLY, None
        for words, entry in self._lately:
            matcher.set_seq1(words)
            if matcher.real_quick_ratio() >= best and matcher.quick_ratio() >= best:
                likeness = matcher.ratio()
                if likeness > best or (found is None and likeness == best):
                    best, found = likeness, entry
        return None if found is None else Once(found.id, found.memory)

    @cached_property
    def _lately(self) -> list[tuple[str, Entry]]:
        """What edits took out within a day, with its words, the latest last."""
        index, now = self._memory.index, self._memory.clock()
        entries = [index.entry(id_) for id_ in index.taken_out_since(written(now - _LATELY), _MOST)]
        gone = [entry for entry in entries if entry is not None and entry.status == "deleted"]
        return [(_line(entry.memory), entry) for entry in gone if not entry.memory.topic]


def _line(memory: Memory) -> str:
    """Return what is compared: a bullet's text, a block's lines."""
    return words_said(memory) if is_block(memory) else unmarked(memory.text).casefold()


def _once(memory: Workspace, unit: Unit) -> Once | None:
    index = memory.index
    if index.same(unit.memory) is not None or (unit.unwrapped and index.same(unit.unwrapped) is not None):
        return None
    deleted = index.deleted_same(unit.unwrapped or unit.memory)
    entry = index.entry(deleted) if deleted else None
    for key in dict.fromkeys((unit.key, unit.flat)):
        prefix = memory.local.id_of_block(key) if entry is None and key else ""
        ids = index.ids(prefix) if prefix else []
        entry = entry or (index.entry(ids[0]) if len(ids) == 1 else None)
    return None if entry is None else _of(index, entry)


def _of(index: Index, entry: Entry) -> Once | None:
    """Return what a memory was last that said this, None where a version of it that stands says so still."""
    versions = {entry.id: entry}
    todo = [*entry.superseded_by]
    while todo:
        id_ = todo.pop()
        if id_ not in versions and (newer := index.entry(id_)) is not None:
            versions[id_] = newer
            todo += newer.superseded_by
    what = said(entry.memory)[1:]
    last = entry
    for each in versions.values():
        if each.status == "erased" or said(each.memory)[1:] != what:
            continue
        if each.status in ("active", "candidate"):
            return None
        last = max(last, each, key=lambda version: version.seq)
    if last.status == "erased":
        return None
    return Once(last.id, last.memory, frozenset(versions))
