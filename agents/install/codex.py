"""Codex: hooks.json beside config.toml, and the MCP server in config.toml (specs/doors.md G-24).

Codex trusts a hook by the hash of its definition: it is the same in every scope, on every machine, in every release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.hooks.dispatch import ROOMS
from agents.install import settings_json, settings_toml
from agents.install.host import Host, HostFile, InstallPlace, guarded, hooks_for_git, tools_advice

COMMAND = guarded("hook", "codex")
"""Never change this: people would have to trust it again."""

HOOKS: Mapping[str, Mapping[str, Any]] = {
    event: {
        **({"matcher": "apply_patch|Edit|Write"} if event == "PostToolUse" else {}),
        "hooks": [{"type": "command", "command": COMMAND, "timeout": 3 if event == "SessionEnd" else 5}],
    }
    for event in ROOMS["codex"]
}
"""Codex gives SessionEnd 3 seconds at most, and complains of more at each start."""


def _parts(place: InstallPlace) -> Sequence[HostFile]:
    folder = place.folder_of("CODEX_HOME", ".codex") if place.scope == "user" else place.root / ".codex"
    parts = [settings_json.host_file(folder / "hooks.json", HOOKS, folder)]
    if place.scope == "user":
        parts.append(settings_toml.host_file(folder / "config.toml", place, folder))
    return parts


def _advice(place: InstallPlace) -> Sequence[str]:
    lines = [
        "Codex runs none of these hooks, and does not say so, until you trust them: start codex, and trust each in /hooks"
    ]
    if place.scope == "project":
        lines += [
            "it reads a project's hooks only where you trusted the project",
            hooks_for_git(".codex/hooks.json"),
        ]
    return [*lines, *tools_advice(place)]


_GIVES = ("context", "requests", "learning", "tools")

HOST = Host("codex", "Codex", ("user", "project"), _GIVES, _parts, _advice)
