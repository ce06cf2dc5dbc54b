"""The commands of a plain call: learn a memory or a text, replace memories by one.

Implements specs/state.md (S-8, S-9).
"""

from __future__ import annotations

from collections.abc import Sequence

from ledger.command import Create, Supersede
from ledger.errors import StateError
from ledger.fold import Entry
from ledger.instant import written
from ledger.memory import Memory

ORIGIN = ("conversation", "message", "session", "agent", "task")
"""The members of a provenance that say from which work a version came."""


def create(memory: Memory | str, now: int, reason: str = "") -> Create:
    """Return the command that learns a memory, or what a text alone says; `now` is the time in µs since 1970."""
    return Create(_dated(memory, now), reason)


def supersede(replaced: Sequence[Entry], memory: Memory | str, now: int, reason: str = "") -> Supersede:
    """Return the command that replaces memories by a new one, or by a text alone.

    Raises:
        StateError: the new one is a candidate and one of them is active.
    """
    new = _dated(memory, now)
    active = next((entry for entry in replaced if entry.status == "active"), None)
    if new.status == "candidate" and active is not None:
        raise StateError(
            f"{active.id[:12]} is active, and would leave every view before anyone confirmed the candidate: "
            'propose it beside: muniment add "TEXT" --candidate'
        )
    return Supersede(tuple(entry.id for entry in replaced), new, reason=reason)


def _dated(given: Memory | str, now: int) -> Memory:
    """Return the memory; a daily one without a date is given today's (UTC)."""
    memory = Memory(given) if isinstance(given, str) else given
    if memory.tier != "daily" or memory.provenance.date:
        return memory
    return memory.with_changes(provenance=memory.provenance._replace(date=written(now)[:10]))


def base_of(entry: Entry) -> Memory:
    """Return the record that a new version of a memory starts from.

    All that it says, as it stands now; but not the conversation, message, session, agent, task and tool that
    it came from: the new version does not come from there.
    """
    provenance = entry.memory.provenance._replace(tool="", **dict.fromkeys(ORIGIN, ""))
    status = "candidate" if entry.status == "candidate" else "active"
    return entry.memory.with_changes(part=None, status=status, provenance=provenance)
