"""Who is at the other end: the client as a writer, and where what it says comes from.

Implements specs/doors.md (G-40, G-44). A client says its own name; whatever it says, it is an agent.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ledger.actor import session, session_in
from ledger.event import By
from ledger.instant import system_clock, written
from ledger.memory import MAX_SLUG, Provenance
from ledger.redaction import redact, scan

NAMELESS = "mcp-client"
"""A client that does not say its name."""

_META_SESSIONS = ("sessionId", "threadId")
"""Members of a request's `_meta` in which a program names its session, as its hooks do."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A client: its name as a slug, and the session that this server was started for."""

    name: str
    session: str

    @property
    def by(self) -> By:
        """The client as a writer."""
        return By(self.name, "agent", "mcp")

    @property
    def who_heard(self) -> By:
        """Who writes what the person agreed to when the client asked them: a program that heard them, no agent (S-10)."""
        return By(self.name, "system", "mcp")

    def origin(self, tool: str) -> Provenance:
        """Return where a memory comes from that this call of a tool saves; each call is a message of its own."""
        message = f"{tool}-{os.urandom(6).hex()}"
        return Provenance(self.session, message, self.session, agent=self.name, tool=tool)


def session_told(meta: Mapping[str, Any]) -> str:
    """Return the session that a request's `_meta` names, "" if it names none."""
    return next((found for key in _META_SESSIONS if (found := session_in(meta.get(key)))), "")


def slug_of(name: str) -> str:
    """Return a client's name as a writer's name; a secret in it is replaced, and a slug that looks like one is invalid."""
    slug = re.sub(r"[^a-z0-9._-]+", "-", redact(name).lower())[:MAX_SLUG].strip("-._")
    return NAMELESS if not slug or scan(slug) else slug


def new_session() -> str:
    """Return the name of the session that this process serves: the program's own, where that tells it; else a new one."""
    return session() or f"mcp-{written(system_clock())[:10]}-{os.urandom(6).hex()}"
