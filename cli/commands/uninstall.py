"""muniment uninstall: take muniment's door out of a program again.

Implements specs/cli.md (X-243) and specs/doors.md (G-20, G-21).
"""

from __future__ import annotations

from pathlib import Path

import click

from cli.app import App
from cli.commands.install import carried_out, install_options, placed


@click.command("uninstall")
@install_options
def command(app: App, host: str, dry_run: bool, plugin: Path | None, yes: bool) -> None:
    """Take out what `muniment install` put into a program, or advised you to put there, and nothing else.

    Your memories stay. A file that nobody changed since becomes what it was, byte for byte; from another one
    what runs muniment is taken out. A file that has nothing else in it goes. So does the MCP server that
    claude mcp add put into Claude Code's own file, and what openclaw hooks enable put into OpenClaw's.

    \b
    Examples:
      muniment uninstall claude-code --dry-run
      muniment uninstall codex --scope project --yes
    """
    from integrations.installing import uninstalling

    chosen, place = placed(app, host, plugin)
    changes = uninstalling(chosen, place)
    carried_out(app, chosen, place, changes, dry_run=dry_run, yes=yes, verb="uninstall")
    for line in () if dry_run else chosen.left:
        app.note(line)
