"""A command with commands of its own, which says of a name that it does not know which ones are spelled like it.

Implements specs/cli.md (X-1).
"""

from __future__ import annotations

from collections.abc import Iterable

import click

from cli.options import Verb


class CommandGroup(Verb, click.Group):
    """A group of commands; one that is not there is answered by those that are meant perhaps."""

    command_class = Verb

    def known_as(self, ctx: click.Context) -> Iterable[str]:
        """Return every name that a command has here, aliases too."""
        return self.list_commands(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command. Raises UsageError, which names the ones that are spelled like it."""
        if args[0].startswith("-") or self.get_command(ctx, args[0]) is not None:
            return super().resolve_command(ctx, args)
        from difflib import get_close_matches

        known = list(self.known_as(ctx))
        near = [name for name in known if name.startswith(args[0])] or get_close_matches(args[0], known, n=2)
        hint = f"did you mean {' or '.join(near[:3])}?" if near else f"{ctx.command_path} --help lists them"
        raise click.UsageError(f"there is no command {args[0]!r}; {hint}", ctx)
