"""muniment archive: hide old, unused memories, and show them again.

Implements specs/cli.md (X-333).
"""

from __future__ import annotations

import click

from cli.app import App, common_options
from cli.command_group import CommandGroup
from cli.commands import gc, unarchive


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


command.add_command(gc.command, "unused")
command.add_command(unarchive.command, "restore")
