"""Learns automatically for one ledger: from the turns of a conversation, and by merging duplicates.

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

        Pass the turns of a conversation in order, each with the ids of its conversation and message: a memory without
        an origin is refused. A proposal that could not be written waits in the outbox. If an outcome is `unwritten`,
        the outbox could not keep it either: pass the turn again.

        Args:
            turn: a message, or a tool's call with its result; `muniment.Turn`.

        Returns:
            The outcome of each proposal; most turns have none. A refused proposal raises nothing.
        """
        if self._listener is None:
            settings = self._scope.workspace.configuration
            detector = LearningDetector(max_per_turn=settings.detector_max_per_turn)
            self._listener = Listener(self._taking(), detector)
        return self._listener.hear(turn)

    def retry(self) -> Retried:
        """Retry the proposals that could not be written before, as `muniment upkeep retry` does.

        Returns:
            The outcome of each proposal, and the proposals that still wait.
        """
        return retrying.retried(self._taking())

    def _taking(self) -> Taking:
        return Taking({"": self._scope}, authorship.writer("library", under_agent=False))

    def sync(
        self, folders: Sequence[Path] = (), *, start: str | Path = ".", dry_run: bool = False
    ) -> list[Synced]:
        """Learn the changes of Claude Code's own memory, as `muniment sync` does (specs/doors.md G-26, G-63…G-66).

        Args:
            folders: Claude Code's `projects/<slug>/memory`; by default those that were imported before, else that of
                the project that contains `start`.
            start: the folder to start from.
            dry_run: return what would be learned, and write nothing.

        Raises:
            UsageError: no folder is given, and the project has none; otherwise as `learning.agent_memory.take_in`.
        """
        from learning import agent_memory  # only this call needs the markdown reader

        return agent_memory.sync(self._scope, folders, start=Path(start), dry=dry_run)

    def consolidate(self, *, dry_run: bool = False) -> Proposals:
        """Merge memories of one section that say the same; only report those that contradict each other.

        Each merge is one supersede of all memories that it replaces, and keeps everything they say.

        Raises:
            StateError: a memory was replaced meanwhile; otherwise as `Ledger.write` does.
        """
        found = merging.proposed(self._scope.workspace)
        if not dry_run:
            merging.write(self._scope, found.merges)
        return found
