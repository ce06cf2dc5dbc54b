"""What agents were shown, as `log --seen` and `show` print it.

Implements specs/report.md (H-44, H-45).
"""

from __future__ import annotations

from collections.abc import Iterator

from cli.app import App, put
from cli.show_entry import columns, count_of
from language.dates import moment, span
from language.printable import few, plain, short
from projections.seen import SeenFilter, SeenOften, Sighting, json_lines


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
    lines = columns([(*map(plain, (each.agent, each.door, each.why)), _size(each)) for each in found])
    for each, line in zip(found, lines, strict=True):
        ids = few(map(short, each.ids), 4)
        session = f"  (session {plain(each.session)})" if each.session else ""
        yield f"{moment(each.at)}  {line}  {app.style(ids, fg='cyan')}{app.style(session, dim=True)}"


def _size(each: Sighting) -> str:
    return f"{count_of(len(each.ids), 'memory', 'memories')}, {each.tokens} tokens"


def seen_line(often: SeenOften) -> str:
    """Return one sentence about how often a memory was shown, and when last."""
    times = "once" if often.times == 1 else f"{often.times} times"
    last = often.last
    session = f", session {plain(last.session)}" if last.session else ""
    door = f"{plain(last.agent)} ({plain(last.door)}{session})"
    return f"{times} in {count_of(often.sessions, 'session')}, last {moment(last.at)} by {door}"
