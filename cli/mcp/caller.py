"""Who is at the other end: the client as a writer, and where what it says comes from.

Implements specs/doors.md (G-40, G-44). A client says its own name; whatever it says, it is an agent.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cli.app import plain
from ledger.event import By
from ledger.instant import system_clock, written
from ledger.memory import MAX_SLUG, Provenance

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context

NAMELESS = "mcp-client"
"""A client that does not say its name."""

SESSION_VARIABLES = ("CODEX_THREAD_ID", "OPENCLAW_SESSION_KEY")
"""Variables by which programs tell what they start which session it belongs to."""

_LONGEST_SESSION = 120


@dataclass(frozen=True, slots=True)
class Caller:
    """A client: its name as a slug, and the session that this server was started for."""

    name: str
    session: str

    @property
    def by(self) -> By:
        """The client as a writer."""
        return By(self.name, "agent", "mcp")

    def origin(self, tool: str) -> Provenance:
        """Return where a memory comes from that this call of a tool saves; each call is a message of its own."""
        message = f"{tool}-{os.urandom(6).hex()}"
        return Provenance(self.session, message, self.session, agent=self.name, tool=tool)


def caller(ctx: Context[Any, Any], session: str) -> Caller:
    """Return the client of a request."""
    params = ctx.session.client_params
    return Caller(slug_of(params.client_info.name) if params is not None else NAMELESS, session)


def slug_of(name: str) -> str:
    """Return a client's name as a writer's."""
    slug = re.sub(r"[^a-z0-9._-]+", "-", name.lower())[:MAX_SLUG].strip("-._")
    return slug or NAMELESS


def new_session() -> str:
    """Return the name of the session that this process serves: the program's own, where that tells it; else a new one."""
    for variable in SESSION_VARIABLES:
        if (told := plain(os.environ.get(variable, "")).strip()) and len(told) <= _LONGEST_SESSION:
            return told
    return f"mcp-{written(system_clock())[:10]}-{os.urandom(6).hex()}"
