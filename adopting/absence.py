"""What is missing in a document that git put where it is: its writer never saw it, or a commit took it out.

Implements specs/editing.md (D-45). Bytes that another machine rendered, or that a merge made, are no rendering of this
copy; where a commit has them, only HEAD's own history tells what somebody took out from what came later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from adopting.descent import keys_in
from ledger.instant import written
from projections.committed import Version, is_version, may_have_restored, versions

if TYPE_CHECKING:
    from capture.matching import Shown
    from capture.memory_units import Unit
    from keeping import Keeping

_MOST = 64
"""So many commits of a document are asked."""


class Past:
    """What git's history says of a document.

    Args:
        memory: the ledger.
        folder: where the document lies.
        path: its path in it.
        data: its bytes.
        changed: its time of change, in ns since 1970.
    """

    def __init__(self, memory: Keeping, folder: Path, path: str, data: bytes, changed: int) -> None:
        self._memory = memory
        self._folder = folder
        self._path = path
        self._data = data
        self.explains = may_have_restored(folder, path, data, changed) and is_version(
            folder, path, data, _MOST
        )
        """Whether git put these bytes there: a commit has them, and nobody typed them here."""

    def unseen(self, base: Sequence[Shown], units: Sequence[Unit]) -> list[str]:
        """Return the ids of what the document lacks and its writer did not see, as far as git's history tells.

        That is all that no version in HEAD's history has; and what was learned again since it was taken out.
        """
        there = {unit.key for unit in units}
        missing = {
            shown.key: shown
            for shown in base
            if shown.key and shown.memory is not None and not shown.gone and shown.key not in there
        }
        if not missing or not self.explains:
            return []
        taken = dict(self._taken_out(set(missing)))
        beside: set[bytes] = set()
        if taken:
            for version in versions(self._folder, self._path, _MOST, beside=True):
                beside |= keys_in(self._memory, version.data, self._path, set(taken))
        return [
            shown.id
            for key, shown in missing.items()
            if key not in taken or self._is_newer(shown.id, taken[key], standing=key in beside)
        ]

    def _taken_out(self, wanted: set[bytes]) -> Iterator[tuple[bytes, int]]:
        """Give the keys of blocks that an older version of HEAD's history had, with when they went (seconds)."""
        history = versions(self._folder, self._path, _MOST)
        if not history or history[0].data.split() != self._data.split():
            return
        newer: Version = history[0]
        known: dict[bytes, set[bytes]] = {}
        for version in history[1:]:
            if version.data not in known:
                known[version.data] = keys_in(self._memory, version.data, self._path, wanted) & wanted
            for key in known[version.data] & wanted:
                yield key, newer.at
            wanted = wanted - known[version.data]
            if not wanted:
                return
            newer = version

    def _is_newer(self, id_: str, gone: int, *, standing: bool) -> bool:
        """Say whether a memory was learned after a commit took it out.

        What came through git was learned when it was pulled: it is newer where a commit that HEAD does not have has it.
        """
        entry = self._memory.index.entry(id_)
        if entry is None or entry.ts < written((gone + 1) * 10**6):
            return False
        return entry.by.via != "git" or standing
