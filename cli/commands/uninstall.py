"""muniment uninstall: take muniment's door out of a program again.

Implements specs/cli.md (X-243, X-290) and specs/doors.md (G-20, G-21).
"""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import click

from agents.install.hosts import HOSTS, placed
from agents.install.installing import uninstalling
from cli import person_only
from cli.app import App
from cli.commands.install import carried_out, install_options, refuse_ledger
from cli.options import Verb
from projections.requests import UNINSTALL


@click.command("uninstall", cls=Verb)
@install_options
@click.argument("host", metavar="HOST", type=click.Choice(list(HOSTS)))
def command(app: App, host: str, dry_run: bool, plugin: Path | None, yes: bool) -> None:
    """Remove what install added.

    Removes only what `muniment install` added to a program; your memories stay. An unchanged file gets its old
    bytes back; from a changed one, only the parts that run muniment are removed. A file with nothing else in it
    is deleted. What you added yourself, such as the MCP server (claude mcp add), is named. If an agent or a script
    asks, the request waits in muniment review.

    \b
    Examples:
      muniment uninstall claude-code --dry-run
      muniment uninstall codex --scope project --yes
    """
    if not dry_run and person_only.is_nobody(app):
        _leave_to_person(app, host, plugin)
    refuse_ledger(app)
    chosen, place = placed(host, app.scope, plugin, Path.cwd())
    changes = uninstalling(chosen, place)
    carried_out(app, chosen, place, changes, dry_run=dry_run, yes=yes, verb="uninstall")
    for line in () if dry_run else chosen.left:
        app.note(line)


def _leave_to_person(app: App, host: str, plugin: Path | None) -> NoReturn:
    """Let it wait in the user's own ledger, or in the one that there is; without one it is said all the same."""
    what = f"muniment would be removed from {host}"
    if not (scopes := App().scopes()):
        person_only.wait(app, f"{what}; run muniment uninstall {host}")
    scope = app.scope or ""
    folder = str(plugin.absolute()) if plugin else ""
    person_only.file(app, scopes[-1], UNINSTALL, host=host, scope=scope, plugin=folder, root=str(Path.cwd()))
    person_only.wait(App(scope=scopes[-1].workspace.place.scope, by_name=app.by_name), what)
