"""muniment mcp: serve an agent that speaks the Model Context Protocol.

Implements specs/doors.md (G-40, G-49, G-92).
"""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from pathlib import Path

import click

import muniment
from cli import learning_run
from cli.app import App, reading_options
from cli.options import Verb, option
from ledger.errors import NoLedgerError, UsageError
from ledger.event import By
from ledger.extras import how_to_install


@click.command("mcp", cls=Verb, context_settings={"allow_interspersed_args": False})
@option("--beside", is_flag=True, help="Run COMMAND, another memory server, and record its calls.")
@option("--by", "by_name", metavar="NAME", help="Author to record (default: the client's name).")
@click.argument("server", metavar="[COMMAND [ARG]...]", nargs=-1, type=click.UNPROCESSED)
@reading_options
def command(app: App, *, beside: bool, server: tuple[str, ...]) -> None:
    """Serve MCP clients.

    Speaks MCP on stdin and stdout, with tools to save, search, replace, confirm and forget. Your agent's
    program starts it; there is nothing to type. It needs the extra muniment[mcp]. All scopes of its start
    folder take part; --scope or --ledger selects one ledger.

    The client is recorded as an agent: limits hold, secrets are refused, what you wrote yourself is never
    replaced, and candidates wait for you in muniment review. To forget a memory, the client asks you; if it
    cannot, the request waits in muniment review, which lists it first.

    With --beside, the client talks to the memory server that COMMAND starts, and to nothing of muniment's.
    Each call, whether it reads or writes, becomes a signed event in your own ledger (or that of --scope or
    --ledger), with its arguments, its answer and who called. muniment log lists them; list and search show
    only the newest of each session. Secrets are recorded as [redacted:RULE]. This needs no extra.

    \b
    Examples:
      claude mcp add muniment -- muniment mcp
      codex mcp add muniment -- muniment mcp --scope project
      {"mcpServers": {"muniment": {"command": "muniment", "args": ["mcp"]}}}
      claude mcp add memory -- muniment mcp --beside npx -y @modelcontextprotocol/server-memory
    """
    if beside != bool(server):
        raise UsageError(
            "--beside needs the command of another memory server: muniment mcp --beside COMMAND [ARG]..."
            if beside
            else "a command must follow --beside: muniment mcp --beside COMMAND [ARG]..."
        )
    if beside:
        _stand_beside(app, server)
        return
    if not _is_installed():
        raise UsageError(f"muniment mcp needs the MCP SDK, version 2.3 or newer: {how_to_install('mcp')}")
    from agents.mcp.front import Wire

    app.by()  # says whether the name is one
    wire = Wire()
    if wire.answer():
        from agents.mcp.call_ledgers import Ledgers
        from agents.mcp.server import run

        run(
            Ledgers(partial(learning_run.opened_ledgers, app.directory, app.scope), app.directory),
            app.by_name,
            wire,
        )


def _stand_beside(app: App, server: tuple[str, ...]) -> None:
    """Record the calls of another memory server's tools (G-92)."""
    from agents.mcp.call_records import CallRecords
    from agents.mcp.relay import relay

    opened = partial(muniment.open, app.directory, scope=app.scope or (None if app.directory else "user"))
    with opened() as memory:
        if not memory.workspace.is_founded:
            raise NoLedgerError("there is no ledger to record calls in: run muniment init --scope user")
        if not memory.workspace.readable_configuration.enabled:
            app.note("calls are passed on and not recorded: enabled = false in config.toml")
    by = By(app.by().name, "agent", "mcp")  # whoever starts it, the calls come from an agent
    relay(server, CallRecords(partial(opened, by=by), app.note), app.by_name)


def _is_installed() -> bool:
    """Return whether the SDK is there, of a version that we know; nothing of it is imported (G-49)."""
    found = find_spec("mcp")
    places = found.submodule_search_locations if found is not None else None
    return any(Path(each, "server", "mcpserver").is_dir() for each in places or ())
