"""What agents were shown, as `log --seen` and `show` print it.

Implements specs/report.md (H-44, H-45).
"""

from __future__ import annotations

from collections.abc import Iterator

from cli.app import App, put
from language.dates import moment, span
from language.printable import plain, short
from projections.seen import SeenFilter, SeenOften, Sighting, json_lines

_NAMED = 4
"""So many memories of a record are named in its line."""


def show_seen(app: App, wanted: SeenFilter) -> None:
    """Print the records that `wanted` describes, newest first.

    Raises:
        UsageError: a day or time is malformed.
    """
    for typed in filter(None, (wanted.since, wanted.until)):
        span(typed)
    memory = app.memory()
    found = memory.seen(wanted)
    if app.json:
        put(json_lines(found))
    else:
        app.lines(_table(app, found))
    if not memory.workspace.readable_configuration.seen:
        app.note("nothing is recorded: seen = false in config.toml")
    elif not found:
        app.note("no record fits; what a hook showed is recorded when the agent's turn ends")


def _table(app: App, found: list[Sighting]) -> Iterator[str]:
    columns = [(each.agent, each.door, each.why, _size(each)) for each in found]
    widths = [max(map(len, column)) for column in zip(*columns, strict=True)]
    for each, cells in zip(found, columns, strict=True):
        line = "  ".join(f"{plain(cell):<{width}}" for cell, width in zip(cells, widths, strict=True))
        ids = " ".join(map(short, each.ids[:_NAMED])) + (" …" if len(each.ids) > _NAMED else "")
        session = f"  (session {plain(each.session)})" if each.session else ""
        yield f"{moment(each.at)}  {line}  {app.style(ids, fg='cyan')}{app.style(session, dim=True)}"


def _size(each: Sighting) -> str:
    memories = "1 memory" if len(each.ids) == 1 else f"{len(each.ids)} memories"
    return f"{memories}, {each.tokens} tokens"


def seen_line(often: SeenOften) -> str:
    """Return one sentence about how often a memory was shown, and when last."""
    times = "once" if often.times == 1 else f"{often.times} times"
    sessions = "1 session" if often.sessions == 1 else f"{often.sessions} sessions"
    last = often.last
    session = f", session {plain(last.session)}" if last.session else ""
    return (
        f"{times} in {sessions}, last {moment(last.at)} by {plain(last.agent)} ({plain(last.door)}{session})"
    )
