"""Writes what was decided, or puts it by: what a ledger cannot take now waits in its outbox.

Implements specs/capture.md (K-73, K-154). A ledger that another process holds is waited for once in a run; after that each
write finds out at once whether it is free again.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Mapping, Sequence

from documents.proposal import Proposal
from documents.scope import Scope
from learning.outbox import OUTBOX, Outbox
from learning.outcome import Taken
from ledger.command import Command, Create, Supersede, Written
from ledger.errors import (
    BusyError,
    ChainError,
    KeyFileError,
    LedgerError,
    NotFoundError,
    RecordError,
    SecretError,
    StateError,
    StorageError,
)
from ledger.event import By
from ledger.mark import StateDirectory
from ledger.view import ViewUnavailableError
from projections.workspace import Workspace

PATIENCE = 5.0
"""Seconds to wait for another process that holds a ledger, before the outbox takes what was learned."""

LATER = (BusyError, StorageError, ChainError, KeyFileError, ViewUnavailableError, sqlite3.Error, OSError)
"""What keeps a ledger from being read or written now and says nothing against what is to be written."""


class Writer:
    """Writes for one run, in one name.

    Args:
        scopes: the ledgers by scope.
        by: who writes.
        dry: write and put by nothing.
    """

    def __init__(self, scopes: Mapping[str, Scope], by: By, *, dry: bool = False) -> None:
        self.scopes = scopes
        self.by = by
        self._dry = dry
        self.longest = PATIENCE
        """So many seconds a ledger is waited for."""
        self.held: set[int] = set()
        """The ledgers that were waited for in vain, by identity."""
        self._outboxes: dict[str, Outbox] = {}

    def patience(self, scope: Scope) -> float:
        """Return how many seconds a write may wait for this ledger: none once it was waited for in vain."""
        return 0.0 if id(scope) in self.held else self.longest

    def write(self, scope: Scope, commands: Sequence[Command]) -> list[Written]:
        """Carry out commands in one batch. Raises as `Scope.write` does, and OSError."""
        if self._dry:
            for command in commands:
                if isinstance(command, Create | Supersede):
                    scope.workspace.ledger.screened(command.memory.to_payload(), redact=False)
            return [Written("") for _ in commands]
        try:
            done = scope.write(commands, self.by, timeout=self.patience(scope))
        except BusyError:
            self.held.add(id(scope))
            raise
        self.held.discard(id(scope))
        return done

    # --- what waits ---

    def put_by(self, proposal: Proposal, scope: str, why: str, *, waited: bool = False) -> Taken:
        """Put what cannot be written now into the outbox, unless `waited`; return the outcome.

        An `unwritten` one is lost.
        """
        if self._dry:
            return Taken(proposal, "refused", scope=scope, why=why)
        try:
            if not waited:
                self._outbox(scope).keep(proposal, self.by if self.by.role != "user" else None)
        except SecretError as error:
            return Taken(proposal, "refused", scope=scope, why=str(error))
        except (LedgerError, OSError) as error:
            nor = "" if str(error) == why else f": {error}"
            return Taken(
                proposal, "unwritten", scope=scope, why=f"{why}; the outbox cannot keep it either{nor}"
            )
        return Taken(
            proposal, "queued", scope=scope, why=f"{why}; it waits in the outbox: muniment upkeep retry"
        )

    def outboxes(self) -> Iterator[tuple[str, Outbox]]:
        """Yield the existing outboxes of these ledgers, each with its scope."""
        for scope, memory in self.scopes.items():
            if (memory.workspace.home.state / OUTBOX).is_dir():
                with contextlib.suppress(LedgerError):
                    yield scope, self._outbox(scope)

    def waiting(self) -> list[Proposal]:
        """Return the proposals that wait in them."""
        return [each.proposal for _, outbox in self.outboxes() for each in outbox.waiting() if each.proposal]

    def _outbox(self, scope: str) -> Outbox:
        if scope not in self._outboxes:
            self._outboxes[scope] = Outbox(
                self.scopes[scope].workspace.home.state, ledger_id(self.scopes[scope])
            )
        return self._outboxes[scope]


def each_written(
    workspace: Workspace, commands: Sequence[Command], by: By, *, redact: bool = False
) -> list[Written | LedgerError]:
    """Write a batch; where one command is refused none is written, so halve it until that one is alone."""
    if not commands:
        return []
    try:
        return list(workspace.append(commands, by, redact=redact))
    except (NotFoundError, RecordError, SecretError, StateError) as error:
        if len(commands) == 1:
            return [error]
    half = len(commands) // 2
    return [
        each
        for some in (commands[:half], commands[half:])
        for each in each_written(workspace, some, by, redact=redact)
    ]


def ledger_id(scope: Scope) -> str:
    """Return the id of a ledger, which its pin knows also where the chain cannot be read.

    Raises:
        LedgerError: it has no pin, and its chain cannot be read.
    """
    pin = StateDirectory(scope.workspace.home.state).pin_of(scope.workspace.place.directory)
    return pin.ledger if pin is not None else scope.workspace.ledger.identity.id
