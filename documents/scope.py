"""One ledger that can be written to: its workspace and its documents.

Implements specs/adr/0031. Services that learn, import or anchor get a scope; services that only read get its workspace.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Literal

from documents.documents import Documents
from documents.targets import located
from ledger import location
from ledger.command import Command, Written
from ledger.errors import LedgerExistsError, UsageError
from ledger.event import By
from projections.turns import takes_turns
from projections.workspace import Workspace


@takes_turns
class Scope:
    """A ledger and its documents, which follow each write.

    Args:
        workspace: the ledger.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.turn = workspace.turn
        self.documents = Documents(workspace)
        self._beside: dict[str, Scope] = {}

    def write(
        self,
        commands: Sequence[Command],
        by: By | None = None,
        *,
        redact: bool = False,
        timeout: float | None = None,
    ) -> list[Written]:
        """Record edits, write one batch of events, render. Arguments and errors are those of `Workspace.append`.

        Once the events are acknowledged, errors of documents do not raise: `documents.outcome` names the documents that
        cannot be written now, and the next command writes them. The new memories must not look lost.
        """
        with self.documents.git:  # asks git each question once for all three
            self.documents.take_in(commands)
            results = self.workspace.append(commands, by, redact=redact, timeout=timeout)
            self.documents.bring_up_to_date()
        return results

    def beside(self, scope: Literal["local", "user"]) -> Scope:
        """Return the local or the user's ledger beside this project's; it is created if missing, and closed with this one.

        Raises:
            UsageError: this is not a project's ledger.
            LedgerError, OSError: it cannot be created.
        """
        if scope not in self._beside:
            own = self.workspace
            root = own.place.root
            if root is None or own.place.scope != "project":
                raise UsageError("only a project's ledger has others beside it")
            local = scope == "local"
            place = (
                location.in_project(own.home, root, own.place.project, "local")
                if local
                else location.user(own.home)
            )
            from projections.binding import make

            with suppress(LedgerExistsError):
                make(own.home, place, own.by, "")
            self._beside[scope] = Scope(Workspace(located(place), own.home, own.by, own.clock))
        return self._beside[scope]

    def close(self) -> None:
        """Close the databases; everything acknowledged is on disk already."""
        for other in self._beside.values():
            other.close()
        self.documents.close()
        self.workspace.close()
