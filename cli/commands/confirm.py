"""muniment confirm: say that memories are still true.

Implements specs/cli.md (X-21, X-194, X-290).
"""

from __future__ import annotations

import click

from cli import person_only, write_notices
from cli.app import App, common_options
from cli.options import Verb, option
from documents import replacements
from language.printable import plain, short
from ledger.command import Confirm


@click.command("confirm", cls=Verb)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@option("-m", "--reason", metavar="REASON", default="", help="How you know; it stays in the history.")
@common_options
def command(app: App, ids: tuple[str, ...], reason: str) -> None:
    """Confirm that memories are still true.

    A candidate becomes active; a stale memory counts as fresh again. Only a person can confirm a candidate, at a terminal; if
    an agent asks, the request waits in muniment review.

    \b
    Examples:
      muniment list --status candidate
      muniment confirm 3f2a9c81
      muniment confirm 3f2a9c81 07be44d0 -m "checked against the schema"
    """
    memory = app.memory()
    entries = {entry.id: entry for entry in map(memory.entry, ids)}
    person_only.refuse(app, memory, [Confirm(tuple(entries))])
    promoted = [entry.id for entry in entries.values() if entry.status == "candidate"]
    events = replacements.confirm(memory.scope, entries.values(), reason)
    taken = list(replacements.by_confirming(memory.workspace, entries.values()))
    if app.json:
        app.emit(
            {
                "id": events[0],
                "events": events,
                "confirmed": list(entries),
                "promoted": promoted,
                "supersedes": [each.to_json() for each in taken],
                "reason": reason,
            }
        )
    else:
        for entry in entries.values():
            now_active = "  (active now)" if entry.id in promoted else ""
            app.line(f"confirmed {short(entry.id)}  {plain(entry.memory.text)}{now_active}")
        app.lines(map(str, taken))
    write_notices.say(app, memory)
