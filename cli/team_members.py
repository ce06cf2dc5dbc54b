"""What `muniment team members` says of a team: who belongs to it, and who asks to.

Implements specs/cli.md (X-344).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cli import person_only
from cli.app import App
from cli.show_entry import fields
from ledger.errors import WaitingError
from writers.counted import label_of

if TYPE_CHECKING:
    from team.member_list import PendingChange
    from team.newcomers import Waiting
    from team.team import Team
    from writers.roster import Member


VOID = "no longer counts, since another change of the team came first: repeat it"


def show(app: App, team: Team) -> None:
    """Print the members, who asks to be one, and which changes wait for signatures."""
    held, waiting, pending = team.members.all(), team.members.waiting(), team.members.pending()
    void = team.members.void()
    if app.json:
        app.emit(
            {
                "members": [member_json(each, own=each.genesis == team.genesis) for each in held.members],
                "waiting": [waiting_json(each) for each in waiting],
                "pending": [pending_json(each) for each in pending],
                "void": [{"hash": each.roster.hash, "changes": list(each.changes)} for each in void],
                "policy": {"agent": held.agents, "threshold": held.threshold},
            }
        )
        return
    rows = [(label_of(each.name, each.genesis), _said(each, team.genesis)) for each in held.members]
    for each_waiting in waiting:
        request, proof = each_waiting.request, "proved by an invitation of this machine"
        if each_waiting.invited is None:
            proof = "proved by no invitation of this machine: compare the fingerprint"
        rows.append(
            (
                label_of(each_waiting.name, request.genesis),
                f"waits, fingerprint {request.fingerprint}, {proof}",
            )
        )
    app.lines(fields(rows))
    if waiting:
        app.note("muniment team members accept NAME accepts one of those who wait")
    for change in pending:
        show_pending(app, change)
    if pending:
        app.note("muniment team members sign HASH signs a change")
    for each_void in void:
        app.line(f"change {each_void.roster.hash[:8]} {VOID}")
        app.lines(f"  {each}" for each in each_void.changes)


def show_pending(app: App, change: PendingChange) -> None:
    """Print a change that waits for signatures, and what it would do."""
    app.line(f"change {change.roster.hash[:8]} waits: {change.lacks}")
    app.lines(f"  {each}" for each in change.changes)


def _said(member: Member, own: str) -> str:
    words = [member.kind, member.role, "this machine" if member.genesis == own else ""]
    words.append("" if member.until is None else f"until @{member.until[0]}")
    return ", ".join(filter(None, words))


def counts_once_accepted(fingerprint: str) -> str:
    """Return what a person does so that other machines count what this one writes."""
    accept = f"muniment team members accept NAME --fingerprint {fingerprint}"
    return f"what this machine writes counts for the other members after one of them runs {accept}"


def refuse_nobody(app: App, what: str, verb: str) -> None:
    """Refuse an agent, and a script that acts for nobody (X-341)."""
    if person_only.is_nobody(app):
        raise WaitingError(
            f"only a person {what}, and nothing was done: they run muniment team {verb} in a terminal"
        )


def member_json(member: Member, *, own: bool) -> dict[str, Any]:
    """Return a member as `--json` has it."""
    until = None if member.until is None else {"seq": member.until[0], "id": member.until[1]}
    return {
        "name": member.name,
        "id": member.genesis,
        "kind": member.kind,
        "role": member.role,
        "until": until,
        "own": own,
    }


def waiting_json(waiting: Waiting) -> dict[str, Any]:
    """Return who asks to join as `--json` has it."""
    request = waiting.request
    return {
        "name": waiting.name,
        "id": request.genesis,
        "kind": request.kind,
        "fingerprint": request.fingerprint,
        "invited": waiting.invited is not None,
    }


def pending_json(change: PendingChange) -> dict[str, Any]:
    """Return a change that waits for signatures as `--json` has it."""
    return {"hash": change.roster.hash, "lacks": change.lacks, "changes": list(change.changes)}
