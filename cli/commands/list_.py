"""muniment list: the current memories.

Implements specs/cli.md (X-51, X-95, X-100).
"""

from __future__ import annotations

import click

from cli.app import App, common_options
from cli.as_of import as_of_option, looked_at
from cli.filter_options import filter_options
from cli.options import Verb, option
from cli.show_entry import count_of, entry_json, one_line
from language.printable import plain
from ledger.errors import UsageError
from ledger.fold import Entry, is_stale
from ledger.memory import SECTIONS
from projections.query import Filter
from projections.recall import Recall

_ORDER = {name: place for place, name in enumerate(SECTIONS)}


@click.command("list", cls=Verb)
@filter_options
@option(
    "-n",
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="Only the newest N; with --stale the N longest unconfirmed.",
)
@option("--stale", is_flag=True, help="Only memories not confirmed recently, or that name a missing path.")
@option("--archived", is_flag=True, help="Include archived memories.")
@as_of_option
@common_options
def command(
    app: App, *, wanted: Filter, limit: int | None, stale: bool, archived: bool, as_of: str | None
) -> None:
    """List current memories.

    They are grouped by section, the oldest first. Each line shows id, date and text, then in brackets: candidate
    (waiting for `muniment confirm`), stale (not confirmed recently), archived (hidden), or high importance.

    A memory is stale after decay.days (90; config.toml). --stale lists these, the longest unconfirmed first, with
    the days since they were learned or last confirmed. In a project it also lists memories whose `code spans` name
    a path, script or make target that no longer exists.

    \b
    Examples:
      muniment list
      muniment list --section "User Preferences"
      muniment list --status candidate
      muniment list --status all --tag postgres --json
      muniment list --stale -n 10
      muniment list --as-of 2026-11-01
    """
    if stale:
        if wanted.statuses != Filter().statuses:
            raise UsageError("--stale lists current memories only: omit --status")
        from cli.stale_memories import show_stale  # the plain list does not pay for it

        show_stale(app, wanted=wanted, limit=limit, archived=archived, as_of=as_of)
        return
    with looked_at(app, as_of) as memory:
        entries = memory.load_all(wanted, archived=archived, limit=limit)
        if app.json:
            index, stale_before = memory.source.index, memory.stale_before()
            app.emit_lines(entry_json(index, entry, stale_before) for entry in entries)
        else:
            _print(app, memory, entries)
        if not entries:
            app.note(_nothing(memory, wanted, as_of))
        if damaged := memory.damaged():
            number = count_of(len(damaged), "memory", "memories")
            app.note(f"{number} damaged and not listed: see muniment doctor")


def _print(app: App, memory: Recall, entries: list[Entry]) -> None:
    stale_before = memory.stale_before()
    archived = memory.source.local.archived()
    by_section: dict[str, list[str]] = {}
    for entry in entries:
        line = one_line(app, entry, stale=is_stale(entry, stale_before), archived=entry.id in archived)
        by_section.setdefault(entry.memory.effective_section, []).append(line)
    for heading in sorted(by_section, key=lambda name: (_ORDER.get(name, len(_ORDER)), name)):
        app.line(app.style(plain(heading), bold=True))
        app.lines(f"  {line}" for line in by_section[heading])


def _nothing(memory: Recall, wanted: Filter, as_of: str | None) -> str:
    if as_of is None and wanted == Filter() and not memory.source.local.archived():
        return "no memories yet: run muniment add TEXT to store one"
    return "no memories match: run muniment list --status all --archived to see all memories"
