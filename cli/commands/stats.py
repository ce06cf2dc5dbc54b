"""muniment stats: counts, sizes, growth.

Implements specs/cli.md (X-63, X-95).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from cli.app import App, common_options
from cli.as_of import as_of_option, looked_at
from cli.show_entry import size
from language.printable import plain, short
from projections.index import INDEX_NAME
from projections.local import LOCAL_NAME
from projections.memory_counts import counts, growth, stale
from projections.recall import Recall

_MOST_USED = 10
_MONTHS_SHOWN = 12


@click.command("stats")
@as_of_option
@common_options
def command(app: App, *, as_of: str | None) -> None:
    """Count memories, events, bytes and uses.

    Counts memories by status, section, type, tier and source, and events by kind; shows sizes, growth and use.

    \b
    Examples:
      muniment stats
      muniment stats --json | jq .growth
      muniment stats --as-of 2026-11-01
    """
    with looked_at(app, as_of) as memory:
        counted = facts(memory) if as_of is None else _past_facts(memory)
    if app.json:
        app.emit(counted)
    else:
        app.lines(page(app, counted))


def _past_facts(memory: Recall) -> dict[str, Any]:
    """Return what the log alone says; index and uses are of now."""
    months = growth(memory.source.index)
    return {
        **_counted(memory),
        "bytes": {"chain": sum(month.bytes for month in months)},
        "growth": [month._asdict() for month in months],
        "most_used": [],
    }


def facts(memory: Recall) -> dict[str, Any]:
    """Return all counts, as `--json` has them."""
    return {
        **_counted(memory),
        "bytes": {
            "chain": _bytes(memory, memory.source.chain.name),
            "index": _bytes(memory, INDEX_NAME, f"{INDEX_NAME}-wal"),
            "local": _bytes(memory, LOCAL_NAME, f"{LOCAL_NAME}-wal"),
        },
        "growth": [month._asdict() for month in growth(memory.source.index)],
        "most_used": _most_used(memory),
    }


def _counted(memory: Recall) -> dict[str, Any]:
    by = counts(memory.source.index)
    return {
        "memories": by.pop("status"),
        "stale": stale(memory.source.index, memory.stale_before()),
        "events": by.pop("kind"),
        "standing": by,
    }


def _bytes(memory: Recall, *names: str) -> int:
    files = [memory.source.place.directory / name for name in names]
    return sum(file.stat().st_size for file in files if file.exists())


def _most_used(memory: Recall) -> list[dict[str, Any]]:
    used = sorted(memory.source.local.uses().items(), key=lambda each: (-each[1], each[0]))
    found = []
    for id_, uses in used:
        entry = memory.source.index.entry(id_)
        if entry is not None and entry.live:
            found.append({"id": id_, "uses": uses, "text": entry.memory.text})
        if len(found) == _MOST_USED:
            break
    return found


def page(app: App, facts: dict[str, Any]) -> Iterator[str]:
    """Yield the counts as lines."""
    old = {"active, but stale": facts["stale"]} if facts["stale"] else {}
    yield from _table(app, "Memories", {**facts["memories"], **old})
    for name, numbers in facts["standing"].items():
        yield from _table(app, f"By {name}(current memories)", numbers)
    yield from _table(app, "Events", facts["events"])
    yield from _table(app, "Size", {name: size(number) for name, number in facts["bytes"].items()})
    months = facts["growth"][-_MONTHS_SHOWN:]
    yield from _table(
        app,
        "Growth a month",
        {m["month"]: f"{m['events']} events, {m['memories']} memories, {size(m['bytes'])}" for m in months},
    )
    used = {short(one["id"]): f"{one['uses']:>4}  {plain(one['text'])}" for one in facts["most_used"]}
    yield from _table(app, "Most used", used)


def _table(app: App, title: str, rows: dict[str, Any]) -> Iterator[str]:
    if not rows:
        return
    yield app.style(title, bold=True)
    named = {plain(name): value for name, value in rows.items()}
    width = max(map(len, named))
    number = max((len(str(value)) for value in named.values() if isinstance(value, int)), default=0)
    for name, value in named.items():
        yield f"  {name:<{width}}  {value:>{number}}"
