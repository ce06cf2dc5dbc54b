"""muniment log: the timeline.

Implements specs/cli.md (X-61) and specs/report.md (H-44).
"""

from __future__ import annotations

from collections.abc import Iterator

import click

from cli.app import App, common_options
from cli.options import Verb, option
from cli.seen_log import show_seen
from cli.show_entry import COMPROMISED, columns, event_json
from language.dates import moment, span, typed_day
from language.printable import ERASED, plain, short, who
from ledger.errors import UsageError
from ledger.schema import KINDS
from projections.event_names import named
from projections.index import Index
from projections.query import LogFilter, LogRow
from projections.seen import SeenFilter


@click.command("log", cls=Verb)
@option(
    "--since", metavar="WHEN", help="From then on: yesterday, monday, 7d, 2026-11-20, '2026-11-20 15:00'."
)
@option("--until", metavar="WHEN", help="Before then; a day is included.")
@option("--kind", "kinds", type=click.Choice(list(KINDS)), multiple=True, help="May be repeated.")
@option("--author", metavar="NAME", help="Written by this person or agent.")
@option("--conversation", metavar="ID", help="From this conversation.")
@option("--session", metavar="ID", help="From this session.")
@option("--memory", "memory_id", metavar="ID", help="About this memory, in all its versions.")
@option("--compromised", is_flag=True, help="Only what a stolen key signed.")
@option("-n", "--limit", type=click.IntRange(min=1), metavar="N", help="Only the newest N.")
@option("--reverse", is_flag=True, help="Newest first.")
@option("--seen", is_flag=True, help="What agents were shown on this machine instead, newest first.")
@option("--day", metavar="WHEN", help="Only this day: today, monday, 7d (ago), 2026-11-20.")
@common_options
def command(
    app: App,
    *,
    since: str | None,
    until: str | None,
    kinds: tuple[str, ...],
    author: str | None,
    conversation: str | None,
    session: str | None,
    memory_id: str | None,
    compromised: bool,
    limit: int | None,
    reverse: bool,
    seen: bool,
    day: str | None,
) -> None:
    """Show the timeline: what, when, by whom, from where.

    The oldest event comes first.

    With --seen, show each time that an agent was shown memories: when, to which agent and session, by which
    door and why, and how many memories and tokens. This machine keeps the newest 10,000 of the last 90 days.
    It takes --since, --until, --session, --memory, --day and --limit.

    \b
    Examples:
      muniment log -n 20
      muniment log --since 2026-11-01 --kind delete --kind erase
      muniment log --memory 3f9a1c04
      muniment log --conversation c-17 --json > c-17.jsonl
      muniment log --seen --since 7d --memory 3f9a1c04
      muniment log --seen --day yesterday
    """
    if day is not None:
        if since is not None or until is not None:
            raise UsageError("--day is one whole day: leave --since and --until out")
        since = until = typed_day(day)
    if seen:
        if kinds or author is not None or conversation is not None or compromised or reverse:
            raise UsageError("--seen takes only --since, --until, --session, --memory, --day and --limit")

        asked = SeenFilter(since or "", until or "", session or "", memory_id or "", limit=limit)
        show_seen(app, asked)
        return
    if author == "":
        raise UsageError("--author is empty: give a name, or leave it out")
    for typed in (since, until):
        if typed is not None:
            span(typed)
    memory = app.memory()
    wanted = LogFilter(
        since=since or "",
        until=until or "",
        kinds=kinds,
        author=author or "",
        conversation=conversation or "",
        session=session or "",
        memory=memory.recall.resolve(memory_id) if memory_id else "",
        limit=limit,
        compromised=compromised,
    )
    rows = memory.log(wanted)
    if reverse:
        rows.reverse()
    index = memory.workspace.index
    if app.json:
        app.emit_lines(event_json(index, row) for row in rows)
    else:
        app.lines(_table(app, index, rows))
    if not rows:
        app.note("no events match: run muniment log without filters to see all events")


def _table(app: App, index: Index, rows: list[LogRow]) -> Iterator[str]:
    events = columns([(moment(row.at), plain(named(index, row)), row.kind) for row in rows])
    writers = columns([(who(row.name, row.role, row.via),) for row in rows])
    for row, event, writer in zip(rows, events, writers, strict=True):
        id_ = app.style(short(row.id), fg="cyan")
        origin = app.style(f"  ({plain(row.conversation)})", dim=True) if row.conversation else ""
        yield f"{event}  {id_}  {writer}  {_what(row)}{origin}".rstrip()


def _what(row: LogRow) -> str:
    what = ERASED if row.erased else plain(row.what)
    if row.compromised:
        what = f"[{COMPROMISED}] {what}"
    if not row.targets:
        return what
    targets = " ".join(short(target) for target in row.targets)
    return f"{what} (replaces {targets})" if row.kind == "supersede" else f"{targets}: {what}"
