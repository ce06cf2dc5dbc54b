"""muniment mcp: serve an agent that speaks the Model Context Protocol.

Implements specs/doors.md (G-40, G-49).
"""

from __future__ import annotations

from functools import partial
from importlib.util import find_spec
from pathlib import Path

import click

from cli import learning_run
from cli.app import App, reading_options
from ledger.errors import UsageError
from ledger.extras import how_to_install


@click.command("mcp")
@reading_options
@click.option("--by", "by_name", metavar="NAME", help="Author to record (default: the client's name).")
def command(app: App) -> None:
    """Serve MCP clients.

    Speaks MCP on stdin and stdout, with tools to save, search, replace, confirm and forget. Your agent's
    program starts it; there is nothing to type. It needs the extra muniment[mcp]. All scopes of its start
    folder take part; --scope or --ledger selects one ledger.

    The client is recorded as an agent: limits hold, secrets are refused, what you wrote yourself is never
    replaced, and candidates wait for you in muniment review. To forget a memory, the client asks you; if it
    cannot, the request waits in muniment review, which lists it first.

    \b
    Examples:
      claude mcp add muniment -- muniment mcp
      codex mcp add muniment -- muniment mcp --scope project
      {"mcpServers": {"muniment": {"command": "muniment", "args": ["mcp"]}}}
    """
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


def _is_installed() -> bool:
    """Say whether the SDK is there, of a version that we know; nothing of it is imported (G-49)."""
    found = find_spec("mcp")
    places = found.submodule_search_locations if found is not None else None
    return any(Path(each, "server", "mcpserver").is_dir() for each in places or ())
