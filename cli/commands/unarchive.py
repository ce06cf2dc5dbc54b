"""memledger unarchive: show again what gc has archived.

Implements specs/cli.md (X-87).
"""

from __future__ import annotations

import click

from cli.app import App, common_options, short


@click.command("unarchive")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@common_options
def command(app: App, ids: tuple[str, ...]) -> None:
    """Show memories again that `memledger gc` has archived.

    \b
    Examples:
      memledger list --archived          shows the archived ones too
      memledger unarchive 3f9a1c04
    """
    memory = app.memory()
    full = [memory.entry(id_).id for id_ in ids]  # what is no memory is named so
    hidden = memory.local.archived()
    full.sort(key=lambda id_: id_ in hidden)  # what cannot be shown again is refused before anything is
    shown = [memory.unarchive(id_) for id_ in dict.fromkeys(full)]
    if app.json:
        app.emit({"ids": shown})
        return
    for id_ in shown:
        app.line(f"{short(id_)}  shown again")
