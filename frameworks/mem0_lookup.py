"""Finds mem0's memories in a ledger: by their ids, by whose they are, by words.

Implements specs/frameworks.md (FW-3, FW-12, FW-13).
"""

from __future__ import annotations

from collections.abc import Mapping

from documents.other_memories.mem0_records import NAME, is_of, tags_of
from frameworks.framework_records import FrameworkRecords
from language.printable import redacted
from ledger.errors import AmbiguousIdError, NotFoundError, UsageError
from ledger.fold import Entry
from ledger.instant import written
from muniment import MemoryLedger
from projections.search import Hit


class Mem0Records(FrameworkRecords):
    """The records of mem0 in one ledger."""

    def __init__(self, ledger: MemoryLedger | None) -> None:
        super().__init__(NAME, ledger)

    def today(self) -> str:
        """Return the day, in UTC."""
        return written(self.ledger.workspace.clock())[:10]

    def versions(self, memory_id: str) -> list[Entry]:
        """Return all versions of a memory, oldest first."""
        try:
            versions = self.ledger.history(memory_id)
        except (NotFoundError, UsageError, AmbiguousIdError):
            return []
        return versions if any(NAME in each.memory.tags for each in versions) else []

    def current(self, memory_id: str) -> Entry | None:
        """Return the newest version of a memory, None if it was deleted or never was."""
        versions = self.versions(memory_id)
        return versions[-1] if versions and versions[-1].live else None

    def found(self, memory_id: str) -> Entry:
        """Return the newest version of a memory.

        Raises:
            ValueError: there is none.
        """
        entry = self.current(memory_id)
        if entry is None:
            raise ValueError(f"no memory of mem0 has the id {redacted(str(memory_id))}")
        return entry

    def those(self, ids: Mapping[str, str]) -> list[Entry]:
        """Return the memories that have all these ids, oldest first."""
        return [each for each in self.standing(tags=tags_of(ids)) if is_of(each, ids)]

    def hits(self, query: str, limit: int, ids: Mapping[str, str]) -> list[Hit]:
        """Return the best of them for the words of a query, best first."""
        return [each for each in self.search(query, limit, tags_of(ids)) if is_of(each.entry, ids)]
