"""Retries the proposals that could not be written, and counts those that still wait.

Implements specs/cli.md (X-160, X-161) and specs/capture.md (K-73). Prints nothing: `muniment upkeep retry` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from documents.scope import Scope
from learning.authorship import home_of
from learning.intake import Taken, Taking
from learning.outbox import OUTBOX, Outbox, WaitingProposal
from learning.writer import ledger_id


@dataclass(frozen=True, slots=True)
class Retried:
    """The outcomes of the waiting proposals, and the proposals that still wait."""

    taken: list[Taken]
    left: list[WaitingProposal]


def left(scopes: Mapping[str, Scope]) -> list[WaitingProposal]:
    """Return the proposals that wait for these ledgers, the oldest first."""
    return [
        each
        for scope in scopes.values()
        for each in Outbox(scope.workspace.home.state, ledger_id(scope)).waiting()
    ]


def retried(taking: Taking) -> Retried:
    """Write the waiting proposals."""
    return Retried(list(taking.retry()), left(taking.scopes))


def other_ledgers(scopes: Mapping[str, Scope]) -> int:
    """Return for how many other ledgers of this user proposals wait (X-161)."""
    own = {ledger_id(each) for each in scopes.values()}
    folder = home_of(scopes).workspace.home.state / OUTBOX
    try:
        return sum(
            one.name not in own and next(one.glob("*.json"), None) is not None for one in folder.iterdir()
        )
    except OSError:
        return 0
