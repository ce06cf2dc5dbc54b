"""Codex: hooks.json beside config.toml, and the MCP server in config.toml (specs/doors.md G-24).

Codex trusts a hook by the hash of its definition: it is the same in every scope, on every machine, in every release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.install import claude_code, settings_json, settings_toml
from agents.install.host import Host, HostFile, InstallPlace, guarded
from ledger.extras import how_to_install

COMMAND = guarded("hook", "codex")
"""Never change this: people would have to trust it again."""

HOOKS: Mapping[str, Mapping[str, Any]] = {
    event: {
        **({"matcher": "apply_patch|Edit|Write"} if event == "PostToolUse" else {}),
        "hooks": [{"type": "command", "command": COMMAND, "timeout": 3 if event == "SessionEnd" else 5}],
    }
    for event in claude_code.EVENTS
}
"""Codex gives SessionEnd 3 seconds at most, and complains of more at each start."""


def _parts(place: InstallPlace) -> Sequence[HostFile]:
    folder = place.folder_of("CODEX_HOME", ".codex") if place.scope == "user" else place.root / ".codex"
    parts = [settings_json.host_file(folder / "hooks.json", HOOKS, folder)]
    if place.scope == "user":  # in a project's file it would fail for those who have no muniment

        def put(before: bytes | None) -> bytes | None:
            # Codex would tell of a server that does not start.
            return settings_toml.put(before) if place.has_mcp else before

        parts.append(
            HostFile(
                folder / "config.toml",
                put=put,
                take=settings_toml.take,
                within=folder,
                by_command=True,
            )
        )
    return parts


def _advice(place: InstallPlace) -> Sequence[str]:
    lines = [
        "Codex runs none of these hooks, and does not say so, until you trust them: start codex, and trust each in /hooks"
    ]
    if place.scope == "project":
        lines.append("it reads a project's hooks only where you trusted the project")
    if place.scope == "user" and not place.has_mcp:
        lines.append(
            f"to give it the tools as well, run {how_to_install('mcp')}, and then this command again"
        )
    elif place.scope == "project":
        lines.append(
            "for git: commit .codex/hooks.json; where muniment is not installed its hooks do nothing"
        )
    return lines


_GIVES = ("context", "requests", "learning", "tools")

HOST = Host("codex", "Codex", ("user", "project"), _GIVES, _parts, _advice)
