"""memledger search: the best memories for some words.

Implements specs/cli.md (X-51, X-57, X-95).
"""

from __future__ import annotations

import click

from cli.app import App, common_options, plain
from cli.as_of import as_of_option, looked_at
from cli.filter_options import filter_options
from cli.show_entry import entry_json, is_stale, one_line
from ledger.fold import Entry
from projections.query import Filter
from projections.reading import Reading


@click.command("search")
@click.argument("words", metavar="QUERY", nargs=-1, required=True)
@filter_options
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="The best N.",
)
@click.option("--archived", is_flag=True, help="Also what gc has archived.")
@as_of_option
@common_options
def command(
    app: App, *, words: tuple[str, ...], wanted: Filter, limit: int, archived: bool, as_of: str | None
) -> None:
    """Find memories by their words, best first: those with all of the words, then those with any.

    Texts, details, titles, bodies, topics, tags and when-to-use phrases are searched, also of what has
    moved to overflow files. Words are reduced to their stems (packages finds package); where nothing is
    found, words that begin so will do. What is found counts as used, but not with --as-of.

    \b
    Examples:
      memledger search package manager
      memledger search postgres port --section "Tool Usage" -n 3
      memledger search npm --status all
      memledger search auth --json | jq -r .text
    """
    query = " ".join(words)
    with looked_at(app, as_of) as memory:
        found = memory.search(query, wanted, limit=limit, archived=archived)
        if app.json:
            stale_before = memory.stale_before()
            app.emit_lines(entry_json(entry, stale_before) for entry in found)
        else:
            _print(app, memory, found, archived=archived)
    if not found:
        app.note("nothing found: --status all looks at deleted and superseded memories too")


def _print(app: App, memory: Reading, found: list[Entry], *, archived: bool) -> None:
    stale_before = memory.stale_before()
    hidden = memory.local.archived() if archived else {}
    for entry in found:
        stale = is_stale(entry, stale_before)
        place = app.style(f"  ({plain(entry.memory.effective_section)})", dim=True)
        app.line(f"{one_line(app, entry, stale=stale, archived=entry.id in hidden)}{place}")
