"""Records the memories shown to agents and names the days to anchor, as the settings say.

Implements specs/report.md (H-40, H-43, H-46); `projections.seen` keeps the records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ledger import actor
from ledger.memory import SLUG
from projections.configuration import ANCHORED
from projections.seen import ANCHORED_UP_TO, Sighting, day_of

if TYPE_CHECKING:
    from ledger.event import By
    from projections.source import Source

_DOORS = {"cli": "inject", "mcp": "mcp memories"}
"""The record's names of the doors that ask for a prompt section."""


def shown_by(by: By, agent: str, session: str, task: str) -> Sighting:
    """Return the record of a prompt section: for `agent` if that is a slug, else for the asker."""
    name = agent if SLUG.fullmatch(agent) else by.name
    why = "task" if task else "no task"
    return Sighting(name, actor.session_in(session) or actor.session(), _DOORS.get(by.via, by.via), why)


def note(source: Source, sighting: Sighting) -> None:
    """Record the shown memories of a ledger if the settings say so; else remove all records (H-43)."""
    if not source.readable_configuration.seen:
        source.local.seen.clear()
    elif sighting.ids:
        source.local.seen.note(sighting, source.clock())


def unanchored(source: Source) -> list[str]:
    """Return the past days with a digest that is still to be anchored (H-46)."""
    if source.readable_configuration.seen != ANCHORED:
        return []
    return source.local.seen.days(source.local.fact(ANCHORED_UP_TO), day_of(source.clock()))
