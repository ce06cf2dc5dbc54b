"""muniment daily: make daily notes of what the session buffer holds, and memories of the notes of a week.

Implements specs/cli.md (X-170, X-173, X-333), specs/capture.md (K-90…K-93, K-95…K-102) and specs/doors.md (G-31).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from cli import learning_run, write_notices
from cli.app import App, common_options
from cli.command_group import CommandGroup
from cli.options import option
from cli.show_entry import count_of
from language.dates import moment
from language.printable import plain, short
from ledger.errors import SecretError
from projections.weekly_jobs import CURATE

if TYPE_CHECKING:
    from learning.curate import Curated
    from learning.daily_checkpoint import CheckpointOutcome, Noted

_NOTHING: dict[str, Any] = {"reviewed": 0, "distilled": [], "committed": [], "archived": []}


@click.group("daily", cls=CommandGroup)
@common_options
def command(_app: App) -> None:
    """Write and curate daily notes.

    \b
    Examples:
      muniment daily checkpoint
      muniment daily curate --dry-run
    """


@command.command("checkpoint", short_help="Turn the session buffer into daily notes")
@option("--dry-run", is_flag=True, help="Show what would be noted, and change nothing.")
@common_options
def checkpoint_(app: App, dry_run: bool) -> int:
    """Turn the session buffer into daily notes.

    Running sessions, their hooks and you append to session-buffer.md, beside MEMORY.md: a bullet or a line for
    each entry, optionally under headings with a day, a session or a subject. Each new entry becomes a daily
    note; the buffer itself is never changed. Running it twice is the same as once. Entries that look like
    secrets are skipped and named, and the exit code is then 6.

    \b
    Examples:
      echo "- 14:05 Decided to use PostgreSQL" >> ~/.muniment/session-buffer.md
      muniment daily checkpoint
      muniment daily checkpoint --dry-run --json
    """
    from learning.daily_checkpoint import checkpoint

    memory = app.memory()
    done = checkpoint(memory.scope, app.by(), dry=dry_run)
    if app.json:
        app.emit(_checkpoint_json(done, dry_run=dry_run))
    else:
        app.lines(_note_line(app, note) for note in done.notes if note.outcome != "refused")
        app.line(_noted(done, dry_run=dry_run))
    _say(app, done)
    if not dry_run:
        write_notices.say(app, memory)
    return SecretError.exit_code if any(note.secret for note in done.notes) else 0


def _note_line(app: App, note: Noted) -> str:
    id_ = app.style(f"{short(note.id):12}", fg="cyan")
    return f"{note.outcome:10}  {id_}  {note.day}  {plain(note.entry.text)}"


def _noted(done: CheckpointOutcome, *, dry_run: bool) -> str:
    counts = {
        name: sum(note.outcome == name for note in done.notes) for name in ("noted", "known", "refused")
    }
    told = [f"{count} {name}" for name, count in counts.items() if count or name == "noted"]
    return f"{'would be: ' if dry_run else ''}{', '.join(told)}"


def _say(app: App, done: CheckpointOutcome) -> None:
    if not done.found:
        app.note(f"there is no session buffer at {done.path}")
    for note in done.notes:
        if note.outcome == "refused":
            app.note(plain(f"{done.path}:{note.entry.line}: not noted: {note.why}"))
    if done.open_line:
        app.note(f"the last line of {done.path} has no line feed yet, and waits for it")


def _checkpoint_json(done: CheckpointOutcome, *, dry_run: bool) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        "path": str(done.path),
        "found": done.found,
        "open_line": done.open_line,
        "notes": [
            {
                "outcome": note.outcome,
                "id": note.id or None,
                "day": note.day,
                "line": note.entry.line,
                "session": note.entry.session,
                "section": note.entry.section,
                "text": "" if note.outcome == "refused" else note.entry.text,
                "details": [] if note.outcome == "refused" else list(note.entry.details),
                "why": note.why,
            }
            for note in done.notes
        ],
    }


@command.command("curate", short_help="Promote lasting items from the daily notes")
@option("--dry-run", is_flag=True, help="Show what would be done, and change nothing.")
@option("--if-due", is_flag=True, help="Run only if it has not run since Sunday 10:00 UTC.")
@common_options
def curate_(app: App, dry_run: bool, if_due: bool) -> None:
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
    memory.workspace.check_standing()  # without a ledger nothing is asked about its folder (K-273)
    this_week = CURATE.due(memory.workspace)
    if if_due and not this_week.now:
        app.note(f"not due: curated {moment(this_week.last)}, again from {moment(this_week.next)} on")
        if app.json:
            app.emit({"dry_run": dry_run, **_NOTHING, **this_week.to_json()})
        return
    from learning.curate import curate  # takes long to load, and is not due every hour

    done = curate(memory.scope, app.by(), dry=dry_run)
    if app.json:
        app.emit({**_curate_json(done, dry_run=dry_run), **this_week.to_json()})
    else:
        app.lines(_lines(app, done))
        app.line(_curated(done, dry_run=dry_run))
    if not dry_run:
        write_notices.say(app, memory)


def _lines(app: App, done: Curated) -> Iterator[str]:
    for _, taken in done.taken:
        yield learning_run.line_of(app, taken)
    for entry, id_ in done.committed:
        yield f"{'committed':10}  {app.style(f'{short(id_):12}', fg='cyan')}  {plain(entry.memory.text)}"
    for entry, why in done.archived:
        shown = app.style(short(entry.id), fg="cyan")
        yield f"{'archived':10}  {shown}  {plain(entry.memory.text)} ({why})"


def _curated(done: Curated, *, dry_run: bool) -> str:
    from learning.intake import WRITTEN

    kept = [taken.proposal.memory for _, taken in done.taken if taken.outcome in WRITTEN]
    counts = {
        "kept": len(kept),
        "committed": sum(each is not None and each.tier == "committed" for each in kept)
        + len(done.committed),
        "archived": len(done.archived),
    }
    told = ", ".join(f"{count} {name}" for name, count in counts.items())
    return f"{count_of(done.reviewed, 'note')} reviewed; {'would be: ' if dry_run else ''}{told}"


def _curate_json(done: Curated, *, dry_run: bool) -> dict[str, Any]:
    return {
        "dry_run": dry_run,
        "reviewed": done.reviewed,
        "distilled": [
            {**learning_run.record_json(taken), "notes": [note.id for note in distilled.notes]}
            for distilled, taken in done.taken
        ],
        "committed": [
            {"id": id_ or None, "supersedes": entry.id, "text": entry.memory.text}
            for entry, id_ in done.committed
        ],
        "archived": [{"id": entry.id, "text": entry.memory.text, "why": why} for entry, why in done.archived],
    }
