"""muniment completion: lets a shell complete commands, options and ids.

Implements specs/cli.md (X-65).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem, get_completion_class, shell_complete

import muniment
from cli.app import App, common_options
from language.printable import SHORT, plain
from ledger.errors import LedgerError
from projections.index_schema import INDEX_NAME

SHELLS = {
    "bash": 'add this to ~/.bashrc:  eval "$(muniment completion bash)"',
    "zsh": 'add this to ~/.zshrc, after compinit:  eval "$(muniment completion zsh)"',
    "fish": "run once:  muniment completion fish > ~/.config/fish/completions/muniment.fish",
}
"""The shells, and how each is told."""

_PROGRAM = "muniment"
_VARIABLE = "_MUNIMENT_COMPLETE"
_MOST = 50


@click.command("completion")
@click.argument("shell", type=click.Choice(list(SHELLS)))
@common_options
def command(app: App, *, shell: str) -> None:
    """Set up completion of commands and ids in your shell.

    Prints the script for SHELL; load it in the shell's startup file.

    \b
    Examples:
      eval "$(muniment completion bash)"
      muniment completion fish > ~/.config/fish/completions/muniment.fish
    """
    source = get_completion_class(shell)
    if source is None:  # pragma: no cover - click knows all three
        raise click.UsageError(f"{shell} is not supported")
    script = source(click.Group(), {}, _PROGRAM, _VARIABLE).source()
    if app.json:
        app.emit({"shell": shell, "script": script, "how": SHELLS[shell]})
    else:
        app.lines([script.rstrip("\n")], verbatim=True)
    app.note(SHELLS[shell])


# --- answering a shell ---


def answer(cli: click.Group, program: str, variable: str) -> int:
    """Answer the shell's question in the environment variable `variable`; returns the exit code."""
    return shell_complete(_Completing(cli), {}, program, variable, os.environ[variable])


class _Completing(click.Group):
    """The command line as it is, except that arguments named ID complete, and that names cost no import."""

    def __init__(self, cli: click.Group) -> None:
        super().__init__(cli.name, params=cli.params, callback=cli.callback)
        self._cli = cli

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all names."""
        return self._cli.list_commands(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command whose ids can be completed."""
        found = self._cli.get_command(ctx, cmd_name)
        for parameter in found.params if found else ():
            if parameter.name in ("id_", "ids", "memory_id"):
                parameter.type = MemoryId()
        return found

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[Any]]:
        """Return the commands that begin so, or the options."""
        from cli.catalogue import COMMANDS

        known = {name: does for group in COMMANDS.values() for name, does in group.items()}
        names = [CompletionItem(name, help=known[name]) for name in known if name.startswith(incomplete)]
        return names + click.Command.shell_complete(self, ctx, incomplete)


class MemoryId(click.ParamType[str]):
    """A memory's id; completes from the index as it is, without catching up or verifying."""

    name = "id"

    def shell_complete(
        self,
        ctx: click.Context,
        param: click.Parameter,  # noqa: ARG002 - click's signature
        incomplete: str,
    ) -> list[CompletionItem[Any]]:
        """Return the newest memories whose ids begin so."""
        outer = ctx.parent.params if ctx.parent else {}
        scope, directory = (ctx.params.get(name) or outer.get(name) for name in ("scope", "directory"))
        try:
            place, _ = muniment.locate(scope, directory)
            return [CompletionItem(id_, help=plain(text)) for id_, text in _ids(place.directory, incomplete)]
        except (LedgerError, sqlite3.Error, OSError):
            return []


def _ids(directory: Path, beginning: str) -> Iterator[tuple[str, str]]:
    address = (directory / INDEX_NAME).absolute().as_uri()
    if set(beginning) - set("0123456789abcdef"):
        return
    query = (
        "SELECT e.id, m.text FROM events e JOIN memories m USING (seq) WHERE e.id >= ? AND e.id < ? "
        "AND m.status IN ('active', 'candidate') ORDER BY e.seq DESC LIMIT ?"
    )
    with closing(sqlite3.connect(f"{address}?mode=ro", uri=True)) as db:
        for id_, text in db.execute(query, (beginning, f"{beginning}g", _MOST)):
            yield id_[: max(SHORT, len(beginning))], text
