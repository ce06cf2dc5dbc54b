"""What `muniment team members` says of a team: who belongs to it, and who asks to.

Implements specs/cli.md (X-344).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cli.app import App
from cli.show_entry import fields
from writers.counted import label_of

if TYPE_CHECKING:
    from team.newcomers import Waiting
    from team.team import Team
    from writers.roster import Member


def show(app: App, team: Team) -> None:
    """Print the members, and who asks to be one."""
    everybody, waiting = team.members.all().members, team.members.waiting()
    if app.json:
        app.emit(
            {
                "members": [member_json(each, own=each.genesis == team.genesis) for each in everybody],
                "waiting": [waiting_json(each) for each in waiting],
            }
        )
        return
    rows = []
    for each in everybody:
        words = [each.kind, each.role, "this machine" if each.genesis == team.genesis else ""]
        words.append("" if each.until is None else f"until @{each.until[0]}")
        rows.append((label_of(each.name, each.genesis), ", ".join(filter(None, words))))
    for each_waiting in waiting:
        request, proof = each_waiting.request, "proved by an invitation of this machine"
        if each_waiting.secret is None:
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
        "invited": waiting.secret is not None,
    }
