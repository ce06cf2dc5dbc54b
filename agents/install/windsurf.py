"""Windsurf's Cascade: the MCP server in mcp_config.json, and a rule (specs/doors.md G-87).

Its hooks cannot give it context, so it has none of ours.
"""

from __future__ import annotations

from collections.abc import Sequence

from agents.install import agents_md, settings_server
from agents.install.host import NAME, Host, HostFile, InstallPlace, tools_advice, whole_file

_HEAD = "---\ntrigger: always_on\n---\n\n"


def _parts(place: InstallPlace) -> Sequence[HostFile]:
    if place.scope == "project":
        folder = place.root / ".windsurf"
        return [whole_file(folder / "rules" / f"{NAME}.md", f"{_HEAD}{agents_md.TEXT}", folder)]
    folder = place.user / ".codeium" / "windsurf"
    path = folder / "mcp_config.json"
    server = {"command": place.program_in(path), "args": ["mcp"]}
    return [
        settings_server.host_file(path, place, server, folder.parent),
        agents_md.host_file(folder / "memories" / "global_rules.md", "windsurf", folder.parent),
    ]


def _advice(place: InstallPlace) -> Sequence[str]:
    if place.scope == "project":
        return [f"for git: commit .windsurf/rules/{NAME}.md; agents without muniment are told to ignore it"]
    return tools_advice(place) or [
        "press Refresh in the MCP settings of Cascade: only then it sees a new server"
    ]


HOST = Host("windsurf", "Windsurf", ("user", "project"), ("tools", "rules"), _parts, _advice)
