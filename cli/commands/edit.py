"""muniment edit: change a memory in your editor.

Implements specs/cli.md (X-16, X-17).
"""

from __future__ import annotations

import click

from cli import write_notices
from cli.app import App, common_options
from cli.editor import edited
from cli.options import Verb, option
from language.printable import plain, short
from ledger.command import Written
from ledger.fold import Entry
from ledger.verbs import base_of
from muniment import MemoryLedger


@click.command("edit", cls=Verb)
@click.argument("id_", metavar="ID")
@option("--redact", is_flag=True, help="Store [redacted:RULE] in place of a secret instead of refusing.")
@common_options
def command(app: App, id_: str, redact: bool) -> None:
    """Change a memory in your editor.

    Opens $VISUAL or $EDITOR with the members above and the body below. Saving stores a new version; the older
    one stays in the history. Closing without a change stores nothing. If the result cannot be stored, your text
    stays in the file that you edited.

    \b
    Examples:
      muniment edit 3f2a9c81
      EDITOR="code --wait" muniment edit @41
    """
    memory = app.memory()
    entry = memory.entry(id_)
    written = edited(memory, entry, base_of(entry), redact=redact, quiet=app.json)
    _print(app, memory, entry, written)


def _print(app: App, memory: MemoryLedger, entry: Entry, written: Written | None) -> None:
    if app.json:
        app.emit(
            {
                "id": written.id if written else entry.id,
                "changed": written is not None,
                "supersedes": [entry.id] if written else [],
                "redacted": list(written.redacted) if written else [],
            }
        )
    elif written is None:
        app.line(f"{short(entry.id)}  unchanged; nothing was stored")
    else:
        verb = "brings back" if entry.status == "deleted" else "supersedes"
        app.line(f"{short(written.id)}  {verb} {short(entry.id)}  {plain(entry.memory.text)}")
    write_notices.say(app, memory, written.redacted if written else ())
