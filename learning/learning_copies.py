"""The files in which learning keeps words of people until they are learned, for an erasure.

Implements specs/erasure.md (Z-7): the outbox, and the memory folders of agents that `sync` reads.
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
        """Forget the digests by which `sync` knows erased memories; what a file says still stays known, and is not learned again."""
        agent_memory_records.forget(workspace, ids, holds)
        erased_entries.note(workspace, ids)
