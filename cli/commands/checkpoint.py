"""muniment daily checkpoint: make today's daily notes of what the session buffer holds.

Implements specs/cli.md (X-170, X-173); what an entry is says specs/capture.md (K-90…K-93, K-95).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli import write_notices
from cli.app import App, common_options
from language.printable import plain, short
from ledger.errors import SecretError

if TYPE_CHECKING:
    from learning.daily_checkpoint import CheckpointOutcome, Noted


@click.command("checkpoint", short_help="Turn the session buffer into daily notes")
@click.option("--dry-run", is_flag=True, help="Show what would be noted, and change nothing.")
@common_options
def command(app: App, dry_run: bool) -> int:
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
        app.emit(_value(done, dry_run=dry_run))
    else:
        app.lines(_line(app, note) for note in done.notes if note.outcome != "refused")
        app.line(_total(done, dry_run=dry_run))
    _say(app, done)
    if not dry_run:
        write_notices.say(app, memory)
    return SecretError.exit_code if any(note.secret for note in done.notes) else 0


def _line(app: App, note: Noted) -> str:
    id_ = app.style(f"{short(note.id):12}", fg="cyan")
    return f"{note.outcome:10}  {id_}  {note.day}  {plain(note.entry.text)}"


def _total(done: CheckpointOutcome, *, dry_run: bool) -> str:
    counts = {
        name: sum(note.outcome == name for note in done.notes) for name in ("noted", "known", "refused")
    }
    told = [f"{count} {name}" for name, count in counts.items() if count or name == "noted"]
    return f"{'would be: ' if dry_run else ''}{', '.join(told)}"


def _say(app: App, done: CheckpointOutcome) -> None:
    if not done.found:
        app.note(f"there is no session buffer: {done.path} would be it")
    for note in done.notes:
        if note.outcome == "refused":
            app.note(plain(f"{done.path}:{note.entry.line}: not noted: {note.why}"))
    if done.open_line:
        app.note(f"the last line of {done.path} has no end yet, and waits for it")


def _value(done: CheckpointOutcome, *, dry_run: bool) -> dict[str, Any]:
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
