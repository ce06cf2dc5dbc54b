"""muniment upkeep: run the weekly upkeep, schedule it, and retry failed writes.

Implements specs/cli.md (X-333).
"""

from __future__ import annotations

import click

from cli.app import App, common_options
from cli.command_group import CommandGroup
from cli.commands import maintain, outbox, schedule


@click.group("upkeep", cls=CommandGroup)
@common_options
def command(_app: App) -> None:
    """Run weekly upkeep, schedule it, or retry failed writes.

    \b
    Examples:
      muniment upkeep run
      muniment upkeep schedule --install
      muniment upkeep retry --list
    """


command.add_command(maintain.command, "run")
command.add_command(schedule.command, "schedule")
command.add_command(outbox.command, "retry")
