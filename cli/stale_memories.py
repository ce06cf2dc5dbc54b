"""muniment list --stale: memories that nobody confirmed recently, and those that name what is gone.

Implements specs/cli.md (X-100, X-101).
"""

from __future__ import annotations

from typing import Any

from cli.app import App
from cli.as_of import looked_at
from cli.show_entry import COMPROMISED, count_of, entry_json
from language.printable import plain, said, short
from projections.decay import Doubt
from projections.index import Index
from projections.query import Filter
from projections.recall import Recall


def show_stale(app: App, *, wanted: Filter, limit: int | None, archived: bool, as_of: str | None) -> None:
    """Print what nobody confirmed recently, the longest first, and what names what the project does not have."""
    with looked_at(app, as_of) as memory:
        project = app.memory().upkeep.checkout() if as_of is None else None
        found = memory.doubts(wanted, archived=archived, project=project)
        shown = found[:limit]
        if app.json:
            app.emit_lines(doubt_json(memory.source.index, doubt, memory.stale_before()) for doubt in shown)
        else:
            _print(app, memory, shown)
        if project is not None and not project.whole:
            app.note("the project is too large, or a sparse checkout, so missing paths cannot be found")
        if not memory.source.readable_configuration.decay_enabled:
            app.note("memories do not become stale: decay.enabled = false in config.toml")
    if found:
        app.note(_advice(found))
    else:
        app.note("nothing is stale")


def doubt_json(index: Index, doubt: Doubt, stale_before: str) -> dict[str, Any]:
    """Return a doubt as a JSON-ready object: the memory with its age and what it names that is gone."""
    return {
        **entry_json(index, doubt.entry, stale_before),
        "days": doubt.days,
        "gone": list(doubt.gone),
    }


def _print(app: App, memory: Recall, found: list[Doubt]) -> None:
    old = [doubt for doubt in found if doubt.stale]
    fresh = [doubt for doubt in found if not doubt.stale]
    if old:
        app.line(
            app.style(f"Not confirmed for {memory.source.readable_configuration.decay_days} days", bold=True)
        )
        _print_lines(app, old)
    if fresh:
        app.line(app.style("Naming something that is not in the project", bold=True))
        _print_lines(app, fresh)


def _print_lines(app: App, found: list[Doubt]) -> None:
    width = max(len(str(doubt.days)) for doubt in found)
    wide = max(len(_section(doubt)) for doubt in found)
    for doubt in found:
        id_ = app.style(short(doubt.entry.id), fg="cyan")
        key = app.style(f"  [{COMPROMISED}]", fg="yellow") if doubt.entry.compromised else ""
        days = f"{doubt.days:>{width}} {'day ' if doubt.days == 1 else 'days'}"
        app.line(f"  {id_}  {days}  {_section(doubt):<{wide}}  {said(doubt.entry.memory)}{key}")
        for path in doubt.gone:
            app.line(app.style(f"    {plain(path)} is not there", fg="yellow"))


def _section(doubt: Doubt) -> str:
    return plain(doubt.entry.memory.effective_section)


def _advice(found: list[Doubt]) -> str:
    number = count_of(len(found), "memory", "memories")
    verb = "wants" if len(found) == 1 else "want"
    return f"{number} {verb} a look: muniment review goes through them; confirm ID, edit ID or delete ID decides on one"
