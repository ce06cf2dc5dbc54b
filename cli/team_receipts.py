"""What `muniment team status --erase` says: which machines no longer have what was erased.

Implements specs/cli.md (X-346).
"""

from __future__ import annotations

from cli.app import App
from cli.show_entry import fields
from language.printable import plain
from ledger.errors import NotFoundError
from muniment import MemoryLedger


def show(app: App, memory: MemoryLedger, typed: str) -> None:
    """Print for each machine of the team what its receipt of an erase says."""
    team = memory.team
    _ = team.settings  # no team: said before the id is looked for
    event = memory.recall.event(typed)
    if event.kind != "erase":
        raise NotFoundError(f"{plain(typed)} is no erase: muniment log --kind erase shows them")
    holders = team.holders(event.id)
    if app.json:
        app.emit({"erase": event.id, "machines": [each._asdict() for each in holders]})
        return
    app.lines(fields([(plain(each.label), each.state) for each in holders]))
    app.lines(dict.fromkeys(plain(said) for each in holders for said in each.residue))
