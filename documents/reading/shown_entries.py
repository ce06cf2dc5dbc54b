"""The entries of an edited document, compared with those that a rendering showed.

Implements specs/editing.md (D-3) as values.
"""

from __future__ import annotations

from dataclasses import dataclass

from documents.reading.memory_units import Unit
from ledger.memory import Memory


@dataclass(frozen=True, slots=True)
class Shown:
    """An entry as a rendering showed it.

    `key` is that of its block, b"" if it has no lines; `memory` is None if it was erased; `stale` if it had the stale
    mark; `gone` if it was removed before, so that no unit matches it. `lineage` is the id that all its versions share,
    `follows` the lineage of the entry after which it was placed, or "".
    """

    id: str
    key: bytes
    memory: Memory | None
    stale: bool = False
    gone: bool = False
    lineage: str = ""
    follows: str = ""


@dataclass(slots=True)
class MatchedUnit:
    """A unit of the document with the position of its entry in the rendering; `kept` if it stayed in its place."""

    unit: Unit
    shown: int | None = None
    kept: bool = False

    @property
    def is_new(self) -> bool:
        """Whether the rendering has no entry for it."""
        return self.shown is None
