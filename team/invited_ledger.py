"""Finds the place for the memory of an invitation on this machine, and creates our own chain there.

Implements specs/team.md (TM-1, TM-18, TM-20). `Team.ask` continues from there. A run that dies is completed by the same call:
existing parts are reused.
"""

from __future__ import annotations

import os
from pathlib import Path

from ledger import location
from ledger.errors import FormatError, LedgerExistsError, OutsideError, UsageError
from ledger.event import By
from ledger.founding import identity_of
from ledger.ledger import Identity
from ledger.location import Home, Location
from projections.binding import Founded, make_known
from team.first_event import first_event
from team.reaching import reaching
from transports.protocol import Transport
from writers.counted import TEAM_FOLDER
from writers.invitation import Invitation
from writers.roster import admins_of, parse


def found(
    invitation: Invitation,
    home: Home,
    by: By,
    start: Path,
    *,
    scope: str | None = None,
    directory: Path | None = None,
) -> Founded:
    """Create a chain with the team's id where its memory belongs, or use the existing one.

    Args:
        invitation: what the line says.
        home: the user's folders.
        by: who writes.
        start: the folder to look for the project's checkout from.
        scope: user or project; None is the project's in its checkout, else the user's.
        directory: a ledger directory; overrides the scope.

    Raises:
        LedgerExistsError: another ledger stands there; nothing of it was touched.
        UsageError: the memory belongs elsewhere, or the address means nothing.
        OutsideError: the transport cannot be reached, or has nothing of this team.
        StorageError: a folder cannot be written.
    """
    place = _place(invitation, home, start, scope, directory)
    if place.chain.exists():
        standing, _ = identity_of(place.chain)
        if standing.id != invitation.team:
            raise LedgerExistsError(_another(place, standing))
        return make_known(home, place, by, standing)
    with reaching(invitation.address, invitation.team, place.directory / TEAM_FOLDER) as transport:
        identity = _identity(invitation, transport)
    if directory is None and identity.scope != place.scope:
        raise UsageError(_elsewhere(identity))
    return make_known(home, place, by, identity)


def _place(
    invitation: Invitation, home: Home, start: Path, scope: str | None, directory: Path | None
) -> Location:
    if directory is not None:
        return location.explicit(directory)
    project = location.find_project(home, start) if scope != "user" else None
    if project is not None and project.id == invitation.team:
        return location.in_project(home, project.root, project.id)
    if scope in (None, "user"):
        return location.user(home)
    raise UsageError(
        f"this folder is not a checkout of the project {invitation.team[:8]} that the invitation is for: run it in one, or "
        "without --scope"
    )


def _identity(invitation: Invitation, transport: Transport) -> Identity:
    """Return the founder's genesis, which the hash in the invitation authenticates.

    Raises:
        OutsideError: the transport has no roster with that hash, or not the chain of its signer.
    """
    for _, data in transport.notes("roster"):
        try:
            roster, _ = parse(data)
        except FormatError:
            continue
        if roster.hash != invitation.first:
            continue
        for genesis in sorted(admins_of(roster.members)):
            event = first_event(transport, genesis)
            if event is not None and event["ledger"]["id"] == invitation.team:
                return Identity(invitation.team, event["ledger"]["name"], event["ledger"]["scope"])
    raise OutsideError(
        f"{transport.address} does not have the team of the invitation: run muniment team sync on the machine that "
        "made it, then this again"
    )


def _another(place: Location, standing: Identity) -> str:
    where = os.fspath(place.directory)
    return (
        f"{where} holds another memory, {standing.name} ({standing.id[:8]}), and nothing was changed: give --ledger DIR for "
        "a folder of the team's own; muniment export --json there, imported on a member's machine, gives the team what it knows"
    )


def _elsewhere(identity: Identity) -> str:
    if identity.scope == "project":
        return (
            f"this is the memory of the project {identity.name}: run the same in a clone of it whose .muniment/project.toml "
            f"has the id {identity.id}, or give --ledger DIR"
        )
    return (
        f"this is a {identity.scope} memory, which has no usual place on another machine: give --ledger DIR"
    )
