"""What one ledger learns automatically: from the turns of a conversation, and by merging duplicates.

Implements specs/capture.md (K-73, K-79) and specs/projections.md (P-155, P-158) for the owner of a ledger.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from documents.scope import Scope
from learning import authorship, merging, retrying
from learning.detection.detector import LearningDetector
from learning.intake import Taking
from learning.listening import Listener
from learning.merging import Proposals
from learning.outcome import Taken
from learning.retrying import Retried
from learning.turn import Turn
from projections.turns import takes_turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from learning.agent_memory import Synced


@takes_turns
class Learning:
    """What one ledger learns.

    Args:
        scope: the ledger.
    """

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self.turn = scope.workspace.turn
        self._listener: Listener | None = None

    def process_turn(self, turn: Turn) -> list[Taken]:
        """Learn from one turn of a conversation, as `muniment capture` does from transcripts (specs/capture.md).

        Give the turns of a conversation in order, and each with the ids of its conversation and message: a memory
        that could not say where it came from is refused. What could not be written waits in the outbox; where the
        outcome is `unwritten` not even that could keep it: give the turn once more.

        Args:
            turn: what was said, or a tool's call with its result; `muniment.Turn`.

        Returns:
            What became of each proposal: mostly none. Nothing is raised for a proposal that is refused.
        """
        if self._listener is None:
            settings = self._scope.workspace.configuration
            detector = LearningDetector(max_per_turn=settings.detector_max_per_turn)
            self._listener = Listener(self._taking(), detector)
        return self._listener.hear(turn)

    def retry(self) -> Retried:
        """Try again what could not be written before, as `muniment upkeep retry` does.

        Returns:
            What became of each proposal, and what still waits.
        """
        return retrying.retried(self._taking())

    def _taking(self) -> Taking:
        return Taking({"": self._scope}, authorship.writer("library", under_agent=False))

    def sync(
        self, folders: Sequence[Path] = (), *, start: str | Path = ".", dry_run: bool = False
    ) -> list[Synced]:
        """Learn what changed in Claude Code's own memory, as `muniment sync` does (specs/doors.md G-26, G-63…G-66).

        Args:
            folders: `projects/<slug>/memory` of Claude Code's; by default those that were imported before, else that of
                the project that `start` lies in.
            start: the folder to look from.
            dry_run: only return what would be learned.

        Raises:
            UsageError: no folder is named, and there is none; otherwise as `learning.agent_memory.take_in`.
        """
        from learning import agent_memory  # nobody else waits for what reads markdown

        return agent_memory.sync(self._scope, folders, start=Path(start), dry=dry_run)

    def consolidate(self, *, dry_run: bool = False) -> Proposals:
        """Merge memories of one section that say the same; what contradicts each other is only named.

        Each merge is one supersede of all that it replaces, and says all that they say.

        Raises:
            StateError: something was replaced meanwhile; otherwise as `Ledger.write` does.
        """
        found = merging.proposed(self._scope.workspace)
        if not dry_run:
            merging.write(self._scope, found.merges)
        return found
