"""muniment restore: bring a backup back.

Implements specs/cli.md (X-85); the work is `ledger.backup_archive` and `ledger.restoring`.
"""

from __future__ import annotations

from pathlib import Path

import click

import muniment
from cli import person_only, team_members
from cli.app import App, common_options
from cli.asking import ask
from cli.options import Verb, option
from cli.progress import ProgressBar
from language.printable import short
from ledger import backup_archive, location, restoring
from ledger.backup_archive import Manifest, Unpacked
from ledger.errors import OutsideError, WaitingError
from ledger.keys import KeyDirectory
from ledger.location import Location
from ledger.mark import Mark, StateDirectory
from ledger.restoring import CheckedBackup, Destination
from muniment import MemoryLedger
from projections.binding import keep_out_of_git
from projections.snapshot import forget_missing_documents
from team.second_machine import begun, bring_team


@click.command("restore", cls=Verb)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@option(
    "-m", "--reason", metavar="REASON", default="", help="Why newer events are given up; signed into the log."
)
@option("--yes", is_flag=True, help="Do it without asking.")
@option(
    "--as",
    "role",
    type=click.Choice(["second-machine"]),
    help="Create a second chain: both machines write.",
)
@common_options
def command(app: App, file: Path, reason: str, yes: bool, role: str | None) -> None:
    """Restore a backup.

    Verifies the whole chain in FILE first, and asks. The ledger continues here, with its keys, and the old machine
    must not write to it any more, because two writers would fork it. With --as second-machine it goes on there as well:
    this machine gets a chain and keys of its own, and asks to join the team of the ledger in FILE (muniment team init
    there makes one).

    An existing chain is never replaced. If it is missing or empty, and events newer than the backup were
    acknowledged here, restoring gives them up: this needs -m REASON, and a signed event records it.

    \b
    Examples:
      muniment restore memory-2026-11-20.tar.gz
      muniment restore old.tar.gz -m "the disk died on Friday"
      muniment restore laptop.tar.gz --as second-machine
    """
    with backup_archive.unpacked(file) as found:
        with ProgressBar("verifying") as progress:
            checked = restoring.check(found, progress=progress)
        _tell(app, found.manifest)
        place = restoring.place_of(found.manifest, muniment.home(), Path(), app.scope, app.directory)
        if role:
            _begin_beside(app, found, place)
            return
        forget_missing_documents(found.folder)
        result = _move(app, checked, place, _destination(place), reason, yes=yes)
        if bring_team(found, place, muniment.home()):
            app.note(
                "it belongs to a team: run muniment team sync before anything is added, "
                "since the team may hold newer events of this machine"
            )
    keep_out_of_git(muniment.home())
    with MemoryLedger(place, muniment.home(), by=app.by()) as memory:
        outcome = memory.documents.replay()
    if app.json:
        app.emit(result)
    app.report_paused(outcome.paused)


def _begin_beside(app: App, found: Unpacked, place: Location) -> None:
    """Begin a second machine beside the one in the backup (specs/team.md TM-82)."""
    if person_only.is_nobody(app):
        person_only.wait(app, "only a person may set up a second machine")
    made, invitation = begun(found, muniment.home(), place, app.by())
    with MemoryLedger(made.place, muniment.home(), by=app.by()) as memory:
        try:
            memory.team.ask(invitation)
        except OutsideError as error:
            memory.documents.join()
            memory.documents.replay()
            app.note(f"{error}; the memories in the backup are here, and muniment team sync continues")
        fingerprint = memory.team.fingerprint
        if memory.team.keys.is_awaited:
            app.note(
                "the others' memories are sealed, and no key is in this backup: once accepted, run this again"
            )
    if app.json:
        app.emit(
            {"genesis": made.genesis, "fingerprint": fingerprint, "directory": str(made.place.directory)}
        )
    else:
        app.line(f"this machine's own chain is now beside the backup's, in {made.place.directory}")
        app.line(f"  fingerprint  {fingerprint}")
    app.note(team_members.counts_once_accepted(fingerprint))


def _tell(app: App, manifest: Manifest) -> None:
    ledger = manifest.ledger
    app.note(
        f"the backup of {ledger.name} ({ledger.scope}, {ledger.id}), made {manifest.made[:19]}Z, is sound: "
        f"{manifest.seq + 1} events; its first is {short(manifest.genesis)}, its newest {short(manifest.id)}"
    )


def _destination(place: Location) -> Destination:
    home = muniment.home()
    return Destination(place.directory, KeyDirectory(home.keys), StateDirectory(home.state))


def _bind(place: Location) -> None:
    """Bind the project's root, as init would: a person asked for its ledger here."""
    if place.root is not None:
        location.bind(muniment.home(), place.root, place.project)


def _move(
    app: App, checked: CheckedBackup, place: Location, at: Destination, reason: str, *, yes: bool
) -> dict[str, object]:
    restoring.refuse_standing(checked, at)
    lost = restoring.lost_by(checked, at.state)
    if lost is None or reason:  # without a reason `move_here` refuses, and explains
        _ask(app, checked, lost, yes=yes)
    done = restoring.move_here(checked, at, app.by(), reason=reason)
    _bind(place)
    if not app.json:
        app.line(f"restored to {place.directory}: {checked.events} events")
        if done.recovered:
            app.line(
                f"  {short(done.recovered)}  says that events up to @{lost.seq if lost else '?'} were lost"
            )
        if done.kept:
            app.line(f"  the previous chain is kept as {done.kept}")
    if lost is not None:
        app.note("texts erased after this backup was made are back: erase them again")
    if not done.keyed:
        path = at.keys.path_of(checked.found.manifest.ledger.id)
        app.note(f"it can be read, but not written to, until its private key is at {path}")
    app.note("from now on, nothing else may write to it: two writers would fork it")
    return {
        "directory": str(place.directory),
        "genesis": done.genesis,
        "events": checked.events,
        "recovered": done.recovered or None,
        "kept": str(done.kept) if done.kept else None,
        "keyed": done.keyed,
    }


def _ask(app: App, checked: CheckedBackup, lost: Mark | None, *, yes: bool) -> None:
    """Have somebody agree; that events are given up, an agent or a script does not (X-290, X-292).

    Raises:
        WaitingError: events would be given up, and no person asks for it.
        click.Abort, UsageError: they say no, or nobody can be asked.
    """
    question = "The ledger continues here, and its old machine must no longer write to it: two writers would fork it."
    if lost is not None:
        if person_only.is_nobody(app):
            what = f"events up to @{lost.seq} were acknowledged here, and restore would give up those after @{checked.link.seq}"
            raise WaitingError(
                f"waiting for a person: {what}. Nothing was done; a person runs this in a terminal"
            )
        question += (
            f" The backup ends at @{checked.link.seq}, but @{lost.seq} ({short(lost.id)}) was acknowledged here: "
            "events that are not in the backup are given up."
        )
    ask(f"{question} Restore it?", yes=yes)
