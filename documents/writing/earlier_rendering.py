"""What an earlier rendering of a document lacks and says, where git or a copy set it back.

Implements specs/editing.md (D-38, D-39) over what local.db remembers of renderings.
"""

from __future__ import annotations

from documents.git.repository import Repository
from documents.git.reverted import reverted
from ledger.fold import Entry
from ledger.instant import written
from projections.index import Index
from projections.line_endings import styled
from projections.local import Local
from projections.shown_blocks import digest, unpacked


class Earlier:
    """The earlier renderings of the documents of one folder.

    Args:
        git: what git knows of the folder.
        index: a caught-up index.
        local: where renderings are noted.
    """

    def __init__(self, git: Repository, index: Index, local: Local) -> None:
        self._git = git
        self._folder = git.folder
        self._index = index
        self._local = local

    def reverted(self, path: str, data: bytes) -> tuple[set[bytes], set[bytes]]:
        """Return the keys of the blocks that this user's commits took out of a document that git set back, and brought back.

        What was learned since such a commit was not taken out, though it say the same (D-38); what was deleted since
        was not brought back (D-38).
        """
        shown = [(name, unpacked(blocks)) for name, blocks in self._local.shown(self._folder, path)]
        keys = {name: [block.key for block in blocks if block.key] for name, blocks in reversed(shown)}
        style = self._local.style(self._folder, path)
        now = digest(data)
        out, back = reverted(
            self._git, path, now, keys, lambda had: (digest(had), digest(styled(had, style)))
        )
        last = {block.key: block.id for block in shown[0][1]} if shown else {}
        there = {block.key: block.id for name, blocks in shown if name == now for block in blocks}
        return (
            {key for key, at in out.items() if self._is_of(last.get(key, ""), "active", (at + 1) * 10**6)},
            {key for key, at in back.items() if self._is_of(there.get(key, ""), "deleted", at * 10**6)},
        )

    def _is_of(self, prefix: str, status: str, instant: int) -> bool:
        """Say whether a memory stands, or is deleted, since before an instant (µs)."""
        entry = self.entry(prefix) if prefix else None
        if entry is None or (status == "deleted" and entry.status != status):
            return False
        since = self._index.said_until(entry.memory) if status == "deleted" else entry.ts
        return since < written(instant)

    def lacking(self, path: str, data: bytes) -> list[str]:
        """Return the ids of what stands and was shown last, and what an earlier rendering that holds `data` lacks."""
        now = digest(data)
        shown = [(name, unpacked(blocks)) for name, blocks in self._local.shown(self._folder, path)]
        there = next(({block.id for block in blocks} for name, blocks in shown if name == now), None)
        if there is None:
            return []
        entries = (self.entry(block.id) for block in shown[0][1] if block.key and block.id not in there)
        return [entry.id for entry in entries if entry is not None and entry.status == "active"]

    def deletes(self, path: str, data: bytes) -> list[str]:
        """Return the ids of the deletes of what a rendering that holds `data` says and says no more, each once."""
        shown = dict(reversed(self._local.shown(self._folder, path))).get(digest(data), b"")
        entries = [self.entry(block.id) for block in unpacked(shown)]
        ids = [entry.deleted_by[-1] for entry in entries if entry is not None and entry.status == "deleted"]
        return list(dict.fromkeys(ids))

    def entry(self, prefix: str) -> Entry | None:
        """Return a memory by its id or the beginning of that, None where there is none."""
        ids = self._index.ids(prefix)
        return self._index.entry(ids[0]) if len(ids) == 1 else None
