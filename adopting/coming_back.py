"""Which memory a line is that stood once and stands no more: who cuts it and pastes it back has not learned it anew.

Implements specs/editing.md (D-73) on the ledger's side: local.db knows the keys of all blocks that were ever rendered,
the log what became of their entries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from capture.documents.edits import said
from capture.documents.matching import Known, Once

if TYPE_CHECKING:
    from capture.documents.memory_units import Unit
    from keeping import Keeping
    from ledger.fold import Entry
    from projections.index import Index


def formerly(memory: Keeping) -> Known:
    """Return what says which memory that stands no more a unit is; each unit is looked for once."""
    found: dict[int, Once | None] = {}

    def known(unit: Unit) -> Once | None:
        if unit.line not in found:
            found[unit.line] = _once(memory, unit)
        return found[unit.line]

    return known


def _once(memory: Keeping, unit: Unit) -> Once | None:
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
