"""The command `memory-chain`: verbs of witness-memory-chain, each run by muniment.

Implements specs/doors.md (G-50, G-56…G-59). A verb is translated into arguments of `muniment`, which runs it; an
unsupported one is refused with muniment's way.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NoReturn

import click

from cli import main as command_line
from cli.app import App, say
from cli.options import option
from documents.memory_chain.mapping import memory_of
from language.printable import plain
from ledger.actor import is_terminal
from ledger.errors import StateError, UsageError

PROGRAM = "memory-chain"
TYPES = ("memory", "identity", "decision")
TIERS = ("committed", "relationship", "ephemeral")

_INSTEAD = {
    "init": "run muniment init to create a ledger",
    "anchors": "run muniment log --kind anchor to list them",
    "anchor-status": "run muniment log --kind anchor to list them",
    "verify-anchors": "run muniment verify to see what each anchor proves",
    "verify-base": "run muniment verify to see what each anchor proves",
    "witness-balance": "muniment has no wallet",
    "rebuild-index": "run muniment replay to rebuild the index",
    "export": "run muniment export to write memories, or muniment backup for a whole ledger",
    "import": "run muniment import --from memory-chain DIR to import a chain",
}
"""Verbs that are refused, each with muniment's own way."""


class _Verbs(click.Group):
    """Finds a verb; the error for a refused one says what to run instead."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in _INSTEAD:
            raise UsageError(f"{PROGRAM} {args[0]} does not exist here: {_INSTEAD[args[0]]}")
        return super().resolve_command(ctx, args)


_DATA = option(
    "-d",
    "--data-dir",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A ledger's directory. Nothing is written to the folder of an earlier chain.",
)
_REST = {"ignore_unknown_options": False, "help_option_names": ["-h", "--help"]}


@click.group(cls=_Verbs, context_settings={**_REST, "max_content_width": 100})
@_DATA
@click.pass_context
def group(ctx: click.Context, folder: Path | None) -> None:
    """Run jobs that were written for witness-memory-chain; each verb runs the muniment command that its help names.

    Memories go into the ledger of the project that contains the current folder, otherwise into your own. To
    import the memories of a memory-chain, run muniment import --from memory-chain DIR.

    \b
    Examples:
      memory-chain add "Use TypeScript for this project" --type decision --tier committed
      memory-chain search "which language"
      memory-chain verify
    """
    ctx.obj = folder


def _words(ctx: click.Context, folder: Path | None, *words: str) -> list[str]:
    """Return muniment's arguments, with the ledger that `folder` selects."""
    folder = folder or ctx.obj
    if folder is None:
        return list(words)
    if _is_of_before(folder):
        say(
            f"{PROGRAM}: {plain(str(folder))} holds a memory-chain, and is left unchanged; "
            f"run muniment import --from memory-chain {plain(str(folder))} to import it"
        )
        return list(words)
    return ["--ledger", str(folder), *words]


def _is_of_before(folder: Path) -> bool:
    chain = folder / "chain.jsonl"
    if not chain.is_file():
        return False
    with chain.open("rb") as stream:
        return not stream.read(16).startswith(b'{"event":')


@group.command("add")
@click.argument("content")
@option("-t", "--type", "type_", type=click.Choice(TYPES), default="memory", show_default=True)
@option("--tier", type=click.Choice(TIERS), default="relationship", show_default=True)
@_DATA
@click.pass_context
def add(ctx: click.Context, content: str, type_: str, tier: str, folder: Path | None) -> list[str]:
    """Add a memory: muniment add.

    Types: memory is a fact. Tiers: relationship is curated, ephemeral is a daily note. CONTENT may have several
    lines: the first is the text, the others its body.

    \b
    Examples:
      memory-chain add "Always confirm before sending emails" --type decision --tier committed
    """
    record = memory_of(content, type_, tier)
    if record is None:
        raise UsageError("CONTENT says nothing that can be seen; nothing was stored")
    words = ["add", "--type", record.type, "--tier", record.tier]
    words += ["--body", record.body] if record.body else []
    if App().by().role != "user":
        words += ["--source", "auto"]
    return _words(ctx, folder, *words, "--", record.text)


@group.command("list")
@option("-l", "--limit", type=click.IntRange(min=1), default=20, show_default=True, metavar="N")
@option("--show-content", is_flag=True, help="No effect: the content is always shown.")
@_DATA
@click.pass_context
def list_(ctx: click.Context, limit: int, show_content: bool, folder: Path | None) -> list[str]:  # noqa: ARG001
    """List the newest memories: muniment list.

    \b
    Examples:
      memory-chain list -l 50
    """
    return _words(ctx, folder, "list", "--limit", str(limit))


@group.command("search")
@click.argument("query")
@option("--max-results", type=click.IntRange(min=1), default=20, show_default=True, metavar="N")
@option("--max-tokens", type=int, metavar="N", help="No effect: use --max-results.")
@option("--rebuild", is_flag=True, help="No effect: the index follows the ledger.")
@_DATA
@click.pass_context
def search(  # noqa: PLR0917 - click passes them by name
    ctx: click.Context,
    query: str,
    max_results: int,
    max_tokens: int | None,  # noqa: ARG001 - old jobs give it
    rebuild: bool,  # noqa: ARG001 - old jobs give it
    folder: Path | None,
) -> list[str]:
    """Find memories: muniment search.

    \b
    Examples:
      memory-chain search "user preferences" --max-results 5
    """
    return _words(ctx, folder, "search", "--limit", str(max_results), "--", query)


def _verb(name: str, does: str) -> None:
    """Add a verb that is a command of muniment's, under the same name and without options."""

    @group.command(name, help=f"{does}\n\n\b\nExamples:\n  memory-chain {name}")
    @_DATA
    @click.pass_context
    def _run(ctx: click.Context, folder: Path | None) -> list[str]:
        return _words(ctx, folder, name)


_verb("verify", "Check the ledger: muniment verify. Exits with 1 if it finds a fault.")
_verb("stats", "Count memories, events, bytes and uses: muniment stats.")


@group.command("anchor", short_help="Write a transaction with a digest: muniment anchor evm.")
@option("--chain", type=click.Choice(["base"]), default="base", show_default=True, help="The blockchain.")
@_DATA
@click.pass_context
def anchor(ctx: click.Context, chain: str, folder: Path | None) -> list[str]:
    """Sign a checkpoint and write a transaction that carries its digest: muniment anchor evm.

    Nothing is sent, and no wallet is opened: the output names the file for your wallet to sign.

    \b
    Examples:
      memory-chain anchor --chain base
    """
    return _words(ctx, folder, "anchor", "evm", "--chain", chain)


@group.command("redact")
@click.argument("id_", metavar="ID")
@option("--force", is_flag=True, help="Do not ask for confirmation.")
@_DATA
@click.pass_context
def redact(ctx: click.Context, id_: str, force: bool, folder: Path | None) -> list[str]:
    """Permanently erase a memory's text: muniment erase. Committed memories are refused.

    ID is an id that list shows, or @N for event N. Numbers of an earlier chain are not valid.

    \b
    Examples:
      memory-chain redact 3f2a9c81 --force
    """
    if id_.lstrip("#").isdecimal() and len(id_.lstrip("#")) < 8:
        raise UsageError(f"{id_} is a number of an earlier chain, not an id: run muniment list to see ids")
    words = _words(ctx, folder)
    app = App(directory=Path(words[1]) if words else None)
    try:
        entry = app.memory().entry(id_)
    finally:
        app.close()
    if entry.memory.tier == "committed":
        raise StateError(
            f"{entry.id[:12]} is committed and cannot be redacted; run muniment erase {entry.id[:12]} to erase it"
        )
    if not force and not is_terminal(sys.stdin):
        raise UsageError(
            f"this is not a terminal, so nobody can be asked whether {entry.id[:12]} is to be erased permanently: add --force"
        )
    return [*words, "erase", *(["--yes"] if force else []), "--", id_]


def _invoke(arguments: list[str]) -> int:
    """Put a verb into muniment's words, and run them."""
    with group.make_context(PROGRAM, list(arguments) or ["--help"]) as context:
        words: list[str] = group.invoke(context)
    return command_line.invoke(words)


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command and exit, as `muniment` does."""
    command_line.main(arguments, _invoke)
