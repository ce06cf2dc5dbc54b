"""muniment sync: learn what changed in another agent's own memory since it was taken in.

Implements specs/doors.md (G-26, G-63…G-66).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import click

from cli import write_notices
from cli.app import App, common_options
from cli.options import Verb, option
from language.printable import few, plain, short
from learning.agent_memory import FileOutcome, Synced, sync
from ledger.errors import LedgerError, SecretError


@click.command("sync", cls=Verb)
@option(
    "--from",
    type=click.Choice(("claude-code",)),
    required=True,
    expose_value=False,
    help="The agent whose memory to import.",
)
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path), metavar="[DIR]...")
@option("--dry-run", is_flag=True, help="Show what would be learned, and change nothing.")
@common_options
def command(app: App, folders: tuple[Path, ...], dry_run: bool) -> int:
    """Import changes from an agent's own memory.

    Claude Code edits its notes on a project in ~/.claude/projects/<slug>/memory/. New notes are stored with the
    agent as the author, and a changed note replaces the old one. What you changed or removed here stays so.
    Notes that the agent removed stay here and are named. Nothing is ever written there.

    Without DIR, syncs the folders that were imported before, otherwise that of the current project. Notes that
    look like secrets are skipped and named, and the exit code is then 6.

    \b
    Examples:
      muniment import --from claude-code
      muniment sync --from claude-code
      muniment sync --from claude-code --dry-run ~/.claude/projects/-home-ada-shop/memory
    """
    return tell(app, sync(app.memory().scope, folders, start=Path.cwd(), dry=dry_run), dry_run=dry_run)


def tell(app: App, done: Sequence[Synced], *, dry_run: bool) -> int:
    """Print what became of each folder; return the exit code."""
    if app.json:
        app.emit({"dry_run": dry_run, "folders": [_value(each) for each in done]})
    else:
        for each in done:
            app.lines(_lines(each, dry_run=dry_run))
    for each in done:
        _say(app, each)
    if not dry_run:
        write_notices.say(app, app.memory())
    return code_of([error for each in done for error in _errors(each)])


def _errors(done: Synced) -> list[LedgerError]:
    return [*done.errors, *(error for source in done.files for error in source.refused)]


def code_of(errors: Iterable[LedgerError]) -> int:
    """Return the exit code of what was done in part: a refused secret's first, else that of the first error, else 0."""
    codes = [error.exit_code for error in errors]
    return SecretError.exit_code if SecretError.exit_code in codes else next(iter(codes), 0)


def _lines(done: Synced, *, dry_run: bool) -> Iterable[str]:
    yield f"{'would learn' if dry_run else 'learned'} from {plain(str(done.folder))}: {_counts(done.files)}"
    for source in done.files:
        if source.new or source.changed or source.refused:
            yield f"  {plain(source.path.name)}: {_counts([source])}"


def _counts(sources: list[FileOutcome]) -> str:
    new, known = sum(each.new for each in sources), sum(each.known for each in sources)
    rare = {
        "changed": sum(each.changed for each in sources),
        "of them to be decided in muniment review": sum(each.waiting for each in sources),
        "changed or removed here since": sum(each.away for each in sources),
        "refused": sum(len(each.refused) for each in sources),
    }
    return ", ".join(
        [f"{new} new", f"{known} known", *(f"{count} {name}" for name, count in rare.items() if count)]
    )


def _say(app: App, done: Synced) -> None:
    for error in done.errors:
        app.note(plain(str(error)))
    for source in done.files:
        for error in source.refused:
            app.note(plain(f"{source.path}: not learned: {error}"))
    if done.gone:
        ids = few((short(entry.id) for entry in done.gone), 5)
        many = len(done.gone) > 1
        what = (
            f"{len(done.gone)} memories are gone there, and stay"
            if many
            else "1 memory is gone there, and stays"
        )
        app.note(f"{what} here: muniment delete {ids} takes {'them' if many else 'it'} out here too")


def _value(done: Synced) -> dict[str, Any]:
    return {
        "folder": str(done.folder),
        "gone": [entry.id for entry in done.gone],
        "files": [
            {
                "path": str(source.path),
                "new": source.new,
                "changed": source.changed,
                "known": source.known,
                "away": source.away,
                "waiting": source.waiting,
                "refused": [str(error) for error in source.refused],
                "warnings": list(source.warnings),
            }
            for source in done.files
        ],
        "unread": [str(error) for error in done.errors],
    }
