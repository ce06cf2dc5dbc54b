"""muniment daily: write and curate daily notes.

Implements specs/cli.md (X-333).
"""

from __future__ import annotations

import click

from cli.app import App, common_options
from cli.command_group import CommandGroup
from cli.commands import checkpoint, curate


@click.group("daily", cls=CommandGroup)
@common_options
def command(_app: App) -> None:
    """Write and curate daily notes.

    \b
    Examples:
      muniment daily checkpoint
      muniment daily curate --dry-run
    """


command.add_command(checkpoint.command, "checkpoint")
command.add_command(curate.command, "curate")
