"""What a roster would change, one sentence each, for who is asked to sign it.

Implements specs/team.md (TM-12, TM-24).
"""

from __future__ import annotations

from collections.abc import Iterator

from writers.counted import label_of
from writers.membership import Membership
from writers.roster import Member, Roster


def differences(now: Membership | Roster, roster: Roster) -> Iterator[str]:
    """Yield what a roster says otherwise than what holds now, or than another one."""
    if roster.threshold != now.threshold:
        yield f"{roster.threshold} admins must sign a change, in place of {now.threshold}"
    if roster.agents != now.agents:
        yield f"policy agent={roster.agents}, in place of agent={now.agents}"
    before = {each.genesis: each for each in now.members}
    after = {each.genesis: each for each in roster.members}
    for genesis in sorted(before.keys() | after.keys()):
        old, new = before.get(genesis), after.get(genesis)
        if new is None and old is not None:
            yield f"leaves out {label_of(old.name, genesis)}"
        elif new is not None and new != old:
            yield _of_member(old, new)


def _of_member(old: Member | None, new: Member) -> str:
    who = label_of(new.name, new.genesis)
    ends = (
        ""
        if new.until is None
        else f", until @{new.until[0]}"
        if new.until[1] != "-"
        else ", of whom nothing counts"
    )
    if old is None:
        return f"adds {who} as {new.role}, {new.kind}{ends}"
    if old.until != new.until:
        return f"ends the membership of {who}{ends}" if ends else f"takes {who} in again"
    return f"makes {who} {new.role}, {new.kind}, in place of {old.role}, {old.kind}"
