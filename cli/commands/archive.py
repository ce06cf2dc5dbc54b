"""muniment archive: hide old, unused memories, and show them again.

Implements specs/cli.md (X-87, X-333); the formula (P-70…P-73) is in `projections.gc`.
"""

from __future__ import annotations

import click

from cli.app import App, common_options
from cli.command_group import CommandGroup
from cli.options import option
from language.printable import plain, short


@click.group("archive", cls=CommandGroup)
@common_options
def command(_app: App) -> None:
    """Archive old, unused memories, or restore them.

    Documents keep archived memories, lists and prompts hide them, and the log keeps everything.

    \b
    Examples:
      muniment archive unused --dry-run
      muniment archive restore 3f9a1c04
    """


@command.command("unused", short_help="Archive old, unused memories")
@option("--dry-run", is_flag=True, help="Show what would be archived, and change nothing.")
@common_options
def unused(app: App, dry_run: bool) -> None:
    """Archive old, unused memories.

    Lists, search and prompts leave archived memories out. Each memory gets a score: 0.30 for recency (falling
    by e in 7 days), 0.40 for use, 0.30 for importance. A memory is archived if its score is below gc.threshold
    (0.2) and it is older than gc.max_age_days (30), unless it is committed, written by a person, or a
    correction. The log keeps everything, the documents stay as they are, and `muniment archive restore ID`
    brings a memory back.

    \b
    Examples:
      muniment archive unused --dry-run
      muniment archive unused
      muniment list --archived
    """
    memory = app.memory()
    done = memory.upkeep.gc(dry_run=dry_run)
    archived = done.archived
    if app.json:
        app.emit(
            {
                "dry_run": dry_run,
                "kept": done.kept,
                "archived": [
                    {
                        "id": verdict.entry.id,
                        "text": verdict.entry.memory.text,
                        "score": round(verdict.score, 4),
                        "age_days": round(verdict.age_days, 2),
                        "uses": verdict.uses,
                        "why": verdict.why,
                    }
                    for verdict in archived
                ],
            }
        )
        return
    for verdict in archived:
        app.line(f"{app.style(short(verdict.entry.id), fg='cyan')}  {plain(verdict.entry.memory.text)}")
        app.line(f"              {verdict.why}")
    what = "would be archived" if dry_run else "archived"
    app.line(f"{len(archived)} {what}, {done.kept} kept")
    if archived and not dry_run:
        app.note("run muniment archive restore ID to show one again; the log is unchanged")


@command.command("restore", short_help="Return archived memories to view")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@common_options
def restore(app: App, ids: tuple[str, ...]) -> None:
    """Return archived memories to view.

    \b
    Examples:
      muniment list --archived          shows the archived ones too
      muniment archive restore 3f9a1c04
    """
    shown = app.memory().upkeep.unarchive(*ids)
    if app.json:
        app.emit({"ids": shown})
        return
    for id_ in shown:
        app.line(f"{short(id_)}  shown again")
