"""Opens the ledgers of the folder that a hook was called in, in the hook's name.

Implements specs/doors.md (G-3). It stands apart from what learns from the spool, so that a prompt does not load that.
"""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack

from agents.hooks.folder_scopes import home as user_home
from agents.hooks.folder_scopes import places
from learning import authorship
from ledger.errors import LedgerError
from ledger.view import ViewUnavailableError
from muniment import MemoryLedger

AGENTS = {"claude": "claude-code", "codex": "codex", "openclaw": "openclaw"}
"""The name of the agent, by the program that called the hook."""
HINDERED = (LedgerError, ViewUnavailableError, sqlite3.Error, OSError)
"""What a ledger raises that cannot be read or written now."""


def opened(cwd: str, stack: ExitStack) -> dict[str, MemoryLedger]:
    """Open the ledgers of a folder by scope, as far as there are any."""
    by = authorship.writer("hook", under_agent=False)
    home = user_home()
    found = {}
    for place in places(home, cwd):
        memory = MemoryLedger(place, home, by=by)
        if memory.workspace.is_founded:
            found[place.scope] = stack.enter_context(memory)
    return found
