"""muniment anchor: what a ledger gives to others so that they can check it later.

Implements specs/cli.md (X-260). One file a verb in `cli/anchors/`.
"""

from __future__ import annotations

from importlib import import_module

import click

from cli.app import App, common_options
from cli.command_group import CommandGroup

VERBS = {
    "checkpoint": "Sign what the ledger holds now",
    "list": "List the checkpoints that were signed",
    "consistency": "Say whether one checkpoint goes on from another",
    "witness": "Have a witness cosign a checkpoint",
    "rfc3161": "Have a timestamping authority stamp one",
    "ots": "Timestamp one in Bitcoin, by OpenTimestamps",
    "evm": "Write a transaction with its digest, for your wallet",
}
"""The verbs with what they do, in the order of the help."""


class Verbs(CommandGroup):
    """Loads a verb's module when the verb is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the verbs."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Return a verb, None where there is none of that name."""
        if cmd_name not in VERBS:
            return None
        module = import_module(f"..anchors.{cmd_name.replace('-', '_')}", __package__)
        verb: click.Command = module.command
        return verb

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the verbs without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


@click.group("anchor", cls=Verbs)
@common_options
def command(_app: App) -> None:
    """Sign checkpoints for others to keep.

    A checkpoint is a short signed text: the number of events, and one hash over all of them. Anyone who keeps
    one can later detect if an event was changed, removed or inserted. It contains no memory.

    \b
    Examples:
      muniment anchor checkpoint > monday.checkpoint     give it to somebody
      muniment verify --checkpoint monday.checkpoint     later: all of that still stands
    """
