"""The table of hosts that `muniment install` knows (specs/doors.md G-20). A new one is a module and a line here."""

from __future__ import annotations

from agents.install import agents_md, claude_code, codex, openclaw
from agents.install.host import Host

HOSTS: dict[str, Host] = {
    host.name: host for host in (claude_code.HOST, codex.HOST, openclaw.HOST, agents_md.HOST)
}
"""All hosts by name, in the order of the help."""
