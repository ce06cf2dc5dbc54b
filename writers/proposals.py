"""What an event of a writer that waits for a person may change: a proposal takes nothing away.

Implements specs/team.md (TM-21, TM-25). Pure: `projections.proposal_edges` looks at events and asks this.
"""

from __future__ import annotations

from ledger.event import Event
from ledger.fold import is_later_part

NEVER = -1
"""The `waits` of a writer whose events all have full standing."""
ALL = 0
"""The `waits` of a writer whose events are all proposals."""


def is_proposal(seq: int, waits: int) -> bool:
    """Return whether the event with this seq of a writer is a proposal: `waits` is the first seq that is one (TM-25)."""
    return 0 <= waits <= seq


def as_proposal(event: Event) -> Event:
    """Return a proposal as it is folded: a memory that it makes is a candidate (TM-21)."""
    if event.kind not in ("create", "supersede") or not event.payload or is_later_part(event.payload):
        return event
    return event._replace(payload={**event.payload, "status": "candidate"})


def takes_effect(kind: str, *, adopted: bool, withdraws: bool) -> bool:
    """Return whether what a proposal says about a target counts (TM-21).

    Args:
        kind: of the proposal.
        adopted: an event of full standing confirmed it, or a proposal that is adopted supersedes it.
        withdraws: the target is a proposal of the same chain that no event of full standing confirmed.
    """
    if kind == "supersede":
        return adopted or withdraws
    return kind == "erase" or (kind == "delete" and withdraws)


def promotes(role: str, via: str) -> bool:
    """Return whether a confirm of full standing promotes a candidate: an agent's does not, but for what git or an edit says (S-10)."""
    return role != "agent" or via in ("git", "edit")
