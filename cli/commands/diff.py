"""muniment diff: what was learned, changed and forgotten between two instants.

Implements specs/cli.md (X-97, X-95).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import click

from cli.app import App, common_options
from cli.as_of import up_to
from cli.options import Verb
from cli.show_entry import count_of, entry_json, event_json, event_line, one_line
from cli.word_marks import marked_text, member_lines, minus_line, plus_line
from language.dates import day, moment
from language.printable import plain, said, short, who
from ledger.fold import Entry
from projections.difference import Forgotten, VersionChange, changed_members
from projections.index import Index
from projections.past import Between, Instant, between
from projections.word_diff import word_changes


@click.command("diff", cls=Verb)
@click.argument("first", metavar="A")
@click.argument("second", metavar="[B]", required=False)
@common_options
def command(app: App, *, first: str, second: str | None) -> None:
    """Show what changed between two points in time.

    Lists what was learned, changed, forgotten, confirmed and erased. A and B are days (yesterday, monday,
    2026-11-20), which mean their end, times (7d, '2026-11-20 15:00') or events (@42); without B, the end is
    now. Memories that came and went in between are only counted; muniment log shows every event.

    \b
    Examples:
      muniment diff 2026-11-01
      muniment diff @42 @57
      muniment diff 2026-11-01 2026-11-08 --json | jq '.learned[].text'
    """
    workspace = app.memory().workspace
    lies = between(workspace, first, second)
    since, until = lies.first, lies.second
    app.note(f"from {moment(since.at)} ({up_to(since.seq)}) to {moment(until.at)} ({up_to(until.seq)})")
    if app.json:
        app.emit(_as_json(workspace.index, lies))
        return
    app.lines(_page(app, lies))
    found = lies.found
    if found.came_and_went:
        app.note(f"{count_of(found.came_and_went, 'version')} came and went in between: see muniment log")
    if not any((found.learned, found.changed, found.forgotten, found.confirmed, found.erased)):
        app.note("what the ledger says is the same at both")


def _as_json(index: Index, between: Between) -> dict[str, Any]:
    found = between.found
    return {
        "from": _instant(between.first),
        "to": _instant(between.second),
        "learned": [entry_json(index, entry) for entry in found.learned],
        "changed": [_change_json(index, change) for change in found.changed],
        "forgotten": [
            {**entry_json(index, one.entry), "ended": _end(index, between, one)} for one in found.forgotten
        ],
        "confirmed": [entry_json(index, entry) for entry in found.confirmed],
        "erased": [entry_json(index, entry) for entry in found.erased],
        "came_and_went": found.came_and_went,
    }


def _instant(instant: Instant) -> dict[str, Any]:
    return {"seq": instant.seq if instant.seq >= 0 else None, "at": instant.at}


def _change_json(index: Index, change: VersionChange) -> dict[str, Any]:
    old, new = change.old[0].memory, change.new.memory
    return {
        "old": [entry_json(index, entry) for entry in change.old],
        "new": entry_json(index, change.new),
        "members": {
            member.name: [list(stretch) for stretch in word_changes(member.old, member.new)]
            for member in changed_members(old, new)
        },
    }


def _end(index: Index, between: Between, one: Forgotten) -> dict[str, Any] | None:
    row = between.ends.get(one.entry.id)
    return event_json(index, row) if row else None


def _page(app: App, between: Between) -> Iterator[str]:
    found = between.found
    yield from _part(
        app, "Learned", ([plus_line(app, one_line(app, entry)), _from(entry)] for entry in found.learned)
    )
    yield from _part(app, "Changed", (_change(app, change) for change in found.changed))
    yield from _part(app, "Forgotten", (_forgotten(app, between, one) for one in found.forgotten))
    yield from _part(app, "Confirmed", ([one_line(app, entry)] for entry in found.confirmed))
    yield from _part(app, "Erased", ([minus_line(app, one_line(app, entry))] for entry in found.erased))


def _part(app: App, title: str, items: Iterable[list[str]]) -> Iterator[str]:
    blocks = list(items)
    if blocks:
        yield app.style(f"{title} ({len(blocks)})", bold=True)
        for first, *rest in blocks:
            yield f"  {first}"
            yield from (f"    {line}" for line in rest if line)


def _from(entry: Entry) -> str:
    conversation = plain(entry.memory.provenance.conversation)
    by = who(*entry.by)
    return f"by {by}, conversation {conversation}" if conversation else f"by {by}"


def _change(app: App, change: VersionChange) -> list[str]:
    new, first = change.new, change.old[0]
    ids = ", ".join(app.style(short(entry.id), fg="cyan") for entry in change.old)
    lines = [f"{ids} -> {app.style(short(new.id), fg='cyan')}  {day(new.learned)}  {_from(new)}"]
    lines.append(marked_text(app, first.memory.text, new.memory.text))
    lines += member_lines(app, first.memory, new.memory)
    return lines + [minus_line(app, f"{short(entry.id)}  {said(entry.memory)}") for entry in change.old[1:]]


def _forgotten(app: App, between: Between, one: Forgotten) -> list[str]:
    row = between.ends.get(one.entry.id)
    return [minus_line(app, one_line(app, one.entry)), event_line(row) if row else ""]
