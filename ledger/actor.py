"""Who acts in this process: an agent, a person at a terminal, or a script of unknown origin.

Implements specs/cli.md (X-7). A claim, not a proof: a program that runs as the person can unset a variable or open a terminal.
"""

from __future__ import annotations

import os
import re
import sys
from typing import Literal, TextIO

AGENT_VARIABLES = (
    "CLAUDECODE",
    "CLAUDE_CODE_ENTRYPOINT",
    "CODEX_SANDBOX",
    "CODEX_THREAD_ID",
    "OPENCLAW_AGENT",
    "OPENCLAW_SESSION_KEY",
    "GEMINI_CLI",
    "COPILOT_CLI",
    "CURSOR_AGENT",
    "OPENCODE",
    "AI_AGENT",
    "AGENT",
)
"""Variables by which coding agents are known; any that is set makes the writer an agent."""

SESSION_VARIABLES = (
    "CLAUDE_CODE_SESSION_ID",
    "CODEX_THREAD_ID",
    "COPILOT_AGENT_SESSION_ID",
    "OPENCLAW_SESSION_KEY",
)
"""Variables by which programs tell what they start which session it belongs to; their hooks name it likewise."""

_LONGEST_SESSION = 120

Role = Literal["agent", "user", "system"]


def is_agent() -> bool:
    """Return whether an agent runs this process: a variable of one is set."""
    return any(os.environ.get(variable) for variable in AGENT_VARIABLES)


def session() -> str:
    """Return the session that the starting program named, or ""."""
    for variable in SESSION_VARIABLES:
        if told := session_in(os.environ.get(variable)):
            return told
    return ""


def session_in(told: object) -> str:
    """Return the name of a session as a program gave it, or "" if it is invalid; secrets in it are replaced (H-40)."""
    name = told.strip() if isinstance(told, str) else ""
    if not name or not name.isprintable() or len(name) > _LONGEST_SESSION:
        return ""
    from ledger.redaction import redact

    return redact(name)


def role() -> Role:
    """Return who acts here: an agent, a person (user), or a script (system).

    Two of the three standard streams must be the terminal: a person may pipe one of them, but a program that captures a
    command's output is not a person.
    """
    if is_agent():
        return "agent"
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return "user" if sum(map(is_terminal, streams)) >= 2 else "system"


def is_terminal(stream: TextIO | None) -> bool:
    """Return whether a stream is an open terminal."""
    return stream is not None and not stream.closed and stream.isatty()


def login_slug() -> str:
    """Return the login name as a slug."""
    import getpass

    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = ""
    slug = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-._")[:64]
    return slug or "somebody"
