"""muniment team members and muniment team policy: who belongs to a team, what they may do, and who signs that.

Implements specs/cli.md (X-341, X-344, X-350) and specs/team.md (TM-14, TM-19, TM-24); the work is `team.member_list`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli import team_members
from cli.app import App, common_options
from cli.command_group import CommandGroup
from cli.options import Verb, option
from cli.show_entry import count_of, fields
from language.printable import plain
from ledger.errors import UsageError
from writers.counted import label_of
from writers.roster import ROLES, STANDINGS

if TYPE_CHECKING:
    from team.member_list import Changed


@click.group(
    "members",
    cls=CommandGroup,
    invoke_without_command=True,
    short_help="List the members and pending requests",
)
@common_options
@click.pass_context
def members(ctx: click.Context, app: App) -> None:
    """List the members, who waits to be accepted, and which changes wait for signatures.

    Shows what this machine learned with the last sync.

    \b
    Examples:
      muniment team members
      muniment team members accept desk
      muniment team members remove ci
    """
    if ctx.invoked_subcommand is None:
        team_members.show(app, app.memory().team)


@members.command("accept", short_help="Accept a machine that asks to join")
@click.argument("name")
@option("--fingerprint", metavar="DIGITS", default="", help="The 16 digits that `team join` showed there.")
@option(
    "--role",
    type=click.Choice(ROLES),
    default=None,
    help="Their role (default: as invited, else writer).",
)
@option("--agent", is_flag=True, help="The machine of an agent, not of a person.")
@common_options
def accept(app: App, name: str, fingerprint: str, role: str | None, agent: bool) -> None:
    """Accept the machine that asks to join as NAME.

    An invitation made on this machine proves who asks, and says role and kind. Otherwise compare the fingerprint with
    what `team join` showed there, and give it with --fingerprint.

    \b
    Examples:
      muniment team members accept desk
      muniment team members accept desk --fingerprint 1a2b3c4d5e6f7a8b --role admin
    """
    team_members.refuse_nobody(app, "accepts a member", "members accept")
    kind = "agent" if agent else ""
    done = app.memory().team.members.accept(name, fingerprint, role=role or "", kind=kind)
    _say(app, done, f"accepted {_named(done)} as {done.member.role if done.member else role}")


@members.command("remove", short_help="End a membership")
@click.argument("name")
@option("--last", metavar="@N", default="", help="The last event that counts (default: the newest here).")
@option("--stolen", is_flag=True, help="No event of that chain counts, not even the first.")
@common_options
def remove(app: App, name: str, last: str, stolen: bool) -> None:
    """End the membership of NAME.

    Events that NAME wrote until now stay. Later ones do not count, whatever their date is. With --last @N
    only those up to the event @N count, with --stolen none.

    \b
    Examples:
      muniment team members remove ci
      muniment team members remove desk --last @120
      muniment team members remove desk --stolen
    """
    team_members.refuse_nobody(app, "removes a member", "members remove")
    if last and stolen:
        raise click.UsageError("--last and --stolen exclude each other")
    done = app.memory().team.members.remove(name, -1 if stolen else _seq(last))
    place = done.member.until if done.member else None
    counts = "nothing of it counts" if place is None or place[1] == "-" else f"it counts up to @{place[0]}"
    _say(app, done, f"removed {_named(done)}: {counts}")


@members.command("set", short_help="Change what a member may do")
@click.argument("name")
@option("--role", type=click.Choice(ROLES), required=True, help="Their role.")
@common_options
def set_(app: App, name: str, role: str) -> None:
    """Change the role of NAME: admin, writer or reader.

    Nothing of a reader's chain counts, also of what it said before. To keep that, remove the member instead.

    \b
    Examples:
      muniment team members set bob --role admin
    """
    team_members.refuse_nobody(app, "changes a role", "members set")
    done = app.memory().team.members.set_role(name, role)
    _say(app, done, f"{_named(done)} is {role} now")


@members.command("sign", short_help="Sign a change that waits for signatures")
@click.argument("hash_", metavar="[HASH]", required=False)
@common_options
def sign(app: App, hash_: str | None) -> None:
    """Sign the change of the team that waits, or the one whose HASH begins so.

    Shows what it would change first. Every admin who signs does it on their own machine.

    \b
    Examples:
      muniment team members sign
      muniment team members sign 3f9c12ab
    """
    team_members.refuse_nobody(app, "signs a change", "members sign")
    listed = app.memory().team.members
    for change in listed.pending():
        if not app.json and change.roster.hash.startswith(hash_ or ""):
            team_members.show_pending(app, change)
    _say(app, listed.sign(hash_ or ""), "signed")


@click.command("policy", cls=Verb, short_help="Show or change what agents may do, and how many admins sign")
@click.argument("settings", nargs=-1, metavar="[agent=waits|stands] [threshold=K]")
@common_options
def policy(app: App, settings: tuple[str, ...]) -> None:
    """Show the team's policy, or change it.

    With agent=waits, events from agents' machines are proposals: they replace and delete nothing, and wait in `review`
    until a person confirms them. With agent=stands all of them take effect at once, earlier ones too, including
    deletions that a person declined. threshold=K sets how many admins must sign each change of the team.

    \b
    Examples:
      muniment team policy
      muniment team policy agent=stands
      muniment team policy threshold=2
    """
    listed = app.memory().team.members
    if not settings:
        held = listed.all()
        if app.json:
            app.emit({"agent": held.agents, "threshold": held.threshold})
        else:
            app.lines(fields([("agent", held.agents), ("threshold", str(held.threshold))]))
        return
    team_members.refuse_nobody(app, "changes the policy", "policy")
    agents, threshold = _wanted(settings)
    _say(app, listed.set_policy(agents, threshold), f"changed: {' '.join(settings)}")


def _wanted(settings: tuple[str, ...]) -> tuple[str, int]:
    agents, threshold = "", 0
    for each in settings:
        name, _, value = each.partition("=")
        if name == "agent" and value in STANDINGS:
            agents = value
        elif name == "threshold" and value.isascii() and value.isdecimal() and 0 < int(value) <= _MOST:
            threshold = int(value)
        else:
            raise UsageError(f"{each!r} is not a policy: give agent=waits, agent=stands or threshold=K")
    return agents, threshold


_MOST = 100
"""So many admins a person may ask for; there are never as many."""


def _seq(last: str) -> int | None:
    if not last:
        return None
    digits = last.removeprefix("@")
    if not (digits.isascii() and digits.isdecimal()):
        raise UsageError(f"{last!r} is not an event of that chain: give its number, such as @120")
    return int(digits)


def _named(done: Changed) -> str:
    return label_of(done.member.name, done.member.genesis) if done.member else ""


def _say(app: App, done: Changed, what: str) -> None:
    if app.json:
        member = {} if done.member is None else team_members.member_json(done.member, own=False)
        app.emit({**member, "counts": not done.lacks, "published": not done.fault})
    else:
        app.line(what)
    if done.lacks:
        app.note(f"it does not count yet: {done.lacks}; another admin runs muniment team members sign")
    if done.void:
        app.note(
            f"{count_of(done.void, 'change')} that waited for signatures can no longer count, since the team changed: repeat it"
        )
    if done.fault:
        app.note(f"not published yet: {plain(done.fault)}; run muniment team sync to publish it")
