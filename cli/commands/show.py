"""muniment show: one memory in full, or one event.

Implements specs/cli.md (X-58, X-59, X-95, X-194) and specs/report.md (H-44).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from cli.app import App, common_options, put
from cli.as_of import as_of_option, looked_at
from cli.memory_versions import show_versions
from cli.options import Verb, option
from cli.seen_log import seen_line
from cli.show_entry import (
    COMPROMISED,
    entry_json,
    event_json,
    event_line,
    fields,
    record_rows,
    text_lines,
)
from cli.word_marks import minus_line, plus_line
from documents import replacements
from language.dates import moment
from language.printable import ERASED, plain, said, short, who
from ledger.errors import UsageError
from ledger.fold import Entry, is_stale
from ledger.memory import Memory, made_from
from projections.event_names import named
from projections.query import LogRow
from projections.recall import Recall
from projections.seen import SeenOften
from projections.workspace import Workspace

_DAMAGED = "(damaged: the text in the chain is not what was signed)"


@click.command("show", cls=Verb)
@click.argument("id_", metavar="ID")
@option("--history", is_flag=True, help="Show all versions, the oldest first, with what changed.")
@option("--raw", is_flag=True, help="Print the signed line from the chain.")
@as_of_option
@common_options
def command(app: App, *, id_: str, history: bool, raw: bool, as_of: str | None) -> None:
    """Show one memory, or one event, in full.

    ID is a prefix of at least 8 digits, or @N for event N; desk/3f9c12ab@N is event N of another writer. A memory is
    shown with its origin and everything that happened to it. Showing a memory counts as use, but never as
    confirmation.

    With --history, ID may be that of any version. Each version shows when and by whom it was written, and what it
    changed: removed words as [-old-], added words as {+new+}.

    \b
    Examples:
      muniment show 3f9a1c04
      muniment show @42
      muniment show --history 3f9a1c04
      muniment show 3f9a1c04 --json | jq .provenance
      muniment show 3f9a1c04 --as-of 2026-11-01
      muniment show @0 --raw
    """
    if history:
        if raw or as_of is not None:
            raise UsageError("--history shows every version: omit --raw and --as-of")

        show_versions(app, id_)
        return
    with looked_at(app, as_of) as memory:
        _show(app, memory, id_, raw=raw)


def _show(app: App, memory: Recall, id_: str, *, raw: bool) -> None:
    event = memory.event(id_)
    if raw:
        put(memory.line(event.id) + b"\n")
        return
    entry = memory.source.index.entry(event.id)
    if entry is None:
        _show_event(app, memory, event)
        return
    memory.source.local.count([entry.id])
    if app.json:
        app.emit(_as_json(memory, entry))
    else:
        app.lines(_page(app, memory, entry))


def _as_json(memory: Recall, entry: Entry) -> dict[str, Any]:
    archived = memory.source.local.archived().get(entry.id)
    return {
        "kind": "supersede" if entry.supersedes else "create",
        **entry_json(memory.source.index, entry, memory.stale_before()),
        "replaces": [{"id": old.id, "text": old.memory.text} for old in _replaced(memory, entry)],
        "damaged": entry.id in memory.damaged(),
        "archived": {"at": archived[0], "why": archived[1]} if archived else None,
        "seen": often.to_json() if (often := _seen(memory, entry)) else None,
        "events": [event_json(memory.source.index, row) for row in memory.said_of(entry.id)],
        "chain": _position(entry.seq, entry.offset, entry.size),
    }


def _position(seq: int, offset: int, size: int) -> dict[str, int]:
    return {"seq": seq, "line": seq + 1, "offset": offset, "size": size}


def _place(memory: Recall, event: Entry | LogRow) -> str:
    return f"{plain(named(memory.source.index, event))}, line {event.seq + 1}"


def _page(app: App, memory: Recall, entry: Entry) -> Iterator[str]:
    damaged = entry.id in memory.damaged()
    yield app.style(_DAMAGED if damaged else said(entry.memory), bold=True)
    for detail in entry.memory.details:
        yield f"  - {plain(detail)}"
    if entry.memory.body:
        yield ""
        yield from text_lines(entry.memory.body)
    yield ""
    record = [] if entry.status == "erased" else record_rows(entry.memory)
    yield from fields(
        [
            ("id", entry.id),
            ("status", _status(memory, entry, damaged)),
            ("reason", plain(entry.reason)),
            *record,
            *_life(app, memory, entry),
        ]
    )
    yield from _extra(entry.memory)


def _status(memory: Recall, entry: Entry, damaged: bool) -> str:
    words = ["damaged: run muniment doctor for a fix"] if damaged else [entry.status]
    if entry.status == "candidate":
        words.append(f"muniment confirm {short(entry.id)} accepts it")
    if entry.compromised:
        words.append(f"{COMPROMISED}: muniment confirm {short(entry.id)} accepts it as true")
    elif is_stale(entry, memory.stale_before()):
        words.append(f"stale: muniment confirm {short(entry.id)} confirms that it is still true")
    if archived := memory.source.local.archived().get(entry.id):
        words.append(f"archived {moment(archived[0])} ({archived[1]})")
    return "; ".join(words)


def _life(app: App, memory: Recall, entry: Entry) -> list[tuple[str, str]]:
    rows = [("learned", f"{moment(entry.learned)} by {who(*entry.by)}")]
    rows += [("made from", _other(memory, id_)) for id_ in made_from(entry.memory.unknown)]
    rows += [("supersedes", minus_line(app, _other(memory, id_))) for id_ in entry.supersedes]
    rows += [
        ("replaces", minus_line(app, _other(memory, old.id))) for old in _replaced(memory, entry) if old.live
    ]
    rows += [("superseded by", plus_line(app, _other(memory, id_))) for id_ in entry.superseded_by]
    for row in memory.said_of(entry.id):
        if row.kind != "supersede":
            rows.append(("since then", event_line(row)))
    if often := _seen(memory, entry):
        rows.append(("seen", seen_line(often)))
    rows.append(("chain", f"{_place(memory, entry)}, {entry.size} bytes"))
    return rows


def _replaced(memory: Recall, entry: Entry) -> list[Entry]:
    """Return what a candidate takes the place of once it is confirmed, nothing of the past."""
    now = memory.source
    return replacements.of_candidates(now, [entry]).get(entry.id, []) if isinstance(now, Workspace) else []


def _seen(memory: Recall, entry: Entry) -> SeenOften | None:
    """Return how often agents were shown it up to now; of the past that is not known."""
    return memory.source.local.seen.often(entry.id) if isinstance(memory.source, Workspace) else None


def _other(memory: Recall, id_: str) -> str:
    entry = memory.source.index.entry(id_)
    return f"{short(id_)}  {said(entry.memory) if entry else '(not in this chain)'}"


def _extra(memory: Memory) -> Iterator[str]:
    if memory.extra:
        yield "frontmatter"
        yield from text_lines(memory.extra)


def _show_event(app: App, memory: Recall, row: LogRow) -> None:
    if app.json:
        app.emit({**event_json(memory.source.index, row), "chain": {"seq": row.seq, "line": row.seq + 1}})
        return
    said_there = ERASED if row.erased else plain(row.what)
    app.line(app.style(f"{row.kind}: {said_there}" if said_there else row.kind, bold=True))
    app.line()
    about = [("of", _other(memory, id_)) for id_ in row.targets]
    origin = [("conversation", plain(row.conversation)), ("session", plain(row.session))]
    key = f", {COMPROMISED}" if row.compromised else ""
    when = ("when", f"{moment(row.at)} by {who(row.name, row.role, row.via)}{key}")
    app.lines(fields([("id", row.id), *about, when, *origin, ("chain", _place(memory, row))]))
