"""How commands and options are declared: as click's own, with help that is shown as it is written.

click loads `inspect` for the help of an option, and a start would pay for it (specs/adr/0041).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import click


class Option(click.Option):
    """An option whose help is shown as it is written."""

    def __init__(self, param_decls: Sequence[str] | None = None, **attrs: Any) -> None:
        said = attrs.pop("help", None)
        super().__init__(param_decls, **attrs)
        self.help = said


def _show_help(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


class Verb(click.Command):
    """A command whose help option is one of ours."""

    _our_help: Option | None = None

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """Return the option that shows the help and ends the command."""
        names = self.get_help_option_names(ctx)
        if self._our_help is None and names:
            self._our_help = Option(
                [*names, "show_help"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_show_help,
                help="Show this message and exit.",
            )
        return self._our_help


option = partial(click.option, cls=Option)
