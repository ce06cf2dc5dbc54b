"""muniment consolidate: make one memory of several that say the same.

Implements specs/cli.md (X-110, X-292).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from cli import person_only, write_notices
from cli.app import App, common_options
from cli.asking import ask
from cli.options import Verb, option
from language.printable import plain, short
from learning.merging import Merge, Proposals, write
from ledger.command import Supersede, Written
from ledger.fold import Entry


@click.command("consolidate", cls=Verb)
@option("--dry-run", is_flag=True, help="Show what would be merged, and change nothing.")
@option("-y", "--yes", is_flag=True, help="Merge without asking.")
@common_options
def command(app: App, dry_run: bool, yes: bool) -> None:
    """Merge duplicate memories.

    Merges memories of one section that say the same, and lists those that contradict each other. A merged
    memory has the fuller text; additions of the others become details, and tags are united, so that nothing is
    lost. Contradictions are never merged: supersede one of the two. Candidates, daily notes and blocks of prose
    are left alone. `muniment revert` undoes a merge.

    \b
    Examples:
      muniment consolidate --dry-run
      muniment consolidate --yes --json
    """
    memory = app.memory()
    found = memory.learning.consolidate(dry_run=True)
    if not app.json:
        app.lines(_told(found))
    written: list[Written] = []
    if found.merges and not dry_run:
        merges = [Supersede(tuple(entry.id for entry in each.entries), each.memory) for each in found.merges]
        person_only.refuse(app, memory, merges)
        count = sum(len(merge.entries) for merge in found.merges)
        ask(f"Merge {count} memories into {len(found.merges)}?", yes=yes)
        written = write(memory.scope, found.merges)
    if app.json:
        app.emit(_value(found, written, dry_run=dry_run))
    else:
        app.lines(_done(found, written))
    if written:
        write_notices.say(app, memory)


def _told(found: Proposals) -> list[str]:
    lines = []
    for merge in found.merges:
        for word, entry in zip(("merge", *["with"] * len(merge.entries)), merge.entries, strict=False):
            lines.append(f"{word:5}  {_named(entry)}")
        lines.append(f"into   {' ' * len(short(merge.entries[0].id))}  {plain(merge.memory.text)}")
        lines += [f"{'':21}- {plain(detail)}" for detail in merge.memory.details]
    for one, other in found.contradictions:
        lines += ["these contradict each other:", f"       {_named(one)}", f"       {_named(other)}"]
    return lines


def _named(entry: Entry) -> str:
    return f"{short(entry.id)}  {plain(entry.memory.text)}"


def _done(found: Proposals, written: Sequence[Written]) -> list[str]:
    lines = [
        f"{short(result.id)}  merges {', '.join(short(entry.id) for entry in merge.entries)}"
        for merge, result in zip(found.merges, written, strict=False)
    ]
    if written:
        lines.append(f"muniment revert {short(written[-1].id)} undoes that merge")
    elif not found.merges:
        lines.append(f"nothing to merge ({found.compared:,} pairs compared)")
    if found.contradictions:
        lines.append('run muniment supersede ID "TEXT" to settle a contradiction')
    if found.series:
        lines.append(f"not named: {found.series:,} that differ from several others, as entries of a list do")
    return lines


def _value(found: Proposals, written: Sequence[Written], *, dry_run: bool) -> dict[str, Any]:
    made = {merge.entries[0].id: result.id for merge, result in zip(found.merges, written, strict=False)}
    return {
        "dry_run": dry_run,
        "merges": [_merge(merge, made.get(merge.entries[0].id)) for merge in found.merges],
        "contradictions": [
            [{"id": entry.id, "text": entry.memory.text} for entry in pair] for pair in found.contradictions
        ],
        "series": found.series,
        "compared": found.compared,
    }


def _merge(merge: Merge, id_: str | None) -> dict[str, Any]:
    return {
        "id": id_,
        "supersedes": [entry.id for entry in merge.entries],
        "texts": [entry.memory.text for entry in merge.entries],
        "section": merge.memory.effective_section,
        "memory": merge.memory.to_payload(),
    }
