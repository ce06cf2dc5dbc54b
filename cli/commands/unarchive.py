"""muniment archive restore: show again archived memories.

Implements specs/cli.md (X-87).
"""

from __future__ import annotations

import click

from cli.app import App, common_options
from language.printable import short


@click.command("unarchive", short_help="Return archived memories to view")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@common_options
def command(app: App, ids: tuple[str, ...]) -> None:
    """Return archived memories to view.

    \b
    Examples:
      muniment list --archived          shows the archived ones too
      muniment archive restore 3f9a1c04
    """
    shown = app.memory().upkeep.unarchive(*ids)
    if app.json:
        app.emit({"ids": shown})
        return
    for id_ in shown:
        app.line(f"{short(id_)}  shown again")
