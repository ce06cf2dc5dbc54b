"""Lets what agents ask of a person travel: from a machine whose events wait, a request goes as the event that asks the same.

Implements specs/team.md (TM-26). A request is an observation of one machine (X-290), and on an agent's machine no person
answers any. As a proposal it takes nothing away there either (TM-21). A run that dies in between asks twice, which is as much.
"""

from __future__ import annotations

from ledger.command import Command, Delete, Supersede
from ledger.event import By
from projections import requests
from projections.requests import DELETE, REPLACE, Request
from projections.workspace import Workspace
from writers.counted import writers_of


def publish_requests(workspace: Workspace) -> None:
    """Append what waits to be replaced or deleted on this machine, if its events are proposals, each in the name of who asks."""
    if writers_of(workspace.place.directory).waits < 0:
        return
    for asked in requests.waiting(workspace, DELETE, REPLACE):
        command = _said(workspace, asked)
        if command is not None:
            workspace.append([command], By(asked.by, "system", workspace.by.via))
        requests.settle(workspace, asked)


def _said(workspace: Workspace, asked: Request) -> Command | None:
    """Return what a request says as an event, None if nothing of it stands."""
    entries = workspace.index.memories(asked.targets)
    live = tuple(entry.id for entry in entries if entry.live)
    if asked.verb == DELETE:
        return Delete(live, "an agent asks for it") if live else None
    first = entries[0]
    if first.id != asked.targets[0] or len(live) < 2:
        return None
    return Supersede(live, first.memory, reason="an agent asks for it")
