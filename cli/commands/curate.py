"""muniment daily curate: distil the daily notes of a week, commit what is for good, archive what is old.

Implements specs/cli.md (X-171, X-173) and specs/doors.md (G-31); what becomes of a note says specs/capture.md
(K-96…K-102).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from cli import write_notices
from cli.app import App, common_options
from language.dates import moment
from language.printable import plain, short
from projections.weekly_jobs import CURATE

if TYPE_CHECKING:
    from learning.curate import Curated

_NOTHING: dict[str, Any] = {"reviewed": 0, "distilled": [], "committed": [], "archived": []}


@click.command("curate", short_help="Promote lasting items from the daily notes")
@click.option("--dry-run", is_flag=True, help="Show what would be done, and change nothing.")
@click.option("--if-due", is_flag=True, help="Run only if it has not run since Sunday 10:00 UTC.")
@common_options
def command(app: App, dry_run: bool, if_due: bool) -> None:
    """Promote lasting items from the daily notes.

    Reviews the notes of the past week. Decisions, preferences, identities and commitments become memories, and
    so does everything that was noted again on another day. Existing memories that say the same are confirmed;
    contradictions of something that you wrote become candidates. Identities, decisions and commitments go to
    the committed tier, which `archive unused` never archives. Notes older than daily.archive_days (30) are
    archived. Running it twice is the same as once.

    \b
    Examples:
      muniment daily curate --dry-run
      muniment daily curate
      muniment daily curate --if-due        what a schedule runs, as often as it likes
      muniment list --tier committed
    """
    memory = app.memory()
    memory.workspace.check_standing()  # where there is no ledger nothing is asked of its folder (K-273)
    this_week = CURATE.due(memory.workspace)
    if if_due and not this_week.now:
        app.note(f"not due: curated {moment(this_week.last)}, again from {moment(this_week.next)} on")
        if app.json:
            app.emit({"dry_run": dry_run, **_NOTHING, **this_week.to_json()})
        return
    from learning.curate import curate  # takes long to load, and is not due every hour

    done = curate(memory.scope, app.by(), dry=dry_run)
    if app.json:
        app.emit({**_value(done, dry_run=dry_run), **this_week.to_json()})
    else:
        app.lines(_lines(app, done))
        app.line(_total(done, dry_run=dry_run))
    if not dry_run:
        write_notices.say(app, memory)


def _lines(app: App, done: Curated) -> Iterator[str]:
    from cli import outcome_lines

    for _, taken in done.taken:
        yield outcome_lines.line(app, taken)
    for entry, id_ in done.committed:
        yield f"{'committed':10}  {app.style(f'{short(id_):12}', fg='cyan')}  {plain(entry.memory.text)}"
    for entry, why in done.archived:
        shown = app.style(short(entry.id), fg="cyan")
        yield f"{'archived':10}  {shown}  {plain(entry.memory.text)} ({why})"


def _total(done: Curated, *, dry_run: bool) -> str:
    from learning.intake import WRITTEN

    kept = [taken.proposal.memory for _, taken in done.taken if taken.outcome in WRITTEN]
    counts = {
        "kept": len(kept),
        "committed": sum(each is not None and each.tier == "committed" for each in kept)
        + len(done.committed),
        "archived": len(done.archived),
    }
    told = ", ".join(f"{count} {name}" for name, count in counts.items())
    notes = "1 note" if done.reviewed == 1 else f"{done.reviewed} notes"
    return f"{notes} reviewed; {'would be: ' if dry_run else ''}{told}"


def _value(done: Curated, *, dry_run: bool) -> dict[str, Any]:
    from cli import outcome_lines

    return {
        "dry_run": dry_run,
        "reviewed": done.reviewed,
        "distilled": [
            {**outcome_lines.value(taken), "notes": [note.id for note in distilled.notes]}
            for distilled, taken in done.taken
        ],
        "committed": [
            {"id": id_ or None, "supersedes": entry.id, "text": entry.memory.text}
            for entry, id_ in done.committed
        ],
        "archived": [{"id": entry.id, "text": entry.memory.text, "why": why} for entry, why in done.archived],
    }
