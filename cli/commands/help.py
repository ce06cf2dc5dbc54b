"""muniment help: explain a command, or list every command.

Implements specs/cli.md (X-332).
"""

from __future__ import annotations

import click

from cli.app import App, common_options
from cli.catalogue import EVERY
from cli.command_group import CommandGroup
from cli.options import Verb, option
from ledger.errors import UsageError


@click.command("help", cls=Verb)
@click.argument("names", nargs=-1, metavar="[COMMAND]...")
@option("--all", "every", is_flag=True, help="List every command, not only the everyday ones.")
@common_options
def command(app: App, *, names: tuple[str, ...], every: bool) -> None:
    """Explain a command, or list every command.

    Without a name, lists the everyday commands.

    \b
    Examples:
      muniment help add
      muniment help anchor ots
      muniment help --all
    """
    context = click.get_current_context().find_root()
    if every and names:
        raise UsageError("give a command or --all, not both")
    context.meta[EVERY] = every
    rest = list(names)
    while rest:
        group = context.command
        if not isinstance(group, CommandGroup):
            raise UsageError(f"{context.command_path} has no commands; see muniment help {names[0]}")
        name, found, rest = group.resolve_command(context, rest)
        assert found is not None  # resolve_command raises for a name that it does not know
        context = click.Context(found, info_name=name, parent=context)
    app.lines(context.get_help().splitlines())
