"""Writes decided commands; a proposal that a ledger cannot take now waits in its outbox.

Implements specs/capture.md (K-73, K-154). A run waits once for a ledger that another process holds. After that each write
tries it without waiting.
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
"""Seconds to wait for another process that holds a ledger, before the outbox takes the proposal."""

LATER = (BusyError, StorageError, ChainError, KeyFileError, ViewUnavailableError, sqlite3.Error, OSError)
"""Errors that stop reading or writing now, and say nothing against the memory itself."""


class Writer:
    """Writes for one run and one author.

    Args:
        scopes: the ledgers by scope.
        by: the author.
        dry: write nothing, neither to a ledger nor to an outbox.
    """

    def __init__(self, scopes: Mapping[str, Scope], by: By, *, dry: bool = False) -> None:
        self.scopes = scopes
        self.by = by
        self._dry = dry
        self.longest = PATIENCE
        """How many seconds to wait for a ledger."""
        self.held: set[int] = set()
        """The ledgers for which the wait failed, by identity."""
        self._outboxes: dict[str, Outbox] = {}

    def patience(self, scope: Scope) -> float:
        """Return how many seconds a write may wait for this ledger: none once a wait has failed."""
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

    # --- the outboxes ---

    def put_by(self, proposal: Proposal, scope: str, why: str, *, waited: bool = False) -> Taken:
        """Put a proposal into the outbox, unless it waited there already; return the outcome.

        An `unwritten` proposal is lost.
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
        """Return the proposals in these outboxes."""
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
    """Write a batch; one refused command refuses all, so halve the batch until that command is alone."""
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
    """Return the id of a ledger, from its pin if the chain cannot be read.

    Raises:
        LedgerError: it has no pin, and its chain cannot be read.
    """
    pin = StateDirectory(scope.workspace.home.state).pin_of(scope.workspace.place.directory)
    return pin.ledger if pin is not None else scope.workspace.ledger.identity.id
