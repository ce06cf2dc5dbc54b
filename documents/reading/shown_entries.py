"""What stands in an edited document, and what it was: entries that a rendering showed, and units that are them.

Implements specs/editing.md (D-3, D-61, D-73, D-74) as values.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from documents.reading.memory_units import Unit
from ledger.memory import Memory


@dataclass(frozen=True, slots=True)
class Shown:
    """An entry as a rendering showed it.

    `key` is that of its block, b"" where it has no lines; `memory` what it says, None where that was erased;
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


@dataclass(frozen=True, slots=True)
class Once:
    """A memory that says what a unit says and stands no more: deleted, or replaced by what says something else.

    `became` are the ids of all that it became by supersedes.
    """

    id: str
    memory: Memory
    became: frozenset[str] = frozenset()


class GoneMemories:
    """What is known of memories that stand no more; here nothing."""

    def exactly(self, unit: Unit) -> Once | None:  # noqa: ARG002
        """Return the one that said what a unit says, None for none."""
        return None

    def nearly(self, unit: Unit) -> Once | None:  # noqa: ARG002
        """Return one that was taken out lately and said nearly what a unit says, None for none."""
        return None


NOTHING = GoneMemories()


@dataclass(slots=True)
class MatchedUnit:
    """A unit of the document, and the entry of the rendering that it is; `kept` where it stayed in its place.

    `joined` are other entries whose words stand in it now (D-61, D-74), each after the one that it is; `part_of` is
    the entry of which a unit that is none says a part (D-74), `once` the memory that comes back with it (D-73);
    `doubled` are units that say the same in its list (D-70).
    """

    unit: Unit
    shown: int | None = None
    kept: bool = False
    joined: list[int] = field(default_factory=list)
    part_of: int | None = None
    once: Once | None = None
    doubled: list[Unit] = field(default_factory=list)

    @property
    def is_new(self) -> bool:
        """Whether it is no entry of the rendering, no part of one, and nothing that comes back."""
        return self.shown is None and self.part_of is None and self.once is None
