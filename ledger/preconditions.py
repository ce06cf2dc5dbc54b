"""What the state allows: whether a command may be written now, by whom, and what it would touch.

Implements specs/state.md (S-8, S-10, S-12) and specs/team.md (TM-23). Nothing here writes; `ledger.ledger` asks under the lock.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from ledger.command import Command, Confirm, Delete, Erase, OfTargets, Supersede
from ledger.errors import NotFoundError, StateError, WaitingError
from ledger.event import By
from ledger.fold import Entry
from ledger.instant import parsed
from ledger.view import LinePlace, View

TakenOut = Mapping[str, str]
"""What earlier commands of one call made of memories and events that the view still holds as live: id and status."""


def newest_target(view: View, gone: TakenOut, command: OfTargets, by: By) -> int:
    """Check what a command is about, and who says it; return the newest instant among its targets, in microseconds.

    Raises:
        NotFoundError: no memory has one of the ids.
        StateError: a target is erased, replaced or deleted already, or an agent may not agree to it.
    """
    newest = 0
    for id_ in command.targets:
        entry = view.entry(id_)
        if entry is None:
            raise NotFoundError(f"no memory has the id {id_[:16]}: see muniment list")
        if id_ in gone:
            entry = entry._replace(status=gone[id_])
        _check_target(entry, command)
        _check_who(entry, command, by)
        newest = max(newest, parsed(entry.ts))
    return newest


def _check_target(entry: Entry, command: OfTargets) -> None:
    short = entry.id[:12]
    if entry.status == "erased":
        raise StateError(f"{short} is erased: nothing can be done with it")
    restoring = isinstance(command, Supersede) and command.restore
    if entry.status == "superseded" and not restoring:
        newer = ", ".join(id_[:12] for id_ in entry.superseded_by) or "an earlier command of this call"
        raise StateError(f"{short} was superseded by {newer}: name that one")
    if entry.status == "deleted" and not isinstance(command, Supersede):
        revert = f"muniment revert {entry.deleted_by[-1][:12]}" if entry.deleted_by else "a supersede"
        raise StateError(f"{short} is deleted already: restore it first with {revert}")


def left_to_a_person(entry: Entry, by: By) -> bool:
    """Return whether this writer may not confirm a memory: it is an agent, and the memory is a candidate (S-10).

    Git and edited documents may still settle a candidate that no agent filed, whoever imports them.
    """
    if by.role != "agent" or entry.status != "candidate":
        return False
    return _is_agents(entry) or by.via not in ("git", "edit")


def _is_agents(entry: Entry) -> bool:
    return entry.by.role == "agent" and entry.by.via != "git"


def is_persons(entry: Entry) -> bool:
    """Return whether a person wrote a memory: at a terminal or in a document, or by a script of theirs (S-12)."""
    return entry.by.role == "user" or (entry.by.role == "system" and entry.memory.source == "manual")


def waits(entry: Entry, command: Command) -> bool:
    """Return whether only a person may do this to a memory: confirm a candidate, or replace or delete a person's own."""
    return (entry.status == "candidate" and _agrees(command)) or _takes_a_persons(entry, command)


def _takes_a_persons(entry: Entry, command: Command) -> bool:
    takes_away = isinstance(command, Delete) or (isinstance(command, Supersede) and not command.restore)
    return takes_away and entry.live and is_persons(entry)


def _agrees(command: Command) -> bool:
    return isinstance(command, Confirm) or (
        isinstance(command, Supersede) and command.memory.status == "active"
    )


def _check_who(entry: Entry, command: OfTargets, by: By) -> None:
    if _agrees(command) and left_to_a_person(entry, by):
        what = "a candidate that an agent filed" if _is_agents(entry) else "a candidate"
        raise WaitingError(waiting_for(f"{entry.id[:12]} is {what}, and only a person may agree to it"))
    if by.role == "agent" and by.via != "git" and _takes_a_persons(entry, command):
        raise WaitingError(
            waiting_for(f"a person wrote {entry.id[:12]}, so an agent may not replace or delete it")
        )


def waiting_for(what: str, review: str = "muniment review", so_far: str = "Nothing was done") -> str:
    """Return what an agent or a script is told of what only a person may do; `so_far` is what was done before they decide."""
    return f"waiting for a person: {what}. {so_far}; a person decides with {review} in a terminal"


def places_to_erase(
    view: View, gone: TakenOut, spoken_of: Collection[str], command: Erase, by: By
) -> list[LinePlace]:
    """Return what an erase has to blank, in the chain's order.

    Args:
        view: the state.
        gone: what earlier commands of the call removed.
        spoken_of: the targets of their events.
        command: what is to be erased.
        by: who asks for it.

    Raises:
        WaitingError: it is an agent, which erases nothing (S-12).
        NotFoundError: no event has one of the ids.
        StateError: nothing is left to erase, another writer wrote some of it, or an earlier command of the call speaks
            of it.
    """
    if by.role == "agent":
        raise WaitingError(waiting_for("an agent may not erase"))
    for id_ in command.targets:
        if id_ not in view.ids(id_):
            raise NotFoundError(f"no event has the id {id_[:16]}: see muniment log")
    if others := view.written_by_others(command.targets, family=command.family):
        named = ", ".join(id_[:12] for id_ in others)
        raise StateError(f"another machine wrote {named}: run muniment erase there")
    places = view.family(command.targets) if command.family else view.places(command.targets)
    if command.family and any(place.id in spoken_of for place in places):
        raise StateError(
            "an earlier command of this call refers to what is to be erased: erase it in a separate call"
        )
    places = [place for place in places if place.id not in gone or gone[place.id] != "erased"]
    if not places:
        raise StateError("nothing to erase: these events carry no text, or are erased already")
    return places
