"""Compares an earlier rendering, to which git or a copy set a document back, with the last one.

Implements specs/editing.md (D-39) with the renderings that local.db remembers.
"""

from __future__ import annotations

from pathlib import Path

from ledger.fold import Entry
from projections.index import Index
from projections.local import Local
from projections.shown_blocks import digest, unpacked


class Earlier:
    """The earlier renderings of the documents of one folder.

    Args:
        folder: the folder.
        index: a caught-up index.
        local: it remembers the renderings.
    """

    def __init__(self, folder: Path, index: Index, local: Local) -> None:
        self._folder = folder
        self._index = index
        self._local = local

    def lacking(self, path: str, data: bytes) -> list[str]:
        """Return the ids of current entries that were shown last and that an earlier rendering with `data` lacks."""
        now = digest(data)
        shown = [(name, unpacked(blocks)) for name, blocks in self._local.shown(self._folder, path)]
        there = next(({block.id for block in blocks} for name, blocks in shown if name == now), None)
        if there is None:
            return []
        entries = (self.entry(block.id) for block in shown[0][1] if block.key and block.id not in there)
        return [entry.id for entry in entries if entry is not None and entry.status == "active"]

    def deletes(self, path: str, data: bytes) -> list[str]:
        """Return the ids of the deletes of entries in a rendering with `data`, each once."""
        shown = self._local.shown_as(self._folder, path, digest(data))
        entries = [self.entry(block.id) for block in unpacked(shown)]
        ids = [entry.deleted_by[-1] for entry in entries if entry is not None and entry.status == "deleted"]
        return list(dict.fromkeys(ids))

    def entry(self, prefix: str) -> Entry | None:
        """Return a memory by its id or a prefix of it, or None."""
        ids = self._index.ids(prefix)
        return self._index.entry(ids[0]) if len(ids) == 1 else None
