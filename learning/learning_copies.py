"""Lists the files where learning keeps people's words until it has learned them, for an erasure.

Implements specs/erasure.md (Z-7): the outbox, and agents' memory folders that `sync` reads.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from pathlib import Path

from learning import agent_memory_records, erased_entries
from learning.outbox import OUTBOX
from projections.copy_places import NAMED, WHOLE, Copy, files_in
from projections.workspace import Workspace


class LearnedCopies:
    """The copies that learning keeps (`projections.copy_places.CopyPlaces`)."""

    def copies(self, workspace: Workspace, ledger_id: str) -> Iterator[Copy]:
        """Yield the files of outbox and followed folders."""
        for path in files_in(workspace.home.state / OUTBOX / ledger_id):
            yield Copy(path, "outbox", WHOLE)
        for folder in agent_memory_records.followed(workspace):
            for path in sorted(each for each in folder.rglob("*.md") if each.is_file()):
                yield Copy(path, "memory of an agent", NAMED)

    def forget(self, workspace: Workspace, ids: Collection[str], holds: Callable[[Path], bool]) -> None:
        """Forget the digests of erased memories; keep those of texts that a file still has, so that `sync` skips them."""
        agent_memory_records.forget(workspace, ids, holds)
        erased_entries.note(workspace, ids)
