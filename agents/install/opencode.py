"""OpenCode: the MCP server in its settings, a file of instructions that they name, and a plugin (specs/doors.md G-86, G-104)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from agents.install import agents_md, settings_list, settings_server
from agents.install.host import NAME, Host, HostFile, InstallPlace, is_shared, whole_file
from ledger.extras import how_to_install

_SERVERS, _INSTRUCTIONS = "mcp", "instructions"
_SETTINGS = ("opencode.json", "opencode.jsonc")
"""OpenCode reads both; it makes the second at its first start. The first that is there has ours."""
PLUGIN = Path(__file__).parent / "opencode_plugin" / f"{NAME}.js"
"""The plugin, as it is shipped."""
_PROGRAM = f'const MUNIMENT = "{NAME}";'


def plugin(program: str) -> str:
    """Return the plugin's text for a program: its path, or its name where it is only known by that (G-22)."""
    return PLUGIN.read_text("utf-8").replace(_PROGRAM, f"const MUNIMENT = {json.dumps(program)};")


def _parts(place: InstallPlace) -> Sequence[HostFile]:
    within = place.folder_of("XDG_CONFIG_HOME", ".config")
    folder = within / "opencode"
    module = folder / "plugins" / PLUGIN.name
    rule = folder / f"{NAME}.md"
    named = f"~/{rule.relative_to(place.user)}" if rule.is_relative_to(place.user) else str(rule)

    def settings(path: Path, *, is_first: bool) -> HostFile:
        program = NAME if is_shared(path) else place.program
        server = {"type": "local", "command": [program, "mcp"], "enabled": True}

        def put(before: bytes | None) -> bytes | None:
            if not is_first:
                return before
            done = settings_list.put(before, _INSTRUCTIONS, named)
            return settings_server.put(done, server, _SERVERS) if place.has_mcp else done

        def take(data: bytes) -> bytes | None:
            left = settings_list.take(data, _INSTRUCTIONS, named)
            return left if left is None else settings_server.take(left, _SERVERS)

        return HostFile(path, put, take, within, by_command=True)

    first, *others = [path for name in _SETTINGS if (path := folder / name).exists()] or [
        folder / _SETTINGS[0]
    ]
    return [
        settings(first, is_first=True),
        *(settings(path, is_first=False) for path in others),
        whole_file(rule, agents_md.TEXT, within),
        whole_file(module, plugin(NAME if is_shared(module) else place.program), within),
    ]


def _advice(place: InstallPlace) -> Sequence[str]:
    if place.has_mcp:
        return []
    return [f"to give it the tools as well, run {how_to_install('mcp')}, and then this command again"]


HOST = Host(
    "opencode", "OpenCode", ("user",), ("context", "requests", "learning", "tools", "rules"), _parts, _advice
)
