"""Finds the commands that only a person may give, and why.

Implements specs/state.md (S-10, S-12) and specs/cli.md (X-293) for callers that check before a write. The rules for one
memory are in `ledger.preconditions`; `projections.configuration` knows who acts for a person.
"""

from __future__ import annotations

from collections.abc import Iterable

from language.printable import short
from ledger.command import Command, Confirm, Supersede
from ledger.fold import Entry
from ledger.preconditions import waits
from projections.query import event
from projections.workspace import Workspace


def persons_part(workspace: Workspace, commands: Iterable[Command]) -> str:
    """Return which memory only a person may change by these commands, and why; "" if there is none."""
    for command in commands:
        for id_ in getattr(command, "targets", ()):
            entry = workspace.index.entry(id_)
            if entry is None:
                continue
            if waits(entry, command):
                what = "is a candidate, and only a person may confirm it"
                if not isinstance(command, Confirm) and entry.status != "candidate":
                    what = "was written by a person, and only a person may replace or delete it"
                return f"{short(id_)} {what}"
            if isinstance(command, Supersede) and _was_taken_out(workspace, entry):
                return f"a person removed {short(id_)}, and only a person may restore it"
    return ""


def _was_taken_out(workspace: Workspace, entry: Entry) -> bool:
    """Return whether somebody other than an agent deleted or replaced a memory that is not current (X-293)."""
    if entry.status not in ("deleted", "superseded"):
        return False
    rows = (event(workspace.index, id_) for id_ in (*entry.deleted_by, *entry.superseded_by))
    return any(row is not None and row.role != "agent" for row in rows)
