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

    `key` is that of its block, b"" if it has no lines; `memory` what it says, None if that was erased;
    `stale` tells that it bore the mark; `gone` that it had been taken out already, so that nothing is it, changed.
    `lineage` is the id that all its versions have in common, `follows` that of the entry behind which it was placed,
    "" for none.
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
    """A unit of the document, and the entry of the rendering that it is; `kept` where it stayed in its place."""

    unit: Unit
    shown: int | None = None
    kept: bool = False

    @property
    def is_new(self) -> bool:
        """Whether it is not an entry of the rendering."""
        return self.shown is None
