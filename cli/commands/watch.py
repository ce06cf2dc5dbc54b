"""muniment watch: report files that steer agents and changed since a person accepted them.

Implements specs/cli.md (X-360) and specs/doors.md (G-100…G-102).
"""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Any

import click

import muniment
from cli.app import App, common_options
from cli.command_group import CommandGroup
from cli.person_only import is_nobody
from documents import watched_files
from documents.watched_files import FileFinding, WatchedFile
from language.dates import day
from language.printable import plain
from ledger.errors import WaitingError
from ledger.instant import system_clock, written

_FILES = click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path(path_type=Path))


class _Files(CommandGroup):
    """A group of commands; any other word is a file to watch."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; raises UsageError for an option that is not known."""
        if args[0].startswith("-") or args[0] in self.commands:
            return super().resolve_command(ctx, args)
        return "add", self.commands["add"], args


@click.group("watch", cls=_Files, invoke_without_command=True)
@common_options
def command(app: App) -> None:
    """Report when files that steer agents change.

    `watch FILE...` records a digest of each file, or that it does not exist. When an agent's session starts, it
    gets one line that names the watched files of its project that changed since, and the commits that changed
    them. Without FILE, lists the watched files and their state. When you have checked a change, run `watch accept`.

    \b
    Examples:
      muniment watch CLAUDE.md AGENTS.md .claude/settings.json
      muniment watch
      muniment watch accept CLAUDE.md
    """
    if click.get_current_context().invoked_subcommand is None:
        _list(app)


@command.command("add", short_help="Watch files; add may be left out")
@_FILES
@common_options
def add(app: App, files: tuple[Path, ...]) -> None:
    """Watch files from now on, as they are; files already watched keep the state that you accepted. Only a person may run it.

    \b
    Examples:
      muniment watch add accept         a file that is named as a command is
    """
    _only_a_person(app, "may choose which files are watched")
    state = muniment.home().state
    known = {file.path for file in watched_files.watched(state)}
    for path in files:
        if watched_files.placed(path) in known:
            app.note(
                f"{plain(str(path))} is watched already: run muniment watch accept to accept it as it is now"
            )
            continue
        file = watched_files.accept(state, path, written(system_clock()))
        _say(app, file, "watched" if file.digest else "watched; it does not exist yet")


@command.command("accept", short_help="Accept watched files as they are now")
@click.argument("files", metavar="[FILE...]", nargs=-1, type=click.Path(path_type=Path))
@common_options
def accept(app: App, files: tuple[Path, ...]) -> None:
    """Accept watched files as they are now: all that changed, or the given ones. Only a person may run it.

    \b
    Examples:
      muniment watch accept
      muniment watch accept CLAUDE.md
    """
    _only_a_person(app, "may accept a changed file")
    state = muniment.home().state
    named = {watched_files.placed(path): path for path in files}
    known = {file.path: file for file in watched_files.watched(state)}
    for path, typed in named.items():
        if path not in known:
            raise click.UsageError(f"{plain(str(typed))} is not watched: run muniment watch FILE to watch it")
    for path, file in known.items():
        if path in named or (not named and watched_files.found(file).state != "same"):
            _say(app, watched_files.accept(state, path, written(system_clock())), "accepted")


@command.command("drop", short_help="Stop watching files")
@_FILES
@common_options
def drop(app: App, files: tuple[Path, ...]) -> None:
    """Stop watching files. Only a person may run it.

    \b
    Examples:
      muniment watch drop CLAUDE.md
    """
    _only_a_person(app, "may stop watching a file")
    for path in files:
        watched_files.drop(muniment.home().state, path)
        app.emit({"path": str(path), "done": "dropped"}) if app.json else app.line(
            f"{plain(str(path))}  dropped"
        )


def _only_a_person(app: App, what: str) -> None:
    if is_nobody(app):
        raise WaitingError(f"only a person {what}: run this command in a terminal")


def _say(app: App, file: WatchedFile, done: str) -> None:
    if app.json:
        app.emit({**_json(file), "done": done})
    else:
        app.line(f"{plain(_shown(file.path))}  {done}")


def _list(app: App) -> None:
    findings = [watched_files.found(file) for file in watched_files.watched(muniment.home().state)]
    if app.json:
        app.emit_lines(_finding_json(finding) for finding in findings)
        return
    if not findings:
        app.line("no files are watched: run muniment watch CLAUDE.md AGENTS.md")
    for finding in findings:
        state = _STATES[finding.state]
        if finding.state != "same":
            state = app.style(state, fg="yellow")
        app.line(f"{plain(_shown(finding.file.path))}  {state} on {day(finding.file.at)}")
        for line in _details(finding):
            app.line(f"  {line}")
    if any(finding.state != "same" for finding in findings):
        app.note("check these changes, then run muniment watch accept")


_STATES = {
    "same": "as accepted",
    "changed": "changed since it was accepted",
    "gone": "gone since it was accepted",
    "new": "new: did not exist when accepted",
    "unreadable": "cannot be read; accepted",
}


def _details(finding: FileFinding) -> list[str]:
    """Return who changed a file, and how to see what."""
    file = finding.file
    lines = [f"commit {commit.id} by {plain(commit.author)}" for commit in finding.commits]
    if finding.uncommitted:
        lines.append("has uncommitted changes")
    if file.commit and finding.state in ("changed", "gone"):
        folder = shlex.quote(str(file.path.parent))
        lines.append(f"see git -C {folder} diff {file.commit[:12]} -- {shlex.quote(file.path.name)}")
    return lines


def _json(file: WatchedFile) -> dict[str, Any]:
    return {"path": str(file.path), "digest": file.digest, "commit": file.commit, "accepted": file.at}


def _finding_json(finding: FileFinding) -> dict[str, Any]:
    return {
        **_json(finding.file),
        "state": finding.state,
        "commits": [commit._asdict() for commit in finding.commits],
        "uncommitted": finding.uncommitted,
    }


def _shown(path: Path) -> str:
    """Return a path as people name it here: from the present folder if it lies below."""
    here = os.path.realpath(".")
    return os.path.relpath(path, here) if path.is_relative_to(here) else str(path)
