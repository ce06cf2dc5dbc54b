"""How memories look: one line in a list, a page in show, an object in JSON.

Implements specs/cli.md (X-8, X-57, X-58). What memories say is other people's text: on its way to a terminal it goes
through `plain`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cli.app import App
from language.dates import day, moment
from language.printable import ERASED, plain, said, short, who
from ledger.fold import Entry, is_stale
from ledger.memory import Memory
from projections.event_names import writer_json

if TYPE_CHECKING:
    from projections.index import Index
    from projections.query import LogRow

COMPROMISED = "by a compromised key"
"""Shown for an event that a disowned key signed, and for a memory that only such events confirm."""


def entry_json(index: Index, entry: Entry, stale_before: str | None = None) -> dict[str, Any]:
    """Return a memory as a JSON-ready object: the members of its record beside those of its life.

    `stale` is among them where `stale_before` is given; `index` is one that holds its event.
    """
    stale = {} if stale_before is None else {"stale": is_stale(entry, stale_before)}
    return {
        "id": entry.id,
        "seq": entry.seq,
        "writer": writer_json(index, entry),
        "status": entry.status,
        **stale,
        "compromised": entry.compromised,
        "learned": entry.learned,
        "fresh_since": entry.fresh_since,
        "by": entry.by._asdict(),
        "supersedes": list(entry.supersedes),
        "superseded_by": list(entry.superseded_by),
        "deleted_by": list(entry.deleted_by),
        "reason": entry.reason,
        **memory_json(entry.memory),
    }


def event_json(index: Index, row: LogRow) -> dict[str, Any]:
    """Return an event of the timeline as a JSON-ready object."""
    return {
        "seq": row.seq,
        "writer": writer_json(index, row),
        "id": row.id,
        "kind": row.kind,
        "at": row.at,
        "by": {"name": row.name, "role": row.role, "via": row.via},
        "conversation": row.conversation,
        "session": row.session,
        "what": row.what,
        "erased": row.erased,
        "compromised": row.compromised,
        "targets": list(row.targets),
    }


def memory_json(memory: Memory) -> dict[str, Any]:
    """Return a record with all defaults written out."""
    return {
        "text": memory.text,
        "details": list(memory.details),
        "title": memory.title,
        "body": memory.body,
        "topic": memory.topic,
        "when_to_use": list(memory.when_to_use),
        "tags": list(memory.tags),
        "type": memory.type,
        "section": memory.effective_section,
        "tier": memory.tier,
        "importance": memory.importance,
        "confidence": memory.confidence,
        "inferred": memory.inferred,
        "source": memory.source,
        "category": memory.category,
        "provenance": memory.provenance.to_payload(),
        "extra": memory.extra,
    }


def one_line(app: App, entry: Entry, *, stale: bool = False, archived: bool = False) -> str:
    """Return a memory as one line: id, date, text, and what is out of the ordinary."""
    memory = entry.memory
    marks = [entry.status] if entry.status != "active" else []
    flags = {
        "stale": stale and not entry.compromised,
        COMPROMISED: entry.compromised,
        "archived": archived,
    }
    marks += [word for word, is_so in flags.items() if is_so]
    if memory.importance in ("high", "critical"):
        marks.append(memory.importance)
    suffix = app.style(f"  [{', '.join(marks)}]", fg="yellow") if marks else ""
    return f"{app.style(short(entry.id), fg='cyan')}  {day(entry.learned)}  {said(memory)}{suffix}"


def fields(rows: list[tuple[str, str]], indent: str = "") -> Iterator[str]:
    """Yield lines of aligned names and values; those without a value are left out."""
    shown = [(name, value) for name, value in rows if value]
    width = max((len(name) for name, _ in shown), default=0)
    for name, value in shown:
        yield f"{indent}{name:<{width}}  {value}"


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of cells as lines whose columns are aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]


def record_rows(memory: Memory) -> list[tuple[str, str]]:
    """Return names and values of what a record says beside its text and body, for `fields`."""
    origin = memory.provenance.to_payload()
    usual = {"importance": "medium", "tier": "curated", "confidence": "1.00"}
    rows = [
        ("section", memory.effective_section),
        ("type", memory.type),
        ("topic", memory.topic),
        ("title", memory.title),
        ("when to use", "; ".join(memory.when_to_use)),
        ("tags", ", ".join(memory.tags)),
        ("importance", memory.importance),
        ("tier", memory.tier),
        ("confidence", f"{memory.confidence:.2f}"),
        ("inferred", "yes" if memory.inferred else ""),
        ("source", memory.source),
        ("category", memory.category),
    ]
    rows = [(name, plain(value)) for name, value in rows if usual.get(name) != value]
    return rows + [(name, plain(value)) for name, value in origin.items()]


def text_lines(text: str) -> Iterator[str]:
    """Yield the lines of a body for people."""
    for line in text.splitlines():
        yield f"  {plain(line.expandtabs(4))}".rstrip()


def event_line(row: LogRow) -> str:
    """Return one thing that was said of a memory: what, when, by whom, why."""
    reason = ERASED if row.erased else plain(row.what)
    done = {"confirm": "confirmed", "delete": "deleted", "erase": "erased", "supersede": "superseded"}
    by = who(row.name, row.role, row.via)
    key = f" [{COMPROMISED}]" if row.compromised else ""
    return f"{done.get(row.kind, row.kind)} {moment(row.at)} by {by}{key}{f': {reason}' if reason else ''}"


def size(count: int) -> str:
    """Return a number of bytes as people read it."""
    amount = float(count)
    for unit in ("B", "KB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def count_of(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun."""
    return f"{number} {noun if number == 1 else plural or f'{noun}s'}"
