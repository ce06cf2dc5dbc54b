"""muniment delete (also forget): take memories out of every view.

Implements specs/cli.md (X-20).
"""

from __future__ import annotations

import click

from cli import afterwards
from cli.app import App, common_options, plain, short
from cli.batches import in_events
from ledger.command import Delete


@click.command("delete")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("-m", "--reason", metavar="REASON", default="", help="Why; it stays in the history.")
@common_options
def command(app: App, ids: tuple[str, ...], reason: str) -> None:
    """Take memories out of every view: list, search, prompt and documents.

    The text stays in the signed history, and `muniment revert` brings the memory back. For what must not
    be on disk at all, such as a secret, use `muniment erase`.

    \b
    Examples:
      muniment delete 3f2a9c81 -m "we moved to Postgres"
      muniment forget @41 @42
    """
    memory = app.memory()
    entries = {entry.id: entry for entry in map(memory.entry, ids)}
    events = in_events(memory, list(entries), lambda targets: Delete(targets, reason))
    if app.json:
        app.emit({"id": events[0], "events": events, "deleted": list(entries), "reason": reason})
    else:
        for entry in entries.values():
            app.line(f"deleted {short(entry.id)}  {plain(entry.memory.text)}")
    app.note(f"to take it back: muniment revert {' '.join(map(short, events))}")
    afterwards.say(app, memory)
