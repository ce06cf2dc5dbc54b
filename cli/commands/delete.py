"""muniment delete (also forget): take memories out of every view.

Implements specs/cli.md (X-20, X-22, X-290).
"""

from __future__ import annotations

import click

from cli import person_only, write_notices
from cli.app import App, common_options
from cli.options import Verb, option
from language.printable import plain, short
from ledger.command import Delete
from ledger.preconditions import waits
from ledger.schema import MAX_TARGETS
from projections.requests import DELETE


@click.command("delete", cls=Verb)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@option("-m", "--reason", metavar="REASON", default="", help="Why; it stays in the history.")
@common_options
def command(app: App, ids: tuple[str, ...], reason: str) -> None:
    """Remove memories from every view.

    Lists, search, prompts and documents no longer show them. The text stays in the signed history, and
    `muniment revert` brings the memory back. To remove a text from the disk, such as a secret, use `muniment
    erase`. If an agent deletes what a person wrote, the request waits in muniment review.

    \b
    Examples:
      muniment delete 3f2a9c81 -m "we moved to Postgres"
      muniment forget @41 @42
    """
    memory = app.memory()
    entries = {entry.id: entry for entry in map(memory.entry, ids)}
    persons = [id_ for id_, entry in entries.items() if waits(entry, Delete((id_,)))]
    if persons and person_only.is_nobody(app):
        for id_ in persons:
            person_only.file(app, memory, DELETE, id_)
        person_only.wait(app, f"a person wrote {' '.join(map(short, persons))}, which is to be deleted")
    full = list(entries)
    chunks = [tuple(full[at : at + MAX_TARGETS]) for at in range(0, len(full), MAX_TARGETS)]
    events = [written.id for written in memory.write([Delete(chunk, reason) for chunk in chunks])]
    asked = [id_ for id_ in entries if memory.entry(id_).live]  # a proposal takes nothing away (TM-21)
    if app.json:
        deleted = [id_ for id_ in entries if id_ not in asked]
        app.emit({"id": events[0], "events": events, "deleted": deleted, "reason": reason})
    else:
        for entry in entries.values():
            done = "asked to delete" if entry.id in asked else "deleted"
            app.line(f"{done} {short(entry.id)}  {plain(entry.memory.text)}")
    app.note(f"to undo it: muniment revert {' '.join(map(short, events))}")
    write_notices.say(app, memory)
