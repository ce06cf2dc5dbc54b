"""What a recovery would do, before a person decides: what is good here and in a copy, and what would be given up.

Implements specs/cli.md (X-83). Reads only; `ledger.recovery` does the work, through `proofs.upkeep`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ledger import reader, salvage
from ledger.errors import StateError
from ledger.recovery import ChainStanding, check_copy, nothing_to_recover


class RecoveryOutlook(NamedTuple):
    """The state before a recovery.

    `copy` is the good part of the copy, if one is given; `good` counts the events after the last good one that
    are good by themselves (I-25); `contradicted` lists the checkpoints that a whole chain contradicts (V-30).
    """

    ours: ChainStanding
    copy: ChainStanding | None
    good: int
    contradicted: tuple[str, ...]

    def sentences(self, copy: Path | None = None) -> Iterator[str]:
        """Return what was found; `copy` is the copy's name."""
        yield from self.ours.sentences()
        if self.good:
            those = "event is" if self.good == 1 else "events are"
            yield (
                f"{self.good} good {those} behind the fault: muniment import FILE brings back what they say, "
                "from the file that is set aside"
            )
        if self.copy is not None:
            yield from (f"{copy}: {sentence}" for sentence in self.copy.sentences())
        yield from self.contradicted

    def question(self, copy: Path | None = None) -> str:
        """Return what the person is asked; what is lost with a yes is in it. `copy` is the copy's name.

        Raises:
            StateError: there is nothing to recover from.
            ChainError: the copy is not good.
        """
        ours, theirs = self.ours, self.copy
        if theirs is None:
            if not ours.whole or ours.blank:
                return "Continue from the last good event?"
            if not self.contradicted:
                raise StateError(nothing_to_recover(ours))
            return f"Give up what came after @{ours.events - 1}, and continue from here?"
        check_copy(copy or Path("the copy"), theirs)
        if theirs.lost is not None:
            return f"Use the copy's chain and give up what came after @{theirs.events - 1}?"
        if ours.mendable and theirs.events <= ours.events:
            return "Restore from the copy what is damaged here?"
        return "Use the copy's chain and continue from there?"


def good_behind(chain: Path, standing: ChainStanding) -> int:
    """Return how many events behind the last good one are good by themselves (I-25)."""
    if standing.tip is None or not standing.rest:
        return 0
    with reader.opened(chain) as fd:
        return salvage.salvage(reader.lines(fd, standing.tip.end), [standing.tip.link.key]).good
