"""Reverts: undoes what events of one ledger did, with new events.

Implements specs/cli.md (X-24…X-27); the planning is `projections.revert`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from documents.scope import Scope
from ledger.event import By
from projections.query import event, pointing_at
from projections.revert import Plan, plan
from projections.workspace import Workspace


class Undone(NamedTuple):
    """What a revert came to: its plan, and the ids of the events that were written, one for each command of it."""

    plan: Plan
    events: tuple[str, ...] = ()


def planned(workspace: Workspace, ids: Iterable[str], reason: str = "") -> Plan:
    """Return what undoes the events with these full ids; raises as `projections.revert.plan` does."""
    index = workspace.index
    rows = [row for id_ in dict.fromkeys(ids) if (row := event(index, id_)) is not None]
    came = [row._replace(seq=row.n) for row in rows]  # they may be of several chains
    return plan(
        came, index.entry, lambda id_: [(row.id, row.kind) for row in pointing_at(index, id_)], reason
    )


def revert(scope: Scope, ids: Iterable[str], reason: str = "", by: By | None = None) -> Undone:
    """Undo the events with these full ids in one batch; nothing is written if nothing is left to undo.

    Raises:
        StateError: an event cannot be undone, or later events build on it; otherwise as `Scope.write` does.
    """
    done = planned(scope.workspace, ids, reason)
    events = scope.write(done.commands, by) if done.commands else []
    return Undone(done, tuple(each.id for each in events))
