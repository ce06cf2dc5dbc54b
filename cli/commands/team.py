"""muniment team: one memory from several machines and people.

Implements specs/cli.md (X-340…X-349) and specs/team.md (TM-17…TM-20, TM-80); the work is `team`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import muniment
from cli import team_changes, team_members, team_status, team_watch, write_notices
from cli.app import App, common_options
from cli.command_group import CommandGroup
from cli.key_places import TAKE_OFF
from cli.options import option
from cli.show_entry import count_of, fields
from language.printable import plain, short
from projections.binding import BOUND, Founded
from team.invited_ledger import found
from writers.invitation import invitation_of
from writers.roster import ROLES

if TYPE_CHECKING:
    from team.syncing import Exchanged
    from team.team import Team


@click.group("team", cls=CommandGroup)
@common_options
def command(_app: App) -> None:
    """Share one memory between several machines.

    Each machine writes a signed chain of its own, and all of them show the same memories. The chains travel through a
    git repository, a folder, a bucket or a server that you name. Anyone who runs it cannot read the memories, and cannot
    change or forge anything unnoticed.

    \b
    Examples:
      muniment team init git@example.org:ada/memory.git
      muniment team invite desk
      muniment team sync
    """


# --- founding and joining ---


@command.command("init", short_help="Make a team of this memory")
@click.argument("address")
@option("--name", metavar="NAME", default="", help="This machine's name in the team (default: the author).")
@option(
    "--agents",
    type=click.Choice(("wait", "stand")),
    default="wait",
    help="Whether events of agents' machines wait for a person, or take effect at once (default: wait).",
)
@option(
    "--open", "is_open", is_flag=True, help="Do not encrypt: anyone who runs ADDRESS can read the memories."
)
@common_options
def init_(app: App, address: str, name: str, agents: str, is_open: bool) -> None:
    """Make a team of this memory, and publish it at ADDRESS.

    ADDRESS is a git repository, which may be empty (a URL, USER@HOST:PATH, or git:PATH), a folder that all machines
    can reach (folder:DIR), an S3 bucket (s3://BUCKET/PREFIX), a PostgreSQL database (postgresql://USER@HOST/DB) or a
    NATS server (nats://HOST). Nobody else is a member until you accept them. Memories are encrypted, so only members
    can read them; with --open, anyone who runs ADDRESS can read them too.

    What the machine of an agent writes waits until a person confirms it, unless you say --agents stand. muniment team
    policy changes that later.

    \b
    Examples:
      muniment team init git@example.org:ada/memory.git
      muniment team init folder:/mnt/nas/memory --name laptop
    """
    team_members.refuse_nobody(app, "makes a team", "init")
    team = app.memory().team
    done = team.init(address, name, f"{agents}s", sealed=not is_open)
    if app.json:
        app.emit({**_as_json(team), **_exchanged_json(done)})
    else:
        app.line(f"made a team of this memory, with this machine as {team.label}")
        app.lines(
            fields([("at", plain(team.settings.address)), ("sent", count_of(done.sent, "event"))], "  ")
        )
    _say_findings(app, done)
    app.note("run muniment team invite NAME for each other machine")


@command.command("move", short_help="Exchange chains through another address")
@click.argument("address")
@common_options
def move(app: App, address: str) -> None:
    """Exchange chains through another ADDRESS from now on.

    Puts everything there that it lacks. What the old address holds stays. Run it on each machine of the team.

    \b
    Examples:
      muniment team move git@example.org:ada/memory.git
    """
    team_members.refuse_nobody(app, "moves a team", "move")
    team = app.memory().team
    done = team.move(address)
    if app.json:
        app.emit({"address": team.settings.address, **_exchanged_json(done)})
    else:
        app.line(f"moved to {plain(team.settings.address)}")
        app.lines(fields([("sent", count_of(done.sent, "event"))], "  "))
    _say_findings(app, done)


@command.command("invite", short_help="Print the line with which another machine joins")
@click.argument("name")
@option("--role", type=click.Choice(ROLES), default="writer", help="Their role (default: writer).")
@option("--agent", is_flag=True, help="The machine of an agent, not of a person.")
@common_options
def invite(app: App, name: str, role: str, agent: bool) -> None:
    """Print the line with which another machine joins, which you call NAME.

    The line counts for seven days and for one machine. Who has it can ask to join as NAME: pass it on as you would a
    password.

    A writer reads and writes, a reader reads, and an admin accepts and removes members as well: invite your own second
    machine as an admin. What an agent's machine writes waits for a person, as muniment team policy says.

    \b
    Examples:
      muniment team invite desk --role admin
      muniment team invite bob
      muniment team invite ci --agent
    """
    team_members.refuse_nobody(app, "invites", "invite")
    kind = "agent" if agent else "person"
    line = app.memory().team.members.invite(name, role, kind)
    if app.json:
        app.emit({"name": name, "role": role, "kind": kind, "line": line})
    else:
        app.lines([line], verbatim=True)
    app.note(
        f"within seven days run muniment team join 'LINE' there, and then muniment team members accept {name} here"
    )


@command.command("join", short_help="Join a team with the line of an invitation")
@click.argument("line")
@option("--name", metavar="NAME", default="", help="This machine's name (default: the author).")
@option("--address", metavar="ADDRESS", default="", help="The address, if it differs here.")
@common_options
def join(app: App, line: str, name: str, address: str) -> None:
    """Join a team with the LINE that `muniment team invite` printed on another machine.

    Makes a chain of this machine's own and fetches the memories, which you and your agents can read at once. What
    this machine writes counts elsewhere once a member accepted it. Run it in a clone of the project if the memory is
    a project's; otherwise the memory becomes your own ledger on this machine. If it is interrupted, run it again.

    \b
    Examples:
      muniment team join 'muniment-team:1:git@example.org:ada/memory.git#q83vEjRWeJ...'
      muniment team join 'muniment-team:1:folder:/home/ada/Sync#q83v...' --address folder:/Users/ada/Sync
    """
    team_members.refuse_nobody(app, "joins a team", "join")
    invitation = invitation_of(line)
    if address:
        invitation = invitation._replace(address=address)
    home = muniment.home()
    founded = found(invitation, home, app.by(), Path(), scope=app.scope, directory=app.directory)
    memory = app.memory_at(founded.place)
    team = memory.team
    done = team.ask(invitation, name)
    if app.json:
        app.emit({**_as_json(team), **_founded_json(founded), **_exchanged_json(done)})
    else:
        _print_joined(app, team, founded, done)
    _say_findings(app, done)
    write_notices.say(app, memory)
    _say_next(app, team, founded)


def _print_joined(app: App, team: Team, founded: Founded, done: Exchanged) -> None:
    place, identity = founded.place, founded.identity
    rows = [
        ("at", plain(team.settings.address)),
        ("chain", plain(str(place.chain))),
        ("documents", plain(str(place.documents))),
        ("received", count_of(done.received, "event")),
        ("fingerprint", team.fingerprint),
    ]
    app.line(f"joined the team of the {identity.scope} ledger {identity.name}")
    app.lines(fields(rows, "  "))


def _say_next(app: App, team: Team, founded: Founded) -> None:
    if team.keys.is_awaited:
        app.note(
            "the memories are sealed, and no key came with the invitation: after a member has run muniment team members "
            f"accept NAME --fingerprint {team.fingerprint}, run this again"
        )
    elif not team.is_member:
        app.note(
            "this machine can read; what it writes counts for the others once one of them runs muniment team members "
            f"accept NAME, and sees the fingerprint {team.fingerprint}"
        )
    if founded.did != BOUND:
        app.note(f"the next key is {founded.next_key}: {TAKE_OFF}")
    elif founded.identity.scope == "project":
        app.note(
            "what this project's ledger learned here before stays: run muniment consolidate to merge duplicates"
        )


command.add_command(team_changes.members)
command.add_command(team_changes.policy)


# --- exchanging ---


@command.command("sync", short_help="Exchange events with the other machines")
@option("--watch", is_flag=True, help="Repeat until Ctrl-C.")
@option(
    "--interval",
    type=click.IntRange(1, 86_400),
    metavar="SECONDS",
    help="With --watch: at most this many seconds between two syncs (default 10).",
)
@common_options
def sync(app: App, watch: bool, interval: int | None) -> int:
    """Exchange events with the other machines, and bring the documents up to date.

    What cannot be sent now is sent by the next sync; agents' hooks sync in the background as well.

    \b
    Examples:
      muniment team sync
      muniment team sync --watch
    """
    memory = app.memory()
    memory.workspace.check_standing()
    team = memory.team
    _ = team.settings  # no team: said before a watch begins
    if interval is not None and not watch:
        raise click.UsageError("--interval goes with --watch")
    if watch:
        team_watch.watch(app, memory, interval or team_watch.INTERVAL)
        return 0
    done = team.sync()
    if app.json:
        app.emit(
            {
                **_exchanged_json(done),
                "waiting": [team_members.waiting_json(each) for each in team.members.waiting()],
            }
        )
    else:
        app.line(team_watch.told(done))
    _say_findings(app, done)
    if waiting := ", ".join(each.name for each in team.members.waiting()):
        app.note(f"asking to join: {waiting}; muniment team members shows more")
    if pending := len(team.members.all().pending):
        app.note(
            f"{count_of(pending, 'change')} of the team waiting for signatures: muniment team members shows more"
        )
    if void := len(team.members.void()):
        app.note(
            f"{count_of(void, 'change')} of the team {team_members.VOID}; muniment team members shows more"
        )
    if rivals := len(team.conflicts()):
        app.note(f"{count_of(rivals, 'conflict')} between machines: muniment team status shows more")
    write_notices.say(app, memory)
    return 1 if done.findings else 0


@command.command("status", short_help="Show how much of each machine's chain is here")
@option("--erase", metavar="ID", help="Show which machines have removed what the event ID erased.")
@common_options
def status(app: App, erase: str | None) -> None:
    """Show the team's address, the last sync, and how far each machine's chain came.

    Asks the address, and shows what is known here if it cannot be reached. Changes nothing, and exits with 0.

    With --erase, shows for each machine whether it signed that what was erased is gone there. ID is what muniment erase
    printed.

    \b
    Examples:
      muniment team status
      muniment team status --json | jq .chains
      muniment team status --erase 3f2a9c81
    """
    if erase is None:
        team_status.show(app, app.memory())
    else:
        team_status.show_receipts(app, app.memory(), erase)


@command.command("resolve", short_help="Keep one of several memories in conflict")
@click.argument("id_", metavar="ID")
@click.argument("text", required=False)
@common_options
def resolve(app: App, id_: str, text: str | None) -> None:
    """Keep the memory with this ID in place of all that it is in conflict with; with TEXT, a new one.

    Memories are in conflict if several machines changed one before they heard of each other. `team status` lists them.

    \b
    Examples:
      muniment team resolve 5595720b
      muniment team resolve 5595720b "Use pnpm in the shop, npm elsewhere"
    """
    team_members.refuse_nobody(app, "ends a conflict", "resolve")
    memory = app.memory()
    done = memory.team.resolve(memory.recall.entry(id_).id, text or "")
    if app.json:
        app.emit({"id": done.id})
    else:
        app.line(short(done.id))
    write_notices.say(app, memory)


@command.command("rejoin", short_help="Continue with a new chain after this one forked or was removed")
@common_options
def rejoin(app: App) -> None:
    """Continue with a new chain after this machine's chain forked or was removed.

    A chain forks if its machine went back to an older state and wrote on, or if two machines have its key. Nothing of
    it counts from there. Run this on the machine that is right: it begins a new chain in the same team, says again
    what this machine wrote since, and keeps what the other history says as candidates for review. If it is
    interrupted, run it again.

    If an admin removed this machine, the new chain asks to join again.

    \b
    Examples:
      muniment team rejoin
    """
    from team.rejoining import Rejoining

    team_members.refuse_nobody(app, "rejoins a team", "rejoin")
    memory = app.memory()
    Rejoining(memory.scope, memory.team).begin()
    again = app.memory_at(memory.workspace.place)
    done = Rejoining(again.scope, again.team).finish()
    if app.json:
        app.emit({**_as_json(again.team), "said": done.said, "unsaid": done.unsaid})
    else:
        app.line(f"this machine continues with a new chain, as {again.team.label}")
        app.lines(fields([("said again", str(done.said)), ("fingerprint", again.team.fingerprint)], "  "))
    app.note(f"it has new keys, without a passphrase; the next one gives no protection here: {TAKE_OFF}")
    if done.unsaid:
        app.note(
            f"{count_of(done.unsaid, 'memory', 'memories')} could not be stored again: run muniment verify"
        )
    for each in filter(
        None, (*done.findings, done.fault and f"{done.fault}; run muniment team sync to continue")
    ):
        app.note(plain(each))
    write_notices.say(app, again)
    if not again.team.is_member:
        app.note(team_members.counts_once_accepted(again.team.fingerprint))


@command.command("checkpoint", short_help="Sign what the team holds, or compare with what was signed")
@option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write it into FILE.",
)
@option(
    "--check",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Compare what is here with the checkpoint in FILE.",
)
@common_options
def checkpoint(app: App, output: Path | None, file: Path | None) -> int:
    """Sign the chains of all members as they are here, and print the signed text.

    The text has a hash and a number of events for each chain, and no memory. With --check, tells whether this machine
    has the same history as the one that signed, is ahead of it, behind it, or has another history, and in which chain.

    \b
    Examples:
      muniment team checkpoint -o monday.checkpoint          on one machine
      muniment team checkpoint --check monday.checkpoint     on another
    """
    from cli import team_checkpoint

    if file is None:
        team_checkpoint.sign(app, output)
        return 0
    if output is not None:
        raise click.UsageError("--check writes no file: leave out --output")
    return team_checkpoint.check(app, file)


# --- what is shown ---


def _say_findings(app: App, done: Exchanged) -> None:
    for each in done.findings:
        app.note(plain(each))


def _as_json(team: Team) -> dict[str, Any]:
    return {
        "team": team.identity.id,
        "address": team.settings.address,
        "id": team.genesis,
        "fingerprint": team.fingerprint,
        "member": team.is_member,
    }


def _founded_json(founded: Founded) -> dict[str, Any]:
    return {
        "did": founded.did,
        "name": founded.identity.name,
        "scope": founded.identity.scope,
        "directory": str(founded.place.directory),
        "documents": str(founded.place.documents),
        "next_key": str(founded.next_key),
    }


def _exchanged_json(done: Exchanged) -> dict[str, Any]:
    return {"sent": done.sent, "received": done.received, "findings": done.findings}
