"""muniment show --history: all versions of one memory.

Implements specs/cli.md (X-59).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cli.app import App
from cli.show_entry import COMPROMISED, entry_json, event_json, event_line
from cli.word_marks import marked_text, member_lines
from language.dates import moment
from language.printable import plain, said, short, who
from ledger.errors import NotFoundError
from ledger.fold import Entry, is_stale
from muniment import MemoryLedger
from projections.difference import changed_members
from projections.index import Index
from projections.query import LogRow
from projections.word_diff import word_changes


@dataclass(frozen=True, slots=True)
class ShownVersion:
    """One version: its number, the first and the numbers of all that it replaced, and what was said of it.

    `before` is None if there is nothing to compare it with: a first version, an erased one.
    """

    number: int
    entry: Entry
    before: Entry | None
    replaces: tuple[int, ...]
    events: tuple[LogRow, ...]


def show_versions(app: App, id_: str) -> None:
    """Print all versions of the memory that has this id, or that this event is about, the oldest first."""
    memory = app.memory()
    versions = _versions(memory, _memory_id(memory, id_))
    stale_before = memory.recall.stale_before()
    if app.json:
        index = memory.workspace.index
        app.emit_lines(_as_json(index, version, stale_before) for version in versions)
    else:
        width = len(str(len(versions))) + 1
        app.lines(line for version in versions for line in _lines(app, version, width, stale_before))


def _memory_id(memory: MemoryLedger, id_: str) -> str:
    """Return the full id of the memory that is meant; an event about one memory selects that one."""
    event = memory.recall.event(id_)
    if memory.workspace.index.entry(event.id) is not None:
        return event.id
    memories = [target for target in event.targets if memory.workspace.index.entry(target) is not None]
    if len(memories) == 1:
        return memories[0]
    what = f"a {event.kind} of {', '.join(map(short, memories))}" if memories else f"a {event.kind}"
    raise NotFoundError(f"{id_} is {what}, not a memory: run muniment show {id_} for more")


def _versions(memory: MemoryLedger, id_: str) -> list[ShownVersion]:
    entries = memory.history(id_)
    numbers = {entry.id: number for number, entry in enumerate(entries, 1)}
    by_id = {entry.id: entry for entry in entries}
    found = []
    for entry in entries:
        replaced = [by_id[other] for other in entry.supersedes if other in by_id]
        events = tuple(row for row in memory.recall.said_of(entry.id) if row.kind != "supersede")
        replaces = tuple(sorted(numbers[other.id] for other in replaced))
        before = replaced[0] if replaced and "erased" not in (entry.status, replaced[0].status) else None
        found.append(ShownVersion(numbers[entry.id], entry, before, replaces, events))
    return found


def _as_json(index: Index, version: ShownVersion, stale_before: str) -> dict[str, Any]:
    before, now = version.before, version.entry.memory
    members = changed_members(before.memory, now) if before else ()
    return {
        "version": version.number,
        **entry_json(index, version.entry, stale_before),
        "replaces": list(version.replaces),
        "changed": [member.name for member in members],
        "changes": {
            member.name: [list(stretch) for stretch in word_changes(member.old, member.new)]
            for member in members
        },
        "events": [event_json(index, row) for row in version.events],
    }


def _lines(app: App, version: ShownVersion, width: int, stale_before: str) -> Iterator[str]:
    entry = version.entry
    number = f"v{version.number}".ljust(width)
    margin = " " * (width + 2)
    words = [entry.status] if entry.status != "superseded" else []
    if entry.compromised:
        words.append(COMPROMISED)
    elif is_stale(entry, stale_before):
        words.append("stale")
    state = app.style(f"  [{', '.join(words)}]", fg="yellow") if words else ""
    by = who(*entry.by)
    yield f"{number}  {app.style(short(entry.id), fg='cyan')}  {moment(entry.learned)}  {by}{state}"
    if version.before is None:
        yield f"{margin}{said(entry.memory)}"
    else:
        yield f"{margin}{marked_text(app, version.before.memory.text, entry.memory.text)}"
        for line in member_lines(app, version.before.memory, entry.memory):
            yield f"{margin}{line}"
    if version.replaces and version.replaces != (version.number - 1,):
        yield f"{margin}replaces {', '.join(f'v{other}' for other in version.replaces)}"
    if entry.reason:
        yield f"{margin}because {plain(entry.reason)}"
    if conversation := entry.memory.provenance.conversation:
        yield f"{margin}conversation {plain(conversation)}"
    for row in version.events:
        yield f"{margin}{event_line(row)}"
