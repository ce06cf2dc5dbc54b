"""muniment install: put muniment's door into a program that agents live in.

Implements specs/cli.md (X-240…X-243) and specs/doors.md (G-20…G-24, G-84).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from agents.hooks.user_folders import is_founded
from agents.install.host import Host, InstallPlace
from agents.install.hosts import HOSTS, installed_in, placed
from agents.install.installing import FileChange, apply, installing
from cli.app import App, common_options
from cli.asking import ask
from cli.options import Verb, option
from language.printable import plain
from ledger.errors import RecordError, UsageError

F = TypeVar("F", bound=Callable[..., Any])

_COLORS = {"+": "green", "-": "red", "@": "cyan"}


def install_options(function: F) -> F:
    """Add what `install` and `uninstall` both take."""
    for each in (
        option("-y", "--yes", is_flag=True, help="Do not ask."),
        option(
            "--plugin",
            type=click.Path(path_type=Path, file_okay=False),
            metavar="DIR",
            help="For claude-code: a plugin's folder in DIR instead of settings.",
        ),
        option("-n", "--dry-run", is_flag=True, help="Show what would change, and change nothing."),
    ):
        function = each(function)
    return common_options(function)


@click.command("install", cls=Verb)
@install_options
@option("--list", "listing", is_flag=True, help="Show what each host gets, and where it is installed.")
@click.argument("host", metavar="HOST", type=click.Choice(list(HOSTS)), required=False)
def command(
    app: App, *, host: str | None, dry_run: bool, listing: bool, plugin: Path | None, yes: bool
) -> None:
    """Connect Claude Code, Codex, Gemini CLI or other agents.

    \b
    HOST is one of:
      claude-code  hooks in settings.json, and a skill that says when to save, confirm and forget
      codex        hooks.json, and the tools in config.toml if muniment[mcp] is installed
      gemini       hooks in settings.json, and the tools if muniment[mcp] is installed
      copilot      GitHub Copilot CLI: a file of hooks, and the tools if muniment[mcp] is installed
      cursor       hooks that start a session with your memories, a project's rule, the tools
      opencode     a plugin that does what hooks do, a file of instructions, and the tools
      windsurf     a rule, and the tools
      openclaw     a hook that adds memories to your private session and learns from sessions
      agents-md    a marked block in AGENTS.md, for all other agents

    Shows the changes as a diff and asks. Comments, order, indentation and other programs' settings stay; the
    previous file is kept beside it as NAME.muniment-backup; what you wrote into a file of muniment's is kept in a
    further copy, NAME.muniment-backup-2 and so on. Installing twice is the same as once.

    --scope user is for all your projects (AGENTS.md: Codex's own), project for everyone who works on this one, local
    for you in this one. Files added to a project have no effect on machines without muniment.

    --list names what each host gets: context (a session starts with your memories), requests ("remember …" and
    "forget …" take effect, and topics that match a prompt are added), learning (from its transcripts), tools (MCP),
    and rules (a file tells the agent how to use muniment).

    \b
    Examples:
      muniment install claude-code --dry-run
      muniment install claude-code
      muniment install codex --scope project
      muniment install agents-md --yes
      muniment install --list
      muniment install claude-code --plugin ~/plugins/muniment
    """
    refuse_ledger(app)
    if listing:
        if host is not None:
            raise UsageError(f"--list shows every host: leave {host} out")
        _list(app)
        return
    if host is None:
        raise click.MissingParameter(param_type="argument", param_hint="'HOST'")
    chosen, place = placed(host, app.scope, plugin, Path.cwd())
    changes = installing(chosen, place)
    changed = carried_out(app, chosen, place, changes, dry_run=dry_run, yes=yes, verb="install")
    if not dry_run:
        for line in chosen.advice(place) if changed else ():
            app.note(line)
        if place.scope == "user" and not Path(place.program).is_absolute():
            app.note(
                "muniment is not on PATH, so the hooks could not run it: install it with pipx, or add it to PATH"
            )
        if not is_founded():
            app.note("there is no ledger yet: run muniment init --scope user to create yours")


def _list(app: App) -> None:
    """Show of each host what it gets, and in which scopes it is installed (G-84)."""
    rows: list[dict[str, Any]] = []
    for name, host in HOSTS.items():
        row: dict[str, Any] = {"host": name, "title": host.title, "gives": host.gives, "scopes": host.scopes}
        try:
            rows.append({**row, "installed": installed_in(name, Path.cwd()), "fault": None})
        except RecordError as error:
            rows.append({**row, "installed": None, "fault": str(error)})
    if app.json:
        app.emit(rows)
        return
    hosts = max(len(row["host"]) for row in rows)
    gives = max(len(", ".join(row["gives"])) for row in rows)
    for row in rows:
        where = "not installed" if row["installed"] == [] else "unknown"
        if row["installed"]:
            where = f"installed: {', '.join(row['installed'])}"
        app.line(f"{row['host']:<{hosts}}  {', '.join(row['gives']):<{gives}}  {where}")
        if row["fault"]:
            app.note(plain(row["fault"]))


def refuse_ledger(app: App) -> None:
    """Refuse `--ledger`, which means nothing here.

    Raises:
        UsageError: it was given.
    """
    if app.directory is not None:
        raise UsageError("leave out --ledger: hooks find the ledger by the folder in which an agent works")


def carried_out(
    app: App,
    host: Host,
    place: InstallPlace,
    changes: Sequence[FileChange],
    *,
    dry_run: bool,
    yes: bool,
    verb: str,
) -> bool:
    """Show what changes, ask, and do it; say whether anything changed."""
    due = [change for change in changes if change.did != "unchanged"]
    if not app.json:
        for change in due:
            app.lines((_shown(app, line) for line in change.diff()), verbatim=True)
    if due and not dry_run:
        names = " and ".join(plain(str(change.path)) for change in due)
        ask(f"{verb} {host.title}: change {names}?", yes=yes)
        for change in changes:
            if copy := apply(change):
                app.note(f"{plain(str(change.path))}: its previous text is kept in {plain(str(copy))}")
    if app.json:
        app.emit(
            {
                "host": host.name,
                "scope": "plugin" if place.folder else place.scope,
                "dry_run": dry_run,
                "files": [_as_json(change) for change in changes],
            }
        )
        return bool(due)
    for change in due:
        app.line(f"{'would be ' if dry_run else ''}{change.did}: {plain(str(change.path))}")
    if not due:
        app.line(f"nothing to {verb}: {host.title} is as it should be")
    return bool(due)


def _shown(app: App, line: str) -> str:
    line = plain(line.replace("\t", "    "))
    return app.style(line, fg=_COLORS[line[0]]) if line[:1] in _COLORS else line


def _as_json(change: FileChange) -> dict[str, Any]:
    return {"path": str(change.path), "did": change.did, "diff": "\n".join(change.diff())}
