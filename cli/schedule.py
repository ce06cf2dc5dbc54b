"""muniment upkeep schedule: let checkpoint, curate and maintain run by themselves.

Implements specs/doors.md (G-30, G-37). `agents.schedulers` makes the change; here it is shown, and a person is asked.
"""

from __future__ import annotations

from pathlib import Path

import click

import muniment
from agents import schedulers
from agents.schedules import FORMATS, NAME, Runner
from cli.app import App, common_options
from cli.asking import ask
from cli.options import Verb, option
from language.printable import plain
from ledger.errors import NoLedgerError, UsageError

_QUESTIONS = {
    ("systemd", True): "Put these timers in place?",
    ("systemd", False): "Take these timers out?",
    ("crontab", True): "Put these jobs into your crontab?",
    ("crontab", False): "Take these jobs out of your crontab?",
}


@click.command("schedule", cls=Verb, short_help="Run daily notes and upkeep on a schedule")
@option("--format", "format_", type=click.Choice(FORMATS), help="Default: systemd if it is available.")
@option("--install", "wish", flag_value="install", help="Install the jobs.")
@option("--remove", "wish", flag_value="remove", help="Remove the jobs.")
@option("--yes", is_flag=True, help="Do not ask for confirmation.")
@common_options
def command(app: App, format_: str | None, wish: str | None, yes: bool) -> None:
    """Run daily notes and upkeep on a schedule.

    Sets up three jobs: checkpoint every 30 minutes, curate weekly from Sunday 10:00 UTC, and upkeep weekly from
    Sunday 11:00 UTC. If the machine was off, they run when it is on again. Without --install, only prints the
    jobs; with it, shows what changes and asks. The jobs work on the ledger that the options select. Installing
    twice is the same as once.

    systemd: your own timers, in ~/.config/systemd/user. crontab: a block between two marks; other lines are not
    touched.

    \b
    Examples:
      muniment upkeep schedule
      muniment upkeep schedule --install
      muniment upkeep schedule --format crontab --install --yes
      muniment upkeep schedule --remove
    """
    format_ = format_ or schedulers.usual_format()
    place, hint = muniment.locate(app.scope, app.directory)
    if hint:
        app.note(hint)
    runner = schedulers.runner_of(place, by_directory=app.directory is not None)
    if wish is None:
        _show(app, format_, runner)
        return
    install = wish == "install"
    if install and not place.chain.exists():
        raise NoLedgerError(f"there is no ledger in {place.directory} yet: run muniment init to create one")
    if install and not Path(runner.program).is_absolute():
        raise UsageError(
            f"{NAME} is not on PATH, so no schedule would find it: install it, with pipx for example"
        )
    change = schedulers.planned(format_, runner, install=install)
    if change.texts:
        if not app.json:
            app.lines(map(plain, change.diff()), verbatim=True)
        ask(_QUESTIONS[format_, install], yes=yes)
    else:
        app.note("nothing to change: it is so already")
    for text in schedulers.carry_out(change):
        app.note(text)
    if app.json:
        done = [*change.texts]
        app.emit({"format": format_, "did": "installed" if install else "removed", "changed": done})


def _show(app: App, format_: str, runner: Runner) -> None:
    texts = schedulers.texts_of(format_, runner)
    files = texts if format_ == "systemd" else {}
    text = "\n".join(f"# {path}\n{unit}" for path, unit in files.items()) or "".join(texts.values())
    if app.json:
        app.emit({"format": format_, "files": files, "text": text})
    else:
        app.lines(text.rstrip("\n").split("\n"), verbatim=True)
    if not Path(runner.program).is_absolute():
        app.note(f"{NAME} is not on PATH: put its path there before you use this")
    else:
        app.note(f"muniment upkeep schedule --format {format_} --install puts this in place")
