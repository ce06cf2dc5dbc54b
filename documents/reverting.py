"""Reverts: undoes what events of one ledger did, with new events.

Implements specs/cli.md (X-24…X-27) and specs/report.md (H-53); the planning is `projections.revert`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from documents.scope import Scope
from ledger.errors import NotFoundError
from ledger.event import By
from projections.query import event, pointing_at
from projections.radius import EventSource, Radius, radius
from projections.revert import UNDOABLE, Plan, plan
from projections.workspace import Workspace


class Undone(NamedTuple):
    """The result of a revert: its plan, and the ids of the written events, one for each command."""

    plan: Plan
    events: tuple[str, ...] = ()


class Reached(NamedTuple):
    """The events that came from a source, the ids of those that can be undone, and why each other one cannot."""

    radius: Radius = Radius((), ())
    undoable: tuple[str, ...] = ()
    left: Mapping[str, str] = {}


def reached_by(scope: Scope, source: EventSource, *, built: bool, dry: bool) -> Reached:
    """Return the events that came from a source, and with `built` the events that build on them.

    Unless it is `dry`, this first records a person's edits of these memories in the documents, which build on them.

    Raises:
        NotFoundError: nothing came from it.
        UsageError: a time of the source cannot be read.
    """
    reached = _reached(scope.workspace, source, built=built)
    if dry:
        return reached
    scope.documents.take_in(planned(scope.workspace, reached.undoable).commands)
    return _reached(scope.workspace, source, built=built)


def _reached(workspace: Workspace, source: EventSource, *, built: bool) -> Reached:
    found = radius(workspace.index, source)
    if not found.came:
        raise NotFoundError(f"no event came from {source}: see muniment log for where events came from")
    if not built:
        found = found._replace(built=())
    rows = [row for ids in found for id_ in ids if (row := event(workspace.index, id_)) is not None]
    left = {row.id: f"{row.kind} cannot be undone" for row in rows if row.kind not in UNDOABLE}
    return Reached(found, tuple(row.id for row in rows if row.id not in left), left)


def planned(workspace: Workspace, ids: Iterable[str], reason: str = "") -> Plan:
    """Return the plan that undoes the events with these full ids; raises as `projections.revert.plan` does."""
    index = workspace.index
    rows = [row for id_ in dict.fromkeys(ids) if (row := event(index, id_)) is not None]
    came = [row._replace(seq=row.n) for row in rows]  # they may come from several chains
    return plan(
        came, index.entry, lambda id_: [(row.id, row.kind) for row in pointing_at(index, id_)], reason
    )


def revert(scope: Scope, ids: Iterable[str], reason: str = "", by: By | None = None) -> Undone:
    """Undo the events with these full ids in one batch; write nothing if nothing is left to undo.

    Raises:
        StateError: an event cannot be undone, or later events build on it; otherwise as `Scope.write` does.
    """
    done = planned(scope.workspace, ids, reason)
    events = scope.write(done.commands, by) if done.commands else []
    return Undone(done, tuple(each.id for each in events))
