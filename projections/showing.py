"""Records what is shown of a ledger, and names the days to anchor, as the settings say.

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
"""How the record names the doors through which a prompt section is asked for."""


def shown_by(by: By, agent: str, session: str, task: str) -> Sighting:
    """Return the record of a prompt section to be shown: to `agent` if that is a slug, else to who asks for it."""
    name = agent if SLUG.fullmatch(agent) else by.name
    why = "task" if task else "no task"
    return Sighting(name, actor.session_in(session) or actor.session(), _DOORS.get(by.via, by.via), why)


def note(source: Source, sighting: Sighting) -> None:
    """Record which memories of a ledger were shown, if the settings say so; else remove what was recorded (H-43)."""
    if not source.readable_configuration.seen:
        source.local.seen.clear()
    elif sighting.ids:
        source.local.seen.note(sighting, source.clock())


def unanchored(source: Source) -> list[str]:
    """Return the days that are over whose digest is to be anchored, and is not yet (H-46)."""
    if source.readable_configuration.seen != ANCHORED:
        return []
    return source.local.seen.days(source.local.fact(ANCHORED_UP_TO), day_of(source.clock()))
