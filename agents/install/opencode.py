"""OpenCode: the MCP server in its settings, a file of instructions that they name, and a plugin (specs/doors.md G-86, G-104)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from agents.install import agents_md, settings_list, settings_server
from agents.install.host import NAME, Host, HostFile, InstallPlace, joined, script, tools_advice, whole_file

_SERVERS, _INSTRUCTIONS = "mcp", "instructions"
_SETTINGS = ("opencode.json", "opencode.jsonc")
"""OpenCode reads both; it makes the second at its first start. The first that is there has ours."""
PLUGIN = Path(__file__).parent / "opencode_plugin" / f"{NAME}.js"
"""The plugin, as it is shipped."""


def _parts(place: InstallPlace) -> Sequence[HostFile]:
    within = place.folder_of("XDG_CONFIG_HOME", ".config")
    folder = within / "opencode"
    module = folder / "plugins" / PLUGIN.name
    rule = folder / f"{NAME}.md"
    named = f"~/{rule.relative_to(place.user)}" if rule.is_relative_to(place.user) else str(rule)

    def settings(path: Path) -> HostFile:
        server = {"type": "local", "command": [place.program_in(path), "mcp"], "enabled": True}
        return joined(
            settings_list.host_file(path, _INSTRUCTIONS, named, within),
            settings_server.host_file(path, place, server, within, _SERVERS),
        )

    first, *others = [path for name in _SETTINGS if (path := folder / name).exists()] or [
        folder / _SETTINGS[0]
    ]
    return [
        settings(first),
        *(replace(settings(path), put=lambda before: before) for path in others),
        whole_file(rule, agents_md.TEXT, within),
        whole_file(module, script(PLUGIN, place.program_in(module)), within),
    ]


_GIVES = ("context", "requests", "learning", "tools", "rules")

HOST = Host("opencode", "OpenCode", ("user",), _GIVES, _parts, tools_advice)
