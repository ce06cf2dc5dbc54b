"""muniment search: the best memories for a query, and why each was found.

Implements specs/cli.md (X-51, X-57, X-95, X-120, X-122).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from cli.app import App, common_options
from cli.as_of import as_of_option, looked_at
from cli.filter_options import filter_options
from cli.options import Verb, option
from cli.show_entry import entry_json, one_line
from language.printable import plain, short
from ledger.fold import is_stale
from projections.index import Index
from projections.query import Filter
from projections.recall import Recall
from projections.search import Hit


@click.command("search", cls=Verb)
@click.argument("words", metavar="QUERY", nargs=-1, required=True)
@filter_options
@option(
    "-n",
    "--limit",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    metavar="N",
    help="Only the best N.",
)
@option("--archived", is_flag=True, help="Include archived memories.")
@as_of_option
@common_options
def command(
    app: App, *, words: tuple[str, ...], wanted: Filter, limit: int, archived: bool, as_of: str | None
) -> None:
    """Search memories.

    The best match comes first: memories with all words, then with any, then those learned beside them. Searches
    texts, details, titles, bodies, topics, tags and when-to-use phrases, also in overflow files. Words match by
    their stem (packages finds package); words such as "the" are ignored. "Words in quotes" must follow one
    another; pnp* matches beginnings; if nothing is found, every word may be a beginning, and then typos are
    corrected. Chinese, Japanese, Thai and similar scripts match any characters in a row. "package manager" finds
    pnpm, too: a table of developers' terms knows it. "last week" or "in May" prefers memories of that time.

    Matches that were learned near each other, in one conversation or topic or within an hour, rank higher; then
    importance, recency and use count. Each shows why it was found. Finding counts as use, except with --as-of.

    With muniment[vectors], memories are also found by their meaning, with a model on this machine. If
    vectors.address in your config.toml names an embedding endpoint instead, each query and every stored text
    is sent to that address.

    \b
    QUERY may contain filters; put values with spaces in quotes:
      type: section: tag: topic: tier: source: importance: status: author:
      conversation: session: since: until:

    since: and until: take a day (yesterday, monday, 2026-11-20) or a time (7d, "2026-11-20 15:00").

    \b
    Examples:
      muniment search package manager
      muniment search 'port "connection pool" postgr*'
      muniment search 'deploy type:decision author:dana since:2026-11-01'
      muniment search 'tag:postgres section:"Tool Usage"' -n 3
      muniment search npm --status all
      muniment search auth --json | jq '{text, why}'
    """
    query = " ".join(words)
    with looked_at(app, as_of) as memory:
        found = memory.search(query, wanted, limit=limit, archived=archived)
        if app.json:
            stale_before = memory.stale_before()
            app.emit_lines(_as_json(memory.source.index, hit, stale_before) for hit in found)
        else:
            _print(app, memory, found, archived=archived)
        vectors = memory.source.vectors
    if vectors and vectors.trouble:
        app.note(vectors.trouble)
    if found and (meant := found[0].meant):
        app.note(f"nothing found for {query!r}: did you mean {meant!r}? These are its results")
    if not found:
        more = ": add --status all to include deleted and superseded memories" if wanted.statuses else ""
        app.note(f"nothing found{more}")


def _as_json(index: Index, hit: Hit, stale_before: str) -> dict[str, Any]:
    return {
        **entry_json(index, hit.entry, stale_before),
        "why": [{"kind": why.kind, "said": why.said} for why in hit.why],
        **({"did_you_mean": hit.meant} if hit.meant else {}),
    }


def _print(app: App, memory: Recall, found: list[Hit], *, archived: bool) -> None:
    stale_before = memory.stale_before()
    hidden = memory.source.local.archived() if archived else {}
    for hit in found:
        stale = is_stale(hit.entry, stale_before)
        line = one_line(app, hit.entry, stale=stale, archived=hit.id in hidden)
        place = plain(hit.memory.effective_section)
        app.line(line + app.style(f"  ({place}; {plain('; '.join(_why(hit)))})", dim=True))


def _why(hit: Hit) -> Iterator[str]:
    """Yield what a hit was found for, a phrase a kind of reason."""
    for kind, label in _LABELS.items():
        if said := [short(why.said) if kind == "beside" else why.said for why in hit.why if why.kind == kind]:
            yield f"{label}{', '.join(said)}"


_LABELS = {
    "word": "",
    "phrase": "phrase ",
    "beginning": "begins ",
    "characters": "characters ",
    "related": "related ",
    "time": "",
    "filter": "",
    "beside": "beside ",
    "meaning": "meaning ",
}
"""The prefix of each kind of reason; words have none."""
