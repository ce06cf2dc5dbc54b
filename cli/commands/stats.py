"""muniment stats: counts, sizes, growth.

Implements specs/cli.md (X-63, X-95).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from cli.app import App, common_options
from cli.as_of import as_of_option, looked_at
from cli.options import Verb
from cli.show_entry import size
from language.printable import plain, short
from projections.ledger_counts import LedgerCounts, ledger_counts

_MONTHS_SHOWN = 12


@click.command("stats", cls=Verb)
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
        counted = ledger_counts(memory, past=as_of is not None)
    if app.json:
        app.emit(counted.to_json())
    else:
        app.lines(page(app, counted))


def page(app: App, found: LedgerCounts) -> Iterator[str]:
    """Yield the counts as lines."""
    old = {"active, but stale": found.stale} if found.stale else {}
    yield from _table(app, "Memories", {**found.memories, **old})
    for name, numbers in found.standing.items():
        yield from _table(app, f"By {name} (current memories)", numbers)
    yield from _table(app, "Events", found.events)
    yield from _table(app, "Size", {name: size(number) for name, number in found.bytes.items()})
    months = found.growth[-_MONTHS_SHOWN:]
    yield from _table(
        app,
        "Growth a month",
        {m.month: f"{m.events} events, {m.memories} memories, {size(m.bytes)}" for m in months},
    )
    used = {short(one.id): f"{one.uses:>4}  {plain(one.text)}" for one in found.most_used}
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
